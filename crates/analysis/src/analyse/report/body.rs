//! What is readable without scripts: the index of the games and all positions; and the place of the board.

use maud::{Markup, html};

use super::{before, game_of, rate, written};
use crate::analyse::line::{AnalysisVariation, PositionLine, Score};
use crate::analyse::plan::AnalysisPlan;
use crate::analyse::review::{GameReview, Grade, SideReview, for_first};
use kaeshi_engine::games::GameName;
use kaeshi_report::text::Text;

/// The columns of the index: key of the text, English text.
const INDEX: [[&str; 2]; 6] = [
    ["accuracy", "Accuracy"],
    ["best-turns", "Best"],
    ["inaccuracies", "Inaccuracies"],
    ["mistakes", "Mistakes"],
    ["blunders", "Blunders"],
    ["mean-loss", "Mean loss"],
];
/// The columns of the positions.
const POSITIONS: [[&str; 2]; 6] = [
    ["turn", "Turn"],
    ["moves", "Moves"],
    ["value", "Value"],
    ["win-rate", "Win rate"],
    ["best", "Best"],
    ["line", "Line"],
];
/// The buttons under the board: id, key of the text, sign.
const BUTTONS: [[&str; 3]; 5] = [
    ["first", "first", "|◀"],
    ["back", "back", "◀"],
    ["next", "next", "▶"],
    ["last", "last", "▶|"],
    ["turn", "flip", "⇅"],
];

/// All of the page but what scripts need.
pub(super) fn body(plan: &AnalysisPlan, reviews: &[GameReview]) -> Markup {
    html! {
        header {
            p.kicker { "kaeshi analyse" }
            h1 data-say="analysis" { "Analysis" }
            p { (reviews.len()) " · " (Text(plan.effort().text())) }
        }
        section {
            h2 data-say="index" { "Games" }
            (index(reviews))
        }
        section {
            h2 data-say="game" { "Game" }
            (board(reviews))
        }
        section {
            h2 data-say="all-lines" { "All lines" }
            @for (number, review) in reviews.iter().enumerate() { (positions(number, review)) }
        }
    }
}

/// The players with their colours.
fn names(review: &GameReview) -> [String; 2] {
    let colours = game_of(review).facts().colours;
    [0, 1].map(|side| match review.players[side].as_str() {
        "" => colours[side].to_owned(),
        player => format!("{player} ({})", colours[side]),
    })
}

/// Both players of a game.
fn title(review: &GameReview) -> String {
    names(review).join(" – ")
}

fn head(columns: [[&str; 2]; 6]) -> Markup {
    html! {
        @for [key, text] in columns { th data-say=(key) { (text) } }
    }
}

/// A row for each player of each game.
fn index(reviews: &[GameReview]) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table {
                thead { tr { th {} (head(INDEX)) } }
                tbody {
                    @for (number, review) in reviews.iter().enumerate() {
                        @for (side, name) in review.sides.iter().zip(names(review)) {
                            (player(number, side, &name))
                        }
                    }
                }
            }
        }
    }
}

fn player(number: usize, side: &SideReview, name: &str) -> Markup {
    let SideReview { turns, best, inaccuracies, mistakes, blunders, mean_loss, accuracy, .. } = side;
    html! {
        tr data-game=(number) {
            th scope="row" { a href={ "#g" (number) } { (Text(name)) } }
            td { @if let Some(accuracy) = accuracy { (format_args!("{accuracy:.1}")) } @else { "–" } }
            td { (best) " / " (turns) }
            td.g1 { (inaccuracies) }
            td.g2 { (mistakes) }
            td.g3 { (blunders) }
            td { (format_args!("{:.2} %", 100.0 * mean_loss)) }
        }
    }
}

/// The place where the script shows the games.
fn board(reviews: &[GameReview]) -> Markup {
    html! {
        div.player.analysed id="player" hidden {
            div.choose {
                label for="choose" data-say="game" { "Game" }
                select id="choose" {
                    @for (number, review) in reviews.iter().enumerate() {
                        option value=(number) data-game=(number) { (Text(title(review))) }
                    }
                }
            }
            div.stage {
                div.boardside {
                    div.who id="who1" {}
                    div.board-host id="board" {}
                    div.who id="who0" {}
                    div.controls {
                        @for [id, key, sign] in BUTTONS {
                            button type="button" id=(id) data-say-title=(key) { (sign) }
                        }
                    }
                }
                div.side {
                    p.comment id="comment" aria-live="polite" {}
                    div id="curve" {}
                    ol.moves id="moves" tabindex="0" {}
                    h3 data-say="lines" { "Lines" }
                    div id="lines" {}
                }
            }
        }
    }
}

/// All positions of a game as a table, for those without scripts.
fn positions(number: usize, review: &GameReview) -> Markup {
    html! {
        details.positions id={ "game" (number) } data-game=(number) {
            summary {
                (Text(title(review))) " · " (Text(&review.source)) " " (review.record)
                @if let Some(end) = &review.end { ", " (Text(end)) }
            }
            div.scroll tabindex="0" {
                table {
                    thead { tr { (head(POSITIONS)) } }
                    tbody {
                        @for (&turn, line) in &review.lines { (position(review, turn, line)) }
                    }
                }
            }
        }
    }
}

fn position(review: &GameReview, turn: usize, line: &PositionLine) -> Markup {
    let game = game_of(review);
    html! {
        tr {
            td { (turn) }
            (moved(review, turn))
            td { @if let Some(score) = for_first(line) { (shown(game, score)) } }
            td { (format_args!("{:.1} %", 100.0 * rate(line))) }
            @match (&line.analysis.lossless, &line.analysis.best) {
                // All that keep the value, as they stand in transcripts.
                (Some(turns), _) if turns.len() > 1 => td { (Text(turns.join(" "))) },
                (_, Some(best)) => (cell(best, &written(game, &line.position, best), "")),
                _ => td {},
            }
            @match line.analysis.lines.first() {
                Some(best) => (cell(&best.pv.join(" "), &line_texts(best), "")),
                None => td {},
            }
        }
    }
}

/// A value as people read it: whole centipawns in shogi, else discs or points.
fn shown(game: GameName, score: Score) -> String {
    match (score, game.facts().values.unit.shown_in_hundredths) {
        (Score::Cp(value), true) => format!("{value:+}"),
        (score, _) => score.shown(),
    }
}

/// A line in Japanese and in Western notation, where that is otherwise than protocols have it.
fn line_texts(variation: &AnalysisVariation) -> [Option<String>; 2] {
    [&variation.japanese, &variation.western].map(|text| Some(text.clone()).filter(|text| !text.is_empty()))
}

/// A cell with turns, which the script writes in the notation of the reader.
fn cell(turns: &str, [japanese, western]: &[Option<String>; 2], sign: &str) -> Markup {
    html! {
        td data-t=(turns) data-j=[japanese] data-w=[western] data-sign=(sign) data-own { (Text(turns)) (sign) }
    }
}

/// The turn that led to the position after `turn` turns, with its mark.
fn moved(review: &GameReview, turn: usize) -> Markup {
    let sign = review.judged(turn).and_then(|judged| judged.grade).map_or("", Grade::sign);
    let line = before(review, turn);
    match line.and_then(|line| Some((line, line.played.as_ref()?))) {
        Some((line, played)) => cell(played, &written(game_of(review), &line.position, played), sign),
        None => html! { td {} },
    }
}
