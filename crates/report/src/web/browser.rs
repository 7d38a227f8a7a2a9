//! The address of a page, and the browser that opens it.

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::process::{Command, Stdio};

use anyhow::Context;

/// Listens at `port`; if none is asked for at the usual one, or at any other if that is taken.
///
/// # Errors
/// The system refuses.
pub fn bind(ip: IpAddr, port: Option<u16>, usual: u16) -> anyhow::Result<TcpListener> {
    let bind = |port| TcpListener::bind(SocketAddr::new(ip, port));
    match port {
        Some(port) => bind(port).with_context(|| format!("cannot listen on {ip} port {port}")),
        None => bind(usual).or_else(|_| bind(0)).with_context(|| format!("cannot listen on {ip}")),
    }
}

/// Opens the link in the browser of this desktop, if there is one.
pub fn open_browser(link: &str) -> bool {
    let programs: &[&[&str]] = if cfg!(target_os = "macos") {
        &[&["open"]]
    } else if cfg!(target_os = "windows") {
        &[&["rundll32", "url.dll,FileProtocolHandler"]]
    } else if std::env::var_os("DISPLAY").is_some() || std::env::var_os("WAYLAND_DISPLAY").is_some() {
        &[&["xdg-open"], &["gio", "open"]]
    } else {
        &[]
    };
    programs.iter().any(|words| {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).arg(link).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().is_ok()
    })
}
