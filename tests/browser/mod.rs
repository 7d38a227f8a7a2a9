//! A real Chromium, driven over its debugging pipe: its clicks are those of a mouse.

// Each test uses a part of it.
#![allow(dead_code)]

pub mod play;

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// The browser.
///
/// # Panics
/// None is installed.
pub fn program() -> &'static str {
    static FOUND: LazyLock<Option<&str>> = LazyLock::new(|| {
        ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
            let mut command = Command::new(program);
            let run = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
            run.is_ok_and(|status| status.success())
        })
    });
    FOUND.expect("this test needs chromium: apt-get install chromium")
}

/// Browsers that run now.
static RUNNING: Mutex<usize> = Mutex::new(0);
static ONE_ENDED: Condvar = Condvar::new();

/// Leave to run a browser: at most one for each processor, as more would starve each other.
struct Slot;

impl Slot {
    fn wait() -> Slot {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let running = ONE_ENDED.wait_while(running, |running| *running >= most);
        *running.unwrap_or_else(PoisonError::into_inner) += 1;
        Slot
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        *RUNNING.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        ONE_ENDED.notify_one();
    }
}

/// A picture of the window, and the time since which it was shown.
pub struct ScreenFrame {
    /// Milliseconds of the Unix epoch.
    pub time: f64,
    /// A JPEG in Base64.
    pub image: String,
}

/// A browser with one page.
pub struct Browser {
    child: Child,
    commands: File,
    answers: File,
    bytes: Vec<u8>,
    number: u64,
    /// The tab that is driven, and how it is addressed.
    target: String,
    session: String,
    /// Errors that the page reported.
    pub errors: Vec<String>,
    /// Pictures that came while they were recorded.
    frames: Vec<ScreenFrame>,
    _folder: tempfile::TempDir,
    _slot: Slot,
}

impl Browser {
    /// A browser whose window has this size.
    pub fn start(width: u32, height: u32) -> Browser {
        let (program, slot) = (program(), Slot::wait());
        let folder = tempfile::tempdir().unwrap();
        let [input, output]: [PathBuf; 2] = ["in", "out"].map(|name| folder.path().join(name));
        for pipe in [&input, &output] {
            assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        let script = format!(
            "exec {program} --headless=new --no-sandbox --disable-gpu --no-first-run --disable-sync --disable-quic \
             --disable-background-networking --disable-component-update --remote-debugging-pipe \
             --user-data-dir={} about:blank 3<{} 4>{}",
            folder.path().join("profile").display(),
            input.display(),
            output.display()
        );
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = shell.spawn().unwrap();
        let commands = File::options().write(true).open(&input).unwrap();
        let answers = File::open(&output).unwrap();
        let (bytes, errors) = (Vec::new(), Vec::new());
        let (target, session) = (String::new(), String::new());
        let mut browser = Browser {
            child,
            commands,
            answers,
            bytes,
            number: 0,
            target,
            session,
            errors,
            frames: Vec::new(),
            _folder: folder,
            _slot: slot,
        };
        let targets = browser.call("Target.getTargets", json!({}));
        let pages = targets["targetInfos"].as_array().unwrap();
        let page = pages.iter().find(|target| target["type"] == "page").unwrap()["targetId"].clone();
        browser.attach(page.as_str().unwrap());
        browser.resize(width, height);
        browser
    }

    /// Drives this tab from now on.
    fn attach(&mut self, target: &str) {
        self.session.clear();
        let attached = self.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        self.session = attached["sessionId"].as_str().unwrap().to_owned();
        target.clone_into(&mut self.target);
        for domain in ["Page", "Runtime", "Log"] {
            self.call(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Opens another tab, and drives it from now on; returns the tab that was driven before.
    pub fn new_tab(&mut self, width: u32, height: u32) -> String {
        let before = self.target.clone();
        self.session.clear();
        let made = self.call("Target.createTarget", json!({ "url": "about:blank" }));
        self.attach(made["targetId"].as_str().unwrap());
        self.resize(width, height);
        before
    }

    /// Drives another tab; returns the one that was driven before.
    pub fn switch_tab(&mut self, tab: &str) -> String {
        let before = self.target.clone();
        self.attach(tab);
        before
    }

    /// Closes a tab that is not driven.
    pub fn close_tab(&mut self, tab: &str) {
        let session = std::mem::take(&mut self.session);
        self.call("Target.closeTarget", json!({ "targetId": tab }));
        self.session = session;
    }

    /// Gives the page another size.
    pub fn resize(&mut self, width: u32, height: u32) {
        let mobile = width < 600;
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    fn receive(&mut self) -> Value {
        loop {
            if let Some(end) = self.bytes.iter().position(|&byte| byte == 0) {
                let message: Vec<u8> = self.bytes.drain(..=end).collect();
                return serde_json::from_slice(&message[..end]).unwrap();
            }
            let mut chunk = [0; 65536];
            let count = self.answers.read(&mut chunk).unwrap();
            assert!(count > 0, "the browser has ended");
            self.bytes.extend_from_slice(&chunk[..count]);
        }
    }

    /// Sends a call of the debugging protocol; returns its number.
    fn send(&mut self, method: &str, parameters: Value) -> u64 {
        self.number += 1;
        let mut message = json!({ "id": self.number, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.commands.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.number
    }

    /// Calls a method of the debugging protocol.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let number = self.send(method, parameters);
        loop {
            let answer = self.receive();
            if answer["id"] == number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].clone();
            }
            let event = &answer["params"];
            match answer["method"].as_str() {
                Some("Runtime.exceptionThrown") => self.errors.push(event["exceptionDetails"].to_string()),
                Some("Runtime.consoleAPICalled") if event["type"] == "error" => {
                    self.errors.push(event["args"].to_string());
                }
                Some("Page.screencastFrame") => {
                    let time = event["metadata"]["timestamp"].as_f64().unwrap() * 1000.0;
                    let image = event["data"].as_str().unwrap().to_owned();
                    self.frames.push(ScreenFrame { time, image });
                    // Its answer, which says nothing, is passed over by the next call.
                    self.send("Page.screencastFrameAck", json!({ "sessionId": event["sessionId"] }));
                }
                // A refused turn is an answer of 422, which the browser reports as an error of the network.
                Some("Log.entryAdded") => {
                    let entry = &event["entry"];
                    if entry["level"] == "error" && entry["source"] != "network" {
                        self.errors.push(entry.to_string());
                    }
                }
                _ => {}
            }
        }
    }

    /// Opens an address, and waits until the page says that it is ready.
    pub fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        self.until("document.body && document.body.dataset.ready === '1'", "the page is ready");
    }

    /// The value of an expression in the page.
    pub fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let event = self.call("Runtime.evaluate", asked);
        assert!(event["exceptionDetails"].is_null(), "{expression}: {}", event["exceptionDetails"]);
        event["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub fn until(&mut self, expression: &str, what: &str) {
        let start = Instant::now();
        while self.value(&format!("Boolean({expression})")) != true {
            assert!(
                start.elapsed() < Duration::from_secs(120),
                "{what}: not in two minutes; {:?}",
                self.errors
            );
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Clicks the middle of the first element that a selector finds.
    pub fn click(&mut self, selector: &str) {
        let (x, y) = self.middle(selector);
        self.press(x, y);
    }

    /// The middle of the first element that a selector finds, scrolled into view. Waits until the element has kept
    /// its place and nothing covers it: a page that shows an answer moves its buttons and closes its dialogs.
    fn middle(&mut self, selector: &str) -> (f64, f64) {
        let found = format!(
            "(() => {{ const e = document.querySelector({}); if (!e) return null; \
             e.scrollIntoView({{ block: 'nearest' }}); const b = e.getBoundingClientRect(); \
             const x = b.x + b.width / 2, y = b.y + b.height / 2; \
             return [x, y, e.contains(document.elementFromPoint(x, y))]; }})()",
            json!(selector)
        );
        let start = Instant::now();
        let mut before = Value::Null;
        loop {
            let place = self.value(&found);
            let (Some(x), Some(y)) = (place[0].as_f64(), place[1].as_f64()) else {
                panic!("there is no {selector}")
            };
            if place[2] == true && place == before {
                return (x, y);
            }
            assert!(
                start.elapsed() < Duration::from_secs(60),
                "{selector} moves or is covered for a minute: {place}"
            );
            before = place;
            std::thread::sleep(Duration::from_millis(15));
        }
    }

    /// Clicks a place of the window.
    pub fn press(&mut self, x: f64, y: f64) {
        for kind in ["mousePressed", "mouseReleased"] {
            self.mouse(kind, x, y);
        }
    }

    /// Clicks an element, and does something between press and release.
    pub fn click_during(&mut self, selector: &str, act: impl FnOnce(&mut Browser)) {
        let (x, y) = self.middle(selector);
        self.mouse("mousePressed", x, y);
        act(self);
        self.mouse("mouseReleased", x, y);
    }

    fn mouse(&mut self, kind: &str, x: f64, y: f64) {
        let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    /// Records what the window shows while something is done in it; each frame from when it was on the screen.
    pub fn frames_during(&mut self, act: impl FnOnce(&mut Browser)) -> Vec<ScreenFrame> {
        self.frames.clear();
        self.call("Page.startScreencast", json!({ "format": "jpeg", "quality": 70 }));
        // The frame that is shown already comes first, and its encoding is over.
        self.wait_for_frames(Duration::from_millis(200));
        act(self);
        self.wait_for_frames(Duration::from_millis(400));
        self.call("Page.stopScreencast", json!({}));
        let mut frames = std::mem::take(&mut self.frames);
        frames.sort_by(|one, other| one.time.total_cmp(&other.time));
        frames
    }

    /// Takes frames in for at least this long, and until there is one.
    fn wait_for_frames(&mut self, time: Duration) {
        let start = Instant::now();
        while start.elapsed() < time || self.frames.is_empty() {
            assert!(start.elapsed() < Duration::from_secs(60), "no frame in a minute");
            std::thread::sleep(Duration::from_millis(20));
            self.value("0");
        }
    }

    /// Writes a picture of the page.
    pub fn picture(&mut self, path: &Path) {
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        fs::write(path, base64(shot["data"].as_str().unwrap())).unwrap();
    }
}

/// The bytes of a text in Base64.
fn base64(text: &str) -> Vec<u8> {
    const SIGNS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for sign in text.bytes().filter(|&sign| sign != b'=') {
        bits = bits << 6 | SIGNS.iter().position(|&known| known == sign).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
