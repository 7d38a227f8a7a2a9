//! A lock-free transposition table: clusters of four entries of 16 bytes, one cache line each.
//!
//! An entry is `(key ^ data, data)`, so a torn write reads as a miss (Hyatt and Mann, "A lock-less
//! transposition table implementation for parallel search", 2002). All 64 key bits are compared.

use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};

use bytemuck::Zeroable;

use crate::driver::pages::{LARGE_PAGE, PAGE, drop_pages, prefer_large, prefetch};
use crate::game::interrupt::Interrupt;
use crate::game::{GameError, SearchMemory};
use crate::product::halves_of_product;

const WAYS: usize = 4;
/// Clusters that one thread clears before it looks whether it is to end, and takes others: 4 MiB.
const PART: usize = 2 * LARGE_PAGE / LINE;
/// Bytes of a cache line.
const LINE: usize = 64;
/// Generations wrap at 64: the upper six bits of the data.
const GENERATION_BITS: u32 = 6;
const PAYLOAD_BITS: u32 = 64 - GENERATION_BITS;
/// Penalty of one generation of age in replacement, in the units of [`Payload::worth`].
const AGE_COST: i32 = 8;

/// The content of an entry: at most 58 bits, never 0.
pub trait Payload: Copy {
    /// The low 58 bits; must not be 0.
    fn pack(self) -> u64;
    /// The inverse of [`Payload::pack`].
    fn unpack(bits: u64) -> Self;
    /// How much the entry is worth keeping; usually its depth.
    fn worth(self) -> i32;
    /// The payload to store over `old`, an entry of the same position; `present` if the present search stored `old`,
    /// not a former one.
    #[inline(always)]
    fn over(self, _old: Self, _present: bool) -> Self {
        self
    }
}

type Cluster = [AtomicEntry; WAYS];

#[derive(Zeroable)]
#[repr(C)]
struct AtomicEntry {
    check: AtomicU64,
    data: AtomicU64,
}

/// A table of payloads `P`.
pub struct TranspositionTable<P> {
    /// Not clusters: memory aligned to cache lines is zeroed by hand, so that its pages are there
    /// before the system can be asked for large ones, whether they are used or not.
    entries: Box<[AtomicEntry]>,
    /// The entry at which the first cache line begins.
    first: usize,
    /// Number of clusters.
    length: usize,
    generation: AtomicU8,
    payload: std::marker::PhantomData<fn() -> P>,
}

const _: () = assert!(size_of::<Cluster>() == LINE);

impl<P: Payload> TranspositionTable<P> {
    /// The payload stored for `key`.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<P> {
        for entry in self.cluster(key) {
            let data = entry.data.load(Ordering::Relaxed);
            if data != 0 && entry.check.load(Ordering::Relaxed) ^ data == key {
                return Some(P::unpack(data & ((1 << PAYLOAD_BITS) - 1)));
            }
        }
        None
    }

    /// Stores `payload` for `key`, over the same key (see [`Payload::over`]) or else over the entry
    /// worth least.
    #[inline]
    pub fn store(&self, key: u64, mut payload: P) {
        let now = self.generation.load(Ordering::Relaxed);
        let mut victim = &self.cluster(key)[0];
        let mut least = i32::MAX;
        for entry in self.cluster(key) {
            let data = entry.data.load(Ordering::Relaxed);
            if data == 0 {
                victim = entry;
                break;
            }
            if entry.check.load(Ordering::Relaxed) ^ data == key {
                victim = entry;
                let present = (data >> PAYLOAD_BITS) as u8 == now;
                payload = payload.over(P::unpack(data & ((1 << PAYLOAD_BITS) - 1)), present);
                break;
            }
            let age = now.wrapping_sub((data >> PAYLOAD_BITS) as u8) & ((1 << GENERATION_BITS) - 1);
            let worth = P::unpack(data & ((1 << PAYLOAD_BITS) - 1)).worth() - AGE_COST * i32::from(age);
            if worth < least {
                least = worth;
                victim = entry;
            }
        }
        let bits = payload.pack();
        debug_assert!(bits != 0 && bits >> PAYLOAD_BITS == 0, "payload out of its 58 bits");
        let data = bits | (u64::from(now) << PAYLOAD_BITS);
        victim.data.store(data, Ordering::Relaxed);
        victim.check.store(key ^ data, Ordering::Relaxed);
    }

    /// Asks the processor to fetch the cluster of `key`.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    /// The number of the entry that holds `key`.
    pub fn entry_of(&self, key: u64) -> Option<usize> {
        let way = self.cluster(key).iter().position(|entry| {
            let data = entry.data.load(Ordering::Relaxed);
            data != 0 && entry.check.load(Ordering::Relaxed) ^ data == key
        })?;
        Some(self.number(key) * WAYS + way)
    }

    /// Number of entries.
    pub fn entry_count(&self) -> usize {
        self.length * WAYS
    }

    #[inline(always)]
    fn cluster(&self, key: u64) -> &Cluster {
        // SAFETY: a number is less than `length`, so first + (number + 1) * WAYS <= entries.len().
        unsafe { &*self.entries.as_ptr().add(self.first + self.number(key) * WAYS).cast::<Cluster>() }
    }

    /// The number of the cluster of `key`: floor(key / 2^64 * length).
    #[inline(always)]
    fn number(&self, key: u64) -> usize {
        halves_of_product(key, self.length as u64)[1] as usize
    }

    /// Does `work` for every part of the table, on up to `threads` threads. Parts end where large pages do.
    fn in_parts(&self, threads: usize, work: impl Fn(&[Cluster]) + Sync) {
        let next = AtomicUsize::new(0);
        let clusters = self.clusters();
        let begin = clusters.as_ptr() as usize;
        let before = (begin.next_multiple_of(LARGE_PAGE) - begin) / LINE;
        let (head, rest) = clusters.split_at(before.min(clusters.len()));
        let parts: Vec<&[Cluster]> = std::iter::once(head).chain(rest.chunks(PART)).collect();
        let share = || {
            while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                work(part);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(parts.len()) {
                // Where the system grants no thread, this one does more.
                if std::thread::Builder::new().spawn_scoped(scope, share).is_err() {
                    break;
                }
            }
            share();
        });
    }

    fn clusters(&self) -> &[Cluster] {
        self.entries[self.first..].as_chunks().0
    }
}

impl<P: Payload> SearchMemory for TranspositionTable<P> {
    fn with_bytes(bytes: usize) -> Result<Self, GameError> {
        let length = (bytes / LINE).max(1);
        let mut entries: Box<[AtomicEntry]> = bytemuck::try_zeroed_slice_box((length + 1) * WAYS)
            .map_err(|()| GameError::resources(format!("no memory for a table of {} MiB", bytes >> 20)))?;
        prefer_large(&mut entries);
        let begin = entries.as_ptr() as usize;
        let first = (begin.next_multiple_of(LINE) - begin) / size_of::<AtomicEntry>();
        Ok(TranspositionTable {
            entries,
            first,
            length,
            generation: AtomicU8::new(0),
            payload: std::marker::PhantomData,
        })
    }

    fn clear_unless(&self, threads: usize, interrupt: &Interrupt) {
        self.in_parts(threads, |part| {
            // SAFETY: the entries are atomic.
            let rest = if interrupt.is_raised() { unsafe { drop_pages(part) } } else { [part, &[]] };
            for clusters in rest {
                for entry in clusters.as_flattened() {
                    entry.data.store(0, Ordering::Relaxed);
                    entry.check.store(0, Ordering::Relaxed);
                }
            }
        });
        self.generation.store(0, Ordering::Relaxed);
    }

    fn prefault(&self, threads: usize, interrupt: &Interrupt) {
        self.in_parts(threads, |part| {
            if !interrupt.is_raised() {
                let entries = part.as_flattened();
                for entry in entries.iter().step_by(PAGE / size_of::<AtomicEntry>()).chain(entries.last()) {
                    // Known to be 0 it would only be a load, which brings no page of the table's own.
                    entry.data.fetch_or(black_box(0), Ordering::Relaxed);
                }
            }
        });
    }

    fn age(&self) {
        let next = self.generation.load(Ordering::Relaxed).wrapping_add(1) & ((1 << GENERATION_BITS) - 1);
        self.generation.store(next, Ordering::Relaxed);
    }

    fn hashfull(&self) -> u16 {
        let now = self.generation.load(Ordering::Relaxed);
        let sample = &self.clusters()[..self.length.min(250)];
        let used = sample
            .iter()
            .flatten()
            .map(|entry| entry.data.load(Ordering::Relaxed))
            .filter(|&data| data != 0 && (data >> PAYLOAD_BITS) as u8 == now)
            .count();
        u16::try_from(used * 1000 / (sample.len() * WAYS)).unwrap_or(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Depth(u8);

    impl Payload for Depth {
        fn pack(self) -> u64 {
            u64::from(self.0)
        }
        fn unpack(bits: u64) -> Depth {
            Depth(bits as u8)
        }
        fn worth(self) -> i32 {
            i32::from(self.0)
        }
    }

    fn one_cluster() -> TranspositionTable<Depth> {
        TranspositionTable::with_bytes(64).unwrap()
    }

    #[test]
    fn what_is_stored_is_found_under_its_whole_key_only() {
        let table = one_cluster();
        table.store(7, Depth(9));
        assert_eq!(table.probe(7), Some(Depth(9)));
        for bit in 0..64 {
            assert_eq!(table.probe(7 ^ (1 << bit)), None, "bit {bit}");
        }
    }

    #[test]
    fn the_least_worthy_entry_gives_way() {
        let table = one_cluster();
        for (key, depth) in [(1, 5), (2, 3), (3, 8), (4, 6), (5, 1)] {
            table.store(key, Depth(depth));
        }
        assert_eq!((table.probe(2), table.probe(5)), (None, Some(Depth(1))));
    }

    #[test]
    fn age_makes_deep_entries_cheap() {
        let table = one_cluster();
        table.store(1, Depth(9));
        (0..2).for_each(|_| table.age());
        (2..=4).for_each(|key| table.store(key, Depth(1)));
        table.store(5, Depth(1));
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn clearing_forgets_everything_and_hashfull_counts_the_present_search() {
        let table: TranspositionTable<Depth> = TranspositionTable::with_bytes(1 << 16).unwrap();
        for key in 0..4096u64 {
            table.store(key.wrapping_mul(0x9E37_79B9_7F4A_7C15), Depth(1));
        }
        assert!(table.hashfull() > 900, "{}", table.hashfull());
        table.age();
        assert_eq!(table.hashfull(), 0);
        table.clear(3);
        assert_eq!(table.probe(0), None);
    }

    #[test]
    fn an_interrupted_clearing_forgets_everything_as_well() {
        let table: TranspositionTable<Depth> = TranspositionTable::with_bytes(40 << 20).unwrap();
        let keys = || (0..100_000u64).map(|key| key.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let known = || keys().filter(|&key| table.probe(key).is_some()).count();
        let interrupt = Interrupt::default();
        interrupt.raise();
        keys().for_each(|key| table.store(key, Depth(1)));
        assert!(known() > 90_000);
        table.clear_unless(3, &interrupt);
        assert_eq!(known(), 0);
        keys().for_each(|key| table.store(key, Depth(1)));
        assert!(known() > 90_000);
        table.prefault(3, &interrupt);
        interrupt.lower();
        table.prefault(3, &interrupt);
        assert!(known() > 90_000, "touching changes nothing");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_memory_of_a_touched_table_is_there() {
        use crate::driver::pages::faults;
        let tables: [TranspositionTable<Depth>; 2] =
            [(); 2].map(|()| TranspositionTable::with_bytes(40 << 20).unwrap());
        let [touched, other] = &tables;
        touched.prefault(1, &Interrupt::default());
        // To clear a table writes to all of it. Pages may be taken away or moved at any time: not all of them.
        let [late, usual] = [touched, other].map(|table| faults(|| table.clear(1)));
        assert!(late < 4 && usual > 8, "{late} pages came late, and {usual} where nothing was touched");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn an_interrupted_clearing_splits_no_large_page() {
        use crate::driver::pages::faults;
        let table: TranspositionTable<Depth> = TranspositionTable::with_bytes(40 << 20).unwrap();
        let interrupt = Interrupt::default();
        interrupt.raise();
        // To clear a table writes to all of it. How large its pages are is the system's choice.
        let usual = faults(|| table.clear(1));
        for _ in 0..3 {
            table.clear_unless(1, &interrupt);
            let again = faults(|| table.clear(1));
            assert!(again <= usual + 8, "{again} pages, and {usual} the first time");
        }
    }

    #[test]
    fn touching_loses_nothing_that_is_stored_meanwhile() {
        let table: TranspositionTable<Depth> = TranspositionTable::with_bytes(1 << 20).unwrap();
        let interrupt = Interrupt::default();
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    table.prefault(1, &interrupt);
                }
            });
            // One entry a cluster: none takes the place of another.
            let keys = || (0..1u64 << 14).map(|number| number << 50 | 1);
            let kept = (1..=20).all(|depth| {
                keys().for_each(|key| table.store(key, Depth(depth)));
                keys().all(|key| table.probe(key) == Some(Depth(depth)))
            });
            done.store(true, Ordering::Relaxed);
            assert!(kept, "an entry is not what was stored last");
        });
    }
}
