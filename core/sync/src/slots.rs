//! Slot tables: memory that is reused but never freed, with identifiers that contain a generation.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, fence};

use crate::lock::Mutex;
use crate::log::Log;
use crate::memory;
use crate::thread_number::thread_number;

/// An identifier: a kind in the top byte, a generation, and a slot number. No pointer of this process has such a top byte, nor do
/// 0, 1 or -1, so no identifier equals a constant of any MPI ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Id {
    generation: u32,
    slot: u32,
}

const GENERATION_BITS: u32 = 24;
/// The largest generation. A slot that reaches it is retired, so that no identifier is ever valid twice.
const LAST_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

impl Id {
    fn pack(self, kind: u8) -> u64 {
        (u64::from(kind) << 56) | (u64::from(self.generation) << 32) | u64::from(self.slot)
    }

    #[inline]
    fn unpack(id: u64, kind: u8) -> Option<Self> {
        if (id >> 56) as u8 != kind {
            return None;
        }
        Some(Self { generation: (id >> 32) as u32 & LAST_GENERATION, slot: id as u32 })
    }
}

/// One slot. Its generation is odd while it is in use.
#[derive(Debug)]
struct Slot<T> {
    generation: AtomicU32,
    /// The number plus 1 of the next slot in the free list; 0 at the end.
    below: AtomicU32,
    /// The position of its free list in `Slots::free`, or [`USUAL`].
    of: usize,
    shape: T,
}

/// The result of [`Slots::end_if`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The call ended the slot.
    Now,
    /// The identifier was not valid any more.
    Before,
    /// There is no such slot, or its item is not wanted.
    Unwanted,
}

/// The position of the free list of the usual key, which is not in the list of free lists.
const USUAL: usize = usize::MAX;

/// A table of slots of one kind. Items are made of atomics and never dropped, so a use after free reads stale data, never
/// unmapped memory.
///
/// Only the creation of a new slot takes a lock.
///
/// If `KEEPS`, a free slot is kept for the first thread that takes one. If all slots are in use, no other thread gets it, and that thread gets
/// one more than the limit.
#[derive(Debug)]
pub struct Slots<K, T, const KEEPS: bool = false> {
    kind: u8,
    limit: usize,
    all: Log<Slot<T>>,
    /// The free list of the usual key, which is the key's default.
    usual: Stack,
    /// The other free lists, by the key that describes the memory of their slots. There are few keys, since sizes are rounded to
    /// powers of two.
    free: Log<(K, Stack)>,
    kept: Kept,
    making: Mutex<()>,
}

/// A free slot with the usual key that is in no free list, for one thread: the first one that takes a slot. A thread that takes and frees
/// slots in turn executes no locked instruction for that, each of which would take as long as half of the rest.
///
/// After the owner's end a new thread may have its number, and is the owner then. A signal handler does not interrupt the owner here: none may
/// allocate or free what these tables have.
#[derive(Debug)]
struct Kept {
    /// The number of the thread; [`NO_OWNER`] before there is one.
    owner: AtomicUsize,
    /// The number plus 1 of the slot; 0 if there is none. Only the owner stores it.
    slot: AtomicU32,
}

const NO_OWNER: usize = 0;

impl Kept {
    const fn new() -> Self {
        Self { owner: AtomicUsize::new(NO_OWNER), slot: AtomicU32::new(0) }
    }

    #[inline]
    fn is_mine(&self) -> bool {
        self.owner.load(Relaxed) == thread_number()
    }

    /// Returns the slot to its owner.
    #[inline]
    fn take<'a, T>(&self, all: &'a Log<Slot<T>>) -> Option<(u32, &'a Slot<T>)> {
        if !self.is_mine() {
            return None;
        }
        let number = self.slot.load(Relaxed).checked_sub(1)?;
        self.slot.store(0, Relaxed);
        Some((number, all.get(number as usize)?))
    }

    /// Keeps a slot if this thread is the owner. Returns false otherwise, and if there is one already.
    #[inline]
    fn put(&self, number: u32) -> bool {
        let keeps = self.is_mine() && self.slot.load(Relaxed) == 0;
        if keeps {
            self.slot.store(number + 1, Relaxed);
        }
        keeps
    }

    /// Makes this thread the owner if there is none.
    #[inline]
    fn claim(&self) {
        if self.owner.load(Relaxed) == NO_OWNER {
            // Another thread may be faster.
            let _ = self.owner.compare_exchange(NO_OWNER, thread_number(), Relaxed, Relaxed);
        }
    }

    fn is(&self, number: usize) -> bool {
        self.slot.load(Relaxed) as usize == number + 1
    }
}

/// A free list: the number plus 1 of its first slot, 0 if it is empty. The upper half counts insertions, which prevents the ABA
/// problem.
#[derive(Debug)]
struct Stack(AtomicU64);

const PUT: u64 = 1 << 32;

impl Stack {
    fn put<T>(&self, slot: &Slot<T>, number: u32) {
        let mut top = self.0.load(Relaxed);
        loop {
            slot.below.store(top as u32, Relaxed);
            let next = (top & !(PUT - 1)).wrapping_add(PUT) | u64::from(number + 1);
            match self.0.compare_exchange_weak(top, next, Release, Relaxed) {
                Ok(_) => return,
                Err(now) => top = now,
            }
        }
    }

    fn take<'a, T>(&self, all: &'a Log<Slot<T>>) -> Option<(u32, &'a Slot<T>)> {
        let mut top = self.0.load(Acquire);
        loop {
            let number = (top as u32).checked_sub(1)?;
            let slot = all.get(number as usize)?;
            let next = top & !(PUT - 1) | u64::from(slot.below.load(Relaxed));
            match self.0.compare_exchange_weak(top, next, Acquire, Acquire) {
                Ok(_) => return Some((number, slot)),
                Err(now) => top = now,
            }
        }
    }
}

impl<K: PartialEq + Default, T, const KEEPS: bool> Slots<K, T, KEEPS> {
    /// Creates an empty table for at most `limit` items at once, or a few more if threads take slots with different keys at the
    /// same time. `kind` is the top byte of its identifiers, from 1 to 0x7f.
    pub const fn new(kind: u8, limit: usize) -> Self {
        let usual = Stack(AtomicU64::new(0));
        let kept = Kept::new();
        Self { kind, limit, all: Log::new(), usual, free: Log::new(), kept, making: Mutex::new(()) }
    }

    /// Takes a slot with the memory that `key` describes, made by `make` if none is free. `fill` prepares the item before its
    /// identifier becomes valid. `None` if the limit is reached or memory is short.
    #[inline]
    pub fn take(&self, key: K, make: impl FnOnce() -> T, fill: impl FnOnce(&T, u64)) -> Option<u64> {
        let kept = if KEEPS && key == K::default() { self.kept.take(&self.all) } else { None };
        let free = kept.or_else(|| self.stack(&key).and_then(|free| free.take(&self.all)));
        let (number, slot) = free.or_else(|| self.make(key, make))?;
        // A slot that is neither free nor in use belongs to this thread.
        let generation = slot.generation.load(Relaxed) + 1;
        let id = Id { generation, slot: number }.pack(self.kind);
        // A reader that sees a change of the item from here on also sees that its old identifier is invalid.
        fence(Release);
        fill(&slot.shape, id);
        slot.generation.store(generation, Release);
        Some(id)
    }

    #[inline]
    fn stack(&self, key: &K) -> Option<&Stack> {
        if *key == K::default() { Some(&self.usual) } else { self.other_stack(key) }
    }

    #[inline(never)]
    fn other_stack(&self, key: &K) -> Option<&Stack> {
        let (_, stack) = self.free.iter().find(|(of, _)| of == key)?;
        Some(stack)
    }

    /// Returns the free list of a slot.
    #[inline]
    fn stack_of(&self, slot: &Slot<T>) -> Option<&Stack> {
        if slot.of == USUAL {
            return Some(&self.usual);
        }
        let (_, stack) = self.free.get(slot.of)?;
        Some(stack)
    }

    /// Creates a slot, and the free list for its key.
    #[cold]
    fn make(&self, key: K, make: impl FnOnce() -> T) -> Option<(u32, &Slot<T>)> {
        if !memory::admits(Log::<Slot<T>>::growth(self.all.len())) {
            return None;
        }
        let shape = make();
        if KEEPS {
            self.kept.claim();
        }
        let _guard = self.making.lock();
        let known = self.free.iter().position(|(of, _)| *of == key);
        let of = match known {
            _ if key == K::default() => USUAL,
            Some(known) => known,
            None => self.free.push((key, Stack(AtomicU64::new(0)))).ok()?,
        };
        // Slots in use count towards the limit, and free ones of this key. Others cannot be used for this key, or are retired.
        let counts = |(number, slot): &(usize, &Slot<T>)| {
            let generation = slot.generation.load(Acquire);
            generation % 2 == 1 || slot.of == of && generation + 1 < LAST_GENERATION && !self.kept.is(*number)
        };
        if self.all.len() >= self.limit && self.all.iter().enumerate().filter(counts).count() >= self.limit {
            return None;
        }
        let slot = Slot { generation: AtomicU32::new(0), below: AtomicU32::new(0), of, shape };
        let number = self.all.push(slot).ok()?;
        Some((number as u32, self.all.get(number)?))
    }

    /// Frees the slot of an identifier; returns true if this call did it.
    pub fn free(&self, id: u64) -> bool {
        self.end(id, |_| ())
    }

    /// Frees a slot like [`Slots::free`], and calls `retire` on the item after its identifier became invalid and before the slot
    /// can be taken again.
    #[inline]
    pub fn end(&self, id: u64, retire: impl FnOnce(&T)) -> bool {
        self.end_if(id, |_| true, retire) == Ended::Now
    }

    /// Ends a slot like [`Slots::end`] if `is_wanted` returns true for its item, which may be that of another identifier.
    #[inline]
    pub fn end_if(&self, id: u64, is_wanted: impl FnOnce(&T) -> bool, retire: impl FnOnce(&T)) -> Ended {
        let Some(Id { generation, slot: number }) = Id::unpack(id, self.kind) else {
            return Ended::Unwanted;
        };
        let Some(slot) = self.all.get(number as usize).filter(|slot| is_wanted(&slot.shape)) else {
            return Ended::Unwanted;
        };
        let ended = generation % 2 == 1
            && slot.generation.compare_exchange(generation, generation + 1, Acquire, Relaxed).is_ok();
        if ended {
            // A reader that sees a change of the item from here on also sees that the identifier is invalid.
            fence(Release);
            retire(&slot.shape);
            if generation + 2 < LAST_GENERATION
                && !(KEEPS && slot.of == USUAL && self.kept.put(number))
                && let Some(stack) = self.stack_of(slot)
            {
                stack.put(slot, number);
            }
        }
        if ended { Ended::Now } else { Ended::Before }
    }

    /// Returns the item of a valid identifier.
    #[inline]
    pub fn get(&self, id: u64) -> Option<&T> {
        self.get_with(id, Some)
    }

    /// Returns the item of the slot that an identifier names, even if the identifier is not valid any more.
    #[inline]
    pub fn peek(&self, id: u64) -> Option<&T> {
        Some(&self.all.get(id as u32 as usize)?.shape)
    }

    /// Returns the result of `look` for the item of an identifier, if the identifier was valid throughout.
    #[inline]
    pub fn get_with<'a, R>(&'a self, id: u64, look: impl FnOnce(&'a T) -> Option<R>) -> Option<R> {
        let Id { generation, slot: number } = Id::unpack(id, self.kind)?;
        let slot = self.all.get(number as usize)?;
        if generation % 2 == 0 || slot.generation.load(Acquire) != generation {
            return None;
        }
        let seen = look(&slot.shape)?;
        fence(Acquire);
        if slot.generation.load(Relaxed) == generation { Some(seen) } else { None }
    }

    /// Returns all valid identifiers with their items.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.all.iter().enumerate().filter_map(|(number, slot)| {
            let generation = slot.generation.load(Acquire);
            let id = Id { generation, slot: number as u32 }.pack(self.kind);
            if generation % 2 == 1 { Some((id, &slot.shape)) } else { None }
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

    use super::{LAST_GENERATION, Slots};

    /// The number of times that a slot is used.
    const TURNS: u32 = if cfg!(miri) { 100 } else { 20_000 };

    fn table(limit: usize) -> Slots<(), ()> {
        Slots::new(0x4d, limit)
    }

    fn take(slots: &Slots<(), ()>) -> Option<u64> {
        slots.take((), || (), |(), _| ())
    }

    /// Proves R315.
    #[test]
    fn stale_identifier_stays_invalid() {
        let slots = table(1);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..TURNS {
            let id = take(&slots).unwrap();
            assert!(seen.insert(id));
            assert!(slots.free(id));
            assert!(!slots.free(id));
            assert!(slots.get(id).is_none());
        }
        assert_eq!(slots.all.len(), 1);
    }

    #[test]
    fn a_slot_without_generations_is_retired() {
        let slots = table(10);
        let id = take(&slots).unwrap();
        slots.free(id);
        slots.all.get(0).unwrap().generation.store(LAST_GENERATION - 3, std::sync::atomic::Ordering::Relaxed);
        let last = take(&slots).unwrap();
        assert_eq!(last as u32, 0);
        assert!(slots.free(last));
        assert_eq!(take(&slots).unwrap() as u32, 1, "a fresh slot, not the used-up one");
    }

    #[test]
    fn threads_hold_each_slot_by_turns() {
        const LIMIT: usize = 3;
        let slots: &Slots<(), AtomicU64> = &Slots::new(0x4d, LIMIT);
        std::thread::scope(|scope| {
            for thread in 1..=4 {
                scope.spawn(move || {
                    for _ in 0..TURNS {
                        // The owner of a slot has exclusive access.
                        let fill = |owner: &AtomicU64, _| assert_eq!(owner.swap(thread, SeqCst), 0);
                        let Some(id) = slots.take((), AtomicU64::default, fill) else { continue };
                        assert_eq!(slots.get(id).unwrap().load(SeqCst), thread);
                        assert!(slots.end(id, |owner| assert_eq!(owner.swap(0, SeqCst), thread)));
                    }
                });
            }
        });
        // On a machine with few processors, the slots may never all have been in use at once.
        assert!(slots.all.len() <= LIMIT && slots.iter().count() == 0);
        assert!((0..LIMIT).all(|_| slots.take((), AtomicU64::default, |_, _| ()).is_some()), "none got lost");
        assert!(slots.take((), AtomicU64::default, |_, _| ()).is_none());
    }

    #[test]
    fn keys_have_limits_of_their_own() {
        let slots: Slots<u8, ()> = Slots::new(0x4d, 2);
        // 0 is the usual key.
        for key in [0, 1, 0, 2, 1] {
            let ids = [(); 2].map(|()| slots.take(key, || (), |(), _| ()).unwrap());
            assert_eq!(slots.take(key, || (), |(), _| ()), None);
            assert_eq!(slots.take(3, || (), |(), _| ()), None);
            assert!(ids.into_iter().all(|id| slots.free(id)));
        }
        assert_eq!(slots.all.len(), 6);
    }

    /// Proves R59.
    #[test]
    fn identifier_is_no_constant_and_no_pointer() {
        let slots = table(10);
        let id = take(&slots).unwrap();
        assert!(![0, 1, u64::MAX].contains(&id));
        assert!(id >> 48 != 0, "pointers of this process have no bits up there");
    }

    #[test]
    fn reads_of_an_ending_identifier_are_void() {
        let slots = table(1);
        let id = take(&slots).unwrap();
        assert_eq!(slots.get_with(id, |()| Some(1)), Some(1));
        let freed_meanwhile = slots.get_with(id, |()| {
            slots.free(id);
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
            assert!(!slots.free(forged));
        }
        assert!(slots.get(id).is_some());
    }
}
