//! Slots: memory that is reused but never given back, behind identifiers that tell old users from new ones.

use std::sync::atomic::{
    AtomicU32,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};
use std::sync::{Mutex, PoisonError};

use crate::log::Log;

/// An identifier: a kind in the top byte, a generation, and a slot number. A pointer into this process never looks
/// like one, nor does 0, 1 or -1, so no identifier equals a constant of any MPI ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Id {
    generation: u32,
    slot: u32,
}

const GENERATION_BITS: u32 = 24;
/// A slot whose generations are used up is retired, so that no identifier is ever valid twice.
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

impl Id {
    fn pack(self, kind: u8) -> u64 {
        (u64::from(kind) << 56) | (u64::from(self.generation) << 32) | u64::from(self.slot)
    }

    #[inline]
    fn unpack(id: u64, kind: u8) -> Option<Self> {
        let known = (id >> 56) as u8 == kind;
        known.then_some(Self { generation: (id >> 32) as u32 & LAST_GENERATION, slot: id as u32 })
    }
}

/// One slot. Its generation is odd while it is in use.
#[derive(Debug)]
struct Slot<T> {
    generation: AtomicU32,
    shape: T,
}

/// A table of slots of one kind. Items are made of atomics and are never dropped, so that somebody who uses an
/// item while it is freed under his hands sees wrong values at worst.
///
/// Taking and freeing locks; looking up an identifier does not.
#[derive(Debug)]
pub struct Slots<K, T> {
    kind: u8,
    limit: usize,
    all: Log<Slot<T>>,
    free: Mutex<Free<K>>,
}

/// Slots to be used again, by the key that says what they have room for.
#[derive(Debug)]
struct Free<K> {
    by_key: Vec<(K, Vec<u32>)>,
    in_use: usize,
}

impl<K: PartialEq> Free<K> {
    /// The slots for a key. There are few keys, each a power of two or the like.
    fn of(&mut self, key: K) -> &mut Vec<u32> {
        let known = self.by_key.iter().position(|(of, _)| *of == key);
        let at = known.unwrap_or_else(|| {
            self.by_key.push((key, Vec::new()));
            self.by_key.len() - 1
        });
        &mut self.by_key[at].1
    }
}

impl<K: PartialEq, T> Slots<K, T> {
    /// An empty table that hands out at most `limit` items at once. `kind` is the top byte of its identifiers, from
    /// 1 to 0x7f.
    #[must_use]
    pub fn new(kind: u8, limit: usize) -> Self {
        Self { kind, limit, all: Log::new(), free: Mutex::new(Free { by_key: Vec::new(), in_use: 0 }) }
    }

    /// Takes a slot with the room that `key` asks for, made by `make` if none is free. `fill` prepares the item
    /// before its identifier becomes valid. `None` when the limit is reached.
    pub fn take(&self, key: K, make: impl FnOnce() -> T, fill: impl FnOnce(&T, u64)) -> Option<u64> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        if free.in_use >= self.limit {
            return None;
        }
        let reused = free.of(key).pop();
        let number = match reused {
            Some(number) => number,
            None => self.all.push(Slot { generation: AtomicU32::new(0), shape: make() }).ok()? as u32,
        };
        free.in_use += 1;
        let slot = self.all.get(number as usize)?;
        let generation = slot.generation.load(Acquire) + 1;
        let id = Id { generation, slot: number }.pack(self.kind);
        fill(&slot.shape, id);
        slot.generation.store(generation, Release);
        Some(id)
    }

    /// Ends an identifier; whether this call did it. `key` is what it was taken with.
    pub fn free(&self, id: u64, key: K) -> bool {
        self.end(id, key, |_| ())
    }

    /// As [`Slots::free`]; `retire` sees to the item when its identifier is no longer valid, and before anybody takes
    /// it again.
    pub fn end(&self, id: u64, key: K, retire: impl FnOnce(&T)) -> bool {
        let Some(Id { generation, slot: number }) = Id::unpack(id, self.kind) else { return false };
        let Some(slot) = self.all.get(number as usize) else { return false };
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        // Generations change under the lock only.
        let ended = generation % 2 == 1 && slot.generation.load(Relaxed) == generation;
        if ended {
            slot.generation.store(generation + 1, Relaxed);
            // Whatever is done to the item from now on, whoever sees it sees that the identifier has ended.
            fence(Release);
            retire(&slot.shape);
            free.in_use -= 1;
            if generation + 2 < LAST_GENERATION {
                free.of(key).push(number);
            }
        }
        ended
    }

    /// The item behind an identifier that is valid now.
    #[inline]
    pub fn get(&self, id: u64) -> Option<&T> {
        self.look(id, Some)
    }

    /// What `look` makes of the item behind an identifier, if the identifier was valid all the time.
    #[inline]
    pub fn look<'a, R>(&'a self, id: u64, look: impl FnOnce(&'a T) -> Option<R>) -> Option<R> {
        let Id { generation, slot: number } = Id::unpack(id, self.kind)?;
        let slot = self.all.get(number as usize)?;
        if generation % 2 == 0 || slot.generation.load(Acquire) != generation {
            return None;
        }
        let seen = look(&slot.shape)?;
        fence(Acquire);
        (slot.generation.load(Relaxed) == generation).then_some(seen)
    }

    /// All identifiers that are valid now, with their items.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.all.iter().enumerate().filter_map(|(number, slot)| {
            let generation = slot.generation.load(Acquire);
            let id = Id { generation, slot: number as u32 }.pack(self.kind);
            (generation % 2 == 1).then_some((id, &slot.shape))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LAST_GENERATION, Slots};

    fn table(limit: usize) -> Slots<(), ()> {
        Slots::new(0x4d, limit)
    }

    fn take(slots: &Slots<(), ()>) -> Option<u64> {
        slots.take((), || (), |(), _| ())
    }

    #[test]
    fn r315_a_stale_identifier_never_becomes_valid_again() {
        let slots = table(1);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..10_000 {
            let id = take(&slots).unwrap();
            assert!(seen.insert(id));
            assert!(slots.free(id, ()));
            assert!(!slots.free(id, ()));
            assert!(slots.get(id).is_none());
        }
        assert_eq!(slots.all.len(), 1);
    }

    #[test]
    fn a_slot_whose_generations_are_used_up_is_retired() {
        let slots = table(10);
        let id = take(&slots).unwrap();
        slots.free(id, ());
        slots.all.get(0).unwrap().generation.store(LAST_GENERATION - 3, std::sync::atomic::Ordering::Relaxed);
        let last = take(&slots).unwrap();
        assert_eq!(last as u32, 0);
        assert!(slots.free(last, ()));
        assert_eq!(take(&slots).unwrap() as u32, 1, "a fresh slot, not the used-up one");
    }

    #[test]
    fn r59_identifiers_are_no_constant_and_no_pointer() {
        let slots = table(10);
        let id = take(&slots).unwrap();
        assert!(![0, 1, u64::MAX].contains(&id));
        assert!(id >> 48 != 0, "pointers of this process have no bits up there");
    }

    #[test]
    fn what_was_seen_while_an_identifier_ended_does_not_count() {
        let slots = table(1);
        let id = take(&slots).unwrap();
        assert_eq!(slots.look(id, |()| Some(1)), Some(1));
        let freed_meanwhile = slots.look(id, |()| {
            slots.free(id, ());
            take(&slots)
        });
        assert_eq!(freed_meanwhile, None);
    }

    #[test]
    fn forged_identifiers_are_refused() {
        let slots = table(10);
        let id = take(&slots).unwrap();
        for forged in [0, 1, u64::MAX, id ^ (1 << 40), id + 1, id ^ (1 << 63), id - 1] {
            assert!(slots.get(forged).is_none(), "{forged:#x}");
            assert!(!slots.free(forged, ()));
        }
        assert!(slots.get(id).is_some());
    }
}
