//! `kaeshi play` as people use it: the program, a real browser, and clicks on squares. The board is compared with the
//! rules after every turn.
//!
//! With `KAESHI_PICTURES=FOLDER` the pictures of `docs/guide/play.md` are written there.

use crate::browser;
use std::path::PathBuf;

use browser::Browser;
use browser::play::{state, table};
use kaeshi_core::game::picture::Style;
use kaeshi_core::game::{GameNotation, GameOptions, GameRules, GameView, Side};
use kaeshi_core::random::SplitMix;
use kaeshi_reversi::Reversi;
use kaeshi_shogi::Shogi;
use kaeshi_sygo::Sygo;
use serde_json::{Value, json};

fn node(page: &mut Browser) -> u64 {
    page.value("document.querySelector('#board').dataset.node").as_str().unwrap().parse().unwrap()
}

/// Does something that makes a turn, and waits until it is made.
fn turned(page: &mut Browser, act: impl FnOnce(&mut Browser)) {
    let before = node(page);
    act(page);
    page.until(&format!("document.querySelector('#board').dataset.node !== '{before}'"), "the turn is made");
}

/// The board that the page must show, by the rules.
fn expected<G: GameView>(game: &G, position: &G::Position) -> String {
    let picture = game.picture(position);
    let sign = |man: &Option<kaeshi_core::game::picture::PicturePiece>| match (man, picture.style) {
        (None, _) => ".".to_owned(),
        (Some(man), Style::Pieces) if man.side == Side::First => man.kind.to_owned(),
        (Some(man), Style::Pieces) => man.kind.to_ascii_lowercase(),
        (Some(man), style) => {
            let dark = (man.side == Side::First) == (style == Style::Discs);
            (if dark { "b" } else { "w" }).to_owned()
        }
    };
    picture.cells.iter().map(sign).collect()
}

fn shown(page: &mut Browser) -> String {
    page.value("document.querySelector('#board').dataset.board").as_str().unwrap().to_owned()
}

fn square(name: &str) -> String {
    format!("[data-square=\"{name}\"]")
}

/// Clicks a move of shogi.
fn shogi_move(page: &mut Browser, turn: &str, black: bool) {
    let promotes = turn.ends_with('+');
    match turn.split_once('*') {
        Some((piece, to)) => {
            let held = if black { piece.to_owned() } else { piece.to_ascii_lowercase() };
            page.click(&format!("[data-hand=\"{held}\"]"));
            page.click(&square(to));
        }
        None => {
            page.click(&square(&turn[..2]));
            page.click(&square(&turn[2..4]));
        }
    }
    if page.value("Boolean(document.querySelector('[data-promote]'))") == true {
        page.click(if promotes { "[data-promote=yes]" } else { "[data-promote=no]" });
    }
}

#[test]
fn a_game_of_shogi_by_clicks() {
    let (_play, mut page) = table("shogi", &[]);
    let game = Shogi::load(&Default::default()).unwrap();
    let mut position = game.start();
    // A promotion, a choice not to promote, drops of both sides.
    let turns = "7g7f 3c3d 8h2b+ 3a2b B*5e 2b3c 5e3c 2a3c S*4f B*4d 4f4e 4d2f";
    for text in turns.split(' ') {
        let turn = game.parse_turn(&position, text).unwrap();
        let black = game.side_to_move(&position) == Side::First;
        turned(&mut page, |page| shogi_move(page, text, black));
        game.play(&mut position, &turn);
        assert_eq!(shown(&mut page), expected(&game, &position), "after {text}");
    }
    let plies = node(&mut page);
    assert_eq!(plies, 12);
    page.click("#take-back");
    page.until(
        &format!("document.querySelector('#board').dataset.node === '{}'", plies - 1),
        "one turn less",
    );
    let before = shown(&mut page);
    page.call("Page.reload", json!({}));
    page.until("document.body && document.body.dataset.ready === '1'", "the page is ready again");
    assert_eq!(shown(&mut page), before, "the game goes on after a reload");
    page.value("window.confirm = () => true");
    page.click("#do-resign");
    page.until("document.querySelector('#status').dataset.over === 'Resign'", "the game is over");
    picture(&mut page, "shogi");
    page.click("#do-files");
    page.value(
        "document.querySelector('#paste').value = 'sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1'",
    );
    page.click("#load");
    page.until(
        "document.querySelector('#board').dataset.position.includes('4k4/9/4P4')",
        "the position is there",
    );
    turned(&mut page, |page| shogi_move(page, "G*5b", true));
    page.until("document.querySelector('#status').dataset.over === 'Mate'", "a dropped gold mates");
    assert_eq!(page.value("document.querySelector('#status').dataset.winner"), "0");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn customs_of_events_by_clicks() {
    let (_play, mut page) = table("shogi", &[]);
    for text in ["2h3h", "8b7b", "3h2h", "7b8b"].repeat(3) {
        turned(&mut page, |page| shogi_move(page, text, true));
    }
    page.until("document.querySelector('#status').dataset.over === 'Repetition'", "a fourfold repetition");
    page.click("#do-replay");
    page.until("document.querySelector('#board').dataset.node === '0'", "the game begins anew");
    let said = page.value("document.querySelector('#status').textContent");
    assert!(said.as_str().unwrap().contains("remaining time"), "{said}");
    turned(&mut page, |page| shogi_move(page, "7g7f", true));
    page.click("#do-files");
    page.value("document.querySelector('#paste').value = 'sfen 4K4/9/4R4/9/9/9/4r4/9/4k4 b B2G2S2N2L9Pb2g2s2n2l9p 1'");
    page.click("#load");
    page.until("document.querySelector('#leave-keep')", "the running game is asked about");
    page.click("#leave-keep");
    page.until("document.querySelector('#board').dataset.position.includes('4K4')", "the position is there");
    page.click("#do-continue");
    page.value("document.querySelector('#new-impasse').value = '27'; document.querySelector('#new-against').value = 'people'");
    page.click("#new-begin");
    page.until("document.querySelector('#do-count')", "both kings have entered");
    page.click("#do-count");
    page.until("document.querySelector('#status').dataset.over === 'Impasse'", "the points are counted");
    assert_eq!(page.value("document.querySelector('#status').dataset.winner"), "1");
    page.call("Page.reload", json!({}));
    page.until("document.body && document.body.dataset.ready === '1'", "the page is ready again");
    page.until("document.querySelector('#status').dataset.over === 'Impasse'", "the end is kept");
    page.click("#do-new");
    page.value("for (const [id, value] of [['against', 'engine'], ['colour', '2']]) document.querySelector('#new-' + id).value = value");
    page.click("#new-begin");
    page.until("document.querySelector('#status').textContent.includes('Furigoma')", "five pawns are thrown");
    assert_eq!(page.errors, Vec::<String>::new());
}

/// Switches the analysis on or off past the page, which hears of it by a state.
fn switch_analysis(page: &mut Browser) {
    let mut settings = state(page)["settings"].clone();
    let wanted = settings["analysis"] != true;
    settings["analysis"] = json!(wanted);
    settings["op"] = json!("settings");
    let before = page.value("document.querySelector('#do-analyse').textContent");
    page.value(&format!(
        "fetch('/api/room/' + sessionStorage.getItem('kaeshi-room'), {{ method: 'POST', \
         headers: {{ 'content-type': 'application/json' }}, body: {} }}).then((answer) => answer.ok)",
        json!(settings.to_string())
    ));
    let heard = format!("document.querySelector('#do-analyse').textContent !== {before}");
    page.until(&heard, "the page has the new state");
}

#[test]
fn a_press_is_taken_while_states_arrive() {
    let (_play, mut page) = table("shogi", &["--threads", "1"]);
    for text in ["7g7f", "3c3d"] {
        turned(&mut page, |page| shogi_move(page, text, true));
    }
    page.click_during("#do-pause", switch_analysis);
    page.until("document.querySelector('#status').textContent === 'Paused'", "the game is paused");
    page.value("document.querySelector('#do-pause').focus()");
    switch_analysis(&mut page);
    assert_eq!(page.value("document.activeElement.id"), "do-pause", "the focus stays");
    page.click_during("#moves [data-node='1']", switch_analysis);
    page.until("document.querySelector('#board').dataset.node === '1'", "the position after the first move");
    page.until("document.querySelector('#lines .line')", "the engine thinks");
    // A line is known by its first move; from one report to the next, one of them stays.
    let stays = "(() => {
        const rows = [...document.querySelectorAll('#lines .line')], facts = document.querySelector('#search-facts').textContent;
        const stays = facts !== window.facts && rows.some((row) => window.rows?.get(row.dataset.line) === row);
        if (facts !== window.facts) window.rows = new Map(rows.map((row) => [row.dataset.line, row]));
        window.facts = facts;
        return stays;
    })()";
    page.until(stays, "a line of the engine stays");
    assert_eq!(page.errors, Vec::<String>::new());
}

/// The share of the time in which the processors of this machine do something; 1 where the system does not say so.
fn busy_share() -> f64 {
    // Jiffies of all processors together, and those of them in which they wait (proc(5)).
    let jiffies = || -> Option<(f64, f64)> {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let numbers = text.lines().next()?.split_whitespace().skip(1);
        let numbers: Vec<f64> = numbers.map(|number| number.parse().ok()).collect::<Option<_>>()?;
        Some((numbers.iter().sum(), numbers.get(3)? + numbers.get(4)?))
    };
    let before = jiffies();
    std::thread::sleep(std::time::Duration::from_millis(500));
    match (before, jiffies()) {
        (Some((all, idle)), Some((all_after, idle_after))) => 1.0 - (idle_after - idle) / (all_after - all),
        _ => 1.0,
    }
}

/// Milliseconds from the release of the button over a square to the first picture of the window in which that square
/// has its final content.
fn click_to_picture(page: &mut Browser, name: &str) -> f64 {
    page.value(
        "document.addEventListener('pointerup', (event) => { window.released = performance.timeOrigin + event.timeStamp; }, \
         { once: true, capture: true })",
    );
    let frames = page.frames_during(|page| turned(page, |page| page.click(&square(name))));
    let images: Vec<&str> = frames.iter().map(|frame| frame.image.as_str()).collect();
    // Each picture's inner part of the square: how much it differs from that of the first picture.
    let script = format!(
        "(async () => {{
          const box = document.querySelector('{}').getBoundingClientRect(), size = Math.round(box.width * 0.6), shots = [];
          for (const image of {}) {{
            const bytes = Uint8Array.from(atob(image), (sign) => sign.charCodeAt(0)), canvas = document.createElement('canvas');
            canvas.width = canvas.height = size;
            const pen = canvas.getContext('2d', {{ willReadFrequently: true }});
            pen.drawImage(await createImageBitmap(new Blob([bytes])), -Math.round(box.x + box.width / 5), -Math.round(box.y + box.height / 5));
            shots.push(pen.getImageData(0, 0, size, size).data);
          }}
          return [window.released, ...shots.map((shot) => shot.reduce((sum, value, place) => sum + Math.abs(value - shots[0][place]), 0) / shot.length)];
        }})()",
        square(name),
        json!(images)
    );
    let found: Vec<f64> = serde_json::from_value(page.value(&script)).unwrap();
    let (released, differences) = found.split_first().unwrap();
    let settled = *differences.last().unwrap();
    assert!(settled > 5.0, "{name}: the square does not change: {differences:?}");
    // The rest are marks of the engine's search.
    let first = differences.iter().position(|&difference| difference > 0.7 * settled).unwrap();
    frames[first].time - released
}

#[test]
fn a_click_is_answered_while_the_engine_thinks() {
    let busy_before = busy_share();
    let (play, mut page) = table("shogi", &["--threads", "2"]);
    page.click("#do-analyse");
    page.until("document.querySelectorAll('#lines .line').length >= 2", "the engine thinks");
    let mut times: Vec<f64> = Vec::new();
    for turn in "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h".split(' ') {
        page.click(&square(&turn[..2]));
        times.push(click_to_picture(&mut page, &turn[2..]));
    }
    assert_eq!(page.errors, Vec::<String>::new());
    drop((play, page));
    let busy = busy_share().max(busy_before);
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(
        "milliseconds from a click to the picture: {times:.0?}, median {median:.0}; the machine was {:.0} % busy",
        100.0 * busy
    );
    // Beside other programs there is no limit that a page could keep.
    assert!(median < if busy < 0.15 { 50.0 } else { 5_000.0 }, "{times:?}");
}

/// Turns wait until `answered` lets the program have them, or are refused.
fn hold_turns(page: &mut Browser) {
    page.value(
        "(() => {
          const original = window.fetch;
          window.fetch = async (path, init) => {
            if (!/\"op\":\"(turn|stone)\"/.test(init?.body || '')) return original(path, init);
            const verdict = await new Promise((settle) => { window.settle = settle; });
            if (verdict === 'lost') throw new TypeError('no connection');
            return verdict ? original(path, init) : new Response('{\"code\":\"illegal\"}', { status: 422 });
          };
        })()",
    );
}

/// Lets the turn that waits go to the program, or refuses it.
fn settle(page: &mut Browser, verdict: &str) {
    page.until("window.settle", "a turn waits");
    page.value(&format!("window.settle({verdict}); window.settle = null"));
}

#[test]
fn a_turn_is_shown_before_the_program_answers() {
    let (_play, mut page) = table("shogi", &[]);
    hold_turns(&mut page);
    let game = Shogi::load(&Default::default()).unwrap();
    let mut position = game.start();
    for text in "7g7f 3c3d 8h2b+ 3a2b B*5e 2b3c 5e3c 2a3c S*4f B*4d 4f4e 4d2f".split(' ') {
        let turn = game.parse_turn(&position, text).unwrap();
        let before = shown(&mut page);
        let black = game.side_to_move(&position) == Side::First;
        game.play(&mut position, &turn);
        // Of each kind of turn one is refused first, and one gets no answer.
        for verdict in if ["7g7f", "8h2b+", "B*5e"].contains(&text) {
            vec!["false", "'lost'", "true"]
        } else {
            vec!["true"]
        } {
            let node_before = node(&mut page);
            shogi_move(&mut page, text, black);
            assert_eq!(shown(&mut page), expected(&game, &position), "{text} before the answer");
            let held = page.value("document.querySelectorAll('.layer-pieces [data-at]').length");
            assert_eq!(node(&mut page), node_before);
            settle(&mut page, verdict);
            if verdict == "true" {
                page.until(
                    &format!("document.querySelector('#board').dataset.node !== '{node_before}'"),
                    "it is made",
                );
                assert_eq!(
                    page.value("document.querySelectorAll('.layer-pieces [data-at]').length"),
                    held,
                    "{text}: hands"
                );
            } else {
                page.until(
                    &format!("document.querySelector('#board').dataset.board === '{before}'"),
                    "it is taken back",
                );
                let said = if verdict == "false" {
                    "document.querySelector('#why').textContent"
                } else {
                    "!document.querySelector('#lost').hidden"
                };
                page.until(said, "the refusal is said");
            }
        }
        assert_eq!(shown(&mut page), expected(&game, &position), "after {text}");
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn discs_turn_over_before_the_program_answers() {
    let (_play, mut page) = table("reversi", &[]);
    hold_turns(&mut page);
    let game = Reversi::load(&Default::default()).unwrap();
    let (mut position, mut draws) = (game.start(), SplitMix::new(5));
    for _ in 0..20 {
        let turns = game.turns(&position);
        let turn = turns[draws.below(turns.len() as u32) as usize];
        let text = game.format_turn(&position, &turn);
        game.play(&mut position, &turn);
        if text == "pass" {
            continue;
        }
        turned(&mut page, |page| {
            page.click(&square(&text));
            assert_eq!(shown(page), expected(&game, &position), "{text} before the answer");
            settle(page, "true");
        });
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn stones_are_shown_before_the_program_answers() {
    let (play, mut page) = table("sygo", &["--size", "5"]);
    hold_turns(&mut page);
    let stones = |page: &mut Browser| shown(page).matches(['b', 'w']).count();
    for (count, point) in ["c3", "a1"].into_iter().enumerate() {
        turned(&mut page, |page| {
            page.click(&square(point));
            assert_eq!(stones(page), count + 1, "{point} before the answer");
            settle(page, "true");
        });
    }
    assert_eq!(page.errors, Vec::<String>::new());
    drop((play, page));
    // Two stones of a growth: the first is refused once, and the second comes before the first is answered.
    let (play, mut page) = table("sygo", &["--size", "5"]);
    let address = format!("{}?growth#position=5/1w3/4b/3w1/b4_w_g_0_5", play.address);
    page.open(&address);
    page.until(
        "document.querySelector('#board').dataset.position.includes('5/1w3')",
        "the position is there",
    );
    hold_turns(&mut page);
    page.click(&square("b3"));
    assert_eq!(stones(&mut page), 5);
    settle(&mut page, "false");
    page.until("document.querySelector('#why').textContent", "the refusal is said");
    assert_eq!(stones(&mut page), 4);
    page.click(&square("b3"));
    page.click(&square("d3"));
    assert_eq!(stones(&mut page), 6);
    settle(&mut page, "true");
    settle(&mut page, "true");
    page.until("document.querySelectorAll('.mark.draft').length === 2", "both stones are put");
    turned(&mut page, |page| page.click("#done"));
    assert_eq!(stones(&mut page), 6);
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_whole_game_of_reversi_by_clicks() {
    let (_play, mut page) = table("reversi", &[]);
    let game = Reversi::load(&Default::default()).unwrap();
    let (mut position, mut draws, mut passes) = (game.start(), SplitMix::new(8), 0);
    while game.outcome(&position).is_none() {
        let turns = game.turns(&position);
        let turn = turns[draws.below(turns.len() as u32) as usize];
        let text = game.format_turn(&position, &turn);
        game.play(&mut position, &turn);
        if text == "pass" {
            // The page has passed already.
            passes += 1;
            continue;
        }
        turned(&mut page, |page| page.click(&square(&text)));
        if game.outcome(&position).is_none() && game.turns(&position).len() > 1 {
            assert_eq!(shown(&mut page), expected(&game, &position), "after {text}");
        }
        if position.board.empties() == 30 {
            picture(&mut page, "reversi");
        }
    }
    assert_eq!(shown(&mut page), expected(&game, &position));
    page.until("document.querySelector('#status').dataset.over === 'NoMoves'", "the game is over");
    println!("{passes} passes");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn a_whole_game_of_sygo_stone_by_stone() {
    let (_play, mut page) = table("sygo", &["--size", "5"]);
    page.click("#do-new");
    page.value("document.querySelector('#new-size').value = '5'; document.querySelector('#new-against').value = 'people'");
    page.click("#new-begin");
    page.until("document.querySelectorAll('[data-square]').length === 25", "the small board is there");
    let game = Sygo::load(&Default::default()).unwrap();
    let mut position = game.start_of_size(5);
    let (mut draws, mut grown, mut balanced) = (SplitMix::new(3), 0, 0);
    while game.outcome(&position).is_none() {
        let mut turns = game.turns(&position);
        // Long growths show most; a pass comes only when there is nothing else.
        turns.sort_by_key(|turn| turn.stones().count());
        let many = turns.iter().filter(|turn| turn.growth().len() >= 2).cloned().collect::<Vec<_>>();
        let turn = match (many.len(), turns.len()) {
            (0, 1) => turns[0].clone(),
            (0, count) => turns[1 + draws.below(count as u32 - 1) as usize].clone(),
            (count, _) => many[draws.below(count as u32) as usize].clone(),
        };
        turned(&mut page, |page| {
            if turn.stones().next().is_none() {
                return page.click("#do-pass");
            }
            for (index, point) in turn.growth().iter().enumerate() {
                page.click(&square(&point.to_string()));
                let done = format!("document.querySelectorAll('.mark.draft').length === {}", index + 1);
                page.until(&done, "the stone is put");
            }
            match turn.placement() {
                Some(point) => page.click(&square(&point.to_string())),
                None => page.click("#done"),
            }
        });
        grown += usize::from(turn.growth().len() >= 2);
        balanced += usize::from(!turn.growth().is_empty() && turn.placement().is_some());
        game.play(&mut position, &turn);
        assert_eq!(shown(&mut page), expected(&game, &position), "after {turn:?}");
        if grown == 2 {
            picture(&mut page, "sygo");
        }
    }
    assert!(grown > 0, "no growth of several stones");
    println!("{grown} growths of several stones, {balanced} balance turns");
    page.until("document.querySelector('#status').dataset.over === 'TwoPasses'", "the game is over");
    assert_eq!(page.errors, Vec::<String>::new());
}

#[test]
fn random_clicks_make_legal_turns_only() {
    let clicks: usize = std::env::var("KAESHI_CLICKS").ok().and_then(|text| text.parse().ok()).unwrap_or(400);
    for game in ["shogi", "reversi", "sygo"] {
        let (_play, mut page) = table(game, &[]);
        page.value("window.confirm = () => true");
        // The same presses as a mouse makes, but many at a time.
        let script = format!(
            "(async () => {{
              let state = 7;
              const draw = (n) => {{ state = (state * 1103515245 + 12345) % 2147483648; return Math.floor(state / 65536) % n; }};
              for (let i = 0; i < {clicks}; i++) {{
                const cells = [...document.querySelectorAll('[data-square], [data-hand], [data-promote], #done, #unstone, #do-pass')];
                const cell = cells[draw(cells.length)], box = cell.getBoundingClientRect();
                const at = {{ bubbles: true, button: 0, buttons: 1, pointerId: 1, clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }};
                cell.dispatchEvent(new PointerEvent('pointerdown', at));
                cell.dispatchEvent(new PointerEvent('pointerup', at));
                if (!cell.dataset.square && !cell.dataset.hand) cell.dispatchEvent(new MouseEvent('click', at));
                if (i % 4 === 0) await new Promise((done) => setTimeout(done, 6));
              }}
              await new Promise((done) => setTimeout(done, 300));
              return [...document.querySelectorAll('#moves [data-node]')].length;
            }})()"
        );
        let turns = page.value(&script).as_u64().unwrap();
        assert!(turns > 1, "{game}: no turn was made");
        assert_eq!(page.errors, Vec::<String>::new(), "{game}");
        legal(game, &state(&mut page));
    }
}

/// Replays a game by the rules.
fn legal(game: &str, kept: &Value) {
    fn replay<G: GameNotation + GameView>(game: &G, kept: &Value) {
        let nodes = kept["nodes"].as_array().unwrap();
        let mut positions = vec![game.parse_position(kept["start"].as_str().unwrap()).unwrap()];
        for node in &nodes[1..] {
            let mut position = positions[node["parent"].as_u64().unwrap() as usize].clone();
            let turn = game.parse_turn(&position, node["t"].as_str().unwrap()).expect("a legal turn");
            game.play(&mut position, &turn);
            positions.push(position);
        }
    }
    match game {
        "shogi" => replay(&Shogi::load(&Default::default()).unwrap(), kept),
        "reversi" => replay(&Reversi::load(&Default::default()).unwrap(), kept),
        "sygo" => replay(&Sygo::load(&Default::default()).unwrap(), kept),
        other => panic!("{other}"),
    }
}

#[test]
fn a_telephone_shows_everything_in_its_width() {
    let (_play, mut page) = table("shogi", &[]);
    for (width, height) in [(320, 640), (390, 844), (844, 390), (683, 384), (1366, 768)] {
        page.resize(width, height);
        let wider = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth");
        assert_eq!(wider, 0, "{width}");
        let square = page.value("document.querySelector('[data-square]').getBoundingClientRect().width");
        let least = if width == 390 || height > 700 { 36.0 } else { 24.0 };
        assert!(square.as_f64().unwrap() >= least, "{width}: {square}");
        let low = page.value("document.querySelector('#seat-low').getBoundingClientRect().bottom");
        assert!(low.as_f64().unwrap() <= f64::from(height), "{width}: the board ends at {low} of {height}");
        let small = page.value("[...document.querySelectorAll('.acts button, .steps button, nav button')].filter((b) => b.getBoundingClientRect().height < 40).length");
        assert_eq!(small, 0, "{width}: buttons of 40 pixels");
    }
    for language in ["en", "ja"] {
        page.value(&format!("localStorage.setItem('kaeshi-likes', '{{\"language\":\"{language}\"}}')"));
        page.call("Page.reload", json!({}));
        page.until("document.body && document.body.dataset.ready === '1'", "the page is ready again");
        let text = page.value("document.body.innerText");
        assert!(!text.as_str().unwrap().contains('{'), "{language}: {text}");
    }
    assert_eq!(page.errors, Vec::<String>::new());
}

fn picture(page: &mut Browser, name: &str) {
    if let Some(folder) = std::env::var_os("KAESHI_PICTURES") {
        // Pieces that glide and discs that turn over have arrived by then.
        std::thread::sleep(std::time::Duration::from_millis(700));
        page.picture(&PathBuf::from(folder).join(format!("play-{name}.png")));
    }
}
