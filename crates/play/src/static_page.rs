//! `kaeshi play --export`: the page as files for any file server, with the rooms and the engine as WebAssembly.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use kaeshi_core::files::{self, FileKind};
use kaeshi_engine::games::GameName;
use kaeshi_report::files::{ENGINE_FILE, exported};
use kaeshi_report::page_info::looks;
use kaeshi_system::output::{print, remark, write_whole};

/// Every file of WebAssembly begins so.
const MAGIC: &[u8] = b"\0asm";

/// Writes the page into `folder`, which is made if need be; files of other names stay.
///
/// # Errors
/// There is no engine, or a file cannot be written.
pub(super) fn write(folder: &Path, game: GameName, engine: Option<&Path>) -> anyhow::Result<()> {
    let engine = read_engine(engine)?;
    let files = exported(&looks(), game.name(), &engine);
    let mut bytes = engine.len();
    for (name, text) in &files {
        write_file(&folder.join(name), text.as_bytes())?;
        bytes += text.len();
    }
    write_file(&folder.join(ENGINE_FILE), &engine)?;
    print(format_args!("{}: {} files, {bytes} bytes", folder.display(), files.len() + 1))?;
    remark("Any file server can serve this folder, as python3 -m http.server does; file:// does not work.");
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    write_whole(path, bytes)
}

/// The engine that was named, or the one that was installed with the program.
fn read_engine(named: Option<&Path>) -> anyhow::Result<Vec<u8>> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => match installed().into_iter().find(|path| path.is_file()) {
            Some(path) => path,
            None => bail!(
                "--export needs {ENGINE_FILE}, the engine as WebAssembly, which is neither beside the program nor in \
                 ../share/kaeshi. Every file of a release has it; .ci/wasm of the sources makes it in target/packages. \
                 Name it with --engine FILE"
            ),
        },
    };
    let shown = path.display();
    let bytes = files::read(&path, FileKind::WASM).with_context(|| format!("cannot read {shown}"))?;
    if !bytes.starts_with(MAGIC) {
        bail!("{shown} is no WebAssembly");
    }
    if !has_export(&bytes, b"kaeshi_call") {
        bail!("{shown} is not the engine of the page, {ENGINE_FILE}");
    }
    Ok(bytes)
}

/// Folders of an installed engine.
fn installed() -> Vec<PathBuf> {
    let Ok(program) = std::env::current_exe() else { return Vec::new() };
    let Some(folder) = program.parent() else { return Vec::new() };
    vec![folder.join(ENGINE_FILE), folder.join("../share/kaeshi").join(ENGINE_FILE)]
}

/// Whether a name stands in the file; the names of exports stand there as they are.
fn has_export(bytes: &[u8], name: &[u8]) -> bool {
    bytes.windows(name.len()).any(|window| window == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_of_another_kind_is_refused_and_nothing_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (out, engine) = (folder.path().join("site/a"), folder.path().join("engine.wasm"));
        for (bytes, reason) in
            [(&b"MZ"[..], "is no WebAssembly"), (b"\0asm kaeshi_open", "is not the engine of the page")]
        {
            std::fs::write(&engine, bytes).unwrap();
            let error = write(&out, GameName::Sygo, Some(&engine)).unwrap_err();
            assert!(format!("{error:#}").contains(reason), "{error:#}");
        }
        let missing = write(&out, GameName::Sygo, Some(&folder.path().join("none"))).unwrap_err();
        assert!(format!("{missing:#}").contains("cannot read"), "{missing:#}");
        assert!(!out.exists());
        let missing = write(&out, GameName::Sygo, None).unwrap_err();
        assert!(format!("{missing:#}").contains("--engine FILE"), "{missing:#}");
        std::fs::write(&engine, b"\0asm kaeshi_call").unwrap();
        write(&out, GameName::Sygo, Some(&engine)).unwrap();
        let page = std::fs::read_to_string(out.join("index.html")).unwrap();
        assert!(page.contains("data-game=\"sygo\"") && out.join("play/main.js").is_file());
        assert_eq!(std::fs::read(out.join(ENGINE_FILE)).unwrap(), b"\0asm kaeshi_call");
    }
}
