//! Event instances, which are valid while callbacks run.
//!
//! A raise claims a slot for the instance, and releases it when all callbacks have returned. The slot also pins the registrations
//! of the event type, so that a raise pays once and not for each registration: freeing a registration marks the slots of all
//! instances in flight of its event type; the registration ends when the last of these raises has found the mark and released its
//! pin.
//!
//! A raise executes no locked instruction, each of which takes 5 ns. Most threads have a slot of their own, which other threads do
//! not claim. The thread that frees a registration pays for the order between the two: see `crate::barrier`.
//!
//! A callback that is left by `longjmp` leaves its slot claimed: a raise that was left looks like one that waits on another
//! stack, in a fiber or below a signal handler. Later raises of the thread take other slots. Registrations of the event
//! type that are freed later do not end, so their memory stays valid.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, compiler_fence, fence,
};

use super::desc::EventDesc;
use super::element::LARGEST_EVENT;
use super::ids::{InstanceId, POOL};
#[doc(hidden)]
pub use super::payload::Payload;
use super::payload::WORDS;
use super::registration::EventType;
use crate::lock::Once;
use crate::thread_end::{self, Cleanup};
use crate::thread_number::thread_number;
use crate::vocabulary::Safety;
use crate::{Error, Result, barrier};

/// The upper bits of an identifier.
const KIND: u64 = 0x49;

/// The number of slots, the first ones, that belong to one thread each. The others are for nested raises, and for threads that have
/// no slot of their own.
const OWNED: usize = if cfg!(mpit_models) { 1 } else { 128 };

/// The number of slots among which a thread looks for its own.
const PROBES: usize = if cfg!(mpit_models) { 1 } else { 4 };

/// A slot for an instance, aligned to a cache line: different threads use different lines.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct InstanceSlot {
    /// The number of the thread to which the slot belongs; 0: none.
    owner: AtomicUsize,
    /// True while a raise uses the slot: a raise that interrupts the owner in a signal handler takes another one. Set by the owner,
    /// and cleared by the thread on which the raise ends, which is another one if a fiber has moved.
    is_in_use: AtomicBool,
    /// True if the raise that has claimed the slot may have pins of freed registrations to release.
    pub(super) release_requested: AtomicBool,
    /// The number of the event type's registrations that the raise has finished with; [`ALL`] at its end.
    pub(super) passed: AtomicU32,
    /// The generation, odd while the slot is claimed, and above it bits that distinguish event types.
    pub(super) state: AtomicU64,
    desc: AtomicPtr<EventDesc>,
    time: AtomicI64,
    words: [AtomicU64; WORDS],
}

/// The value of `passed` when a raise has finished with all registrations.
const ALL: u32 = u32::MAX;

pub(super) static SLOTS: [InstanceSlot; POOL] = [const {
    InstanceSlot {
        owner: AtomicUsize::new(0),
        is_in_use: AtomicBool::new(false),
        release_requested: AtomicBool::new(false),
        passed: AtomicU32::new(0),
        state: AtomicU64::new(0),
        desc: AtomicPtr::new(std::ptr::null_mut()),
        time: AtomicI64::new(0),
        words: [const { AtomicU64::new(0) }; WORDS],
    }
}; POOL];

/// Returns bits of the descriptor's address, above the generation. On a collision, a freed registration ends only after an
/// unrelated instance.
#[inline]
pub(super) fn type_bits(event: &dyn EventType) -> u64 {
    (std::ptr::from_ref(event).addr() as u64) << 28 & !u64::from(u32::MAX)
}

#[inline]
pub(super) fn is_taken(state: u64) -> bool {
    state & 1 != 0
}

/// Returns the state of a free slot after it is claimed, and the generation in it.
#[inline]
fn claimed(free: u64, desc: &EventDesc) -> (u64, u32) {
    let generation = (free as u32).wrapping_add(1);
    (type_bits(desc) | u64::from(generation), generation)
}

/// Returns a hash of a thread's number, less than 2^16.
#[inline]
fn hash(thread: usize) -> usize {
    ((thread as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}

/// Returns the slots among which a thread has its own.
#[inline]
fn slots_of(thread: usize) -> impl Iterator<Item = usize> {
    #[allow(clippy::modulo_one, reason = "in a model there is one slot")]
    (0..PROBES).map(move |probe| (hash(thread) + probe) % OWNED)
}

/// Returns true if the slot belongs to the thread, which does not use it.
#[inline]
fn is_available(number: usize, thread: usize) -> bool {
    let slot = &SLOTS[number];
    // `Acquire`: the slot's last instance may have ended in another thread.
    slot.owner.load(Relaxed) == thread && !slot.is_in_use.load(Acquire)
}

/// Returns any slot of the thread that it does not use, or takes another one.
#[cold]
#[inline(never)]
fn other_own(thread: usize) -> Option<usize> {
    slots_of(thread).find(|number| is_available(*number, thread)).or_else(|| take_slot(thread))
}

/// Claims a slot of this thread, unless it has none that it does not use. Returns the slot and the generation.
#[inline]
fn claim_own(desc: &EventDesc) -> Option<(usize, u32)> {
    let thread = thread_number();
    let first = hash(thread) % OWNED;
    let number = if is_available(first, thread) { first } else { other_own(thread)? };
    let slot = &SLOTS[number];
    slot.is_in_use.store(true, Relaxed);
    // A raise in a signal handler that interrupts this one before the store above has ended, and the state is loaded after it.
    compiler_fence(SeqCst);
    let (state, generation) = claimed(slot.state.load(Relaxed), desc);
    // `Release`, as for the end of the slot's last instance.
    slot.state.store(state, Release);
    Some((number, generation))
}

/// Takes a slot that belongs to no thread, until this thread ends.
#[cold]
fn take_slot(thread: usize) -> Option<usize> {
    if !thread_end::watch() {
        return None;
    }
    slots_of(thread).find(|number| {
        let slot = &SLOTS[*number];
        // `Acquire`: this thread sees what the former owner stored.
        slot.owner.load(Relaxed) == 0
            && slot.owner.compare_exchange(0, thread, Acquire, Relaxed).is_ok()
            // The former owner's last raise may still wait in a fiber.
            && !slot.is_in_use.load(Acquire)
    })
}

/// Prepares for threads that end. Not for signal handlers.
pub(crate) fn prepare() {
    static IS_PREPARED: Once<()> = Once::new();
    // A model does the same in each execution, and so nothing once.
    if !cfg!(mpit_models) {
        IS_PREPARED
            .get_or_init(|| thread_end::add(Cleanup { at_end: leave_slots, in_child: free_slots_of_others }));
    }
}

/// Releases the slots of this thread at its end.
pub(crate) fn leave_slots() {
    let thread = thread_number();
    for number in slots_of(thread).filter(|number| SLOTS[*number].owner.load(Relaxed) == thread) {
        // Pairs with the exchange in `take_slot`.
        SLOTS[number].owner.store(0, Release);
    }
}

/// Releases the slots of all other threads, which a forked child does not have.
fn free_slots_of_others() {
    let thread = thread_number();
    let is_of_other = |slot: &&InstanceSlot| ![0, thread].contains(&slot.owner.load(Relaxed));
    SLOTS[..OWNED].iter().filter(is_of_other).for_each(|slot| slot.owner.store(0, Relaxed));
}

/// Claims one of the slots that belong to no thread. Returns the slot and the generation.
#[cold]
fn claim_shared(desc: &EventDesc) -> Option<(usize, u32)> {
    let first = OWNED + hash(thread_number()) % (POOL - OWNED);
    (first..POOL).chain(OWNED..first).find_map(|number| {
        let free = SLOTS[number].state.load(Relaxed);
        let (state, generation) = claimed(free, desc);
        let is_ours =
            !is_taken(free) && SLOTS[number].state.compare_exchange(free, state, SeqCst, Relaxed).is_ok();
        if is_ours { Some((number, generation)) } else { None }
    })
}

/// A claimed slot, released on drop.
#[derive(Debug)]
pub(crate) struct Instance {
    slot: &'static InstanceSlot,
    /// The slot's number.
    number: usize,
    generation: u32,
    desc: &'static EventDesc,
    safety: Safety,
}

impl Instance {
    /// Claims a slot; `None` when all are taken. A registration that is live afterwards does not end before this value is
    /// dropped.
    #[inline]
    pub(crate) fn claim(desc: &'static EventDesc, safety: Safety) -> Option<Self> {
        let (number, generation) = claim_own(desc).or_else(|| claim_shared(desc))?;
        let slot = &SLOTS[number];
        // `Release`, so that a thread that sees it also sees the new state.
        slot.passed.store(0, Release);
        // Pairs with the barriers of `request_release`: a registration that is found to be live from here on is freed by a thread
        // that sees this claim.
        barrier::light();
        Some(Self { slot, number, generation, desc, safety })
    }

    #[inline]
    pub(super) fn fill(&self, time: i64, payload: &[u64]) {
        let slot = self.slot;
        // A reader with an old identifier that sees a value stored below also sees the new generation, and fails.
        fence(Release);
        slot.desc.store(std::ptr::from_ref(self.desc).cast_mut(), Relaxed);
        slot.time.store(time, Relaxed);
        slot.words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
    }

    /// Marks the registrations up to this position as finished.
    #[inline]
    pub(super) fn pass(&self, position: u32) {
        let slot = self.slot;
        slot.passed.store(position + 1, Release);
        // A request that this load misses is found by the next call or by `drop`.
        if slot.release_requested.load(Relaxed) {
            self.release_freed();
        }
    }

    #[inline]
    pub(crate) fn id(&self) -> InstanceId {
        InstanceId((KIND << 56) | ((self.number as u64) << 32) | u64::from(self.generation))
    }

    /// Releases the pins of freed registrations. Only while none of the registrations is in use under this slot.
    #[cold]
    fn release_freed(&self) {
        // Cleared first, so that a later request is not lost.
        self.slot.release_requested.swap(false, SeqCst);
        self.desc.cell().release_pins_of(self.number, self.safety);
    }
}

impl Drop for Instance {
    #[inline]
    fn drop(&mut self) {
        let slot = self.slot;
        slot.passed.store(ALL, Release);
        // Pairs with the second barrier of `request_release`: either this finds the request, or the requesting thread finds that
        // the raise has finished.
        barrier::light();
        if slot.release_requested.load(Relaxed) {
            self.release_freed();
        }
        slot.state.store(u64::from(self.generation.wrapping_add(1)), Release);
        if self.number < OWNED {
            // `Release`: the owner, or a signal handler that interrupts this thread, claims the slot after its state.
            slot.is_in_use.store(false, Release);
        }
    }
}

/// Reads from an instance. Fails if it ends before the read is complete.
fn view<T>(id: InstanceId, read: impl FnOnce(&InstanceSlot, &'static EventDesc) -> Result<T>) -> Result<T> {
    let (kind, at, generation) = (id.0 >> 56, (id.0 >> 32) as usize & 0xff_ffff, id.0 as u32);
    let slot = SLOTS.get(at).ok_or(Error::InvalidHandle)?;
    let is_valid = kind == KIND && !generation.is_multiple_of(2);
    if !is_valid || slot.state.load(Acquire) as u32 != generation {
        return Err(Error::InvalidHandle);
    }
    // SAFETY: null, or a `&'static EventDesc` that `fill` stored.
    let desc = unsafe { slot.desc.load(Relaxed).as_ref() }.ok_or(Error::InvalidHandle)?;
    let found = read(slot, desc);
    fence(Acquire);
    if slot.state.load(Relaxed) as u32 == generation { found } else { Err(Error::InvalidHandle) }
}

impl InstanceSlot {
    /// Returns the words of the payload from `first` up to `end`, at their positions.
    fn words(&self, first: usize, end: usize) -> [u64; WORDS] {
        let mut words = [0; WORDS];
        for (to, from) in words[first..end].iter_mut().zip(&self.words[first..end]) {
            *to = from.load(Relaxed);
        }
        words
    }
}

/// Copies bytes of a payload.
///
/// # Safety
///
/// `out` is valid for writes of `len` bytes.
unsafe fn copy_out(words: &[u64; WORDS], start: usize, len: usize, out: *mut u8) {
    debug_assert!(start + len <= LARGEST_EVENT);
    let from = words.as_ptr().cast::<u8>().wrapping_add(start);
    // SAFETY: the registry refuses event types beyond `LARGEST_EVENT` bytes, so the source is within `words`; the caller ensures
    // that `out` has `len` bytes.
    unsafe { std::ptr::copy_nonoverlapping(from, out, len) };
}

/// Copies one element of an instance (`MPI_T_event_read`).
///
/// # Errors
///
/// [`Error::Invalid`] for a null buffer, [`Error::InvalidHandle`] for an instance that is over, [`Error::InvalidIndex`].
///
/// # Safety
///
/// `out` is null, or valid for writes of the element.
pub unsafe fn read(instance: InstanceId, element: i32, out: *mut u8) -> Result<()> {
    if out.is_null() {
        return Err(Error::Invalid);
    }
    let (element, words) = view(instance, |slot, desc| {
        let at = usize::try_from(element).map_err(|_| Error::InvalidIndex)?;
        let element = desc.elements().get(at).ok_or(Error::InvalidIndex)?;
        Ok((element, slot.words(element.displacement() / 8, element.end().div_ceil(8))))
    })?;
    // SAFETY: not null, and the caller ensures that it is valid for writes of the element.
    unsafe { copy_out(&words, element.displacement(), element.datatype().size(), out) };
    Ok(())
}

/// Copies the payload of an instance with the displacements of its type (`MPI_T_event_copy`). Padding is 0.
///
/// # Errors
///
/// [`Error::Invalid`] for a null buffer, [`Error::InvalidHandle`] for an instance that is over.
///
/// # Safety
///
/// `out` is null, or valid for writes of the type's extent.
pub unsafe fn copy(instance: InstanceId, out: *mut u8) -> Result<()> {
    if out.is_null() {
        return Err(Error::Invalid);
    }
    let (extent, words) = view(instance, |slot, desc| {
        let extent = desc.extent();
        Ok((extent, slot.words(0, extent.div_ceil(8))))
    })?;
    // SAFETY: not null, and the caller ensures that it is valid for writes of the type's extent.
    unsafe { copy_out(&words, 0, extent, out) };
    Ok(())
}

/// Returns the time stamp, in ticks of the source (`MPI_T_event_get_timestamp`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn timestamp(instance: InstanceId) -> Result<i64> {
    view(instance, |slot, _| Ok(slot.time.load(Relaxed)))
}

/// Returns the index of the source (`MPI_T_event_get_source`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn source_index(instance: InstanceId) -> Result<u32> {
    view(instance, |_, desc| Ok(desc.source().cell().index()))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;
    use std::thread;

    use super::{Instance, OWNED, PROBES, SLOTS, prepare};
    use crate::desc::{Metadata, SharedMetadata};
    use crate::event::{EventCell, EventDesc, SourceCell, SourceDesc};
    use crate::vocabulary::{Safety, SourceOrder};

    static SHARED: SharedMetadata = SharedMetadata::new("test", file!());
    static CLOCK_CELL: SourceCell = SourceCell::new();
    static CLOCK: SourceDesc = SourceDesc::new(metadata("clock"), SourceOrder::Unordered, &CLOCK_CELL);
    static TICK_CELL: EventCell = EventCell::new();
    static TICK: EventDesc = EventDesc::new(metadata("tick"), &[], &CLOCK, &TICK_CELL);

    const fn metadata(name: &'static str) -> Metadata {
        Metadata::new(name, name.len(), &SHARED, line!())
    }

    fn claim() -> Instance {
        Instance::claim(&TICK, Safety::None).unwrap()
    }

    #[test]
    fn a_left_callback_leaves_other_slots() {
        prepare();
        thread::spawn(|| {
            let left = claim();
            // Leaves a frame without running destructors, like `longjmp`.
            let left = std::mem::ManuallyDrop::new(left).number;
            let next = claim();
            assert_ne!(next.number, left);
            let nested = claim();
            assert!(![left, next.number].contains(&nested.number));
            let slot = next.number;
            drop((nested, next));
            assert_eq!(claim().number, slot, "the first that is free");
            for _ in 0..PROBES {
                std::mem::forget(claim());
            }
            assert!(claim().number >= OWNED);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn ended_threads_leave_their_slots() {
        prepare();
        let is_left = |attempt: usize| {
            // Threads with stacks of different sizes have different numbers.
            let thread = thread::Builder::new().stack_size((1 + attempt) << 16);
            let slot = thread.spawn(|| claim().number).unwrap().join().unwrap();
            // Another thread may have taken the slot meanwhile.
            slot < OWNED && SLOTS[slot].owner.load(Relaxed) == 0
        };
        assert!((0..100).any(is_left));
    }

    #[test]
    #[cfg_attr(miri, ignore = "forks")]
    fn a_child_has_slots_of_its_thread_only() {
        let mine = super::thread_number();
        prepare();
        thread::scope(|scope| {
            let (claimed, is_claimed) = std::sync::mpsc::channel();
            let (end, is_ended) = std::sync::mpsc::channel::<()>();
            scope.spawn(move || {
                claimed.send(claim().number).unwrap();
                let _ = is_ended.recv();
            });
            let slot = is_claimed.recv().unwrap();
            // SAFETY: the child only loads from static memory, and leaves by `_exit`.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let is_free = |slot: &super::InstanceSlot| [0, mine].contains(&slot.owner.load(Relaxed));
                let status = i32::from(!SLOTS.iter().all(is_free));
                // SAFETY: `_exit` has no preconditions.
                unsafe { libc::_exit(status) };
            }
            assert!(slot >= OWNED || SLOTS[slot].owner.load(Relaxed) != 0);
            let mut status = -1;
            // SAFETY: `status` is a writable `int`.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert_eq!(status, 0);
            drop(end);
        });
    }
}
