//! A match as text: what `kaeshi match` prints at its end and `kaeshi match stats` at any time.

use super::columns::Columns;
use super::numbers::{
    colours, duration, elo, large, limits, name, normalised_elo, percent, points, printable, printable_long,
};
use crate::tournament::bracket::{BracketMeeting, MeetingDecision};
use crate::tournament::journal::{EndCause, Journal};
use crate::tournament::summary::{
    ByColour, EngineSummary, GameSelection, MatchSummary, PairingSummary, SprtSummary, cause_text,
};

/// Above this share of games decided by faults a verdict carries a warning.
pub const SUSPECT_FAULTS: f64 = 0.02;

/// All tables of a match.
pub fn table(journal: &Journal) -> String {
    let summary = MatchSummary::new(journal, GameSelection::default());
    let mut blocks = vec![heading(journal, &summary)];
    blocks.extend(marks(journal, &summary));
    if summary.games == 0 {
        blocks.push("No game is finished yet.\n".into());
        return blocks.join("\n");
    }
    blocks.extend(bracket(&summary));
    blocks.push(standings(&summary));
    blocks.extend(ratings(&summary));
    if summary.faulted > 0 {
        let without = MatchSummary::new(journal, GameSelection { without_faults: true });
        blocks.push(faults(journal, &summary, &without));
    }
    blocks.push(by_colour(&summary));
    blocks.push(causes(&summary));
    blocks.push(engines(&summary));
    blocks.join("\n")
}

/// Who stands where: the verdict between two engines, or the cross table of more. The runner prints
/// it while a match goes on.
pub fn standings(summary: &MatchSummary) -> String {
    match summary.pairings.as_slice() {
        [pairing] if summary.engines.len() == 2 => duel(summary, pairing),
        _ => cross_table(summary),
    }
}

/// One line: who is ahead by how much, what the test says, and whether faults spoil it.
pub fn verdict(summary: &MatchSummary) -> String {
    let test = summary.sprt.as_ref().map(|test| format!("SPRT: {}", test_state(test)));
    [Some(headline(summary)), test, warning(summary)].into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// What the table of a knock-out has of its meetings: round, seeds and names, points, who goes on.
pub fn meeting_cells(summary: &MatchSummary) -> Vec<[String; 4]> {
    let shown = |engine: Option<usize>| {
        engine.map_or("–".to_owned(), |engine| format!("{} {}", engine + 1, name(summary, engine)))
    };
    let cells = |meeting: &BracketMeeting| {
        let [own, other] = meeting.points;
        let next = match meeting.winner {
            None => "–".into(),
            Some((winner, how)) => {
                let how = match how {
                    MeetingDecision::Bye => " (bye)".into(),
                    MeetingDecision::Score => String::new(),
                    MeetingDecision::Tiebreak => format!(" (tiebreak {})", meeting.tiebreaks),
                    MeetingDecision::Seed => " (better seed)".into(),
                };
                format!("{}{how}", name(summary, winner))
            }
        };
        [
            meeting.round_name(),
            meeting.engines.map(shown).join(" : "),
            format!("{} : {}", points(own), points(other)),
            next,
        ]
    };
    summary.meetings.iter().map(cells).collect()
}

fn bracket(summary: &MatchSummary) -> Option<String> {
    let mut table = Columns::new(["Round", "meeting", "points", "goes on"]);
    meeting_cells(summary).into_iter().for_each(|cells| table.row(cells));
    (!summary.meetings.is_empty()).then(|| table.text())
}

/// Who is ahead by how much.
pub fn headline(summary: &MatchSummary) -> String {
    if let Some(champion) = summary.champion() {
        return format!("{} wins the knock-out after {} games", name(summary, champion), summary.games);
    }
    match summary.pairings.as_slice() {
        [pairing] if summary.engines.len() == 2 => {
            let [own, other] = pairing.engines.map(|index| name(summary, index));
            let games = pairing.wins_draws_losses.iter().sum::<u64>();
            let score = if games == 0 { "–".into() } else { percent(pairing.points()[0] / games as f64) };
            format!("{own} – {other}: {score}, Elo {} after {games} games", elo(&pairing.strength))
        }
        _ => match ranked(summary).first() {
            Some(&best) => {
                let engine = &summary.engines[best];
                let equals: Vec<String> = (0..summary.engines.len())
                    .filter(|&index| share(summary, index) == share(summary, best))
                    .map(|index| name(summary, index))
                    .collect();
                if equals.len() > 1 {
                    return format!(
                        "{} are level with {} of the points after {} games",
                        equals.join(", "),
                        percent(share(summary, best)),
                        summary.games
                    );
                }
                format!(
                    "{} leads with {} of {} points after {} games",
                    name(summary, best),
                    points(engine_points(engine)),
                    engine.games,
                    summary.games
                )
            }
            None => "no players".into(),
        },
    }
}

/// Warning that the strengths mean little: many games ended by a fault, or repeat others.
pub fn warning(summary: &MatchSummary) -> Option<String> {
    let share = summary.fault_share();
    let faults = (share > SUSPECT_FAULTS)
        .then(|| format!("WARNING: {} of the games ended by a fault", percent(share)));
    let copies = (summary.repeated > 0)
        .then(|| format!("WARNING: {} of {} games are repetitions", summary.repeated, summary.played));
    let all: Vec<String> = [faults, copies].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join("; "))
}

/// What the test says, in words.
pub fn test_state(test: &SprtSummary) -> String {
    let [low, high] = test.bounds;
    let scale = if test.model == "normalized" { "nElo" } else { "Elo" };
    let ratio = format!("LLR {:.2} ({low:.2} … {high:.2})", test.ratio);
    // A clean sweep is judged by an exact bound, not by the ratio.
    let swept = |is_reached: bool, result: &str| match is_reached {
        true => String::new(),
        false => format!(
            "; every result was a {result}, and such a sweep is judged by an exact bound, not by the LLR"
        ),
    };
    match test.verdict {
        "H1" => {
            let why = swept(test.ratio >= high, "win");
            format!("{ratio}, H1 accepted: {scale} ≥ {} [{}]{why}", test.elo1, test.model)
        }
        "H0" => {
            let why = swept(test.ratio <= low, "loss");
            format!("{ratio}, H0 accepted: {scale} ≤ {} [{}]{why}", test.elo0, test.model)
        }
        _ => format!("{ratio}, undecided between {scale} {} and {} [{}]", test.elo0, test.elo1, test.model),
    }
}

fn heading(journal: &Journal, summary: &MatchSummary) -> String {
    let open = &journal.open;
    let names: Vec<String> = open.engines.iter().map(|engine| printable(&engine.name)).collect();
    let mut text = format!("{}: {} at {}\n", open.game, names.join(" – "), limits(open));
    let progress =
        format!("{} games, {} of {} {}", summary.games, summary.units, summary.planned, summary.unit_word());
    let close = summary.closed.as_deref().map_or("not finished".to_owned(), |why| format!("ended: {why}"));
    text += &format!("{progress}, {close}\n");
    text
}

/// What the reader must know before the numbers: warnings, repeated games, and how busy the machine was.
fn marks(journal: &Journal, summary: &MatchSummary) -> Option<String> {
    let mut lines: Vec<String> = journal
        .open
        .warnings
        .iter()
        .map(|warning| format!("WARNING: {}\n", printable_long(warning)))
        .collect();
    if summary.repeated > 0 {
        lines.push(format!(
            "WARNING: {} of {} games are repetitions; what repeats counts once\n",
            summary.repeated, summary.played
        ));
    }
    if summary.replayed > 0 {
        lines.push(format!(
            "Replayed: {} games that ended by fourfold repetition or a drawn impasse; they do not count\n",
            summary.replayed
        ));
    }
    if let Some(text) = scaled_clocks(journal) {
        lines.push(format!("Clocks: {text}\n"));
    }
    if let Some(load) = &journal.load {
        let busy = load.average_before.map_or(String::new(), |before| format!(", load {before:.1} before"));
        lines.push(format!(
            "Machine: {} processors{busy}; timers woke {} late (99 %: {}, most: {})\n",
            load.processors,
            duration(load.late_us_median),
            duration(load.late_us_p99),
            duration(load.late_us_max)
        ));
    }
    for (engine, info) in summary.engines.iter().zip(&journal.open.engines) {
        if let (Some(lag), Some(increment)) = (engine.lag_us, info.increment_us())
            && lag > increment
        {
            lines.push(format!(
                "WARNING: answers of {} arrive up to {} after it thinks it has answered, more than its increment of {}\n",
                printable(&engine.name),
                duration(lag.unsigned_abs()),
                duration(increment.unsigned_abs())
            ));
        }
    }
    lines.extend(summary.engines.iter().filter_map(wrong_lines));
    (!lines.is_empty()).then(|| lines.concat())
}

/// Share of lines of one turn from which on they are named.
const MANY_SHORT_LINES: f64 = 0.02;

/// What is wrong with the lines that an engine expects.
fn wrong_lines(engine: &EngineSummary) -> Option<String> {
    let lines = &engine.lines;
    let wrong = lines.first_wrong.as_ref().map(|first| {
        let first = printable_long(first);
        format!("{} of {} expected lines are wrong (first: {first})", lines.wrong, lines.reported)
    });
    let many = lines.short as f64 > MANY_SHORT_LINES * lines.reported as f64;
    let short =
        many.then(|| format!("{} of {} expected lines have one turn only", lines.short, lines.reported));
    let all: Vec<String> = wrong.into_iter().chain(short).collect();
    (!all.is_empty()).then(|| format!("NOTE: {}: {}\n", printable(&engine.name), all.join("; ")))
}

/// By what the games' times were multiplied, if they were.
pub fn scaled_clocks(journal: &Journal) -> Option<String> {
    let factors = || journal.games.iter().filter_map(|played| played.game.time_scale);
    factors().next()?;
    let (least, most) = (factors().fold(f64::INFINITY, f64::min), factors().fold(0.0, f64::max));
    Some(format!("multiplied by {least:.2} to {most:.2}, by the speed of each machine"))
}

fn duel(summary: &MatchSummary, pairing: &PairingSummary) -> String {
    let [own, other] = pairing.engines.map(|index| name(summary, index));
    let [wins, draws, losses] = pairing.wins_draws_losses;
    let mut text = String::new();
    let mut line = |label: &str, value: String| text += &format!("{label:<10}{value}\n");
    let [mine, yours] = pairing.points();
    line(
        "score",
        format!("{own} {} – {} {other}  (+{wins} ={draws} -{losses})", points(mine), points(yours)),
    );
    if let [ll, ld, even, wd, ww] = pairing.strength.cells[..] {
        line("pairs", format!("LL {ll}  LD {ld}  DD+WL {even}  WD {wd}  WW {ww}"));
    }
    let biased = summary.sprt.as_ref().is_some_and(|test| test.decided_at.is_some());
    let note = if biased { "  (at the end of a test: biased towards the winner)" } else { "" };
    line("Elo", format!("{}{note}", elo(&pairing.strength)));
    line("nElo", normalised_elo(&pairing.strength));
    if let Some(superiority) = pairing.strength.superiority {
        line("LOS", format!("{:.2} %", 100.0 * superiority));
    }
    if let Some(margin) = pairing.margin {
        line("margin", format!("{:+.2} ± {:.2} per game", margin.mean, margin.error));
    }
    if let Some(test) = &summary.sprt {
        line("SPRT", test_state(test));
    }
    if summary.after_stop > 0 {
        line("later", format!("{} games finished after the decision, not counted above", summary.after_stop));
    }
    if summary.unpaired > 0 {
        line("unpaired", format!("{} games wait for their partner, not counted above", summary.unpaired));
    }
    text
}

/// Engines by points, best first; equal ones in the order of the command line.
pub fn ranked(summary: &MatchSummary) -> Vec<usize> {
    let share = |index: usize| share(summary, index);
    let mut order: Vec<usize> = (0..summary.engines.len()).collect();
    order.sort_by(|&a, &b| share(b).total_cmp(&share(a)));
    order
}

/// Share of its points that an engine won.
fn share(summary: &MatchSummary, index: usize) -> f64 {
    let engine = &summary.engines[index];
    if engine.games == 0 { 0.0 } else { engine_points(engine) / engine.games as f64 }
}

/// Points of an engine: a half for a draw.
pub fn engine_points(engine: &EngineSummary) -> f64 {
    engine.wins_draws_losses[0] as f64 + engine.wins_draws_losses[1] as f64 / 2.0
}

/// Points of `row` against `column` and the games they played.
pub fn meeting(summary: &MatchSummary, row: usize, column: usize) -> Option<(f64, u64)> {
    let mut found = None;
    for pairing in &summary.pairings {
        let [own, other] = pairing.points();
        let games = pairing.wins_draws_losses.iter().sum::<u64>();
        let points = match pairing.engines {
            engines if engines == [row, column] => own,
            engines if engines == [column, row] => other,
            _ => continue,
        };
        let (sum, count) = found.unwrap_or((0.0, 0));
        found = Some((sum + points, count + games));
    }
    found
}

fn cross_table(summary: &MatchSummary) -> String {
    let order = ranked(summary);
    let mut head = vec!["".to_owned(), "points".into(), "games".into(), "score".into(), "Elo".into()];
    head.extend((1..=order.len()).map(|place| place.to_string()));
    let mut table = Columns::new(head);
    for (place, &row) in order.iter().enumerate() {
        let engine = &summary.engines[row];
        let score = if engine.games == 0 { 0.0 } else { engine_points(engine) / engine.games as f64 };
        let mut cells = vec![
            format!("{} {}", place + 1, name(summary, row)),
            points(engine_points(engine)),
            engine.games.to_string(),
            percent(score),
            elo(&engine.strength),
        ];
        cells.extend(order.iter().map(|&column| match meeting(summary, row, column) {
            _ if row == column => "·".into(),
            Some((sum, games)) if games > 0 => format!("{}/{games}", points(sum)),
            _ => "–".into(),
        }));
        table.row(cells);
    }
    table.text()
}

/// The ratings of more than two engines, best first.
fn ratings(summary: &MatchSummary) -> Option<String> {
    let ratings = summary.ratings.as_ref()?;
    let mut table = Columns::new(["Rating", "Elo", "± 95 %", "games", "score", "opponents"]);
    let mut order: Vec<usize> = (0..ratings.engines.len()).collect();
    order.sort_by(|&a, &b| ratings.engines[b].elo.total_cmp(&ratings.engines[a].elo));
    for (place, &index) in order.iter().enumerate() {
        let rating = &ratings.engines[index];
        table.row([
            format!("{} {}", place + 1, name(summary, index)),
            format!("{:+.1}", rating.elo),
            format!("{:.1}", rating.error),
            rating.games.to_string(),
            percent(rating.score),
            format!("{:+.1}", rating.opponents),
        ]);
    }
    let [first, _] = colours(&summary.game);
    let moves_first = format!(
        "{first} has an advantage of {:+.1} ± {:.1} Elo\n",
        ratings.advantage, ratings.advantage_error
    );
    Some(table.text() + &moves_first)
}

/// Games lost on time from which on the cause is named, and their share of the engine's games.
const MANY_LOST_ON_TIME: (u64, f64) = (3, 0.2);

/// What to do about an engine that keeps losing on time.
fn lost_on_time(engine: &EngineSummary) -> Option<String> {
    let lost = *engine.faults.get(EndCause::Time.word())?;
    let share = lost as f64 / engine.games.max(1) as f64;
    (lost >= MANY_LOST_ON_TIME.0 && share >= MANY_LOST_ON_TIME.1).then(|| {
        format!(
            "  {} oversteps its time by up to {}. If it answers a little late, allow it a margin \
             (--margin 100ms); if it uses time that it does not have, it reads USI's clocks differently: try \
             --usi-fischer chess or white-first. `kaeshi check` shows what it does.\n",
            printable(&engine.name),
            duration(engine.overstep_us)
        )
    })
}

fn faults(journal: &Journal, summary: &MatchSummary, without: &MatchSummary) -> String {
    let mut text = format!(
        "Faults: {} of {} games ({}) were decided by an engine's failure to play\n",
        summary.faulted,
        summary.games,
        percent(summary.fault_share())
    );
    if summary.fault_share() > SUSPECT_FAULTS {
        text += "WARNING: at this rate of faults the strengths above measure reliability more than play\n";
    }
    for engine in summary.engines.iter().filter(|engine| !engine.faults.is_empty()) {
        let list: Vec<String> =
            engine.faults.iter().map(|(cause, count)| format!("{count} × {cause}")).collect();
        text += &format!("  {}: {}\n", printable(&engine.name), list.join(", "));
        text += &lost_on_time(engine).unwrap_or_default();
    }
    if let ([pairing], true) = (without.pairings.as_slice(), without.engines.len() == 2) {
        text += &format!(
            "Without the affected {}: Elo {} over {} {}\n",
            if summary.single { "games" } else { "pairs" },
            elo(&pairing.strength),
            without.units,
            without.unit_word()
        );
    }
    const SHOWN: usize = 5;
    for fault in journal.faults.iter().take(SHOWN) {
        text += &format!(
            "  pair {} game {}: {}: {}: {}\n",
            fault.pair + 1,
            fault.game + 1,
            printable(&fault.engine),
            cause_text(fault.what),
            printable(&fault.detail)
        );
    }
    if journal.faults.len() > SHOWN {
        text += &format!("  … and {} more in the journal\n", journal.faults.len() - SHOWN);
    }
    text
}

fn by_colour(summary: &MatchSummary) -> String {
    let [first, second] = colours(&summary.game);
    let mut table = Columns::new([
        "By colour".to_owned(),
        format!("{first} won"),
        "drawn".into(),
        format!("{second} won"),
        format!("{first}'s share"),
    ]);
    let mut row = |label: String, counts: ByColour| {
        table.row([
            label,
            counts.first.to_string(),
            counts.drawn.to_string(),
            counts.second.to_string(),
            counts.first_share().map_or("–".into(), percent),
        ]);
    };
    row("all games".into(), summary.colours);
    for engine in &summary.engines {
        row(format!("{} as {first}", printable(&engine.name)), engine.by_side[0]);
        row(format!("{} as {second}", printable(&engine.name)), engine.by_side[1]);
    }
    table.text()
}

fn causes(summary: &MatchSummary) -> String {
    let [first, second] = colours(&summary.game);
    let mut table = Columns::new([
        "Ended by".to_owned(),
        "games".into(),
        format!("{first} won"),
        "drawn".into(),
        format!("{second} won"),
    ]);
    for (cause, counts) in &summary.causes {
        table.row([
            cause_text(*cause).to_owned(),
            counts.total().to_string(),
            counts.first.to_string(),
            counts.drawn.to_string(),
            counts.second.to_string(),
        ]);
    }
    table.text()
}

/// What the table has of an engine: name, use of time, depth, speed and oddities.
pub fn engine_cells(engine: &EngineSummary) -> [String; 10] {
    let (median, high) =
        engine.move_us.map_or(("–".into(), "–".into()), |[a, b]| (duration(a), duration(b)));
    [
        printable(&engine.name),
        median,
        high,
        duration(engine.used_us),
        engine.depth.map_or("–".into(), |depth| format!("{depth:.1}")),
        engine.nps.map_or("–".into(), large),
        duration(engine.overstep_us),
        engine.forgiven.to_string(),
        engine.lag_us.map_or("–".into(), lag),
        engine.odd_resignations.to_string(),
    ]
}

fn engines(summary: &MatchSummary) -> String {
    let mut table = Columns::new([
        "Engine",
        "time/move",
        "95 %",
        "in all",
        "depth",
        "nodes/s",
        "overstep",
        "forgiven",
        "lag",
        "odd resign.",
    ]);
    for engine in &summary.engines {
        table.row(engine_cells(engine));
    }
    table.text()
}

/// A lag, which may be negative when an engine rounds its own time up.
fn lag(us: i64) -> String {
    let size = duration(us.unsigned_abs());
    if us < 0 { format!("-{size}") } else { size }
}

#[cfg(test)]
mod tests;
