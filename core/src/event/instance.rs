//! Event instances, which are valid while callbacks run.
//!
//! A raise claims a slot for the instance, and releases it when all callbacks have returned. The slot also pins the registrations
//! of the event type, so that a raise pays once and not for each registration: freeing a registration marks the slots of all
//! instances in flight of its event type; the registration ends when the last of these raises has found the mark and released its
//! pin.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, fence};

use super::desc::{EventDesc, LARGEST_EVENT};
#[doc(hidden)]
pub use super::payload::Payload;
use super::payload::WORDS;
use super::registration::Registration;
use crate::vocabulary::Safety;
use crate::{Error, Result};

/// The identifier of an instance, valid only while the callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub u64);

const KIND: u64 = 0x49;

/// The largest number of instances at once, over all threads and nested raises. Further events are counted as dropped. In a model
/// (`core/models`) there are few, so that they run out.
pub(super) const POOL: usize = if cfg!(mpit_models) { 2 } else { 256 };

/// A slot for an instance, aligned to a cache line: different threads use different lines.
#[derive(Debug)]
#[repr(align(64))]
struct InstanceSlot {
    /// The generation, odd while the slot is claimed, and above it bits that distinguish event types, and [`RELEASE_REQUESTED`].
    state: AtomicU64,
    desc: AtomicPtr<EventDesc>,
    time: AtomicI64,
    /// The number of the event type's registrations that the raise has finished with; 0 at its start.
    passed: AtomicU32,
    words: [AtomicU64; WORDS],
}

/// Bit of `state`: the slot's owner has pins of freed registrations to release.
const RELEASE_REQUESTED: u64 = 1 << 63;

static SLOTS: [InstanceSlot; POOL] = [const {
    InstanceSlot {
        state: AtomicU64::new(0),
        desc: AtomicPtr::new(std::ptr::null_mut()),
        time: AtomicI64::new(0),
        passed: AtomicU32::new(0),
        words: [const { AtomicU64::new(0) }; WORDS],
    }
}; POOL];

/// Returns bits of the descriptor's address, above the generation. On a collision, a freed registration ends only after an
/// unrelated instance.
#[inline]
fn type_bits(desc: &EventDesc) -> u64 {
    (std::ptr::from_ref(desc).addr() as u64) << 28 & !RELEASE_REQUESTED & !u64::from(u32::MAX)
}

#[inline]
fn is_taken(state: u64) -> bool {
    state & 1 != 0
}

/// Returns the slot where a thread begins its search: a hash of the stack address, which differs between threads. In a model it
/// is the same in each execution.
#[inline]
fn first_slot() -> usize {
    if cfg!(mpit_models) {
        return 0;
    }
    let here = 0_u8;
    let stack = (&raw const here).addr() as u64 >> 16;
    (stack.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % POOL
}

/// A claimed slot, released on drop.
#[derive(Debug)]
pub(super) struct Instance {
    slot: usize,
    generation: u32,
    desc: &'static EventDesc,
    safety: Safety,
}

impl Instance {
    /// Claims a slot; `None` when all are taken. A registration that is live afterwards does not end before this value is
    /// dropped.
    #[inline]
    pub(super) fn claim(desc: &'static EventDesc, safety: Safety) -> Option<Self> {
        let first = first_slot();
        for slot in (first..POOL).chain(0..first) {
            let free = SLOTS[slot].state.load(Relaxed);
            if is_taken(free) {
                continue;
            }
            let generation = (free as u32).wrapping_add(1);
            let taken = type_bits(desc) | u64::from(generation);
            if SLOTS[slot].state.compare_exchange(free, taken, SeqCst, Relaxed).is_ok() {
                return Some(Self { slot, generation, desc, safety });
            }
        }
        None
    }

    #[inline]
    pub(super) fn fill(&self, time: i64, payload: &[u64]) {
        let slot = &SLOTS[self.slot];
        // A reader with an old identifier that sees a value stored below also sees the new generation, and fails.
        fence(Release);
        slot.desc.store(std::ptr::from_ref(self.desc).cast_mut(), Relaxed);
        slot.time.store(time, Relaxed);
        slot.words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
    }

    /// Marks the registrations up to this position as finished.
    #[inline]
    pub(super) fn pass(&self, position: u32) {
        let slot = &SLOTS[self.slot];
        slot.passed.store(position + 1, Release);
        // A mark that is set after this load is found by the next call or by `drop`.
        if slot.state.load(Relaxed) & RELEASE_REQUESTED != 0 {
            self.release_freed();
        }
    }

    #[inline]
    pub(super) fn id(&self) -> InstanceId {
        InstanceId((KIND << 56) | ((self.slot as u64) << 32) | u64::from(self.generation))
    }

    /// Releases the pins of freed registrations. Only while none of the registrations is in use under this slot.
    #[cold]
    fn release_freed(&self) {
        // Cleared first, so that a later mark is not lost.
        SLOTS[self.slot].state.fetch_and(!RELEASE_REQUESTED, SeqCst);
        self.desc.cell().release_pins_of(self.slot, self.safety);
    }
}

impl Drop for Instance {
    #[inline]
    fn drop(&mut self) {
        let slot = &SLOTS[self.slot];
        // The next owner of the slot has finished with no registration.
        slot.passed.store(0, Relaxed);
        let state = slot.state.swap(u64::from(self.generation.wrapping_add(1)), SeqCst);
        if state & RELEASE_REQUESTED != 0 {
            self.desc.cell().release_pins_of(self.slot, self.safety);
        }
    }
}

/// Pins the registration once for each instance in flight that may be using it, and marks the slot of that instance. The
/// registration is no longer live, and the caller has it pinned.
pub(super) fn request_release(registration: &Registration) {
    for (number, slot) in SLOTS.iter().enumerate() {
        let state = slot.state.load(SeqCst);
        let is_ours = is_taken(state)
            && (state ^ type_bits(registration.desc)) & !RELEASE_REQUESTED & !u64::from(u32::MAX) == 0;
        // A raise that is past this registration will not use it any more.
        if !is_ours || slot.passed.load(Acquire) > registration.position {
            continue;
        }
        registration.pin_for_slot(number);
        let requested = slot.state.compare_exchange(state, state | RELEASE_REQUESTED, SeqCst, SeqCst);
        // If another thread set the mark, that serves as well. If the slot was claimed anew, its owner has not seen the
        // registration live.
        if requested.is_err_and(|now| now != state | RELEASE_REQUESTED) {
            registration.unpin_for_slot(number);
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
