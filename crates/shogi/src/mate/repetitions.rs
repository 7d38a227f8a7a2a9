//! Disproofs that hold on one path only, because they rest on a repetition of it.

use bytemuck::Zeroable;

use kaeshi_core::driver::machine;

#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct RepetitionSlot {
    path: u64,
    stamp: u32,
    depth: i16,
    len: i16,
}

const WAYS: usize = 4;

#[derive(Clone, Copy, Debug, Zeroable)]
#[repr(C)]
struct Bucket([RepetitionSlot; WAYS]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// Disproofs by the key of the path that leads to them; the oldest are overwritten.
pub(super) struct Repetitions {
    buckets: Box<[Bucket]>,
    stamp: u32,
}

impl Repetitions {
    pub(super) fn with_bytes(bytes: usize) -> Repetitions {
        let count = (bytes / size_of::<Bucket>()).clamp(4, u32::MAX as usize);
        let zeroed = |count| bytemuck::try_zeroed_slice_box(count).ok();
        let (buckets, _) = machine::halved(count, size_of::<Bucket>(), zeroed);
        Repetitions { buckets, stamp: 0 }
    }

    pub(super) fn clear(&mut self) {
        if self.stamp > 0 {
            *self = Repetitions::with_bytes(self.buckets.len() * size_of::<Bucket>());
        }
    }

    #[inline(always)]
    fn bucket(&self, path: u64) -> usize {
        (((path & 0xffff_ffff) * self.buckets.len() as u64) >> 32) as usize
    }

    /// Notes that at the end of `path` there is no mate within `len` plies, unless positions of the
    /// path at `depth` or deeper may be repeated.
    pub(super) fn store(&mut self, path: u64, depth: i16, len: i16) {
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        let bucket = self.bucket(path);
        let slots = &mut self.buckets[bucket].0;
        let mut at = 0;
        for (i, slot) in slots.iter().enumerate() {
            if slot.stamp != 0 && slot.path == path {
                if slot.len > len || (slot.len == len && slot.depth > depth) {
                    return;
                }
                at = i;
                break;
            }
            if slot.stamp < slots[at].stamp {
                at = i;
            }
        }
        slots[at] = RepetitionSlot { path, stamp, depth, len };
    }

    /// The least depth repeated in a disproof of a mate within `len` plies at the end of `path`,
    /// and the plies for which it holds.
    pub(super) fn find(&self, path: u64, len: i16) -> Option<(i16, i16)> {
        let slots = &self.buckets[self.bucket(path)].0;
        slots
            .iter()
            .find(|slot| slot.stamp != 0 && slot.path == path && slot.len >= len)
            .map(|slot| (slot.depth, slot.len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disproof_is_found_on_its_path_only() {
        let mut table = Repetitions::with_bytes(1024);
        table.store(5, 2, 9);
        assert_eq!(table.find(5, 9), Some((2, 9)));
        assert_eq!(table.find(5, 11), None);
        assert_eq!(table.find(6, 9), None);
        table.store(5, 4, 9);
        assert_eq!(table.find(5, 9), Some((4, 9)));
        table.store(5, 1, 7);
        assert_eq!(table.find(5, 7), Some((4, 9)));
    }
}
