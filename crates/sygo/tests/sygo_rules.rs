//! Sygo's rules: perft tables, every settled ambiguity, and an independent declarative twin.

#[path = "sygo/slow.rs"]
mod slow;

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use kaeshi_core::game::{GameNotation, GameOptions, GameRules};
use kaeshi_core::random::SplitMix;
use kaeshi_sygo::evaluate::SygoWeights;
use kaeshi_sygo::rules::position::SygoPosition;
use kaeshi_sygo::rules::size::BoardSize;
use kaeshi_sygo::rules::turn::SygoTurn;
use kaeshi_sygo::rules::{board, generate, notation};
use kaeshi_sygo::search::playout::PlayoutScratch;
use kaeshi_sygo::search::propose;
use kaeshi_sygo::{Sygo, SygoSettings, rules};

fn sygo() -> Sygo {
    Sygo::load(&SygoSettings::default()).expect("default settings load")
}

fn fen(text: &str) -> SygoPosition {
    notation::parse_position(text).expect(text)
}

/// Why the turn is refused; empty if it is legal.
fn refusal(position: &str, turn: &str) -> String {
    sygo().parse_turn(&fen(position), turn).err().map_or(String::new(), |reason| reason.to_string())
}

fn legal(position: &str, turn: &str) {
    assert_eq!(refusal(position, turn), "", "{turn} in {position}");
}

fn illegal(position: &str, turn: &str, because: &str) {
    let reason = refusal(position, turn);
    assert!(reason.contains(because), "{turn} in {position}: '{reason}' does not say '{because}'");
}

/// Board field after a turn.
fn after(position: &str, turn: &str) -> String {
    let mut position = fen(position);
    let turn = sygo().parse_turn(&position, turn).expect(turn);
    position.play(&turn);
    notation::format_position(&position)
}

#[test]
fn perft_tables_hold() {
    let data: serde_json::Value =
        serde_json::from_str(include_str!("../../../tests/data/sygo-perft.json")).expect("the table is JSON");
    for case in data["cases"].as_array().expect("cases") {
        let text = case["position"].as_str().expect("position");
        for row in case["perft"].as_array().expect("perft") {
            let depth = row["depth"].as_u64().expect("depth");
            let mut seen = HashSet::new();
            let sequences = count(&mut fen(text), depth as u32, &mut seen);
            assert_eq!(sequences, row["turn_sequences"], "sequences of {depth} turns from {text}");
            assert_eq!(
                seen.len() as u64,
                row["distinct_positions"],
                "positions after {depth} turns from {text}"
            );
            assert_eq!(generate::perft(&mut fen(text), depth as u32), sequences);
        }
    }
}

fn count(position: &mut SygoPosition, depth: u32, seen: &mut HashSet<u64>) -> u64 {
    if depth == 0 {
        seen.insert(position.key());
        return 1;
    }
    let mut sequences = 0;
    let _ = generate::walk(position, &mut |after, _| {
        sequences += count(after, depth - 1, seen);
        ControlFlow::Continue(())
    });
    sequences
}

#[test]
fn a1_new_stones_of_different_groups_may_touch() {
    legal("5/5/ww1ww/5/2b2 w g 0 5", "+a4,d4");
    legal("6/6/w2w2/6/6/6 w g 0 5", "+b4,c4");
    illegal("5/5/1w1w1/5/2b2 w g 0 5", "+b4,c3", "same group");
}

#[test]
fn a2_a3_a_stone_grows_every_group_it_touches() {
    legal("5/5/1w1w1/5/2b2 w g 0 5", "+c3");
    illegal("5/5/1w1w1/5/2b2 w g 0 5", "+c3,d4", "same group");
    illegal("5/5/1w1w1/5/2b2 w g 0 5", "+a3,b4", "same group");
}

#[test]
fn a4_a_stone_next_to_new_stones_only_is_no_growth() {
    illegal("6/6/w4w/6/6/6 w g 0 5", "+b4,c4", "not next to a group");
}

#[test]
fn a5_any_non_empty_subset_of_the_groups_may_grow() {
    for turn in ["+b3", "+d3", "+b3,d3"] {
        legal("5/5/w3w/5/2b2 w g 0 5", turn);
    }
}

#[test]
fn a6_a_placement_keeps_away_from_own_stones() {
    illegal("5/5/1w1w1/5/2b2 w g 0 5", "c3", "next to an own stone");
    legal("5/5/1w1w1/5/2b2 w g 0 5", "c2");
}

#[test]
fn a7_a_placement_reverses_every_group_without_liberty() {
    let position = "5/5/1b3/bwb2/w1wb1 b g 0 10";
    assert_eq!(after(position, "b1"), "5/5/1b3/bbb2/bbbb1 w g 0 11");
}

#[test]
fn a8_nothing_follows_a_placement() {
    illegal("5/5/1b3/bwb2/w1wb1 b g 0 10", "+b1@e5", "somebody has grown");
    assert!(notation::parse_turn(5, "b1@e5").is_err() && notation::parse_turn(5, "b1,e5").is_err());
}

#[test]
fn a9_a10_a_captor_grows_before_its_capture_or_not_at_all() {
    legal("5/1w3/1wbw1/2w2/5 w g 0 9", "+c4,e3");
    illegal("5/1w3/1wbw1/2w2/5 w g 0 9", "+c4,b2", "same group");
}

#[test]
fn a11_groups_away_from_the_capture_may_grow_after_it() {
    assert_eq!(after("5/1w3/1wbw1/2w2/4w w g 0 9", "+c4,d1"), "5/1ww2/1www1/2w2/3ww b g 0 10");
}

#[test]
fn a13_two_captures_that_close_each_other_exclude_each_other() {
    let position = "3ww3/1w1bw3/1wbbw3/1wwbw3/1wbww3/1wbbw3/1wb1w3/1ww5 w g 0 30";
    legal(position, "+c7");
    legal(position, "+d2");
    illegal(position, "+c7,d2", "no order works");
}

#[test]
fn a14_a_turn_is_a_set() {
    let position = fen("5/1w3/1wbw1/2w2/5 w g 0 9");
    let one = sygo().parse_turn(&position, "+e3,c4").expect("any order is read");
    assert_eq!(one, sygo().parse_turn(&position, "+c4,e3").expect("canonical"));
    assert_eq!(notation::format_turn(&one), "+c4,e3");
}

#[test]
fn a15_a16_suicide_is_judged_at_the_end_of_the_turn() {
    let position = "5/5/bbww1/1wbw1/wbb2 w g 0 20";
    illegal(position, "+a2", "suicide");
    legal(position, "+a2,d1");
}

#[test]
fn a17_a_capture_that_leaves_no_liberty_is_suicide() {
    let board = "5/bbbb1/wwwb1/wbwb1/bb1b1";
    illegal(&format!("{board} w g 0 20"), "+c1", "suicide");
    legal(&format!("{board} b g 0 20"), "+c1");
}

#[test]
fn a18_to_a23_the_balance_turn() {
    let right = "5/5/1b3/5/3w1 b - 0 3";
    legal(right, "+b4");
    legal(right, "d4");
    legal(right, "+b4@d4");
    illegal(right, "+b4@b5", "next to an own stone");
    illegal(right, "+b4@c4", "next to an own stone");
    illegal("5/5/1b3/5/3w1 b g 0 3", "+b4@d4", "somebody has grown");
    illegal("5/5/1b3/5/3w1 w - 0 3", "+d2@a5", "only Black");
    // White's growth takes the right away, Black's uses it up, a placement or a pass leaves it.
    for (turn, flag) in [("+b4", 'g'), ("+b4@d4", 'g'), ("d4", '-'), ("pass", '-')] {
        assert_eq!(after(right, turn).split(' ').nth(2), Some(flag.to_string().as_str()), "{turn}");
    }
    assert_eq!(after("5/5/1b3/5/3w1 w - 0 3", "+d2").split(' ').nth(2), Some("g"));
    // A capture by the growth does not end the turn.
    assert_eq!(after("5/5/5/b4/w1b2 b - 0 9", "+b1@e5"), "4b/5/5/b4/bbb2 w g 0 10");
}

#[test]
fn a24_a25_passes_end_the_game() {
    let mut position = SygoPosition::new(19);
    position.play(&SygoTurn::pass());
    assert!(sygo().outcome(&position).is_none());
    position.play(&SygoTurn::pass());
    let outcome = sygo().outcome(&position).expect("two passes");
    assert_eq!((outcome.winner, outcome.margin), (None, 0));
    assert!(sygo().parse_turn(&position, "pass").expect_err("over").to_string().contains("over"));
    assert!(notation::parse_turn(19, "+").is_err());
}

#[test]
fn a26_to_a29_area_scoring_without_removal() {
    let score = |text: &str| rules::score(&fen(text).board);
    assert_eq!(score("5/5/wwwww/bbbbb/5 w g 2 20"), [15, 10]);
    assert_eq!(score("5/5/5/5/5 w - 2 3"), [0, 0]);
    assert_eq!(score("2w2/2w2/2w2/2b2/2b2 w g 2 9"), [3, 2]);
    assert_eq!(score("5/5/bbwww/wwbbb/1w1b1 w g 2 20"), [7, 7]);
}

#[test]
fn seki_whoever_fills_the_shared_liberty_can_be_captured() {
    let position = "5/5/bbwww/wwbbb/1w1b1 w g 0 20";
    assert!(after(position, "+c1").starts_with("5/5/bbwww/wwbbb/1wwb1"));
    assert!(after("5/5/bbwww/wwbbb/1wwb1 b g 0 21", "a1").starts_with("5/5/bbwww/bbbbb/bbbb1"));
}

/// Every turn and the position after it, as the generator has them.
fn generated(position: &SygoPosition) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    let _ = generate::walk(&mut position.clone(), &mut |after, stones| {
        let turn = notation::format_turn(&stones.turn());
        let board = notation::format_position(after);
        assert!(found.insert((turn.clone(), board)), "{turn} twice");
        ControlFlow::Continue(())
    });
    found
}

#[test]
fn the_figures_of_the_rules_page_are_what_the_declarative_rules_say() {
    let transcript = include_str!("../../../protocol-tests/34-ugi-sygo-figures.txt");
    let mut lines = transcript.lines().peekable();
    let (mut seen, mut refused) = (BTreeSet::new(), 0);
    while let Some(line) = lines.next() {
        let Some(asked) = line.strip_prefix("> position fen ") else { continue };
        let (start, moves) = asked.split_once(" moves ").unwrap_or((asked, ""));
        let mut position = fen(start);
        for (number, turn) in moves.split_whitespace().enumerate() {
            let legal = slow::turns(&position);
            if seen.insert(notation::format_position(&position)) {
                assert_eq!(generated(&position), legal, "{start}");
            }
            let after = legal.iter().find(|(known, _)| known == turn);
            let refusal = format!("< info string move {} '{turn}'", number + 1);
            let is_refused = lines.peek().is_some_and(|next| next.starts_with(&refusal));
            assert_eq!(after.is_none(), is_refused, "{turn} in {start}");
            match after {
                Some((_, board)) => position = fen(board),
                None => refused += 1,
            }
        }
    }
    assert!(seen.len() >= 14 && refused >= 11, "{} positions, {refused} turns refused", seen.len());
}

#[test]
fn the_generator_yields_exactly_what_the_declarative_rules_allow() {
    let mut playout = PlayoutScratch::new(7);
    let mut checked = 0;
    for game in 0..120 {
        // Three square boards, and the oblong ones of these sides.
        let size = BoardSize::new(3 + game % 3, 3 + game / 3 % 3).expect("3 to 5");
        let mut position = SygoPosition::new(size);
        while !position.is_over() {
            let expected = slow::turns(&position);
            assert_eq!(generated(&position), expected, "{}", notation::format_position(&position));
            for (turn, _) in &expected {
                let turn = notation::parse_turn(position.board.size(), turn).expect("own text");
                rules::check(&position, &turn).expect("generated turns are legal");
            }
            checked += 1;
            if game % 2 == 0 {
                playout.turn(&mut position);
            } else {
                // Any turn at all, so that odd positions come up too.
                let list: Vec<_> = expected.iter().collect();
                let (turn, _) = list[playout.random.below(list.len() as u32) as usize];
                position.play(&notation::parse_turn(position.board.size(), turn).expect("own text"));
            }
        }
    }
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn is_legal_refuses_exactly_what_is_not_generated() {
    let mut random = SplitMix::new(3);
    let mut playout = PlayoutScratch::new(8);
    for _ in 0..60 {
        let mut position = SygoPosition::new(5);
        while !position.is_over() {
            let legal: HashSet<SygoTurn> = generate::turns(&position, usize::MAX).0.into_iter().collect();
            let vacant: Vec<_> = position.board.vacant().iter().collect();
            for _ in 0..60 {
                let mut pick = || vacant.get(random.below(vacant.len() as u32 + 1) as usize).copied();
                let growth: BTreeSet<_> = [pick(), pick(), pick()].into_iter().flatten().collect();
                let placement = pick().filter(|point| !growth.contains(point));
                let turn = SygoTurn::new(growth, placement);
                assert_eq!(
                    rules::check(&position, &turn).is_ok(),
                    legal.contains(&turn),
                    "{} in {}",
                    notation::format_turn(&turn),
                    notation::format_position(&position)
                );
            }
            playout.turn(&mut position);
        }
    }
}

#[test]
fn taking_back_restores_everything_and_playing_equals_building_anew() {
    let mut playout = PlayoutScratch::new(11);
    for (size, games) in [(3, 6), (4, 6), (5, 6), (7, 3), (9, 2), (13, 1), (19, 1)] {
        for _ in 0..games {
            let mut position = SygoPosition::new(size);
            while !position.is_over() {
                let (turns, _) = generate::turns(&position, 200);
                for turn in turns.iter().rev().step_by(9).take(12) {
                    let before = notation::format_position(&position);
                    let (key, facts) = (position.key(), groups(&position));
                    let undo = position.apply(turn);
                    let text = notation::format_position(&position);
                    let fresh = fen(&text);
                    assert_eq!(fresh.key(), position.key(), "{text}");
                    assert_eq!(groups(&fresh), groups(&position), "{text}");
                    position.undo(undo);
                    assert_eq!((notation::format_position(&position), position.key()), (before, key));
                    assert_eq!(groups(&position), facts);
                }
                playout.turn(&mut position);
            }
        }
    }
}

/// Colour, stones and liberties of every group, in a fixed order.
fn groups(position: &SygoPosition) -> BTreeSet<(bool, Vec<String>, Vec<String>, u16)> {
    let names =
        |set: &kaeshi_sygo::rules::points::PointSet| set.iter().map(|point| point.to_string()).collect();
    position
        .board
        .groups()
        .map(|(_, g)| (g.colour == board::Colour::White, names(&g.stones), names(&g.liberties), g.size))
        .collect()
}

#[test]
fn playouts_and_proposals_play_legal_turns() {
    for size in [4, 7, 9, 19] {
        let mut playout = PlayoutScratch::new(size as u64);
        for _ in 0..4 {
            let mut position = SygoPosition::new(size);
            let mut turns = 0;
            while !position.is_over() {
                if size < 19 || turns % 9 == 5 {
                    for (_, turn) in propose::propose(&SygoWeights::embedded(), &position, 8, 8) {
                        rules::check(&position, &turn).expect("proposed turns are legal");
                    }
                }
                let before = position.clone();
                playout.turn(&mut position);
                let stones: Vec<_> = (position.board.stones(before.side).iter())
                    .filter(|&point| before.board.is_vacant(point))
                    .collect();
                let placed = stones.iter().copied().find(|&point| !before.board.touches(point, before.side));
                let turn =
                    SygoTurn::new(stones.iter().copied().filter(|&point| Some(point) != placed), placed);
                rules::check(&before, &turn).expect("play-outs play legal turns");
                turns += 1;
            }
            assert!(turns < 2 * size * size + 2);
        }
    }
}

#[test]
fn position_text_is_canonical_and_refusals_say_why() {
    let start = "19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19/19 w - 0 1";
    assert_eq!(notation::format_position(&SygoPosition::new(19)), start);
    for text in
        [start, "5/1w3/1wbw1/2w2/5 w g 0 9", "3/3/3 b - 1 999999", "5/1w3/4b w - 0 3", "3/w2/3/3/1b1 b g 0 9"]
    {
        assert_eq!(notation::format_position(&fen(text)), text);
    }
    for (text, because) in [
        ("3/3/3 w - 0", "five fields"),
        ("3/3 w - 0 1", "2 rows"),
        ("3/4/3 w - 0 1", "4 points"),
        ("2/2/2 w - 0 1", "2 points"),
        ("20/20/20 w - 0 1", "20 points"),
        ("3/2/3 w - 0 1", "2 points"),
        ("3/w0w1/3 w - 0 1", "run length"),
        ("3/x2/3 w - 0 1", "something else"),
        ("3/3/3 x - 0 1", "neither w nor b"),
        ("3/3/3 w x 0 1", "neither g nor -"),
        ("3/3/3 w - 3 1", "0, 1 or 2"),
        ("3/3/3 w - 0 0", "turn number"),
        ("3/3/3 w - 0 -1", "turn number"),
        ("1b1/bwb/1b1 w g 0 9", "no liberty"),
        ("www/www/www w g 0 9", "no liberty"),
    ] {
        let reason = notation::parse_position(text).expect_err(text).to_string();
        assert!(reason.contains(because), "{text}: {reason}");
    }
    for (turn, because) in [
        ("C3", "lower case"),
        ("c0", "no point"),
        ("c03", "no point"),
        ("c+3", "no point"),
        ("z3", "no point"),
        ("t1", "no point"),
        ("f1", "not on a board"),
        ("a6", "not on a board"),
        ("+a1,a1", "twice"),
        ("+a1@a1", "twice"),
        ("+", "grows nothing"),
        ("+@a1", "grows nothing"),
        ("+a1,", "no point"),
        ("resign", "answer"),
        ("", "missing"),
        ("ä1", "no point"),
    ] {
        let reason = notation::parse_turn(5, turn).expect_err(turn).to_string();
        assert!(reason.contains(because), "{turn}: {reason}");
    }
}

#[test]
fn board_size_sets_startpos_and_a_fen_brings_its_own() {
    let game = Sygo::load(&SygoSettings { board_size: 7.into(), ..SygoSettings::default() }).expect("loads");
    assert_eq!(game.start().board.size(), 7.into());
    assert_eq!(game.parse_position("startpos").expect("startpos").board.size(), 7.into());
    assert_eq!(game.parse_position("fen 3/3/3 w - 0 1").expect("fen").board.size(), 3.into());
    assert!(game.parse_position("startpos 3/3/3").is_err());
}

#[test]
fn the_first_turns_of_a_real_game_are_legal() {
    let line = include_str!("../../../tests/data/sygo-opening.txt")
        .lines()
        .find(|line| line.starts_with("position"));
    let (_, turns) = line.expect("a position line").split_once("moves ").expect("moves");
    let mut position = SygoPosition::new(19);
    for turn in turns.split(' ') {
        let turn = sygo().parse_turn(&position, turn).expect(turn);
        position.play(&turn);
    }
    assert_eq!(position.number, 8);
}
