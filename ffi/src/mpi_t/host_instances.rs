//! Instances of the host's events, as callbacks hold them: identifiers of ours, behind which the host's own are kept while
//! the callback runs.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use mpit::Error;

use super::{Outcome, from_host};
use crate::merge::Merged;

const KIND: u64 = 0x69;

/// How many there may be at once, over all threads and callbacks within callbacks. What goes beyond is counted as dropped.
const POOL: usize = 256;

/// A place for an instance.
#[derive(Debug)]
struct Place {
    taken: AtomicBool,
    /// Odd while there is an instance to be asked.
    generation: AtomicU32,
    /// The instance, the host's.
    host: AtomicUsize,
    /// How many elements its event has.
    elements: AtomicU32,
}

static PLACES: [Place; POOL] = [const {
    Place {
        taken: AtomicBool::new(false),
        generation: AtomicU32::new(0),
        host: AtomicUsize::new(0),
        elements: AtomicU32::new(0),
    }
}; POOL];

/// An instance that can be asked for as long as this value lives.
#[derive(Debug)]
pub(super) struct Shown {
    place: usize,
    generation: u32,
}

impl Shown {
    /// Shows an instance of the host's; `None` when there are too many. Takes no lock, since it may be in a signal handler.
    pub(super) fn new(host: usize, elements: u32) -> Option<Self> {
        let free = |place: &Place| !place.taken.load(Relaxed) && !place.taken.swap(true, Acquire);
        let at = PLACES.iter().position(free)?;
        let place = &PLACES[at];
        place.host.store(host, Relaxed);
        place.elements.store(elements, Relaxed);
        // Who finds the generation finds the rest.
        let generation = place.generation.load(Relaxed).wrapping_add(1);
        place.generation.store(generation, Release);
        Some(Self { place: at, generation })
    }

    /// What the callback holds.
    pub(super) fn id(&self) -> usize {
        (KIND << 56 | (self.place as u64) << 32 | u64::from(self.generation)) as usize
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let place = &PLACES[self.place];
        place.generation.store(self.generation.wrapping_add(1), Release);
        place.taken.store(false, Release);
    }
}

/// Whether it is, or was, an instance of the host's.
pub(super) fn is_one(instance: usize) -> bool {
    instance as u64 >> 56 == KIND
}

/// The host's instance, and how many elements it has.
fn find(instance: usize) -> Result<(usize, u32), Error> {
    let (at, generation) = (instance as u64 >> 32 & 0xff_ffff, instance as u32);
    let place = PLACES.get(at as usize).filter(|_| is_one(instance)).ok_or(Error::InvalidHandle)?;
    if generation.is_multiple_of(2) || place.generation.load(Acquire) != generation {
        return Err(Error::InvalidHandle);
    }
    Ok((place.host.load(Relaxed), place.elements.load(Relaxed)))
}

/// Asks the host about an instance, of one of its elements if one is given.
pub(super) fn ask(
    merged: &Merged,
    instance: usize,
    element: Option<c_int>,
    call: impl FnOnce(usize) -> Option<c_int>,
) -> Outcome {
    let (host, elements) = find(instance)?;
    let is_there = |element: c_int| u32::try_from(element).is_ok_and(|at| at < elements);
    // Not every host looks whether it is negative.
    if !element.is_none_or(is_there) {
        return Err(Error::InvalidIndex.into());
    }
    merged.life.while_up(|| call(host)).map_or(Err(Error::InvalidHandle.into()), from_host)
}

#[cfg(test)]
mod tests {
    use super::{POOL, Shown, find, is_one};

    #[test]
    fn r288_an_instance_is_known_while_its_callback_runs() {
        let shown: Vec<_> = (0..POOL).filter_map(|at| Shown::new(0x1000 + at, 3)).collect();
        assert_eq!(shown.len(), POOL);
        assert!(Shown::new(1, 1).is_none(), "there is no end to them");
        let ids: Vec<_> = shown.iter().map(Shown::id).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(is_one(*id));
            assert_eq!(find(*id), Ok((0x1000 + at, 3)));
            assert!(find(*id + 1).is_err() && find(*id ^ 1 << 62).is_err());
        }
        drop(shown);
        let again = Shown::new(7, 0).unwrap();
        assert!(ids.iter().all(|id| find(*id).is_err()), "known after the callback returned");
        assert_eq!(find(again.id()), Ok((7, 0)));
    }
}
