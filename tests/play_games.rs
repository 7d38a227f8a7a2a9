//! No game of `kaeshi play` is lost, whatever happens to its tab and to the program; and what the page offers for
//! going on with a game, looking back at it and reading files works by clicks.

use crate::browser;
use std::collections::BTreeMap;

use browser::Browser;
use browser::play::{state, table};
use kaeshi_core::game::{GameNotation, GameOptions, GameRules};
use kaeshi_core::random::SplitMix;
use kaeshi_shogi::Shogi;
use serde_json::{Value, json};

const READY: &str = "document.body && document.body.dataset.ready === '1'";

fn text(page: &mut Browser, selector: &str) -> String {
    let found = page.value(&format!("document.querySelector({})?.innerText ?? ''", json!(selector)));
    found.as_str().unwrap().to_owned()
}

fn is_there(page: &mut Browser, selector: &str) -> bool {
    page.value(&format!("Boolean(document.querySelector({}))", json!(selector))) == true
}

fn appears(page: &mut Browser, selector: &str) {
    page.until(&format!("document.querySelector({})", json!(selector)), selector);
}

fn vanishes(page: &mut Browser, selector: &str) {
    page.until(&format!("!document.querySelector({})", json!(selector)), selector);
}

fn room(page: &mut Browser) -> String {
    page.value("sessionStorage.getItem('kaeshi-room')").as_str().unwrap().to_owned()
}

/// The turns up to where the game stands.
fn turns(state: &Value) -> Vec<String> {
    let nodes = state["nodes"].as_array().unwrap();
    let mut turns = Vec::new();
    let mut at = state["live"].as_u64().unwrap() as usize;
    while at > 0 {
        turns.push(nodes[at]["t"].as_str().unwrap().to_owned());
        at = nodes[at]["parent"].as_u64().unwrap() as usize;
    }
    turns.reverse();
    turns
}

/// Makes a turn by its text, as the page asks for it.
fn play(page: &mut Browser, turn: &str) {
    let wish = json!({ "op": "turn", "turn": turn }).to_string();
    let asked = format!(
        "fetch('/api/room/' + sessionStorage.getItem('kaeshi-room'), {{ method: 'POST', \
         headers: {{ 'content-type': 'application/json' }}, body: {} }}).then((answer) => answer.status)",
        json!(wish)
    );
    assert_eq!(page.value(&asked), 200, "{turn}");
    page.until("document.querySelectorAll('#moves [data-node]').length > 1", "the turn is in the list");
}

/// Makes a random turn; `false` if the game is over.
fn play_any(page: &mut Browser, draws: &mut SplitMix) -> bool {
    let state = state(page);
    if !state["over"].is_null() {
        return false;
    }
    let choices = state["choices"].as_array().into_iter().flatten();
    let mut all: Vec<String> = choices
        .flat_map(|choice| choice["turns"].as_array().unwrap())
        .map(|turn| turn.as_str().unwrap().to_owned())
        .collect();
    // One point of a growth is not always a whole turn.
    let points = state["draft"]["points"].as_object().into_iter().flatten();
    all.extend(points.filter(|(_, kind)| *kind != "grow").map(|(point, _)| point.clone()));
    let turn = match all.len() {
        0 => "pass".to_owned(),
        count => all[draws.below(count as u32) as usize].clone(),
    };
    play(page, &turn);
    true
}

/// Opens a game by the list of all games.
fn open_from_list(page: &mut Browser, id: &str) {
    page.click("#do-games");
    let entry = format!("[data-open=\"{id}\"]");
    appears(page, &entry);
    page.click(&entry);
    page.until(&format!("sessionStorage.getItem('kaeshi-room') === '{id}'"), "the game is shown");
    vanishes(page, "dialog");
}

/// Begins a new game between two people on a small board, and keeps the one before.
fn new_game(page: &mut Browser) {
    let before = room(page);
    page.click("#do-new");
    page.value(
        "document.querySelector('#new-against').value = 'people'; \
         if (document.querySelector('#new-size')) document.querySelector('#new-size').value = '7'",
    );
    page.click("#new-begin");
    let done = format!(
        "document.querySelector('#leave-keep') || sessionStorage.getItem('kaeshi-room') !== '{before}'"
    );
    page.until(&done, "asked or begun");
    if is_there(page, "#leave-keep") {
        page.click("#leave-keep");
    }
    page.until(&format!("sessionStorage.getItem('kaeshi-room') !== '{before}'"), "another game is shown");
    vanishes(page, "dialog");
}

/// Interruptions of a run, each after a turn; a hundred take two minutes a game: KAESHI_INTERRUPTIONS=100.
const INTERRUPTIONS: usize = 12;

fn interruptions(game: &str) {
    let count: usize = std::env::var("KAESHI_INTERRUPTIONS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(INTERRUPTIONS);
    let (mut program, mut page) = table(game, &[]);
    let mut draws = SplitMix::new(56);
    let mut games: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut main = room(&mut page);
    let mut kinds = [0; 5];
    for round in 0..count {
        if !play_any(&mut page, &mut draws) {
            new_game(&mut page);
            main = room(&mut page);
            play_any(&mut page, &mut draws);
        }
        games.insert(main.clone(), turns(&state(&mut page)));
        let kind = draws.below(5) as usize;
        kinds[kind] += 1;
        match kind {
            0 => {
                // The tab is closed and the link opened again.
                let closed = page.new_tab(1366, 768);
                page.close_tab(&closed);
                page.open(&program.address);
            }
            1 => {
                page.call("Page.reload", json!({}));
                page.until(READY, "the page is ready again");
            }
            2 => {
                program.restart();
                page.until(
                    "document.querySelector('#lost').hidden && fetch('/').then(() => true)",
                    "the page has found the program again",
                );
            }
            3 => {
                let first = page.new_tab(1366, 768);
                page.open(&program.address);
                let other = room(&mut page);
                assert_ne!(other, main, "two tabs are two games");
                play_any(&mut page, &mut draws);
                games.insert(other, turns(&state(&mut page)));
                let second = page.switch_tab(&first);
                page.close_tab(&second);
            }
            _ => {
                new_game(&mut page);
                play_any(&mut page, &mut draws);
                let other = room(&mut page);
                games.insert(other, turns(&state(&mut page)));
                open_from_list(&mut page, &main);
            }
        }
        if room(&mut page) != main {
            open_from_list(&mut page, &main);
        }
        assert_eq!(turns(&state(&mut page)), games[&main], "{game}, round {round}, kind {kind}");
    }
    println!("{game}: {kinds:?} (closed, reloaded, killed, second tab, new game), {} games", games.len());
    for (id, expected) in &games {
        let file = program.games().join(format!("{id}.json"));
        let kept: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        // Where Kaeshi sits at the board, its answer may have come before the tab was closed.
        assert!(turns(&kept).starts_with(expected), "{game} {id}: {kept}");
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn interruptions_lose_no_game_of_shogi() {
    interruptions("shogi");
}

#[test]
fn interruptions_lose_no_game_of_reversi() {
    interruptions("reversi");
}

#[test]
fn interruptions_lose_no_game_of_sygo() {
    interruptions("sygo");
}

#[test]
fn a_running_game_is_asked_about_before_another_one_is_shown() {
    let (program, mut page) = table("sygo", &[]);
    play(&mut page, "c3");
    let first = room(&mut page);
    let asks = |page: &mut Browser, by: &str| {
        appears(page, "#leave-keep");
        page.click("#leave-back");
        vanishes(page, "#leave");
        let now = room(page);
        assert_eq!(now, first, "{by}");
        page.value("document.querySelectorAll('dialog').forEach((dialog) => dialog.close())");
    };
    page.click("#do-new");
    page.click("#new-begin");
    asks(&mut page, "a new game");
    page.click("#do-course");
    asks(&mut page, "the course");
    page.click("#do-files");
    page.value("document.querySelector('#paste').value = 'f5d6c3'");
    page.click("#load");
    asks(&mut page, "a pasted record");
    page.click("#do-files");
    page.click("#to-setup");
    page.click("#setup-board [data-square=\"a1\"]");
    page.click("#setup-take");
    asks(&mut page, "a position set up");
    // Kept, it can be gone on with; discarded, it is gone.
    new_game(&mut page);
    play(&mut page, "a1");
    open_from_list(&mut page, &first);
    page.click("#do-new");
    page.click("#new-begin");
    appears(&mut page, "#leave-discard");
    page.click("#leave-discard");
    vanishes(&mut page, "dialog");
    page.click("#do-games");
    appears(&mut page, "#game-list");
    page.until("document.querySelectorAll('#game-list [data-open]').length === 1", "one game is left");
    page.value("document.querySelector('#game-list').closest('dialog').close()");
    vanishes(&mut page, "#game-list");
    // A file that holds no game is listed, and can be removed.
    let damaged = program.games().join(format!("{}.json", "0".repeat(32)));
    std::fs::write(&damaged, "{").unwrap();
    page.click("#do-games");
    appears(&mut page, "[data-unreadable]");
    let listed = text(&mut page, "[data-unreadable]");
    assert!(listed.contains("cannot be read: EOF"), "{listed}");
    page.click("#game-list li:last-child [data-remove]");
    page.click("[data-remove-yes]");
    page.until("document.querySelectorAll('#game-list li').length === 1", "the game is left");
    assert!(!damaged.exists() && is_there(&mut page, "[data-open]"));
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_line_of_a_hint_is_tried_out_and_left_by_one_click() {
    let (_program, mut page) = table("reversi", &[]);
    page.click("#do-hint");
    page.until("document.querySelectorAll('#lines .line').length > 0", "there are lines");
    page.until("!document.querySelector('#do-stop')", "the hint is complete");
    let before = state(&mut page);
    page.click("#lines .line");
    page.until("!document.querySelector('#tryout').hidden", "the line is tried out");
    assert_eq!(text(&mut page, "#why"), "");
    let shown = "document.querySelector('#board').dataset.board";
    let one = page.value(shown);
    page.click("#tryout-after");
    page.until(&format!("{shown} !== {one}"), "the next turn of the line");
    assert_eq!(state(&mut page)["nodes"], before["nodes"], "the game is as it was");
    page.click("#tryout-end");
    page.until("document.querySelector('#tryout').hidden", "the try-out is over");
    play(&mut page, "f5");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn what_was_better_is_shown_with_arrows() {
    let (_program, mut page) = table("shogi", &[]);
    for turn in "7g7f 3c3d 8h5e 2b5e 2g2f".split(' ') {
        play(&mut page, turn);
    }
    page.value("window.confirm = () => true");
    page.click("#do-resign");
    appears(&mut page, "#do-review");
    page.click("#do-review");
    appears(&mut page, ".moment");
    page.click(".moment");
    appears(&mut page, "#do-better");
    let bad = page.value("document.querySelector('#board').dataset.node");
    page.click("#do-better");
    page.until("document.querySelectorAll('#board .arrow').length >= 2", "two arrows");
    page.click("#better-back");
    page.until(&format!("document.querySelector('#board').dataset.node === {bad}"), "back at the move");
    assert_eq!(page.errors, Vec::<String>::new());
}

/// The turns of a random game.
fn random_game(plies: usize) -> String {
    let game = Shogi::load(&Default::default()).unwrap();
    let (mut position, mut draws, mut turns) = (game.start(), SplitMix::new(4), Vec::new());
    while turns.len() < plies {
        let all = game.turns(&position);
        let turn = &all[draws.below(all.len() as u32) as usize];
        turns.push(game.format_turn(&position, turn));
        game.play(&mut position, turn);
        assert!(game.outcome(&position).is_none(), "{turns:?}");
    }
    turns.join(" ")
}

#[test]
fn the_list_of_moves_follows_the_game() {
    let (_program, mut page) = table("shogi", &[]);
    page.click("#do-files");
    page.value(&format!(
        "document.querySelector('#paste').value = 'position startpos moves {}'",
        random_game(60)
    ));
    page.click("#load");
    page.until("document.querySelectorAll('#moves [data-node]').length === 61", "the game is loaded");
    let inside = "(() => { const now = document.querySelector('#moves .now').getBoundingClientRect(), \
                  list = document.querySelector('#moves').getBoundingClientRect(); \
                  return now.top >= list.top - 1 && now.bottom <= list.bottom + 1; })()";
    let scrolls = page.value(
        "document.querySelector('#moves').scrollHeight > document.querySelector('#moves').clientHeight",
    );
    assert_eq!(scrolls, true, "the list is longer than its place");
    assert_eq!(page.value(inside), true, "at the end");
    for node in [0, 5, 50] {
        page.click("#first");
        page.until("document.querySelector('#board').dataset.node === '0'", "the start");
        for _ in 0..node {
            let before = page.value("document.querySelector('#board').dataset.node");
            page.click("#next");
            page.until(&format!("document.querySelector('#board').dataset.node !== {before}"), "one further");
        }
        assert_eq!(page.value(inside), true, "at {node}");
    }
}

/// A game with all that KIF has a place for.
const KIF: &str = "手合割：平手\n棋戦：第一期名人戦\n持ち時間：各8時間\n先手：木村\n後手：花田\n\
    手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*角道を開ける\n\
    2 ３四歩(33)   ( 0:03/00:00:03)\n   3 投了         ( 0:01/00:00:13)\n";

fn paste(page: &mut Browser, content: &str) {
    page.click("#do-files");
    page.value(&format!("document.querySelector('#paste').value = {}", json!(content)));
    page.click("#load");
}

#[test]
fn a_kif_keeps_its_comments_times_headers_and_end() {
    let (_program, mut page) = table("shogi", &[]);
    paste(&mut page, KIF);
    page.until("document.querySelector('#status').dataset.over === 'Resign'", "the resignation is shown");
    page.click("#first");
    page.until("document.querySelector('#board').dataset.node === '0'", "the start");
    page.click("#next");
    page.until("document.querySelector('#comment-text')?.value === '角道を開ける'", "the comment is shown");
    let kif = page.value(
        "fetch('/api/room/' + sessionStorage.getItem('kaeshi-room') + '/record/kif').then((answer) => answer.text())",
    );
    let kif = kif.as_str().unwrap();
    for kept in ["第一期名人戦", "各8時間", "木村", "花田", "( 0:12/", "角道を開ける", "投了"]
    {
        assert!(kif.contains(kept), "{kept} in {kif}");
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_file_with_several_games_is_shown_as_a_list() {
    let (_program, mut page) = table("reversi", &[]);
    paste(&mut page, "f5d6c3\nf5f6e6f4\n");
    appears(&mut page, "[data-pick=\"1\"]");
    page.click("[data-pick=\"1\"]");
    vanishes(&mut page, "dialog");
    assert_eq!(turns(&state(&mut page)), ["f5", "f6", "e6", "f4"]);
}

#[test]
fn a_position_set_up_is_played_against_kaeshi_and_nonsense_is_refused_in_sight() {
    let (_program, mut page) = table("shogi", &[]);
    for turn in ["7g7f", "3c3d"] {
        play(&mut page, turn);
    }
    page.value("window.confirm = () => true");
    page.click("#do-resign");
    appears(&mut page, "#again");
    page.click("#do-files");
    page.click("#to-setup");
    page.click("#setup-empty");
    page.click("#setup-take");
    page.until("document.querySelector('#setup-wrong')?.textContent", "an empty board is refused");
    let seen = page.value(
        "(() => { const box = document.querySelector('#setup-wrong').getBoundingClientRect(); \
         return box.top >= 0 && box.bottom <= innerHeight; })()",
    );
    assert_eq!(seen, true, "the refusal is in sight");
    page.value("document.querySelector('#setup').close()");
    // From a position in the middle of a game, with the turns before it.
    paste(&mut page, "position startpos moves 7g7f 3c3d 2g2f");
    vanishes(&mut page, "dialog");
    appears(&mut page, "#do-continue");
    page.click("#do-continue");
    page.value("document.querySelector('#new-against').value = 'engine'; document.querySelector('#new-level').value = '1'");
    page.click("#new-begin");
    vanishes(&mut page, "dialog");
    page.until("document.querySelectorAll('#moves [data-node]').length === 5", "Kaeshi answers");
    assert_eq!(&turns(&state(&mut page))[..3], ["7g7f", "3c3d", "2g2f"]);
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_search_can_be_stopped_and_the_end_of_the_program_is_said() {
    let (mut program, mut page) = table("reversi", &[]);
    page.click("#do-solve");
    appears(&mut page, "#do-stop");
    page.until("/1 s/.test(document.querySelector('#asked-for').textContent)", "the seconds are counted");
    page.click("#do-stop");
    appears(&mut page, "#do-solve");
    program.kill();
    page.until("!document.querySelector('#lost').hidden", "the page notices");
    assert!(text(&mut page, "#lost").contains("kaeshi play"));
}

#[test]
fn a_clock_without_time_is_refused_and_runs_from_the_first_move() {
    let (_program, mut page) = table("shogi", &[]);
    let set = |page: &mut Browser, [minutes, byoyomi, increment]: [&str; 3]| {
        page.value(&format!(
            "for (const [id, value] of [['#new-against', 'people'], ['#new-clock', 'clock'], \
             ['#new-minutes', '{minutes}'], ['#new-byoyomi', '{byoyomi}'], ['#new-increment', '{increment}']]) {{ \
             const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('change')); }}"
        ));
        page.click("#new-begin");
    };
    let before = room(&mut page);
    page.click("#do-new");
    for wrong in [["0", "0", "0"], ["-5", "30", "0"], ["", "30", "0"]] {
        page.value("document.querySelector('#new-wrong').textContent = ''");
        set(&mut page, wrong);
        page.until("document.querySelector('#new-wrong').textContent", "the clock is refused");
    }
    assert_eq!(room(&mut page), before);
    set(&mut page, ["1", "0", "0"]);
    vanishes(&mut page, "dialog");
    std::thread::sleep(std::time::Duration::from_millis(1_300));
    assert_eq!(text(&mut page, "#seat-low time"), "1:00", "no clock runs before the first move");
    play(&mut page, "7g7f");
    page.until("document.querySelector('#seat-top time').textContent !== '1:00'", "then it does");
}

#[test]
fn values_are_those_of_the_person_and_only_shogi_turns_its_board() {
    let (_program, mut page) = table("reversi", &[]);
    page.click("#do-new");
    page.value(
        "for (const [id, value] of [['#new-against', 'engine'], ['#new-colour', '1'], ['#new-level', '1']]) { \
         const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('change')); }",
    );
    page.click("#new-begin");
    vanishes(&mut page, "dialog");
    page.until("document.querySelectorAll('#moves [data-node]').length === 2", "Kaeshi has begun");
    assert!(text(&mut page, "#values").contains("you (White)"));
    let corner = "(() => { const [a, b] = ['a1', 'h8'].map((name) => \
                  document.querySelector(`[data-square=\"${name}\"]`).getBoundingClientRect()); \
                  return a.top < b.top && a.left < b.left; })()";
    assert_eq!(page.value(corner), true, "a1 stays above on the left");
    page.click("#do-hint");
    page.until(
        "document.querySelectorAll('#lines .line').length > 1 && !document.querySelector('#do-stop')",
        "a hint",
    );
    // The best turn stands first, and the values fall.
    let values = page.value(
        "[...document.querySelectorAll('#lines .line b')].map((node) => Number(node.textContent.replace('−', '-').replace('!', '')))",
    );
    let values: Vec<f64> = values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_forbidden_move_is_called_by_its_name() {
    let (_program, mut page) = table("shogi", &[]);
    paste(&mut page, "sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1");
    vanishes(&mut page, "dialog");
    let why = |page: &mut Browser, presses: [&str; 2]| {
        for press in presses {
            page.click(press);
        }
        text(page, "#why")
    };
    let pawn = "[data-hand=\"P\"]";
    assert!(why(&mut page, [pawn, "[data-square=\"5e\"]"]).contains("nifu"));
    assert!(why(&mut page, [pawn, "[data-square=\"1a\"]"]).contains("never move"));
    assert!(why(&mut page, ["[data-square=\"5i\"]", "[data-square=\"5e\"]"]).contains("cannot go there"));
    for (pasted, wanted) in [("hello world", "not a record"), ("", "not a record")] {
        paste(&mut page, pasted);
        page.until("document.querySelector('#file-wrong').textContent", "it is refused");
        assert!(text(&mut page, "#file-wrong").contains(wanted), "{pasted}");
        page.value("document.querySelector('#files').close()");
    }
}

#[test]
fn moves_are_written_as_the_reader_writes_them() {
    let (_program, mut page) = table("shogi", &[]);
    play(&mut page, "7g7f");
    page.until("document.querySelector('#moves .now').innerText.includes('P-7f')", "Western notation");
    for (notation, shown) in [("protocol", "7g7f"), ("western", "P-7f")] {
        page.click("#do-settings");
        page.value(&format!(
            "(() => {{ const field = document.querySelector('#set-notation'); field.value = '{notation}'; \
             field.dispatchEvent(new Event('change')); document.querySelector('#settings').close(); }})()"
        ));
        assert!(text(&mut page, "#moves .now").contains(shown), "{notation}");
    }
}

/// Sets the page to Japanese.
fn speak_japanese(page: &mut Browser) {
    page.click("#do-settings");
    page.value(
        "(() => { const field = document.querySelector('#set-language'); field.value = 'ja'; \
         field.dispatchEvent(new Event('change')); document.querySelector('#settings').close(); })()",
    );
}

#[test]
fn sides_and_squares_have_their_japanese_names() {
    let (_program, mut page) = table("shogi", &[]);
    speak_japanese(&mut page);
    page.click("#do-new");
    page.value(
        "(() => { const field = document.querySelector('#new-handicap'); field.value = '2-piece'; \
         field.dispatchEvent(new Event('change')); })()",
    );
    assert_eq!(page.value("document.querySelector('#new-colour').options[0].textContent"), "下手");
    page.click("#new-begin");
    page.until("document.querySelector('#seat-low small')?.innerText === '下手'", "the taker's name");
    assert!(text(&mut page, "#values").contains("上手から見た評価値"));
    play(&mut page, "3a3b");
    page.value(
        "fetch('/api/room/' + sessionStorage.getItem('kaeshi-room'), { method: 'POST', \
         headers: { 'content-type': 'application/json' }, body: '{\"op\":\"resign\"}' }).then((answer) => answer.status)",
    );
    page.until("document.querySelector('#status').dataset.over === 'Resign'", "the taker resigns");
    page.click("#do-games");
    appears(&mut page, "#game-list [data-open]");
    let listed = text(&mut page, "#game-list");
    assert!(listed.contains("上手の勝ち"), "{listed}");
    page.value("document.querySelector('#game-list').closest('dialog').close()");
    vanishes(&mut page, "#game-list");
    paste(&mut page, "sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1");
    vanishes(&mut page, "dialog");
    assert_eq!(text(&mut page, "#seat-low small"), "先手", "this is no handicap game");
    page.click("[data-hand=\"P\"]");
    page.click("[data-square=\"5a\"]");
    assert_eq!(text(&mut page, "#why"), "５一は空いていません。");
}

#[test]
fn the_engine_is_set_up_on_the_page() {
    let (_program, mut page) = table("shogi", &[]);
    page.click("#do-settings");
    page.value(
        "for (const [id, value] of [['#set-thinking', '0.5'], ['#set-threads', '2'], ['#set-hash', '16'], ['#set-lines', '5']]) { \
         const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('change')); }",
    );
    page.value("document.querySelector('#settings').close()");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let settings = state(&mut page)["settings"].clone();
    assert_eq!(
        [&settings["thinking"], &settings["threads"], &settings["hash"], &settings["lines"]],
        [&json!(500), &json!(2), &json!(16), &json!(5)]
    );
    page.click("#do-hint");
    page.until("document.querySelectorAll('#lines .line').length === 5", "five lines");
}

/// Does what the page says: presses the points that the task names, in their order.
fn follow_the_task(page: &mut Browser) {
    let task = text(page, "#course .task");
    for word in task.split(|c: char| !c.is_ascii_alphanumeric()) {
        let point = matches!(word.as_bytes(), [b'a'..=b'e', b'1'..=b'5']);
        if point {
            page.click(&format!("[data-square=\"{word}\"]"));
            std::thread::sleep(std::time::Duration::from_millis(120));
        }
    }
    if task.contains("Pass") || task.contains("パス") {
        page.click("#do-pass");
    }
    if is_there(page, "#done:not([disabled])") {
        page.click("#done");
    }
}

/// Solves the positions of the course by what their tasks say, up to the whole game; returns how many.
pub(crate) fn course_steps(page: &mut Browser) -> usize {
    let mut steps = 0;
    while text(page, "#course small").contains(&format!("{}/", steps + 1))
        && is_there(page, "[data-course=next]")
    {
        steps += 1;
        follow_the_task(page);
        page.until(
            "document.querySelector('#course').dataset.solved === 'true'",
            &format!("step {steps} is solved"),
        );
        page.click("[data-course=next]");
        page.until("document.querySelector('#course').dataset.solved === 'false'", "the next step");
        page.until(
            &format!("document.querySelector('#course small').textContent.includes('{}/')", steps + 1),
            "the next step is shown",
        );
    }
    steps
}

fn course(language: &str) {
    let (_program, mut page) = table("sygo", &[]);
    page.value(&format!("localStorage.setItem('kaeshi-likes', '{{\"language\":\"{language}\"}}')"));
    page.call("Page.reload", json!({}));
    page.until(READY, "the page is ready again");
    page.value("window.confirm = () => true");
    page.click("#do-course");
    page.until("!document.querySelector('#course').hidden", "the course begins");
    let steps = course_steps(&mut page);
    assert!(steps >= 12, "{steps} positions");
    // The whole game at the end: a stone wherever one fits, and passes when there is none.
    let mut draws = SplitMix::new(5);
    for _ in 0..200 {
        page.until(
            "document.querySelector('#status').dataset.over || document.querySelector('#do-pass')",
            "the person's turn or the end",
        );
        if page.value("Boolean(document.querySelector('#status').dataset.over)") == true {
            break;
        }
        let points = page.value(
            "[...document.querySelectorAll('#board [data-square]')].filter((cell) => cell.getAttribute('aria-label').includes(' ') \
             && /empty|空き/.test(cell.getAttribute('aria-label'))).map((cell) => cell.dataset.square)",
        );
        let points: Vec<String> =
            points.as_array().unwrap().iter().map(|point| point.as_str().unwrap().to_owned()).collect();
        let before = page.value("document.querySelector('#board').dataset.node");
        for _ in 0..6 {
            if points.is_empty() {
                break;
            }
            let point = &points[draws.below(points.len() as u32) as usize];
            page.click(&format!("[data-square=\"{point}\"]"));
            std::thread::sleep(std::time::Duration::from_millis(60));
            if is_there(&mut page, "#done:not([disabled])") {
                page.click("#done");
                std::thread::sleep(std::time::Duration::from_millis(60));
            }
            if page.value("document.querySelector('#board').dataset.node") != before {
                break;
            }
        }
        if page.value("document.querySelector('#board').dataset.node") == before {
            // A growth that cannot be finished is taken back.
            if is_there(&mut page, "#clear-draft:not([disabled])") {
                page.click("#clear-draft");
                appears(&mut page, "#do-pass");
            }
            if is_there(&mut page, "#do-pass") {
                page.click("#do-pass");
            }
        }
    }
    page.until("document.querySelector('#course').dataset.solved === 'true'", "the whole game is over");
    assert!(!text(&mut page, "[data-count=\"0\"]").is_empty(), "the score is shown");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn the_course_of_sygo_is_played_by_what_the_page_says() {
    course("en");
}

#[test]
fn the_course_of_sygo_is_the_same_in_japanese() {
    course("ja");
}

#[test]
fn a_review_asks_for_the_better_moves() {
    let (_program, mut page) = table("shogi", &[]);
    paste(&mut page, "position startpos moves 7g7f 3c3d 8h5e 2b5e 2g2f");
    vanishes(&mut page, "dialog");
    page.click("#do-review");
    appears(&mut page, "#do-lesson");
    page.click("#do-lesson");
    page.until("document.querySelector('#lesson').dataset.stage === 'asked'", "a question");
    let before = state(&mut page)["nodes"].clone();
    page.click("[data-square=\"1g\"]");
    page.click("[data-square=\"1f\"]");
    page.until("['wrong', 'found'].includes(document.querySelector('#lesson').dataset.stage)", "an answer");
    assert_eq!(state(&mut page)["nodes"], before, "the record is as it was");
    page.click("#lesson-show");
    page.until("document.querySelectorAll('#board .arrow.best').length === 1", "the better move");
    page.click("#lesson-next");
    page.until("document.querySelector('#lesson').hidden", "the lesson is over");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_link_opens_a_position() {
    let (program, mut page) = table("reversi", &[]);
    page.call("Page.navigate", json!({ "url": "about:blank" }));
    page.open(&format!("{}#sfen=4k4/9/4P4/9/9/9/9/9/4K4_b_G2r2b3g4s4n4l17p_1", program.address));
    page.until(
        "document.querySelector('#board').dataset.position.startsWith('sfen 4k4/9/4P4')",
        "the position",
    );
}

#[test]
fn a_move_is_planned_while_kaeshi_thinks() {
    let (_program, mut page) = table("shogi", &[]);
    page.click("#do-settings");
    page.value(
        "(() => { const field = document.querySelector('#set-thinking'); field.value = '3'; \
         field.dispatchEvent(new Event('change')); document.querySelector('#settings').close(); })()",
    );
    page.click("#do-new");
    page.value(
        "for (const [id, value] of [['#new-against', 'engine'], ['#new-colour', '1'], ['#new-level', '21']]) { \
         const field = document.querySelector(id); field.value = value; field.dispatchEvent(new Event('change')); }",
    );
    page.click("#new-begin");
    vanishes(&mut page, "dialog");
    page.click("[data-square=\"3c\"]");
    page.click("[data-square=\"3d\"]");
    page.until("document.querySelectorAll('.mark.planned').length === 2", "the plan is shown");
    page.until("document.querySelectorAll('#moves [data-node]').length >= 3", "the plan is carried out");
    assert_eq!(turns(&state(&mut page))[1], "3c3d");
}

/// The first problem of a game of the program: its turns.
fn first_problem(page: &mut Browser, game: &str) -> Vec<String> {
    let asked = format!("fetch('/problems/{game}.txt').then((answer) => answer.text())");
    let text = page.value(&asked).as_str().unwrap().to_owned();
    let line = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let turns = line.split(" | ").nth(2).unwrap();
    turns.split('/').next().unwrap().split(' ').map(str::to_owned).collect()
}

#[test]
fn a_problem_is_tried_hinted_solved_and_remembered() {
    let (play, mut page) = table("reversi", &[]);
    page.click("#do-practice");
    appears(&mut page, "[data-grade='6']");
    assert!(text(&mut page, "[data-grade='6']").contains("0 of "));
    page.click("[data-grade='6']");
    appears(&mut page, "#course .task");
    vanishes(&mut page, "dialog");
    let solution = first_problem(&mut page, "reversi").remove(0);
    let find = format!(
        "[...document.querySelectorAll('.cell.target')].map((cell) => cell.dataset.square).find((name) => name !== '{solution}')"
    );
    let other = page.value(&find).as_str().unwrap().to_owned();
    page.click(&format!("[data-square=\"{other}\"]"));
    page.until("document.querySelector('#course').dataset.stage === 'wrong'", "a wrong move is called wrong");
    page.until("document.querySelector('#board').dataset.node === '0'", "it is taken back");
    page.click("[data-do=hint]");
    assert!(text(&mut page, "#course").contains(&format!("begins with {}", &solution[..1])));
    page.click(&format!("[data-square=\"{solution}\"]"));
    page.until("document.querySelector('#course').dataset.stage === 'solved'", "the solution is taken");
    assert!(text(&mut page, "#course").contains(&solution));
    page.click("[data-do=next]");
    page.until("document.querySelector('#course small').textContent.includes('2/')", "the next problem");
    page.click("[data-do=solution]");
    page.until("!document.querySelector('#tryout').hidden", "the solution is shown on the board");
    // Solved problems are known after the page was reloaded.
    page.open(&play.address);
    page.until(READY, "the page is there");
    page.click("#do-practice");
    appears(&mut page, "[data-grade='6']");
    assert!(text(&mut page, "[data-grade='6']").contains("1 of "));
}

#[test]
fn a_mate_problem_is_played_against_the_longest_defence() {
    let (_play, mut page) = table("shogi", &[]);
    page.click("#do-practice");
    appears(&mut page, "[data-grade='3']");
    page.click("[data-grade='3']");
    appears(&mut page, "#course .task");
    vanishes(&mut page, "dialog");
    let find = "fetch('/problems/shogi.txt').then((answer) => answer.text()).then((text) => text.split('\\n').find((line) => line.startsWith('3 ')).split(' | ')[2].split('/')[0].split(' '))";
    let turns: Vec<String> = serde_json::from_value(page.value(find)).unwrap();
    assert_eq!(turns.len(), 3);
    play(&mut page, &turns[0]);
    page.until("document.querySelectorAll('#moves [data-node]').length === 3", "the defence is played");
    play(&mut page, &turns[2]);
    page.until("document.querySelector('#course').dataset.stage === 'solved'", "the mate is found");
}

#[test]
fn what_was_played_from_a_position_is_shown_with_results() {
    let (_play, mut page) = table("reversi", &[]);
    paste(&mut page, "f5d6c3d3c4f4f6f3e6e7d7g6\nf5f6e6f4e3c5c4e7\nf5d6c4d3c5f4e3f3\n");
    appears(&mut page, "[data-pick='0']");
    page.click("[data-pick='0']");
    vanishes(&mut page, "dialog");
    page.click("#first");
    page.until("document.querySelector('#board').dataset.node === '0'", "the start is shown");
    page.click("#explorer summary");
    appears(&mut page, "[data-explore='f5']");
    assert!(text(&mut page, "[data-explore='f5']").contains("Games: 3"));
    page.click("#next");
    appears(&mut page, "[data-explore='d6']");
    assert!(text(&mut page, "[data-explore='d6']").contains("Games: 2"));
    assert!(text(&mut page, "[data-explore='f6']").contains("Games: 1"));
    page.click("[data-explore='f6']");
    page.until("!document.querySelector('#tryout').hidden", "the move is shown as a try-out");
}

#[test]
fn openings_are_named_beside_the_board() {
    let (_play, mut page) = table("reversi", &[]);
    for (turn, name) in [("f5", ""), ("d6", "perpendicular"), ("c3", ""), ("d3", ""), ("c4", "Tiger")] {
        play(&mut page, turn);
        page.until(
            &format!("document.querySelector('#game-name').textContent.includes({})", json!(name)),
            &format!("{turn} makes it {name}"),
        );
    }
    drop((_play, page));
    let (_play, mut page) = table("shogi", &[]);
    for turn in ["7g7f", "3c3d", "6g6f", "8c8d", "2h6h"] {
        play(&mut page, turn);
    }
    page.until(
        "document.querySelector('#game-name').textContent.includes('Static Rook against Fourth-file Rook')",
        "the fourth-file rook has its name",
    );
}

#[test]
fn the_games_of_a_file_are_chapters_with_names() {
    let (_play, mut page) = table("reversi", &[]);
    paste(&mut page, "f5d6c3d3c4\nf5f6e6f4e3\n");
    appears(&mut page, "[data-pick='0']");
    page.click("[data-pick='0']");
    vanishes(&mut page, "dialog");
    appears(&mut page, "#chapter");
    let first = room(&mut page);
    page.value("window.prompt = () => 'The tiger'");
    page.click("#chapter-name");
    page.until(
        "document.querySelector('#chapter').selectedOptions[0].textContent.includes('The tiger')",
        "the name",
    );
    let choose = |pick: u8| {
        format!(
            "{{ const chapter = document.querySelector('#chapter'); chapter.value = '{pick}'; chapter.dispatchEvent(new Event('change')); }}"
        )
    };
    page.value(&choose(1));
    page.until("document.querySelector('#chapter').value === '1' && document.querySelectorAll('#moves [data-node]')[2].textContent.includes('f6')", "the second game");
    page.value(&choose(0));
    page.until(
        "document.querySelector('#chapter').selectedOptions[0].textContent.includes('The tiger')",
        "the first again",
    );
    assert_eq!(room(&mut page), first, "it is the same game, not a copy");
    page.call("Page.reload", json!({}));
    page.until(READY, "the page is ready again");
    appears(&mut page, "#chapter");
    assert_eq!(room(&mut page), first);
    page.value(&choose(1));
    page.until("document.querySelector('#chapter').value === '1' && document.querySelectorAll('#moves [data-node]')[2].textContent.includes('f6')", "the second game after a reload");
    assert_eq!(page.errors, Vec::<String>::new());
}
