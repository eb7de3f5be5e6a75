//! Instances: one occurrence of an event, for as long as callbacks see it.

use std::mem::MaybeUninit;
use std::sync::atomic::{
    AtomicI64, AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use crate::__private::element::ElementValue;
use crate::desc::{EventDesc, LARGEST_EVENT};
use crate::words::Datatype;
use crate::{Error, Result};

/// An instance, as a callback holds it. Valid only while the callback runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstanceId(pub u64);

const KIND: u64 = 0x49;
const WORDS: usize = LARGEST_EVENT / 8;

/// How many instances there may be at once, over all threads and nested raises. What goes beyond is counted as dropped.
const POOL: usize = 256;

/// The elements of an instance at the displacements that its type tells; what lies between is 0.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Payload {
    /// The first `len` are initialized.
    words: [MaybeUninit<u64>; WORDS],
    len: usize,
}

impl Payload {
    #[inline]
    pub(super) const fn new() -> Self {
        Self { words: [const { MaybeUninit::uninit() }; WORDS], len: 0 }
    }

    /// Copies the elements of an event.
    ///
    /// # Safety
    ///
    /// `value` is valid for reads of each element of the type.
    #[inline]
    pub(super) unsafe fn copy(&mut self, desc: &EventDesc, value: *const u8) {
        for element in desc.elements() {
            let Some(to) = self.room(element.displacement(), element.end()) else { return };
            // SAFETY: by the caller's promise, and `room` has so many bytes.
            unsafe { copy_element(element.datatype(), value.wrapping_add(element.displacement()), to) };
        }
    }

    /// Fills in an element. What does not fit is left out; the attribute sees to it that all does.
    #[inline]
    pub fn put<V: ElementValue>(&mut self, displacement: usize, value: V) {
        if let Some(to) = self.room(displacement, displacement.saturating_add(size_of::<V>())) {
            // SAFETY: `room` has so many bytes.
            unsafe { to.cast::<V>().write_unaligned(value) };
        }
    }

    /// Where the bytes from `start` to `end` lie, after so many words were made as they take.
    #[inline]
    fn room(&mut self, start: usize, end: usize) -> Option<*mut u8> {
        if end > LARGEST_EVENT {
            return None;
        }
        while self.len * 8 < end {
            self.push(0);
        }
        Some(self.words.as_mut_ptr().cast::<u8>().wrapping_add(start))
    }

    /// Makes it as long as the event type says, should something have been left out.
    #[inline]
    pub(super) fn complete(&mut self, desc: &EventDesc) {
        self.room(0, desc.extent());
    }

    /// Appends a word. The registry admits no event that has too many.
    #[inline]
    pub(super) fn push(&mut self, word: u64) {
        self.words[self.len].write(word);
        self.len += 1;
    }

    #[inline]
    pub(super) fn words(&self) -> &[u64] {
        let words = std::ptr::from_ref(&self.words[..self.len]);
        // SAFETY: so many are initialized.
        unsafe { &*(words as *const [u64]) }
    }
}

/// Copies an element, in one move for each size there is.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of the datatype.
#[inline]
unsafe fn copy_element(datatype: Datatype, from: *const u8, to: *mut u8) {
    match datatype.size() {
        // SAFETY: by the caller's promise.
        8 => unsafe { std::ptr::copy_nonoverlapping(from, to, 8) },
        // SAFETY: by the caller's promise.
        4 => unsafe { std::ptr::copy_nonoverlapping(from, to, 4) },
        // SAFETY: by the caller's promise.
        size => unsafe { std::ptr::copy_nonoverlapping(from, to, size) },
    }
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
    pub(super) fn new(desc: &'static EventDesc, time: i64, payload: &[u64]) -> Option<Self> {
        let (at, generation) = PLACES.iter().enumerate().find_map(|(at, place)| {
            let free = place.generation.load(Relaxed);
            let taken = free.is_multiple_of(2)
                && place.generation.compare_exchange(free, free.wrapping_add(1), Acquire, Relaxed).is_ok();
            taken.then_some((at, free.wrapping_add(1)))
        })?;
        let place = &PLACES[at];
        // Who meets what is stored below, with the handle of an instance that is over, also meets the new generation.
        fence(Release);
        place.desc.store(std::ptr::from_ref(desc).cast_mut(), Relaxed);
        place.time.store(time, Relaxed);
        place.words.iter().zip(payload).for_each(|(to, from)| to.store(*from, Relaxed));
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

/// Reads an instance, which must not be over, now or when that is done.
fn view<T>(id: InstanceId, read: impl FnOnce(&Place, &'static EventDesc) -> Result<T>) -> Result<T> {
    let (kind, at, generation) = (id.0 >> 56, (id.0 >> 32) as usize & 0xff_ffff, id.0 as u32);
    let place = PLACES.get(at).filter(|_| kind == KIND).ok_or(Error::InvalidHandle)?;
    if generation.is_multiple_of(2) || place.generation.load(Acquire) != generation {
        return Err(Error::InvalidHandle);
    }
    // SAFETY: null, or what `new` stored: a `&'static`.
    let desc = unsafe { place.desc.load(Relaxed).as_ref() }.ok_or(Error::InvalidHandle)?;
    let found = read(place, desc);
    fence(Acquire);
    if place.generation.load(Relaxed) == generation { found } else { Err(Error::InvalidHandle) }
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

#[cfg(test)]
mod tests {
    use super::{LARGEST_EVENT, Payload};

    #[test]
    fn what_does_not_fit_into_an_instance_is_left_out() {
        let mut payload = Payload::new();
        payload.put(4, 7_i32);
        payload.put(LARGEST_EVENT - 4, 1_u64);
        payload.put(usize::MAX - 2, 1_u64);
        assert_eq!(payload.words(), [7_u64 << 32]);
        payload.put(LARGEST_EVENT - 8, 1_u64);
        assert_eq!((payload.words().len(), payload.words()[1]), (LARGEST_EVENT / 8, 0));
    }
}
