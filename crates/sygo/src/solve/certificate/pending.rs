//! Positions that are still to be answered, each once, however many there are: what has no room in memory
//! waits in files without names, sorted, and is merged when it is wanted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use super::super::graph::Bits;
use super::super::moves::{Right, SolverNode};
use super::super::shape::MOST_POINTS;

/// Positions held in memory at most, but for those of the layer that is being answered: 64 MiB.
const MOST_HELD: usize = 2 << 20;
/// The positions added last, most of which come again at once.
const RECENT: usize = 1 << 16;
/// Bytes of a set in a file.
const SET: usize = size_of::<Bits>();

/// A position: the mover's stones with the flags above them, and the other side's.
type PackedNode = [Bits; 2];

const _: () = assert!(MOST_POINTS + 3 <= Bits::BITS as usize);

fn pack(node: SolverNode) -> PackedNode {
    let flags = (node.right as Bits) << 1 | Bits::from(node.passed);
    [node.own | flags << MOST_POINTS, node.enemy]
}

fn unpack([own, enemy]: PackedNode) -> SolverNode {
    let flags = own >> MOST_POINTS;
    let right = match flags >> 1 {
        0 => Right::Gone,
        1 => Right::Mover,
        _ => Right::Other,
    };
    SolverNode { own: own & ((1 << MOST_POINTS) - 1), enemy, right, passed: flags & 1 != 0 }
}

/// The positions of one number of vacant points.
#[derive(Default)]
struct VacancyLayer {
    fresh: Vec<PackedNode>,
    /// Sorted, each position once.
    runs: Vec<File>,
}

/// Positions by their number of vacant points.
pub(super) struct PendingPositions<'a> {
    new_file: &'a dyn Fn() -> io::Result<File>,
    most: usize,
    held: usize,
    layers: Vec<VacancyLayer>,
    recent: Vec<PackedNode>,
}

impl<'a> PendingPositions<'a> {
    /// An empty set for a board of `points` points; `new_file` makes its temporary files.
    pub(super) fn new(points: usize, new_file: &'a dyn Fn() -> io::Result<File>) -> PendingPositions<'a> {
        PendingPositions::holding(MOST_HELD, points, new_file)
    }

    fn holding(
        most: usize,
        points: usize,
        new_file: &'a dyn Fn() -> io::Result<File>,
    ) -> PendingPositions<'a> {
        let layers = (0..=points).map(|_| VacancyLayer::default()).collect();
        PendingPositions { new_file, most, held: 0, layers, recent: vec![[Bits::MAX; 2]; RECENT] }
    }

    /// Adds a position with `vacant` vacant points.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(super) fn add(&mut self, vacant: usize, node: SolverNode) -> io::Result<()> {
        let record = pack(node);
        let recent = &mut self.recent[place(record)];
        if *recent == record {
            return Ok(());
        }
        *recent = record;
        self.layers[vacant].fresh.push(record);
        self.held += 1;
        if self.held > self.most { self.make_room() } else { Ok(()) }
    }

    /// Takes all positions with `vacant` vacant points, in a fixed order.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn take(&mut self, vacant: usize) -> io::Result<Merged> {
        let VacancyLayer { mut fresh, runs } = std::mem::take(&mut self.layers[vacant]);
        self.held -= fresh.len();
        fresh.sort_unstable();
        let mut sources = vec![NodeSource::Memory(fresh.into_iter())];
        for mut run in runs {
            run.rewind()?;
            sources.push(NodeSource::File(BufReader::with_capacity(1 << 16, run)));
        }
        let mut merged = Merged { heap: BinaryHeap::new(), sources, last: None };
        (0..merged.sources.len()).try_for_each(|index| merged.refill(index))?;
        Ok(merged)
    }

    /// Drops duplicates, and writes the largest layers to files if that is not enough.
    fn make_room(&mut self) -> io::Result<()> {
        for layer in &mut self.layers {
            layer.fresh.sort_unstable();
            layer.fresh.dedup();
        }
        self.held = self.layers.iter().map(|layer| layer.fresh.len()).sum();
        while self.held > self.most / 2 {
            let Some(layer) = self.layers.iter_mut().max_by_key(|layer| layer.fresh.len()) else { break };
            let mut run = BufWriter::with_capacity(1 << 16, (self.new_file)()?);
            for set in layer.fresh.as_flattened() {
                run.write_all(&set.to_le_bytes())?;
            }
            layer.runs.push(run.into_inner().map_err(io::IntoInnerError::into_error)?);
            self.held -= layer.fresh.len();
            layer.fresh = Vec::new();
        }
        Ok(())
    }
}

/// The slot of a position among the recent ones.
fn place([own, enemy]: PackedNode) -> usize {
    let fold = |set: Bits| (set ^ set >> 64) as u64;
    let mixed = (fold(own) ^ fold(enemy).rotate_left(32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ mixed >> 32).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 48) as usize % RECENT
}

enum NodeSource {
    Memory(std::vec::IntoIter<PackedNode>),
    File(BufReader<File>),
}

impl NodeSource {
    fn next(&mut self) -> io::Result<Option<PackedNode>> {
        let run = match self {
            NodeSource::Memory(records) => return Ok(records.next()),
            NodeSource::File(run) => run,
        };
        let mut record = [0; 2];
        let mut bytes = [0; SET];
        for (index, set) in record.iter_mut().enumerate() {
            match run.read_exact(&mut bytes) {
                Ok(()) => *set = Bits::from_le_bytes(bytes),
                Err(end) if index == 0 && end.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(record))
    }
}

/// The positions of a layer, each once.
pub(super) struct Merged {
    heap: BinaryHeap<Reverse<(PackedNode, usize)>>,
    sources: Vec<NodeSource>,
    last: Option<PackedNode>,
}

impl Merged {
    /// The next position.
    ///
    /// # Errors
    /// A file cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<SolverNode>> {
        while let Some(Reverse((record, index))) = self.heap.pop() {
            self.refill(index)?;
            if self.last.replace(record) != Some(record) {
                return Ok(Some(unpack(record)));
            }
        }
        Ok(None)
    }

    fn refill(&mut self, index: usize) -> io::Result<()> {
        if let Some(record) = self.sources[index].next()? {
            self.heap.push(Reverse((record, index)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use kaeshi_core::random::SplitMix;

    #[test]
    fn each_position_comes_once_whether_it_waited_in_memory_or_in_a_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let new_file = || tempfile::tempfile_in(folder.path());
        let mut random = SplitMix::new(3);
        for most in [8, 100, 1 << 20] {
            let mut pending = PendingPositions::holding(most, 3, &new_file);
            let mut expected: [BTreeSet<PackedNode>; 4] = Default::default();
            let whole = (1 << MOST_POINTS) - 1;
            for _ in 0..3000 {
                let draw = random.draw();
                let own = Bits::from(draw % 40) << (MOST_POINTS - 6);
                let right = [Right::Gone, Right::Mover, Right::Other][draw as usize / 64 % 3];
                let node = SolverNode { own, enemy: whole & !own, right, passed: draw & 1 << 20 != 0 };
                assert_eq!(unpack(pack(node)), node);
                // Which layer it belongs to follows from the position.
                let vacant = (draw % 4) as usize;
                expected[vacant].insert(pack(node));
                pending.add(vacant, node).expect("writable");
                assert!(pending.held <= most);
            }
            for (vacant, expected) in expected.iter().enumerate() {
                let mut merged = pending.take(vacant).expect("readable");
                let mut found = Vec::new();
                while let Some(node) = merged.next().expect("readable") {
                    found.push(pack(node));
                }
                assert!(found.iter().eq(expected));
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0, "files have no names");
    }
}
