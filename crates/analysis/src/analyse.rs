//! `kaeshi analyse`: positions and games in, one line of JSON per position out, unattended.
//!
//! | file | what lies there |
//! |---|---|
//! | [`plan`], [`effort`] | inputs to numbered positions; limits, turns, shards |
//! | [`analyst`], [`pool`] | one engine; several of them, their lines in order |
//! | [`mod@line`], [`output`], [`merge`] | the schema; files that go on where they ended; shards made one |
//! | [`serve`] | the service over stdin and stdout |
//! | [`review`], [`annotate`], [`report`] | what is derived from the lines of a game |
//! | [`progress`] | stderr |

pub mod analyst;
pub mod annotate;
pub mod effort;
pub mod line;
pub mod merge;
pub mod output;
pub mod plan;
pub mod pool;
pub mod progress;
pub mod report;
pub mod review;
pub mod serve;
pub mod targets;

use std::collections::HashSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};

use crate::store::AnalysisStore;
use analyst::{EngineSetup, MATE_LENGTH, USUAL_MATE_LENGTH};
use effort::{AnalysisEffort, MemoryScope, Player, SearchLimit, Shard, TurnSelection};
use kaeshi_core::files;
use kaeshi_engine::games::GameName;
use kaeshi_match::dialogue::limits::parse_span;
use kaeshi_records::referee::rules;
use kaeshi_system::output::{Stdout, remark, write_whole};
use kaeshi_system::stop_signal::{self, StopSignal};
use line::AnalysisLine;
use output::{AnalysisOutput, DonePositions, Marks};
use plan::{AnalysisOptions, AnalysisPlan};
use pool::AnalysisWork;
use progress::AnalysisProgress;
use targets::Targets;

// Headings of `kaeshi analyse --help`.
const WHAT: &str = "What is analysed";
const LIMITS: &str = "Limits and lines";
const ENGINE: &str = "Engines";
const OUTPUT: &str = "Output";
const STORE: &str = "Store";

/// Thought for each position if nothing is said, in milliseconds.
const DEFAULT_MOVETIME_MS: u64 = 1000;
/// Table memory for each node of a node limit, in bytes.
const HASH_BYTES_PER_NODE: u64 = 64;
/// Bounds of the table memory that is chosen by itself, in MiB.
const HASH_MIB: std::ops::RangeInclusive<usize> = 2..=64;
/// Warnings about inputs that are printed.
const WARNINGS_SHOWN: usize = 20;
/// Exit status where some items failed.
const SOME_FAILED: u8 = 1;

/// Analyse positions and games from files, directories or stdin; one JSON line each
///
/// Inputs are recognised by what they hold: SFEN and USI position lines, KIF, KI2, CSA, JKF; OBF, GGF,
/// transcripts, WTHOR; Sygo positions and turn lists; JSON requests. The exit status is 1 if some items failed.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct AnalyseArgs {
    #[command(subcommand)]
    command: Option<AnalyseCommand>,
    /// Files, directories, or - for stdin, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The game of inputs that do not name one; items of other games are errors
    #[arg(long, value_enum, help_heading = WHAT)]
    game: Option<GameName>,
    #[command(flatten)]
    limit: LimitArgs,
    /// With --mate, moves that count in the length of a mate of shogi: `tsume` for all but useless interpositions,
    /// `legal` for all [default: tsume]
    #[arg(long, value_name = "RULE", value_parser = ["tsume", "legal"], help_heading = LIMITS)]
    mate_length: Option<String>,
    /// Lines wanted of each position
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=600), help_heading = LIMITS)]
    multipv: u16,
    /// Positions of each game, by turns made before: 20-60, 20-, 0,10,20, last, all
    #[arg(long, value_name = "TURNS", allow_negative_numbers = true, value_parser = |text: &str| text.parse::<TurnSelection>(), help_heading = WHAT)]
    turns: Option<TurnSelection>,
    /// Only positions where this side is to move
    #[arg(long, value_enum, value_name = "SIDE", help_heading = WHAT)]
    side: Option<Player>,
    /// Search threads of each engine
    #[arg(long, default_value = "1", value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256), help_heading = ENGINE)]
    threads: u16,
    /// Engines at once; by default as many as the processors allow
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = ENGINE)]
    jobs: Option<u16>,
    /// Table memory of each engine; by default what the node limit can use, at most 64
    #[arg(long, value_name = "MIB", help_heading = ENGINE)]
    hash: Option<usize>,
    /// An option of the engine, as setoption would set it
    #[arg(long = "option", value_name = "NAME=VALUE", value_parser = option, help_heading = ENGINE)]
    options: Vec<(String, String)>,
    /// What engines remember: nothing between positions, or the former positions of a game
    #[arg(long, value_enum, default_value = "fresh", help_heading = ENGINE)]
    memory: MemoryArg,
    /// Where the lines go; stdout without it
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    output: Option<PathBuf>,
    /// Go on with an output that an earlier run began
    #[arg(long, requires = "output", conflicts_with_all = ["csv", "overwrite"], help_heading = OUTPUT)]
    resume: bool,
    /// Replace outputs that exist
    #[arg(long, help_heading = OUTPUT)]
    overwrite: bool,
    /// Leave out positions that this output has, with at least this effort
    #[arg(long, value_name = "FILE", help_heading = WHAT)]
    skip_done: Vec<PathBuf>,
    /// Do one part of the work: 2/7, auto/7, auto (from Slurm or Kubernetes)
    #[arg(long, value_name = "I/N", help_heading = WHAT)]
    shard: Option<String>,
    /// In Reversi, where the value is exact: find all moves that keep it. Each one costs another search
    #[arg(long, help_heading = WHAT)]
    lossless: bool,
    /// Leave times out, so that equal work gives equal bytes
    #[arg(long, help_heading = OUTPUT)]
    no_timing: bool,
    /// Write CSV instead of JSON
    #[arg(long, help_heading = OUTPUT)]
    csv: bool,
    /// Write a line per game with mistakes and accuracy of both sides
    #[arg(long, value_name = "FILE", conflicts_with_all = ["side", "shard", "skip_done"], help_heading = OUTPUT)]
    summary: Option<PathBuf>,
    /// Write KIF, CSA, GGF and Sygo records with comments to this directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["side", "shard", "skip_done"], help_heading = OUTPUT)]
    annotate: Option<PathBuf>,
    /// Write an HTML page with a chart and the boards of each game
    #[arg(long, value_name = "FILE", conflicts_with_all = ["side", "shard", "skip_done"], help_heading = OUTPUT)]
    report: Option<PathBuf>,
    /// Language of that page [default: that of the browser]
    #[arg(long, value_parser = ["en", "ja"], requires = "report", help_heading = OUTPUT)]
    language: Option<String>,
    /// Keep results in this database, and take from it what is known
    #[arg(long, value_name = "FILE", help_heading = STORE)]
    store: Option<PathBuf>,
    /// About how large the database may become
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = clap::value_parser!(u64).range(1..), help_heading = STORE)]
    store_size: u64,
    /// How progress is shown on stderr
    #[arg(long, value_enum, default_value = "auto", help_heading = OUTPUT)]
    progress: progress::ProgressDisplay,
    /// Answer JSON requests from stdin as they come, until it ends
    #[arg(long, conflicts_with_all = ["inputs", "turns", "side", "output", "skip_done", "shard", "csv", "summary", "annotate", "report"])]
    serve: bool,
}

#[derive(Debug, Subcommand)]
enum AnalyseCommand {
    Merge(merge::MergeArgs),
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct LimitArgs {
    /// Stop after this many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = LIMITS)]
    nodes: Option<u64>,
    /// Stop after this time, such as 50ms or 2s [default: 1s, if nothing else limits the search]
    #[arg(long, value_name = "TIME", value_parser = parse_span, help_heading = LIMITS)]
    movetime: Option<Duration>,
    /// Stop at this depth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = LIMITS)]
    depth: Option<u16>,
    /// Search for mate only, for this time: 50ms or 2s
    #[arg(long, value_name = "TIME", value_parser = parse_span, help_heading = LIMITS)]
    mate: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MemoryArg {
    /// Forget everything before each position: answers depend on their question alone
    Fresh,
    /// Forget everything before each game
    Game,
}

fn option(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
        None => Err(format!("'{text}' is not NAME=VALUE")),
    }
}

/// Milliseconds, at least one.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1)
}

impl LimitArgs {
    fn limit(&self) -> SearchLimit {
        None.or(self.nodes.map(SearchLimit::Nodes))
            .or(self.movetime.map(|time| SearchLimit::Movetime(millis(time))))
            .or(self.depth.map(SearchLimit::Depth))
            .or(self.mate.map(|time| SearchLimit::Mate(millis(time))))
            .unwrap_or(SearchLimit::Movetime(DEFAULT_MOVETIME_MS))
    }
}

impl AnalyseArgs {
    /// Does what was asked.
    ///
    /// # Errors
    /// What was wrong with the command line, or an output that cannot be written.
    pub fn run(mut self) -> anyhow::Result<ExitCode> {
        if let Some(AnalyseCommand::Merge(args)) = self.command.take() {
            args.run()?;
            return Ok(ExitCode::SUCCESS);
        }
        let store = match &self.store {
            Some(path) => {
                let plan = AnalysisPlan::new(self.wanted())?;
                Some(AnalysisStore::open(path, plan.options_text(), self.store_size)?)
            }
            None => None,
        };
        if self.serve {
            return serve::Service {
                game: self.game,
                effort: self.effort(),
                setup: self.setup(),
                jobs: self.jobs(),
                fresh: self.memory == MemoryArg::Fresh,
                no_timing: self.no_timing,
                lossless: self.lossless,
                store,
            }
            .run(std::io::stdin(), Stdout);
        }
        if let Some(output) = &self.output {
            let resume = if self.resume { "" } else { " --resume" };
            let is_kept = !self.csv && (output.is_file() || !output.exists());
            let command = || stop_signal::command_line().replace(" --overwrite", "") + resume;
            stop_signal::resume_with(is_kept.then(command));
        }
        self.batch(store.as_ref(), StopSignal::of_process())
    }

    /// Whether another machine can do a part of this: all it needs is files, all it leaves is lines.
    ///
    /// # Errors
    /// What stands against it.
    pub fn check_portable(&self) -> anyhow::Result<()> {
        let refused = [
            (self.command.is_some() || self.serve, "merge and --serve"),
            (self.output.is_some() || self.resume || self.overwrite, "--output"),
            (self.csv, "--csv"),
            (self.shard.is_some() || self.jobs.is_some(), "--shard and --jobs"),
            (self.store.is_some(), "--store"),
            (
                self.summary.is_some() || self.annotate.is_some() || self.report.is_some(),
                "--summary, --annotate and --report (use them with --resume on the collected output)",
            ),
        ];
        if let Some((_, words)) = refused.iter().find(|(there, _)| *there) {
            anyhow::bail!("{words}: not for a part of a pool's work");
        }
        if self.inputs.is_empty() || self.inputs.iter().any(|input| input.as_os_str() == "-") {
            anyhow::bail!("a pool reads no stdin: name files or directories");
        }
        Ok(())
    }

    /// Whether the result does not depend on time: a limit of nodes or depth alone, and one thread.
    pub fn is_repeatable(&self) -> bool {
        let LimitArgs { nodes, movetime, depth, mate } = self.limit;
        let timeless = (nodes.is_some() || depth.is_some()) && movetime.is_none() && mate.is_none();
        let threads = self.options().any(|(name, _)| name.to_ascii_lowercase().starts_with("thread"));
        timeless && self.threads == 1 && !threads
    }

    /// Options of the engine that it sets.
    pub fn options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Files and directories that it reads.
    pub fn files(&self) -> impl Iterator<Item = &std::path::Path> {
        self.inputs.iter().chain(&self.skip_done).map(PathBuf::as_path)
    }

    /// How many lines it makes.
    ///
    /// # Errors
    /// If an input cannot be read.
    pub fn count(&self) -> anyhow::Result<u64> {
        let mut plan = AnalysisPlan::new(self.wanted())?;
        plan::read_inputs(&mut plan, &self.inputs, &self.written(), &[])?;
        Ok(plan.lines)
    }

    fn effort(&self) -> AnalysisEffort {
        AnalysisEffort { limit: self.limit.limit(), multipv: usize::from(self.multipv) }
    }

    fn wanted(&self) -> AnalysisOptions {
        AnalysisOptions {
            game: self.game,
            turns: self.turns.clone(),
            side: self.side,
            effort: self.effort(),
            options: self.all_options(),
            memory: self.memory_scope(),
            lossless: self.lossless,
        }
    }

    fn memory_scope(&self) -> MemoryScope {
        match self.memory {
            MemoryArg::Fresh => MemoryScope::Fresh,
            MemoryArg::Game => MemoryScope::Game,
        }
    }

    /// The options of the engine, with that of the length of mates where mates are looked for.
    fn all_options(&self) -> Vec<(String, String)> {
        let is_wanted = self.limit.mate.is_some() || self.mate_length.is_some();
        let is_named = |name: &str| name.eq_ignore_ascii_case(MATE_LENGTH);
        let mut options = self.options.clone();
        let games = GameName::ALL.into_iter().filter(|&game| self.game.is_none_or(|only| only == game));
        let mut known = games.filter_map(|game| rules(game, &[]).ok());
        if is_wanted
            && !options.iter().any(|(name, _)| is_named(name))
            && known.any(|rules| rules.has_option(MATE_LENGTH))
        {
            let word = self.mate_length.as_deref().unwrap_or(USUAL_MATE_LENGTH);
            options.push((MATE_LENGTH.to_owned(), word.to_owned()));
        }
        options
    }

    fn setup(&self) -> EngineSetup {
        let chosen = match self.limit.limit() {
            SearchLimit::Nodes(nodes) => {
                let mib = nodes.saturating_mul(HASH_BYTES_PER_NODE) >> 20;
                usize::try_from(mib).unwrap_or(usize::MAX).clamp(*HASH_MIB.start(), *HASH_MIB.end())
            }
            _ => *HASH_MIB.end(),
        };
        EngineSetup {
            threads: usize::from(self.threads),
            hash_mib: self.hash.unwrap_or(chosen),
            options: self.all_options(),
        }
    }

    fn jobs(&self) -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or((processors / usize::from(self.threads)).max(1), usize::from)
    }

    fn batch(&self, store: Option<&AnalysisStore>, stop: &StopSignal) -> anyhow::Result<ExitCode> {
        let shard = match &self.shard {
            Some(text) => Shard::parse(text, |name| std::env::var(name).ok())
                .map_err(|reason| anyhow::anyhow!(reason))?,
            None => Shard { index: 0, of: 1 },
        };
        let mut plan = AnalysisPlan::new(self.wanted())?;
        let stdin = [PathBuf::from("-")];
        if self.inputs.is_empty() && std::io::stdin().is_terminal() {
            remark(
                "Reading positions and games from the terminal; end with Ctrl-D (Ctrl-Z and Enter on Windows).",
            );
        }
        let inputs = if self.inputs.is_empty() { &stdin[..] } else { &self.inputs };
        plan::read_inputs(&mut plan, inputs, &self.written(), &self.annotated_before(inputs)?)?;
        for warning in plan.warnings.iter().take(WARNINGS_SHOWN) {
            remark(warning);
        }
        if let Some(more) = plan.warnings.len().checked_sub(WARNINGS_SHOWN).filter(|&more| more > 0) {
            remark(format!("{more} further warnings are not shown"));
        }
        self.targets().check(&plan, self.kept())?;
        stop_signal::finish_first();
        let mut known = DonePositions::default();
        for path in &self.skip_done {
            known.add(path)?;
        }
        let (mut output, former) = match &self.output {
            Some(path) if self.resume => AnalysisOutput::resume(path)?,
            Some(path) => (AnalysisOutput::create(path, self.csv, self.overwrite)?, Vec::new()),
            None => (AnalysisOutput::stdout(self.csv)?, Vec::new()),
        };
        let done = Marks::of(&former);
        let work = AnalysisWork {
            plan: &plan,
            setup: self.setup(),
            jobs: self.jobs(),
            memory: self.memory_scope(),
            shard,
            no_timing: self.no_timing,
            done: &done,
            skip: &|task| task.is_plain() && known.covers(&task.line.key, task.effort),
            store,
            stop,
        };
        let derive = self.summary.is_some() || self.annotate.is_some() || self.report.is_some();
        let mut failed = former.iter().filter(|line| matches!(line, AnalysisLine::Error(_))).count() as u64;
        let mut kept = if derive { former } else { Vec::new() };
        let mut progress = AnalysisProgress::new(self.progress, work.lines());
        work.run(|lines, count| {
            let errors = lines.iter().filter(|line| matches!(line, AnalysisLine::Error(_))).count() as u64;
            for line in &lines {
                output.write(line)?;
            }
            failed += errors;
            progress.add(count, errors);
            if derive {
                kept.extend(lines);
            }
            Ok(())
        })?;
        progress.finish();
        if let Some(store) = store {
            store.flush();
        }
        stop.check()?;
        if derive {
            self.derive(&plan, &kept)?;
        }
        Ok(if failed > 0 { ExitCode::from(SOME_FAILED) } else { ExitCode::SUCCESS })
    }

    /// The files that are named to be written.
    fn written(&self) -> Vec<&Path> {
        [&self.output, &self.summary, &self.report].into_iter().filter_map(Option::as_deref).collect()
    }

    /// The records that the run before annotated, where this one resumes it and their folder lies below an input.
    fn annotated_before(&self, inputs: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
        let folder = self.annotate.as_deref().filter(|_| self.resume);
        let Some((folder, whole)) = folder.and_then(|folder| Some((folder, folder.canonicalize().ok()?)))
        else {
            return Ok(Vec::new());
        };
        let is_above = |input: &PathBuf| {
            input.is_dir()
                && input.canonicalize().is_ok_and(|input| input != whole && whole.starts_with(input))
        };
        if !inputs.iter().any(is_above) {
            return Ok(Vec::new());
        }
        let mut inside = files::files_below(folder)?;
        // Of what lies there, the run before made what it makes of the other inputs. A stream is read only once.
        let inputs: Vec<PathBuf> =
            inputs.iter().filter(|input| input.is_dir() || input.is_file()).cloned().collect();
        let mut others = AnalysisPlan::new(self.wanted())?;
        plan::read_inputs(&mut others, &inputs, &self.written(), &inside)?;
        let made: HashSet<PathBuf> = annotate::targets(&others, folder).into_values().collect();
        inside.retain(|path| made.contains(path));
        Ok(inside)
    }

    /// The files that it writes.
    fn targets(&self) -> Targets<'_> {
        Targets {
            output: self.output.as_deref(),
            summary: self.summary.as_deref(),
            report: self.report.as_deref(),
            annotate: self.annotate.as_deref(),
            overwrite: self.overwrite,
            resume: self.resume,
        }
    }

    /// Files that it reads or keeps beside the inputs, with their options.
    fn kept(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let done = self.skip_done.iter().map(|path| ("--skip-done", path.as_path()));
        done.chain(self.store.iter().map(|path| ("--store", path.as_path())))
    }

    /// Writes what comes of whole games.
    fn derive(&self, plan: &AnalysisPlan, lines: &[AnalysisLine]) -> anyhow::Result<()> {
        let reviews = review::reviews(plan, lines);
        if let Some(path) = &self.summary {
            let text: String = reviews.iter().map(review::GameReview::json).collect();
            write_whole(path, text.as_bytes())?;
        }
        if let Some(directory) = &self.annotate {
            annotate::write(plan, &reviews, directory)?;
        }
        if let Some(path) = &self.report {
            write_whole(path, report::html(plan, &reviews, self.language.as_deref()).as_bytes())?;
        }
        Ok(())
    }
}
