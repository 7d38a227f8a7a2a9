//! Positions searched again: their values and best moves replaced by those of another search.

use std::fs::TryLockError;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;

use super::ShogiDataOptions;
use super::records::{self, Records};
use super::sample::RecordSample;
use crate::tasks::data::DataOptions;
use kaeshi_core::game::GameOptions;
use kaeshi_learn::selfplay::program;
use kaeshi_learn::shogi::labelled::{Labelled, LabelledFormat};
use kaeshi_learn::shogi::record::packed;
use kaeshi_learn::shogi::selfplay::ShogiPlayer;
use kaeshi_shogi::evaluate::Evaluation;
use kaeshi_shogi::{Shogi, ShogiSettings};
use kaeshi_system::lock::lock;
use kaeshi_system::output::{beside, is_stream, open_to_append, print, progress_bar, replace, shorten};
use kaeshi_system::stop_signal::StopSignal;

/// Nodes of each position, unless asked otherwise.
const NODES: u64 = 10_000;
/// Nodes after which what was found is written.
const NODES_OF_BATCH: u64 = 4_000_000;

/// The searches, one thread each.
struct Rescorer {
    players: Vec<ShogiPlayer>,
    pool: rayon::ThreadPool,
    batch: usize,
    form: LabelledFormat,
    pending: Vec<Labelled>,
    /// Records that an earlier try has written already and this one has not met yet.
    known: u64,
    written: u64,
    part: RescoredPart,
}

/// The records of a try that may be interrupted, beside the file that they become.
struct RescoredPart {
    path: PathBuf,
    file: std::fs::File,
}

/// Searches every record of the files, or of a sample of them, and writes them in their order.
///
/// # Errors
/// A file cannot be read or written; a stop signal, after which the same command continues.
pub(super) fn rescore(
    files: &[PathBuf],
    common: &DataOptions,
    options: &ShogiDataOptions,
) -> anyhow::Result<()> {
    let out = common.out()?;
    if is_stream(out) {
        bail!("--out: {} is no file that an interrupted search could continue", out.display());
    }
    let nodes = options.nodes.unwrap_or(NODES);
    let evaluation = options.single_evaluation()?;
    let form = LabelledFormat::of(out)?;
    let plan = plan(files, common, options, nodes, &evaluation)?;
    let (part, known) = RescoredPart::open(out, plan, form)?;
    let settings = ShogiSettings { draw_value: [0; 2], evaluation, ..ShogiSettings::default() };
    let threads = options.threads.unwrap_or(1);
    let player = |_| ShogiPlayer::new(Shogi::load(&settings)?, nodes);
    let players = (0..threads).map(player).collect::<Result<_, _>>()?;
    let batch = ((NODES_OF_BATCH / nodes).max(1) as usize).next_multiple_of(threads);
    let pool = kaeshi_learn::threads::pool(threads)?;
    let mut rescorer =
        Rescorer { players, pool, batch, form, pending: Vec::new(), known, written: known, part };
    let bar = progress_bar(records::bytes(files)?, "bytes");
    let records = Records { files, bar: &bar };
    match options.sample {
        None => records.labelled(|labelled| rescorer.take(labelled))?,
        Some(most) => {
            let mut sample = RecordSample::new(most, common.seed);
            records.packed(LabelledFormat::Psv, |record| {
                sample.offer(record);
                Ok(())
            })?;
            bar.finish_and_clear();
            let bar = progress_bar(sample.records().len() as u64, "positions");
            for record in sample.records() {
                let labelled = LabelledFormat::Psv.read(record)?;
                rescorer.take(labelled)?;
                bar.inc(1);
            }
        }
    }
    rescorer.search_pending()?;
    bar.finish_and_clear();
    let written = rescorer.written;
    rescorer.part.finish(out)?;
    Ok(print(format_args!("{written} positions"))?)
}

/// Identifies what a try writes: another program, other files or options find other values.
pub(super) fn plan(
    files: &[PathBuf],
    common: &DataOptions,
    options: &ShogiDataOptions,
    nodes: u64,
    evaluation: &Evaluation,
) -> anyhow::Result<u32> {
    let mut text =
        format!("{} {nodes} {} {:?} {}", program()?, common.seed, options.sample, evaluation.label());
    for file in files {
        let length = file.metadata().with_context(|| format!("cannot read {}", file.display()))?.len();
        text += &format!("\n{length} {}", file.display());
    }
    Ok(crc32fast::hash(text.as_bytes()))
}

impl Rescorer {
    fn take(&mut self, labelled: Labelled) -> anyhow::Result<()> {
        if self.known > 0 {
            self.known -= 1;
            return Ok(());
        }
        self.pending.push(labelled);
        if self.pending.len() == self.batch { self.search_pending() } else { Ok(()) }
    }

    /// Searches what is pending and writes it.
    fn search_pending(&mut self) -> anyhow::Result<()> {
        StopSignal::of_process().check().context("the same command continues where this one stopped")?;
        let each = self.pending.len().div_ceil(self.players.len()).max(1);
        let Rescorer { players, pool, pending, .. } = self;
        let work = players.par_iter_mut().zip(pending.par_chunks_mut(each));
        pool.install(|| {
            work.for_each(|(player, records)| {
                for record in records {
                    // A value does not depend on the positions before.
                    player.new_game();
                    let (score, best) = player.choose(&record.position);
                    (record.value, record.best) = (packed(score), best);
                }
            });
        });
        let mut bytes = Vec::with_capacity(self.pending.len() * self.form.size());
        for record in &self.pending {
            self.form.write(record, &mut bytes)?;
        }
        self.written += self.pending.len() as u64;
        self.pending.clear();
        self.part.write(&bytes)
    }
}

impl RescoredPart {
    /// Opens what a try with the same plan has left, or a new file; the records in it.
    fn open(out: &Path, plan: u32, form: LabelledFormat) -> anyhow::Result<(RescoredPart, u64)> {
        let path = beside(out, &format!("{plan:08x}.part"));
        let cannot = || format!("cannot write {}", path.display());
        let mut file = open_to_append(&path).with_context(cannot)?;
        // Some file systems know no locks, which is another error.
        if let Err(TryLockError::WouldBlock) = lock(&file) {
            bail!("another run is writing {}", path.display());
        }
        let (mut whole, mut buffer) = (0_u64, vec![0; form.size()]);
        let mut reader = BufReader::new(&file);
        while reader.read_exact(&mut buffer).is_ok() {
            form.read(&buffer).with_context(|| {
                format!("{}, record {}: remove the file to search anew", path.display(), whole + 1)
            })?;
            whole += 1;
        }
        drop(reader);
        shorten(&mut file, whole * form.size() as u64).with_context(cannot)?;
        Ok((RescoredPart { path, file }, whole))
    }

    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.file.write_all(bytes).with_context(|| format!("cannot write {}", self.path.display()))
    }

    /// Puts the file in its place.
    fn finish(self, out: &Path) -> anyhow::Result<()> {
        let put = self.file.sync_all().and_then(|()| replace(&self.path, out));
        put.with_context(|| format!("cannot write {}", out.display()))
    }
}
