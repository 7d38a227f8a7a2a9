//! The results of all parts as one: what the local command would have left.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};

use super::work::{Task, Work};
use crate::referee::Rules;
use crate::referee::ending::EndCause;
use crate::tools::analyse::merge::Merge;
use crate::tools::analyse::output::Output;
use crate::tools::match_runner::game::Finished;
use crate::tools::match_runner::identity::difference;
use crate::tools::match_runner::journal::{EngineInfo, Played, load};
use crate::tools::match_runner::plan::Plan;
use crate::tools::match_runner::progress::Progress;
use crate::tools::match_runner::records::replay;
use crate::tools::match_runner::tournament::ledger::{Ledger, Participant};
use crate::tools::match_runner::tournament::{self, Resumption, Wish};
use crate::tools::roster::Roster;
use crate::tools::write_whole;

/// Puts results together.
pub trait Gather {
    /// One part's result, a file of this name; parts come in any order.
    ///
    /// # Errors
    /// If it does not fit the others, or the disk refuses.
    fn take(&mut self, file: &str, bytes: &[u8]) -> anyhow::Result<()>;

    /// Whether no further part is needed.
    fn is_decided(&self) -> bool {
        false
    }

    /// Writes what has come together.
    ///
    /// # Errors
    /// If something is missing and not `partial`, or the disk refuses.
    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()>;
}

/// For this kind of work.
///
/// # Errors
/// If the output cannot be written, or an engine of the match is not known here.
pub fn of(
    work: &Work,
    output: &Path,
    overwrite: bool,
    roster: Option<&Path>,
) -> anyhow::Result<Box<dyn Gather>> {
    Ok(match &work.task {
        Task::Analyse { .. } => {
            Box::new(Analysis { merge: Merge::default(), output: Output::create(output, false, overwrite)? })
        }
        Task::Selfplay { .. } => {
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            Box::new(Games { folder: output.to_owned(), missing: work.parts })
        }
        Task::Match { config, .. } => {
            std::fs::create_dir_all(output).with_context(|| output.display().to_string())?;
            let plan = Plan::new((**config).clone(), &Roster::load(roster)?)?;
            Box::new(Match { plan, folder: output.to_owned(), ledger: None, engines: Vec::new() })
        }
    })
}

struct Analysis {
    merge: Merge,
    output: Output,
}

impl Gather for Analysis {
    fn take(&mut self, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        self.merge.add(bytes)
    }

    fn finish(mut self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        self.merge.check(partial)?;
        self.merge.write(&mut self.output)
    }
}

/// Files of self-play, one of each part.
struct Games {
    folder: PathBuf,
    missing: u64,
}

impl Gather for Games {
    fn take(&mut self, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        if file.is_empty() || file.starts_with('.') || file.contains(['/', '\\']) {
            bail!("'{file}' is no name of a file of games");
        }
        write_whole(&self.folder.join(file), bytes)?;
        self.missing = self.missing.saturating_sub(1);
        Ok(())
    }

    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        if self.missing > 0 && !partial {
            bail!("{} parts are missing (--partial puts up with it)", self.missing);
        }
        Ok(())
    }
}

/// The journal of a match; it alone decides, from games in the order of the schedule.
struct Match {
    plan: Plan,
    folder: PathBuf,
    /// Opened when the first result shows what the engines are.
    ledger: Option<Ledger>,
    /// The engines of that result.
    engines: Vec<EngineInfo>,
}

impl Match {
    /// The ledger; results of engines other than those of the first result are refused.
    fn ledger(&mut self, engines: &[EngineInfo]) -> anyhow::Result<&Ledger> {
        let strange = self.engines.iter().zip(engines).find_map(|(first, now)| difference(first, now));
        if let Some(difference) = strange {
            bail!("it was played by other engines: {difference}");
        }
        if self.ledger.is_none() {
            engines.clone_into(&mut self.engines);
            let participants: Vec<Participant> = engines
                .iter()
                .map(|engine| Participant { id: engine.id.clone(), content: engine.content.clone() })
                .collect();
            let (wish, progress) = (Arc::new(Wish::default()), Progress::new(&self.plan));
            let ledger = Ledger::open(
                &self.plan,
                &participants,
                &self.folder,
                Resumption { elsewhere: true, ..Resumption::default() },
                wish,
                progress,
            )?;
            self.ledger = Some(ledger);
        }
        self.ledger.as_ref().context("the journal is not open")
    }
}

/// What a worker says of a game is checked as far as the rules go: every turn, and the winner where the
/// rules ended the game.
fn check_by_rules(rules: &dyn Rules, played: &Played) -> anyhow::Result<()> {
    let (pair, game) = (played.game.pair + 1, played.game.game + 1);
    let mut outcome = None;
    let replayed = replay(rules, played, |board| outcome = board.outcome())?;
    if let Some(reason) = replayed.broken {
        bail!("pair {pair} game {game} is against the rules: {reason}");
    }
    let by_rules = match played.game.cause {
        EndCause::Mate | EndCause::NoMoves | EndCause::TwoPasses => true,
        EndCause::Repetition | EndCause::Perpetual | EndCause::Impasse | EndCause::MaxPlies => false,
        EndCause::Resign | EndCause::Declare | EndCause::AdjDraw | EndCause::AdjWin => false,
        EndCause::Time | EndCause::Illegal | EndCause::BadAnswer | EndCause::Stall => false,
        EndCause::Crash | EndCause::StartFailed | EndCause::FalseClaim => false,
    };
    let winner = outcome.and_then(|outcome| outcome.winner);
    if by_rules && (outcome.is_none() || winner != played.game.result.winner()) {
        bail!(
            "pair {pair} game {game}: the result is given as {}, which the moves do not show",
            played.game.result.text()
        );
    }
    Ok(())
}

impl Gather for Match {
    fn take(&mut self, _file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let journal = load::parse(bytes, false)?.journal.context("no journal")?;
        let (schedule, rules) = (self.plan.schedule.clone(), Arc::clone(&self.plan.rules));
        let starts: Vec<String> = journal
            .games
            .iter()
            .map(|played| Ok(self.plan.start(played.game.pair)?.text()))
            .collect::<anyhow::Result<_>>()?;
        let ledger = self.ledger(&journal.open.engines)?;
        for (played, start) in journal.games.into_iter().zip(starts) {
            let (pair, game) = (played.game.pair, played.game.game);
            let foreign = played.legs.iter().chain([&played]).find(|game| game.game.start != start);
            if let Some(foreign) = foreign {
                bail!("pair {pair} began with '{}', not with '{start}'", foreign.game.start);
            }
            for game in played.legs.iter().chain([&played]) {
                check_by_rules(&*rules, game)?;
            }
            let fault = journal.faults.iter().find(|fault| (fault.pair, fault.game) == (pair, game)).cloned();
            let seats = schedule.seats(schedule.engines(pair), pair, game);
            ledger.accept(Finished { played, fault }, seats);
        }
        Ok(())
    }

    fn is_decided(&self) -> bool {
        self.ledger.as_ref().is_some_and(Ledger::is_decided)
    }

    fn finish(self: Box<Self>, partial: bool) -> anyhow::Result<()> {
        let ledger = self.ledger.context("no game was played")?;
        if !ledger.close()? && !partial {
            bail!("games are missing (--partial puts up with it)");
        }
        let journal = load::load(&self.folder.join(tournament::JOURNAL))?;
        print!("{}", crate::tools::match_runner::report::table(&journal));
        tournament::paper::publish(&self.plan, &self.folder, &journal)
    }
}
