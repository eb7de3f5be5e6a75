//! Instances: one occurrence of an event, for as long as callbacks see it.
//!
//! Whoever is about to call callbacks claims a place for the instance and gives it up when all of them have returned.
//! The place also stands for his use of the registrations that he meets, so that a raise pays once and not for each of
//! them: who frees a registration looks for places in which its event is told, and leaves a note there; the registration
//! ends when the last of these raises, having found the note, has said so.

use std::sync::atomic::{
    AtomicI64, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release, SeqCst},
    fence,
};

#[doc(hidden)]
pub use super::payload::Payload;
use super::payload::WORDS;
use super::registration::Registration;
use crate::desc::{EventDesc, LARGEST_EVENT};
use crate::words::Safety;
use crate::{Error, Result};

/// An instance, as a callback holds it. Valid only while the callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub u64);

const KIND: u64 = 0x49;

/// How many instances there may be at once, over all threads and nested raises. What goes beyond is counted as dropped.
pub(super) const POOL: usize = 256;

/// A place for an instance, on cache lines of its own: threads have different ones.
#[derive(Debug)]
#[repr(align(64))]
struct Place {
    /// The generation, odd while an instance is there, and above it what tells event types apart, and [`NOTE`].
    state: AtomicU64,
    desc: AtomicPtr<EventDesc>,
    time: AtomicI64,
    /// How many of the event type's registrations whoever tells it is done with. 0 before he begins.
    passed: AtomicU32,
    words: [AtomicU64; WORDS],
}

/// Whoever gives the place up has registrations to leave.
const NOTE: u64 = 1 << 63;

static PLACES: [Place; POOL] = [const {
    Place {
        state: AtomicU64::new(0),
        desc: AtomicPtr::new(std::ptr::null_mut()),
        time: AtomicI64::new(0),
        passed: AtomicU32::new(0),
        words: [const { AtomicU64::new(0) }; WORDS],
    }
}; POOL];

/// Part of an address, above the generation. Two event types hardly ever have the same, and then one waits for the other.
#[inline]
fn mark(desc: &EventDesc) -> u64 {
    (std::ptr::from_ref(desc).addr() as u64) << 28 & !NOTE & !u64::from(u32::MAX)
}

#[inline]
fn is_taken(state: u64) -> bool {
    state & 1 != 0
}

/// Where a thread looks for a place first. Stacks of threads are far apart.
#[inline]
fn first_place() -> usize {
    let here = 0_u8;
    let stack = (&raw const here).addr() as u64 >> 16;
    (stack.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize % POOL
}

/// A place that is claimed for as long as this value lives.
#[derive(Debug)]
pub(super) struct Instance {
    place: usize,
    generation: u32,
    desc: &'static EventDesc,
    /// What the context requires.
    safety: Safety,
}

impl Instance {
    /// Claims a place; `None` when all are taken. A registration that is live afterwards does not end before this value.
    #[inline]
    pub(super) fn claim(desc: &'static EventDesc, safety: Safety) -> Option<Self> {
        let first = first_place();
        (first..POOL).chain(0..first).find_map(|place| {
            let free = PLACES[place].state.load(Relaxed);
            let generation = (free as u32).wrapping_add(1);
            let taken = mark(desc) | u64::from(generation);
            let claimed =
                !is_taken(free) && PLACES[place].state.compare_exchange(free, taken, SeqCst, Relaxed).is_ok();
            claimed.then(|| Self { place, generation, desc, safety })
        })
    }

    /// Says what it is an instance of.
    #[inline]
    pub(super) fn fill(&self, time: i64, payload: &[u64]) {
        let place = &PLACES[self.place];
        // Who meets what is stored below, with the handle of an instance that is over, also meets the new generation.
        fence(Release);
        place.desc.store(std::ptr::from_ref(self.desc).cast_mut(), Relaxed);
        place.time.store(time, Relaxed);
        place.words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
    }

    /// Says that the registrations up to the one at this position are done with.
    #[inline]
    pub(super) fn pass(&self, position: u32) {
        let place = &PLACES[self.place];
        place.passed.store(position + 1, Release);
        // Not for long, should the note come just now.
        if place.state.load(Relaxed) & NOTE != 0 {
            self.heed_note();
        }
    }

    #[inline]
    pub(super) fn id(&self) -> InstanceId {
        InstanceId((KIND << 56) | ((self.place as u64) << 32) | u64::from(self.generation))
    }

    /// Leaves what was freed. Only while none of the registrations is in use under this place.
    #[cold]
    fn heed_note(&self) {
        // First, so that no later note is lost.
        PLACES[self.place].state.fetch_and(!NOTE, SeqCst);
        self.desc.cell().leave_all(self.place, self.safety);
    }
}

impl Drop for Instance {
    #[inline]
    fn drop(&mut self) {
        let place = &PLACES[self.place];
        // Whoever claims it next has passed none.
        place.passed.store(0, Relaxed);
        let state = place.state.swap(u64::from(self.generation.wrapping_add(1)), SeqCst);
        if state & NOTE != 0 {
            self.desc.cell().leave_all(self.place, self.safety);
        }
    }
}

/// Has everybody leave the registration who may be using it under a place. It is no longer live, and the caller pays it a
/// visit.
pub(super) fn leave_notes(registration: &Registration) {
    for (number, place) in PLACES.iter().enumerate() {
        let state = place.state.load(SeqCst);
        let is_ours =
            is_taken(state) && (state ^ mark(registration.desc)) & !NOTE & !u64::from(u32::MAX) == 0;
        // Whoever is done with it looks only at later ones.
        if !is_ours || place.passed.load(Acquire) > registration.place {
            continue;
        }
        registration.owe(number);
        let noted = place.state.compare_exchange(state, state | NOTE, SeqCst, SeqCst);
        // Another note serves as well. But who claimed the place since has not met the registration.
        if noted.is_err_and(|now| now != state | NOTE) {
            registration.forgive(number);
        }
    }
}

/// Reads an instance, which must not be over, now or when that is done.
fn view<T>(id: InstanceId, read: impl FnOnce(&Place, &'static EventDesc) -> Result<T>) -> Result<T> {
    let (kind, at, generation) = (id.0 >> 56, (id.0 >> 32) as usize & 0xff_ffff, id.0 as u32);
    let place = PLACES.get(at).filter(|_| kind == KIND).ok_or(Error::InvalidHandle)?;
    if generation.is_multiple_of(2) || place.state.load(Acquire) as u32 != generation {
        return Err(Error::InvalidHandle);
    }
    // SAFETY: null, or what `new` stored: a `&'static`.
    let desc = unsafe { place.desc.load(Relaxed).as_ref() }.ok_or(Error::InvalidHandle)?;
    let found = read(place, desc);
    fence(Acquire);
    if place.state.load(Relaxed) as u32 == generation { found } else { Err(Error::InvalidHandle) }
}

impl Place {
    /// The words of the payload from `first` up to `end`, at their places.
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
    // SAFETY: the bytes lie within the words, as the registry saw to; `out` by the caller's promise.
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
    let (element, words) = view(instance, |place, desc| {
        let element = usize::try_from(element).ok().and_then(|at| desc.elements().get(at));
        let element = element.ok_or(Error::InvalidIndex)?;
        Ok((element, place.words(element.displacement() / 8, element.end().div_ceil(8))))
    })?;
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { copy_out(&words, element.displacement(), element.datatype().size(), out) };
    Ok(())
}

/// Copies an instance as a whole, at the displacements that its type tells; what lies between is 0
/// (`MPI_T_event_copy`).
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
    let (extent, words) = view(instance, |place, desc| {
        let extent = desc.extent();
        Ok((extent, place.words(0, extent.div_ceil(8))))
    })?;
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { copy_out(&words, 0, extent, out) };
    Ok(())
}

/// When the event was observed, in ticks of its source (`MPI_T_event_get_timestamp`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn timestamp(instance: InstanceId) -> Result<i64> {
    view(instance, |place, _| Ok(place.time.load(Relaxed)))
}

/// The index of the source (`MPI_T_event_get_source`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn source_index(instance: InstanceId) -> Result<u32> {
    view(instance, |_, desc| Ok(desc.source().cell().index()))
}
