//! Input over a pipe or a connection: requests of `kaeshi analyse --serve` and of `kaeshi play`.

use std::io::{self, Cursor, Write};

use kaeshi_analysis::analyse::analyst::EngineSetup;
use kaeshi_analysis::analyse::effort::{AnalysisEffort, SearchLimit};
use kaeshi_analysis::analyse::serve::Service;

/// Takes whole lines of JSON.
struct Answers;

impl Write for Answers {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        assert!(bytes.starts_with(b"{") && bytes.ends_with(b"}\n"), "{:?}", String::from_utf8_lossy(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Requests, one a line. Those that would think for long are left out.
pub fn service(bytes: &[u8]) {
    const LEFT_OUT: [&str; 6] = ["effort", "nodes", "depth", "time", "visits", "mate"];
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> =
        text.lines().filter(|line| !LEFT_OUT.iter().any(|word| line.contains(word))).collect();
    let service = Service {
        game: None,
        effort: AnalysisEffort { limit: SearchLimit::Nodes(30), multipv: 1 },
        setup: EngineSetup { threads: 1, hash_mib: 1, options: Vec::new() },
        jobs: 1,
        lossless: false,
        fresh: false,
        no_timing: true,
        store: None,
    };
    service.run(Cursor::new(lines.join("\n").into_bytes()), Answers).expect("the service ends");
}

/// One request of a browser.
pub fn page_request(bytes: &[u8]) {
    kaeshi_play::parse_request(bytes);
}
