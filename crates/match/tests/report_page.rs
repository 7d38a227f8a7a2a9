//! The report in a real browser: scripts run, boards step, nothing is wider than a telephone.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use kaeshi_match::tournament::journal::{
    EndCause, EngineInfo, GameResult, GameWithMoves, Journal, JournalGame, JournalMove, JournalOpen,
};
use kaeshi_match::tournament::report;

/// Steps through the first game and writes its observations into attributes of the page.
const PROBE: &str = "<script>
const board = () => document.getElementById('player').dataset.board;
const press = (id) => document.getElementById(id).click();
const seen = [];
press('first'); seen.push(board());
press('next'); seen.push(board());
press('next'); seen.push(board());
press('back'); seen.push(board());
press('last'); seen.push(board());
press('turn'); seen.push(board());
document.body.dataset.said = document.getElementById('comment').textContent;
document.body.dataset.seen = seen.join('|');
document.body.dataset.wider = document.documentElement.scrollWidth - document.documentElement.clientWidth;
document.body.dataset.shapes = document.querySelectorAll('#board svg *').length;
</script>";

/// The browser.
fn browser() -> &'static str {
    let found = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|program| {
        let run = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        run.is_ok_and(|status| status.success())
    });
    found.expect("this test needs chromium: apt-get install chromium")
}

fn command(program: &str, folder: &Path, size: &str) -> Command {
    let mut command = Command::new(program);
    command.args([
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--enable-logging=stderr",
        "--hide-scrollbars",
        "--virtual-time-budget=2000",
    ]);
    command.arg(format!("--user-data-dir={}", folder.join(format!("profile-{size}")).display()));
    command.arg(format!("--window-size={size}"));
    command
}

/// One finished game of these turns.
fn journal(game: &str, start: &str, turns: &[&str]) -> Journal {
    let engine = |name: &str| EngineInfo {
        name: name.into(),
        command: "engine".into(),
        limit: "tc=10+0.1".into(),
        ..EngineInfo::default()
    };
    let moves = turns.iter().enumerate().map(|(index, turn)| JournalMove {
        ply: index as u32 + 1,
        side: (index % 2) as u8,
        m: (*turn).into(),
        used_us: 120_000,
        rest_us: Some(9_880_000 - 120_000 * (index as u64 / 2)),
        cp: Some(10 * index as i32),
        depth: Some(7),
        nodes: Some(5_000),
        ..JournalMove::default()
    });
    let played = GameWithMoves::new(
        JournalGame {
            pair: 0,
            game: 0,
            leg: 0,
            first: "one & <b>only</b>".into(),
            second: "other".into(),
            opening: None,
            start: start.into(),
            result: GameResult::FirstWins,
            cause: EndCause::Resign,
            detail: String::new(),
            loser: Some("other".into()),
            plies: turns.len() as u32,
            margin: None,
            rest_us: [None, None],
            used_us: [1, 1],
            max_over_us: [0, 0],
            lag_us_p99: [0, 0],
            time_scale: None,
            slot: 0,
            t0: "2026-11-20T16:00:00Z".into(),
            dur_us: 2,
            warn: Vec::new(),
        },
        moves.collect(),
    );
    let open = JournalOpen {
        game: game.into(),
        engines: vec![engine("one & <b>only</b>"), engine("other")],
        pairings: vec![[0, 1]],
        pairs: 1,
        single: true,
        ..JournalOpen::default()
    };
    Journal { open, games: vec![played], faults: Vec::new(), load: None, close: None }
}

/// The value of an attribute of the body.
fn attribute(page: &str, name: &str) -> String {
    let start = page.find(&format!("{name}=\"")).unwrap_or_else(|| panic!("no {name} in the page"));
    page[start + name.len() + 2..].split('"').next().unwrap_or_default().to_owned()
}

#[test]
fn games_step_in_a_browser() {
    let program = browser();
    let folder = tempfile::tempdir().unwrap();
    let small = format!("fen {} w - 0 1", ["5"; 5].join("/"));
    let oblong = "fen 4/4/4/4/4/4 w - 0 1";
    let games = [
        ("shogi", "startpos", vec!["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"], 81),
        ("reversi", "startpos", vec!["f5", "d6", "c3"], 64),
        ("sygo", small.as_str(), vec!["c3", "a1", "+c2"], 25),
        ("sygo", oblong, vec!["c3", "a6", "+c2"], 24),
    ];
    for (game, start, turns, cells) in games {
        let page = report::html(&journal(game, start, &turns));
        assert!(start != oblong || page.contains(r#""size":[4,6]"#), "columns and rows");
        let path = folder.path().join(format!("{game}.html"));
        fs::write(&path, page.replace("</body>", &format!("{PROBE}</body>"))).unwrap();
        let output =
            command(program, folder.path(), "500,900").arg("--dump-dom").arg(&path).output().unwrap();
        let dom = String::from_utf8_lossy(&output.stdout);
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(dom.contains("data-ready=\"1\""), "{game}: the script did not end\n{log}");
        assert!(!log.contains("Uncaught") && !log.contains("Refused to"), "{game}: {log}");
        let seen = attribute(&dom, "data-seen");
        let seen: Vec<&str> = seen.split('|').collect();
        assert_eq!(seen.len(), 6, "{game}");
        assert!(seen[0].trim_end_matches('+').len() >= cells, "{game}: {}", seen[0]);
        assert_ne!(seen[0], seen[1], "{game}: a step changes the board");
        assert_ne!(seen[1], seen[2], "{game}: so does the next");
        assert_eq!(seen[1], seen[3], "{game}: and a step back undoes it");
        assert_eq!(seen[4], seen[5], "{game}: turning the board is no move");
        // The last turn is the third one of its side in shogi, else the second.
        let left = if game == "shogi" { "9.7 left" } else { "9.8 left" };
        let said = attribute(&dom, "data-said");
        assert!(said.contains(&format!("0.12 s · {left}")), "{game}: {said}");
        assert_eq!(attribute(&dom, "data-wider"), "0", "{game}: the page is wider than the window");
        assert!(attribute(&dom, "data-shapes").parse::<usize>().unwrap() > 20, "{game}");
    }
    let picture = folder.path().join("page.png");
    let path = folder.path().join("shogi.html");
    let mut shot = command(program, folder.path(), "1280,2400");
    shot.arg(format!("--screenshot={}", picture.display())).arg(&path);
    assert!(shot.stderr(Stdio::null()).status().unwrap().success());
    // A blank page of this size packs into a few kilobytes.
    assert!(fs::metadata(&picture).unwrap().len() > 40_000);
}
