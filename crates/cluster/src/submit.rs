//! `kaeshi cluster submit` and `remove`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::collect::publish;
use super::crew;
use super::cut::Cut;
use super::engines::{self, Sealed};
use super::job::{
    ClusterJob, JobFiles, JobKind, JobPriority, MAX_PARTS, PoolCommand, SCHEMA, check_name, parse,
};
use super::pool::{ClusterPool, unique};
use super::speed;
use super::status::counted_parts;
use super::tuning;
use kaeshi_learn::selfplay;
use kaeshi_match::tournament::config::Config;
use kaeshi_match::tournament::identity::hash_file;
use kaeshi_match::tournament::plan::MatchPlan;
use kaeshi_system::output::remark;

/// Default number of positions of one part.
const POSITIONS: u64 = 100;
/// Default number of pairs of games of one part.
const PAIRS: u64 = 1;
/// Default number of open parts of a match that may be decided early.
const AHEAD: u64 = 32;

/// Hand in a command that would run locally: analyse, match, tune or selfplay.
///
/// Files that the command names travel along; they must lie below the working directory. Engines of a match and
/// their weights are known by their content: each worker starts the very same ones, or none.
#[derive(Debug, clap::Args)]
pub struct SubmitArgs {
    /// A name for the job: letters, digits, - and _
    name: String,
    /// Positions, or pairs of games, in one part [default: 100 positions, 1 pair]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    part: Option<u64>,
    /// Parts given out beyond the decided ones, in a match with --sprt
    #[arg(long, value_name = "N", default_value_t = AHEAD, value_parser = clap::value_parser!(u64).range(1..))]
    ahead: u64,
    /// A further file that options of the engines name, for instance weights
    #[arg(long, value_name = "FILE")]
    file: Vec<PathBuf>,
    /// Send the programs of the engines along; a worker runs them if its owner allows it
    #[arg(long)]
    send_engines: bool,
    /// Whether its parts come before or after those of other jobs; parts in hand are finished first
    #[arg(long, value_enum, value_name = "PRIORITY", default_value = "normal")]
    priority: JobPriority,
    /// The command, for instance: analyse --nodes 50000 games/
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Take a job back and forget its results.
#[derive(Debug, clap::Args)]
pub struct RemoveArgs {
    /// The name of the job
    name: String,
}

impl SubmitArgs {
    /// Stores the job and publishes its parts.
    ///
    /// # Errors
    /// A command that no pool can do, files that cannot be read, a name that is taken.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        check_name(&self.name)?;
        let mut files = JobFiles::default();
        for file in &self.file {
            files.add(file)?;
        }
        let mut content = BTreeMap::new();
        let (task, parts) = self.task(&mut files, &mut content)?;
        task.check()?;
        if parts == 0 || parts > MAX_PARTS {
            bail!("{parts} parts are not between 1 and {MAX_PARTS}: choose another --part");
        }
        let ahead = match &task {
            JobKind::Match { config, .. } if config.sprt.is_some() => self.ahead,
            JobKind::Tune { cut, .. } => cut.per_iteration(),
            _ => parts,
        };
        let speed = if task.has_clock()? { Some(speed::measure(1).await?) } else { None };
        let job = ClusterJob {
            v: SCHEMA,
            id: format!("{}-{}", self.name, unique()),
            name: self.name,
            build: selfplay::program()?,
            priority: self.priority,
            task,
            parts,
            speed,
            ahead,
            files: !files.is_empty(),
            closed: false,
        };
        if let Some(other) = pool.job(&job.name).await? {
            bail!(
                "there is a job '{}' already ({}); `kaeshi cluster remove` makes room",
                other.name,
                other.id
            );
        }
        // The files first: a job that workers see is complete.
        if job.files {
            pool.store_files(&job, files.pack()?).await?;
        }
        for (hash, path) in &content {
            pool.store_content(hash, path).await?;
        }
        pool.create(&job).await?;
        // Where parts follow from others, who collects gives them out.
        if job.task.input(0).is_none() {
            publish(pool, &job, job.ahead).await?;
        }
        remark(format_args!("{} '{}': {}", job.task.kind(), job.name, counted_parts(job.parts)));
        Ok(())
    }

    /// The task and its number of parts; `content` gets the files that travel by their content.
    fn task(
        &self,
        files: &mut JobFiles,
        content: &mut BTreeMap<String, PathBuf>,
    ) -> anyhow::Result<(JobKind, u64)> {
        let words = self.command.clone();
        match parse(&words)? {
            PoolCommand::Analyse(args) => {
                args.check_portable()?;
                for file in args.files() {
                    files.add(file)?;
                }
                let positions = args.count()?;
                Ok((JobKind::Analyse { words }, positions.div_ceil(self.part.unwrap_or(POSITIONS))))
            }
            PoolCommand::Match(args) => {
                let (config, roster) = args.config()?;
                if let Some(openings) = &config.openings {
                    files.add(openings)?;
                }
                let size = self.part.unwrap_or(PAIRS);
                let mut config = config;
                let (ahead, games) =
                    (self.ahead.saturating_mul(size).saturating_mul(2), config.concurrency.unwrap_or(0));
                // The sequential test counts pairs in flight before it decides.
                config.concurrency = Some(games.max(usize::try_from(ahead).unwrap_or(usize::MAX).min(1024)));
                let plan = MatchPlan::new(config, &roster)?;
                plan.check_divisible()?;
                if let Some(rounded) = plan.rounded_games() {
                    remark(rounded);
                }
                let own = own_hash()?;
                let (mut engines, mut described) = (Vec::new(), Vec::new());
                for (spec, engine) in plan.specs.iter().zip(&plan.config.participants()?) {
                    let (mut sealed, config, here) = engines::seal(spec, engine, &roster, &own)?;
                    sealed.sent = self.send_engines && !sealed.own;
                    content.extend(travelling(&sealed, here));
                    engines.push(sealed);
                    described.push(config);
                }
                let pairs = plan.pairs;
                let config = Box::new(Config { engines: described, each: None, out: None, ..plan.config });
                Ok((JobKind::Match { config, engines, size, pairs }, pairs.div_ceil(size)))
            }
            PoolCommand::Tune(args) => {
                let cut = Cut::of(&args.common, self.part.unwrap_or(PAIRS));
                let (mut task, here) = tuning::task(&args, words, cut, &own_hash()?, files)?;
                if let Some(sealed) = task.engine_mut() {
                    sealed.sent = self.send_engines && !sealed.own;
                    content.extend(travelling(sealed, here));
                }
                Ok((task, cut.parts()))
            }
            PoolCommand::Selfplay(args) => {
                if let Some(weights) = args.weights_file() {
                    files.add(weights)?;
                }
                Ok((JobKind::Selfplay { words }, args.files()?))
            }
            PoolCommand::Other(words) => {
                bail!("a pool does analyse, match, tune and selfplay, not '{}'", words.join(" "))
            }
        }
    }
}

/// SHA-256 of this program.
fn own_hash() -> anyhow::Result<String> {
    hash_file(&std::env::current_exe().context("where is this program?")?)
}

/// Those files of an engine that travel by their content.
fn travelling(sealed: &Sealed, here: BTreeMap<String, PathBuf>) -> impl Iterator<Item = (String, PathBuf)> {
    here.into_iter().filter(|(hash, _)| {
        sealed.sent && *hash == sealed.content.program || sealed.files.values().any(|file| file == hash)
    })
}

impl RemoveArgs {
    /// Removes the job.
    ///
    /// # Errors
    /// If there is none.
    pub async fn run(self, pool: &ClusterPool) -> anyhow::Result<()> {
        let job = pool.job(&self.name).await?.with_context(|| format!("there is no job '{}'", self.name))?;
        pool.remove(&job).await?;
        crew::forget_silent(pool).await
    }
}
