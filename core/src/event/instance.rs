//! Instances: one occurrence of an event, for as long as callbacks see it.

use std::sync::atomic::{
    AtomicI64, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use crate::desc::{EventDesc, LARGEST_EVENT};
use crate::{Error, Result};

/// An instance, as a callback holds it. Valid only while the callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub u64);

const KIND: u64 = 0x49;
const WORDS: usize = LARGEST_EVENT / 8;

/// How many instances there may be at once, over all threads and nested raises. What goes beyond is counted as dropped.
const POOL: usize = 256;

/// The bytes of a payload, at the displacements that its descriptor tells; what lies between is 0.
pub(super) type Payload = [u64; WORDS];

/// Copies the elements of a payload.
///
/// # Safety
///
/// `value` is valid for reads of each element of the event.
pub(super) unsafe fn payload_of(desc: &EventDesc, value: *const u8) -> Payload {
    let mut payload = [0; WORDS];
    let bytes: *mut u8 = payload.as_mut_ptr().cast();
    for element in desc.elements() {
        let (from, to) =
            (value.wrapping_add(element.displacement()), bytes.wrapping_add(element.displacement()));
        // SAFETY: by the caller's promise; the registry admits no event that is larger than a payload.
        unsafe { std::ptr::copy_nonoverlapping(from, to, element.datatype().size()) };
    }
    payload
}

/// A place for an instance. Its generation is odd while it is in use.
#[derive(Debug)]
struct Place {
    generation: AtomicU32,
    desc: AtomicPtr<EventDesc>,
    time: AtomicI64,
    words: [AtomicU64; WORDS],
}

static PLACES: [Place; POOL] = [const {
    Place {
        generation: AtomicU32::new(0),
        desc: AtomicPtr::new(std::ptr::null_mut()),
        time: AtomicI64::new(0),
        words: [const { AtomicU64::new(0) }; WORDS],
    }
}; POOL];

/// An instance that lives as long as this value.
#[derive(Debug)]
pub(super) struct Instance {
    place: usize,
    generation: u32,
}

impl Instance {
    /// Takes a place; `None` when all are taken.
    pub(super) fn new(desc: &'static EventDesc, time: i64, payload: &Payload) -> Option<Self> {
        let (at, generation) = PLACES.iter().enumerate().find_map(|(at, place)| {
            let free = place.generation.load(Relaxed);
            let taken = free.is_multiple_of(2)
                && place.generation.compare_exchange(free, free.wrapping_add(1), AcqRel, Relaxed).is_ok();
            taken.then_some((at, free.wrapping_add(1)))
        })?;
        let place = &PLACES[at];
        place.desc.store(std::ptr::from_ref(desc).cast_mut(), Relaxed);
        place.time.store(time, Relaxed);
        for (to, from) in place.words.iter().zip(payload).take(desc.extent().div_ceil(8)) {
            to.store(*from, Relaxed);
        }
        Some(Self { place: at, generation })
    }

    pub(super) fn id(&self) -> InstanceId {
        InstanceId((KIND << 56) | ((self.place as u64) << 32) | u64::from(self.generation))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        PLACES[self.place].generation.store(self.generation.wrapping_add(1), Release);
    }
}

/// What an instance is, read while it lived.
struct View {
    place: &'static Place,
    desc: &'static EventDesc,
}

fn view(id: InstanceId) -> Result<View> {
    let (kind, at, generation) = (id.0 >> 56, (id.0 >> 32) as usize & 0xff_ffff, id.0 as u32);
    let place = PLACES.get(at).filter(|_| kind == KIND).ok_or(Error::InvalidHandle)?;
    let live = || generation % 2 == 1 && place.generation.load(Acquire) == generation;
    if !live() {
        return Err(Error::InvalidHandle);
    }
    // SAFETY: null, or what `new` stored: a `&'static`.
    let desc = unsafe { place.desc.load(Relaxed).as_ref() }.ok_or(Error::InvalidHandle)?;
    if live() { Ok(View { place, desc }) } else { Err(Error::InvalidHandle) }
}

impl View {
    /// Copies bytes of the payload.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `len` bytes.
    unsafe fn copy(&self, start: usize, len: usize, out: *mut u8) {
        for at in 0..len {
            let byte = start + at;
            let word = self.place.words[byte / 8].load(Relaxed).to_ne_bytes();
            // SAFETY: by the caller's promise.
            unsafe { out.wrapping_add(at).write(word[byte % 8]) };
        }
    }
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
    let view = view(instance)?;
    let element = usize::try_from(element).ok().and_then(|at| view.desc.elements().get(at));
    let element = element.ok_or(Error::InvalidIndex)?;
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { view.copy(element.displacement(), element.datatype().size(), out) };
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
    let view = view(instance)?;
    // SAFETY: not null, and otherwise by the caller's promise.
    unsafe { view.copy(0, view.desc.extent(), out) };
    Ok(())
}

/// When the event was observed, in ticks of its source (`MPI_T_event_get_timestamp`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn timestamp(instance: InstanceId) -> Result<i64> {
    view(instance).map(|view| view.place.time.load(Relaxed))
}

/// The index of the source (`MPI_T_event_get_source`).
///
/// # Errors
///
/// [`Error::InvalidHandle`] for an instance that is over.
pub fn source_index(instance: InstanceId) -> Result<u32> {
    view(instance).map(|view| view.desc.source().cell().index())
}
