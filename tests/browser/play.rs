//! `kaeshi play` with a folder for its games, and a browser that shows it.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::child_lines::ChildLines;

use serde_json::Value;

use super::Browser;

/// A running `kaeshi play`, and the folder of its games.
pub struct BrowserPlay {
    child: Child,
    /// The link of the page.
    pub address: String,
    games: tempfile::TempDir,
}

impl BrowserPlay {
    fn start(options: &[&str]) -> BrowserPlay {
        let games = tempfile::tempdir().unwrap();
        let (child, address) = spawn(games.path(), "0", options);
        BrowserPlay { child, address, games }
    }

    /// The folder of the games.
    pub fn games(&self) -> &Path {
        self.games.path()
    }

    /// Kills the program and starts it again at the same address.
    pub fn restart(&mut self) {
        self.kill();
        let port = self.address.trim_end_matches('/').rsplit(':').next().unwrap();
        (self.child, self.address) = spawn(self.games.path(), port, &[]);
    }

    /// Kills the program.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(games: &Path, port: &str, options: &[&str]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kaeshi"))
        .args(["play", "--no-open", "--port", port, "--games"])
        .arg(games)
        .args(options)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let address = ChildLines::of(child.stdout.take().unwrap()).next().expect("an address");
    (child, address.trim().to_owned())
}

impl Drop for BrowserPlay {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A page with a fresh game between two people.
pub fn table(game: &str, options: &[&str]) -> (BrowserPlay, Browser) {
    let mut page = Browser::start(1366, 768);
    let play = BrowserPlay::start(&[&["--game", game], options].concat());
    page.open(&play.address);
    page.click("#do-new");
    page.value("document.querySelector('#new-against').value = 'people'; document.querySelector('#new-against').dispatchEvent(new Event('change'))");
    page.click("#new-begin");
    page.until("!document.querySelector('dialog')", "the dialog is closed");
    page.until("document.querySelectorAll('#seat-low small')[0].textContent.length > 0 && document.querySelector('#take-back')", "the game has begun");
    (play, page)
}

/// The state of the room that the page shows.
pub fn state(page: &mut Browser) -> Value {
    page.value(
        "fetch('/api/room/' + sessionStorage.getItem('kaeshi-room'), { method: 'POST', \
         headers: { 'content-type': 'application/json' }, body: '{\"op\":\"look\"}' }).then((answer) => answer.json())",
    )
}
