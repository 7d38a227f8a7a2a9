//! Tells the program which version it is: that of the package, with the commit where git knows one.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=KAESHI_COMMIT");
    let version = env!("CARGO_PKG_VERSION");
    let given = std::env::var("KAESHI_COMMIT").ok().filter(|commit| !commit.is_empty());
    // A debug build is made anew for every change; it need not be for every commit.
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    match given.or_else(|| release.then(head).flatten()) {
        Some(commit) => println!("cargo:rustc-env=KAESHI_VERSION={version} ({commit})"),
        None => println!("cargo:rustc-env=KAESHI_VERSION={version}"),
    }
    link_tightly();
    reserve_stack();
}

/// Windows gives the first thread 1 MiB, or 2, unless the program asks for more: as much as on Linux.
fn reserve_stack() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "windows") {
        match std::env::var("CARGO_CFG_TARGET_ENV").as_deref() {
            Ok("msvc") => println!("cargo:rustc-link-arg-bins=/STACK:8388608"),
            _ => println!("cargo:rustc-link-arg-bins=-Wl,--stack,8388608"),
        }
    }
}

/// The program with a pool is kept small: 0.7 MB of relative relocations are a few KB when they are packed, for
/// which the system needs glibc 2.36 (2022), and functions that are alike byte by byte are kept once. That is a
/// word of LLD, with which Rust links for this target since 1.90.
fn link_tightly() {
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    let glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if !glibc || std::env::var_os("CARGO_FEATURE_CLUSTER").is_none() {
        return;
    }
    println!("cargo:rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    if is("CARGO_CFG_TARGET_ARCH", "x86_64") && minor_version().is_some_and(|minor| minor >= 90) {
        println!("cargo:rustc-link-arg-bins=-Wl,--icf=all");
    }
}

/// The number N of the compiler's version 1.N.
fn minor_version() -> Option<u32> {
    let output = Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    String::from_utf8(output.stdout).ok()?.split('.').nth(1)?.parse().ok()
}

/// The commit of the repository that this package belongs to; `None` without git.
fn head() -> Option<String> {
    // If the package is unpacked inside another repository, git does not track its files.
    git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if std::path::Path::new(&path).exists() {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}

fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
