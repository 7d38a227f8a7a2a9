//! The games of a report: boards as differences, so that the player in the page needs no rules.

use std::cmp::Reverse;

use maud::{Markup, html};
use serde::Serialize;

use crate::tournament::journal::{GameWithMoves, Journal, JournalMove};
use crate::tournament::records;
use crate::tournament::report::numbers::{colours, printable};
use crate::tournament::summary::cause_text;
use kaeshi_core::game::Side;
use kaeshi_core::game::facts::GameInfo;
use kaeshi_core::game::picture::{Picture, PictureHand, PicturePiece};
use kaeshi_records::referee::replay::split_start;
use kaeshi_records::referee::{rules_by_name, written_line};
use kaeshi_records::{GameRecord, kif};

/// Games that are shown at most.
const MOST_GAMES: usize = 200;
/// Bytes of game data at most.
const MOST_BYTES: usize = 5 << 20;
/// The same where they are sent again with each game that ends.
const MOST_LATEST: usize = 60;
const MOST_LATEST_BYTES: usize = 1 << 20;

/// The buttons under the board: id, what it does, sign.
const BUTTONS: [[&str; 3]; 7] = [
    ["first", "To the start", "|◀"],
    ["back", "One turn back", "◀"],
    ["play", "Play", "▷▷"],
    ["next", "One turn forward", "▶"],
    ["last", "To the end", "▶|"],
    ["turn", "Flip the board", "⇅"],
    ["letters", "Kanji or letters", "字"],
];

/// The chosen games, ready to be written.
pub struct ChosenGames {
    pub(super) data: PageGames,
    total: usize,
}

#[derive(Default, Serialize)]
pub(super) struct PageGames {
    game: String,
    /// Columns and rows of the board.
    size: [u8; 2],
    /// The name of each cell.
    names: Vec<String>,
    colours: [&'static str; 2],
    games: Vec<ReportGame>,
}

/// One game as the player in the page reads it.
#[derive(Serialize)]
struct ReportGame {
    /// Its number for people: pair and game.
    id: String,
    /// Its line in the list of games.
    title: String,
    /// Who plays: first mover, second mover.
    names: [String; 2],
    result: &'static str,
    cause: &'static str,
    detail: String,
    /// The position in which it began.
    start: String,
    /// The cells of the start, row by row from the top.
    board: Vec<String>,
    /// Hands at the start; empty in games without.
    hands: [String; 2],
    /// How many plies belong to the opening.
    opening: usize,
    plies: Vec<ShownPly>,
    /// The record as text.
    record: String,
    /// Why the rest is missing, if it is.
    broken: String,
}

#[derive(Serialize)]
struct ShownPly {
    /// 0 or 1: who moved.
    by: usize,
    /// The turn in the protocol's words.
    t: String,
    /// The turn in Japanese, in shogi.
    #[serde(skip_serializing_if = "String::is_empty")]
    j: String,
    /// The same in Western notation.
    #[serde(skip_serializing_if = "String::is_empty")]
    w: String,
    /// Changed cells: index, new content.
    d: Vec<(usize, String)>,
    /// Hands after it, where they changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    h: Option<[String; 2]>,
    /// Score from the first mover's side, in hundredths; mates beyond 100 000.
    #[serde(skip_serializing_if = "Option::is_none")]
    s: Option<i32>,
    /// Depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    n: Option<u32>,
    /// Nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    k: Option<u64>,
    /// Milliseconds used.
    #[serde(skip_serializing_if = "Option::is_none")]
    u: Option<u64>,
    /// Milliseconds left on the mover's clock after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<u64>,
}

impl ChosenGames {
    /// Chooses the games to show: those lost by a fault first, then in the order of the schedule.
    pub fn new(journal: &Journal) -> ChosenGames {
        let mut order: Vec<&GameWithMoves> = journal.all_games().collect();
        order.sort_by_key(|played| {
            let game = &played.game;
            (!game.cause.is_fault(), game.pair, game.game, game.leg)
        });
        ChosenGames::chosen(journal, &order, MOST_GAMES, MOST_BYTES)
    }

    /// The last games of the schedule, the last first; those lost by a fault before them.
    pub fn latest(journal: &Journal) -> ChosenGames {
        let mut order: Vec<&GameWithMoves> = journal.all_games().collect();
        order.sort_by_key(|played| {
            let game = &played.game;
            (!game.cause.is_fault(), Reverse((game.pair, game.game, game.leg)))
        });
        ChosenGames::chosen(journal, &order, MOST_LATEST, MOST_LATEST_BYTES)
    }

    fn chosen(journal: &Journal, order: &[&GameWithMoves], most: usize, most_bytes: usize) -> ChosenGames {
        let mut games: Vec<ReportGame> = Vec::new();
        let mut bytes = 0;
        for played in order.iter().take(most) {
            let Some(shown) = show(journal, played) else { continue };
            bytes += serde_json::to_string(&shown).map_or(0, |text| text.len());
            if bytes > most_bytes {
                break;
            }
            games.push(shown);
        }
        let board = first_board(journal);
        let data = PageGames {
            game: journal.open.game.clone(),
            size: board.as_ref().map_or([0; 2], |board| [board.columns, board.rows]),
            names: board.map_or_else(Vec::new, |board| board.names),
            colours: colours(&journal.open.game),
            games,
        };
        ChosenGames { data, total: journal.all_games().count() }
    }

    /// What the player reads.
    pub fn json(&self) -> String {
        serde_json::to_string(&self.data).unwrap_or_default()
    }

    /// The place of the player and the list of the games.
    pub fn section(&self) -> Markup {
        let (games, total) = (&self.data.games, self.total);
        html! {
            @if !games.is_empty() {
                section id="games" {
                    h2 { "Games" }
                    @if games.len() < total {
                        p.note { (games.len()) " of " (total) " games; those lost by a fault come first." }
                    }
                    noscript {
                        p.note {
                            "Stepping through the games needs JavaScript; "
                            "everything else on this page does not."
                        }
                    }
                    (player())
                }
            }
        }
    }
}

/// The place where the script shows games.
pub(super) fn player() -> Markup {
    html! {
        div.player id="player" tabindex="0" hidden {
            div.choose {
                label for="choose" data-say="game" { "Game" }
                select id="choose" {}
            }
            div.stage {
                div.boardside {
                    div.who id="who1" {}
                    div id="board" {}
                    div.who id="who0" {}
                    div.controls {
                        @for [id, label, sign] in BUTTONS {
                            button type="button" id=(id) aria-label=(label) { (sign) }
                        }
                    }
                }
                div.side {
                    p.comment id="comment" aria-live="polite" {}
                    div id="curve" {}
                    ol.moves id="moves" tabindex="0" {}
                    p.note id="detail" {}
                    details id="text" {
                        summary { "Record" }
                        pre id="record" tabindex="0" {}
                    }
                }
            }
            p.note {
                "Keys: ← → one turn, Home and End, ↑ ↓ other game. "
                "A click on the curve or on a turn goes there."
            }
        }
    }
}

/// The board of the first game; all games of a match have boards of one size.
fn first_board(journal: &Journal) -> Option<Picture> {
    let rules = rules_by_name(&journal.open.game).ok()?;
    let (start, _) = split_start(&journal.games.first()?.game.start);
    Some(rules.board(Some(start)).ok()?.picture())
}

/// Replays one game into differences; `None` for a game that is not known or begins nowhere.
fn show(journal: &Journal, played: &GameWithMoves) -> Option<ReportGame> {
    let rules = rules_by_name(&journal.open.game).ok()?;
    let facts = rules.facts();
    let mut pictures = Vec::new();
    let replay =
        records::replay(&*rules, played, |board| pictures.push(drawn(facts, &board.picture()))).ok()?;
    let record = records::record(journal, played, &replay).ok()?;
    let opening = records::opening_plies(played, &replay);
    let game = &played.game;
    let mut pictures = pictures.into_iter();
    let (board, hands) = pictures.next()?;
    let (mut last, mut held) = (board.clone(), hands.clone());
    let mut names = written(&record).into_iter();
    let mut plies = Vec::new();
    for ((index, ply), (after, now)) in replay.plies.iter().enumerate().zip(pictures) {
        let changed = after.iter().zip(&last).enumerate().filter(|(_, (new, old))| new != old);
        let reported = index.checked_sub(opening).and_then(|index| played.moves.get(index));
        let [j, w] = names.next().unwrap_or_default();
        plies.push(ShownPly {
            by: ply.mover.index(),
            t: ply.turn.clone(),
            j,
            w,
            d: changed.map(|(cell, (new, _))| (cell, new.clone())).collect(),
            h: (now != held).then(|| now.clone()),
            s: reported.and_then(JournalMove::score_for_first),
            n: reported.and_then(|reported| reported.depth),
            k: reported.and_then(|reported| reported.nodes),
            u: reported.map(|reported| reported.used_us / 1_000),
            r: reported.and_then(|reported| reported.rest_us).map(|left| left / 1_000),
        });
        (last, held) = (after, now);
    }
    let again = match game.leg {
        0 => String::new(),
        leg => format!(" replay {leg}"),
    };
    let id = format!("{}.{}{again}", game.pair + 1, game.game + 1);
    let names = [Side::First, Side::Second].map(|side| printable(game.name(side)));
    let (result, cause) = (game.result.text(), cause_text(game.cause));
    let mark = if game.cause.is_fault() { " ⚠" } else { "" };
    Some(ReportGame {
        title: format!("{id} · {} – {} · {result} {cause}{mark}", names[0], names[1]),
        id,
        names,
        result,
        cause,
        detail: game.detail.clone(),
        start: split_start(&game.start).0.to_owned(),
        board,
        hands,
        opening,
        plies,
        record: if record.game == kif::GAME {
            kif::write(&record).unwrap_or_default()
        } else {
            String::new()
        },
        broken: replay.broken.unwrap_or_default(),
    })
}

/// The turns in Japanese, without the signs of the sides, and in Western notation; none in games without those.
fn written(record: &GameRecord) -> Vec<[String; 2]> {
    let turns: Vec<String> = record.plies.iter().map(|ply| ply.turn.clone()).collect();
    let line = written_line(record.game, &record.start, &[], &turns);
    let words = |text: &str| text.split_ascii_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let local = words(&line.local).into_iter().map(|turn| turn.trim_start_matches(['▲', '△']).to_owned());
    local.zip(words(&line.western)).map(|(local, western)| [local, western]).collect()
}

/// Cells row by row from the top, and the hands: letters with their counts, `R B2 P11`. A piece is
/// its letter, capital for the first side; a disc or stone the letter of its colour.
fn drawn(facts: &GameInfo, picture: &Picture) -> (Vec<String>, [String; 2]) {
    let cell = |cell: &Option<PicturePiece>| match cell {
        None => String::new(),
        Some(man) if man.kind.is_empty() => facts.colour(man.side)[..1].to_ascii_lowercase(),
        Some(man) if man.side == Side::First => man.kind.to_owned(),
        Some(man) => man.kind.to_ascii_lowercase(),
    };
    let held = |held: &PictureHand| match held.count {
        1 => held.kind.to_owned(),
        count => format!("{}{count}", held.kind),
    };
    let hand = |hand: &Vec<PictureHand>| hand.iter().map(held).collect::<Vec<_>>().join(" ");
    (picture.cells.iter().map(cell).collect(), picture.hands.each_ref().map(hand))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_has_its_cells() {
        let cells = |game: &str, position: &str| {
            let rules = rules_by_name(game).unwrap();
            drawn(rules.facts(), &rules.board(Some(position)).unwrap().picture())
        };
        let (shogi, hands) = cells("shogi", "ln2k4/9/9/9/4+P4/9/9/9/9 b R11Pb2p 1");
        assert_eq!((shogi.len(), shogi[0].as_str(), shogi[40].as_str()), (81, "l", "+P"));
        assert_eq!(hands, ["R P11", "B P2"]);
        let (reversi, none) = cells("reversi", &format!("{}XO-- X", "-".repeat(60)));
        assert_eq!((reversi.len(), reversi[60].as_str(), reversi[61].as_str()), (64, "b", "w"));
        assert_eq!(none, ["", ""]);
        let (sygo, _) = cells("sygo", "13/1w10b/13/13/13/13/13/13/13/13/13/13/13 w - 0 1");
        assert_eq!((sygo.len(), sygo[14].as_str(), sygo[25].as_str()), (169, "w", "b"));
    }
}
