//! Positions searched again: their values and best moves replaced by those of another search.

use std::fs::TryLockError;
use std::io::{BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rayon::prelude::*;

use super::ShogiDataOptions;
use super::records::{self, Records};
use super::sample::RecordSample;
use crate::tasks::data::DataOptions;
use kaeshi_core::game::GameOptions;
use kaeshi_learn::selfplay::program;
use kaeshi_learn::shogi::labelled::{Labelled, LabelledFormat, POSITION};
use kaeshi_learn::shogi::record::packed;
use kaeshi_learn::shogi::selfplay::ShogiPlayer;
use kaeshi_shogi::evaluate::Evaluation;
use kaeshi_shogi::{Shogi, ShogiSettings};
use kaeshi_system::lock::lock;
use kaeshi_system::output::{
    beside, is_stream, open_to_append, print, progress_bar, remark, replace, shorten,
};
use kaeshi_system::stop_signal::{self, StopSignal};

/// Nodes of each position, unless asked otherwise.
const NODES: u64 = 10_000;
/// Nodes after which the results are written.
const NODES_OF_BATCH: u64 = 4_000_000;
/// Positions after which it is written at the latest: each takes some time besides its nodes.
const MOST_IN_BATCH: u64 = 20_000;

/// The searches, one thread each.
struct Rescorer {
    players: Vec<ShogiPlayer>,
    pool: rayon::ThreadPool,
    batch: usize,
    form: LabelledFormat,
    /// Records to be searched. Their form keeps no earlier moves, so that a value does not depend on the form of the
    /// input.
    pending: Vec<u8>,
    part: RescoredPart,
}

/// The records of a try that may be interrupted, beside the file that they become.
struct RescoredPart {
    path: PathBuf,
    file: std::fs::File,
    /// Reads the records of an earlier try that this one has not met yet.
    known: std::io::Take<BufReader<std::fs::File>>,
    /// Records that this try has met or written.
    records: u64,
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
    stop_signal::resume_with(Some(stop_signal::command_line()));
    let nodes = options.nodes.unwrap_or(NODES);
    let evaluation = options.single_evaluation()?;
    let form = LabelledFormat::of(out)?;
    let plan = plan(files, common, options, nodes, &evaluation)?;
    let settings = ShogiSettings { draw_value: [0; 2], evaluation, ..ShogiSettings::default() };
    let threads = options.threads.unwrap_or(1);
    let player = |_| ShogiPlayer::new(Shogi::load(&settings)?, nodes);
    let players = (0..threads).map(player).collect::<Result<_, _>>()?;
    let pool = kaeshi_learn::threads::pool(threads)?;
    let batch = (NODES_OF_BATCH / nodes).clamp(1, MOST_IN_BATCH) as usize;
    let part = RescoredPart::open(out, plan, form)?;
    let mut rescorer =
        Rescorer { players, pool, batch: batch.next_multiple_of(threads), form, pending: Vec::new(), part };
    if let Err(error) = rescorer.take_all(files, common, options) {
        rescorer.part.remove_if_empty();
        return Err(error);
    }
    let records = rescorer.part.records;
    rescorer.part.finish(out)?;
    Ok(print(format_args!("{records} positions"))?)
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
        let cannot = || format!("cannot read {}", file.display());
        let length = file.metadata().with_context(cannot)?.len();
        text += &format!("\n{length} {}", file.canonicalize().with_context(cannot)?.display());
    }
    Ok(crc32fast::hash(text.as_bytes()))
}

impl Rescorer {
    fn take_all(
        &mut self,
        files: &[PathBuf],
        common: &DataOptions,
        options: &ShogiDataOptions,
    ) -> anyhow::Result<()> {
        let bar = progress_bar(records::bytes(files)?, "bytes");
        let records = Records { files, bar: &bar };
        match options.sample {
            None => records.packed(self.form, |record| self.take(record))?,
            Some(most) => {
                let mut sample = RecordSample::new(most, common.seed);
                records.packed(self.form, |record| {
                    sample.offer(record);
                    Ok(())
                })?;
                bar.finish_and_clear();
                let bar = progress_bar(sample.records().len() as u64, "positions");
                for record in sample.records() {
                    self.take(record)?;
                    bar.inc(1);
                }
            }
        }
        self.search_pending()?;
        bar.finish_and_clear();
        self.part.end()
    }

    fn take(&mut self, record: &[u8]) -> anyhow::Result<()> {
        if self.part.knows(record)? {
            return Ok(());
        }
        self.pending.extend_from_slice(record);
        if self.pending.len() == self.batch * self.form.size() { self.search_pending() } else { Ok(()) }
    }

    /// Searches the pending records and writes the results.
    fn search_pending(&mut self) -> anyhow::Result<()> {
        StopSignal::of_process().check()?;
        let Rescorer { players, pool, form, pending, .. } = self;
        let read = |record| form.read(record);
        let mut positions =
            pending.chunks_exact(form.size()).map(read).collect::<Result<Vec<Labelled>, _>>()?;
        let each = positions.len().div_ceil(players.len()).max(1);
        let work = players.par_iter_mut().zip(positions.par_chunks_mut(each));
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
        pending.clear();
        for position in &positions {
            form.write(position, pending)?;
        }
        self.part.write(pending, positions.len() as u64)?;
        self.pending.clear();
        Ok(())
    }
}

impl RescoredPart {
    /// Opens what a try with the same plan has left, or a new file.
    fn open(out: &Path, plan: u32, form: LabelledFormat) -> anyhow::Result<RescoredPart> {
        let path = beside(out, &format!("{plan:08x}.part"));
        let cannot = || format!("cannot write {} and, until it is whole, {}", out.display(), path.display());
        let mut file = open_to_append(&path).with_context(cannot)?;
        // Some file systems know no locks, which is another error.
        if let Err(TryLockError::WouldBlock) = lock(&file) {
            bail!("another run is writing {}", path.display());
        }
        let (mut whole, mut buffer) = (0_u64, vec![0; form.size()]);
        let mut reader = BufReader::new(&file);
        while reader.read_exact(&mut buffer).is_ok() {
            whole += 1;
            if let Err(error) = form.read(&buffer) {
                bail!("{}, record {whole}: {error}; remove the file to search anew", path.display());
            }
        }
        drop(reader);
        let bytes = whole * form.size() as u64;
        shorten(&mut file, bytes).with_context(cannot)?;
        // The clone shares the file's lock and offset: it is read before it is written.
        let mut known = file.try_clone().with_context(cannot)?;
        known.rewind().with_context(cannot)?;
        if whole > 0 {
            remark(format_args!("going on behind {whole} positions in {}", path.display()));
        }
        Ok(RescoredPart { path, file, known: BufReader::new(known).take(bytes), records: 0 })
    }

    /// Whether an earlier try has searched the position of `record`, the next one of the input.
    ///
    /// # Errors
    /// It searched another one: the input changed.
    fn knows(&mut self, record: &[u8]) -> anyhow::Result<bool> {
        if self.known.limit() == 0 {
            return Ok(false);
        }
        let mut found = vec![0; record.len()];
        self.known.read_exact(&mut found).with_context(|| format!("cannot read {}", self.path.display()))?;
        self.records += 1;
        if found.get(..POSITION) != record.get(..POSITION) {
            bail!(
                "{}, record {}: the input has another position there than before; remove the file to search anew",
                self.path.display(),
                self.records
            );
        }
        Ok(true)
    }

    /// The input ends here.
    ///
    /// # Errors
    /// An earlier try searched more: the input changed.
    fn end(&self) -> anyhow::Result<()> {
        if self.known.limit() > 0 {
            bail!(
                "{} has more than the {} positions of the input; remove the file to search anew",
                self.path.display(),
                self.records
            );
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8], records: u64) -> anyhow::Result<()> {
        self.file.write_all(bytes).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.records += records;
        Ok(())
    }

    /// Removes the file of a run without results.
    fn remove_if_empty(&self) {
        if self.records == 0 && self.known.limit() == 0 {
            // An empty file does no harm where it cannot be removed.
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Puts the file in its place.
    fn finish(self, out: &Path) -> anyhow::Result<()> {
        let put = self.file.sync_all().and_then(|()| replace(&self.path, out));
        put.with_context(|| format!("cannot write {}", out.display()))
    }
}
