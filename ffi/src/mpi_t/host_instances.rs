//! Instances of the host's events: identifiers of ours, each of which maps to an instance of the host while
//! the callback runs.

use std::ffi::c_int;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
    fence,
};

use mpit::Error;

use super::{Outcome, from_host};
use crate::merge::{HostIsUp, Merged};

const KIND: u64 = 0x69;

/// The maximum number of live instances, over all threads and nested callbacks. Instances beyond it are dropped and counted.
const MAX_INSTANCES: usize = 256;

#[derive(Debug)]
struct InstanceSlot {
    taken: AtomicBool,
    /// Odd while the slot holds a live instance.
    generation: AtomicU32,
    host: AtomicUsize,
    /// The number of elements of its event type.
    elements: AtomicU32,
}

static SLOTS: [InstanceSlot; MAX_INSTANCES] = [const {
    InstanceSlot {
        taken: AtomicBool::new(false),
        generation: AtomicU32::new(0),
        host: AtomicUsize::new(0),
        elements: AtomicU32::new(0),
    }
}; MAX_INSTANCES];

/// A live instance; its identifier is valid until this value is dropped.
#[derive(Debug)]
pub(super) struct InstanceGuard {
    slot: usize,
    generation: u32,
}

impl InstanceGuard {
    /// Claims a slot for one of the host's instances; `None` if all are taken. Takes no lock, because it may
    /// run in a signal handler.
    pub(super) fn new(host: usize, elements: u32) -> Option<Self> {
        let free = |slot: &InstanceSlot| !slot.taken.load(Relaxed) && !slot.taken.swap(true, Acquire);
        let at = SLOTS.iter().position(free)?;
        let slot = &SLOTS[at];
        // A reader of the former instance that sees the new one's values also sees that the generation ended.
        fence(Release);
        slot.host.store(host, Relaxed);
        slot.elements.store(elements, Relaxed);
        // Release: a thread that reads this generation also sees the two stores before it.
        let generation = slot.generation.load(Relaxed).wrapping_add(1);
        slot.generation.store(generation, Release);
        Some(Self { slot: at, generation })
    }

    /// The identifier that the callback receives.
    pub(super) fn id(&self) -> usize {
        (KIND << 56 | (self.slot as u64) << 32 | u64::from(self.generation)) as usize
    }
}

impl Drop for InstanceGuard {
    fn drop(&mut self) {
        let slot = &SLOTS[self.slot];
        slot.generation.store(self.generation.wrapping_add(1), Release);
        slot.taken.store(false, Release);
    }
}

/// Returns true if the number is, or was, an instance of one of the host's events.
pub(super) fn is_instance(instance: usize) -> bool {
    instance as u64 >> 56 == KIND
}

/// Returns the host's instance and its number of elements.
fn find(instance: usize) -> Result<(usize, u32), Error> {
    let (at, generation) = (instance as u64 >> 32 & 0xff_ffff, instance as u32);
    if !is_instance(instance) {
        return Err(Error::InvalidHandle);
    }
    let slot = SLOTS.get(at as usize).ok_or(Error::InvalidHandle)?;
    if generation.is_multiple_of(2) || slot.generation.load(Acquire) != generation {
        return Err(Error::InvalidHandle);
    }
    let found = (slot.host.load(Relaxed), slot.elements.load(Relaxed));
    fence(Acquire);
    // If the generation changed, the callback has returned meanwhile, and these may be of the next instance.
    if slot.generation.load(Relaxed) == generation { Ok(found) } else { Err(Error::InvalidHandle) }
}

/// Calls `action` with the host's instance, after checking the element index if one is given.
pub(super) fn call(
    merged: &Merged,
    instance: usize,
    element: Option<c_int>,
    action: impl FnOnce(HostIsUp<'_>, usize) -> Option<c_int>,
) -> Outcome {
    let (host, elements) = find(instance)?;
    let is_there = |element: c_int| u32::try_from(element).is_ok_and(|at| at < elements);
    // Checked here, because not every host rejects a negative index.
    if !element.is_none_or(is_there) {
        return Err(Error::InvalidIndex.into());
    }
    merged.lifecycle.call_if_up(|up| action(up, host)).map_or(Err(Error::InvalidHandle.into()), from_host)
}

#[cfg(test)]
mod tests {
    use super::{InstanceGuard, MAX_INSTANCES, find, is_instance};

    /// Proves R288.
    #[test]
    fn instance_is_valid_during_its_callback() {
        let guard: Vec<_> = (0..MAX_INSTANCES).filter_map(|at| InstanceGuard::new(0x1000 + at, 3)).collect();
        assert_eq!(guard.len(), MAX_INSTANCES);
        assert!(InstanceGuard::new(1, 1).is_none(), "there is no end to them");
        let ids: Vec<_> = guard.iter().map(InstanceGuard::id).collect();
        for (at, id) in ids.iter().enumerate() {
            assert!(is_instance(*id));
            assert_eq!(find(*id), Ok((0x1000 + at, 3)));
            assert!(find(*id + 1).is_err() && find(*id ^ 1 << 62).is_err());
        }
        drop(guard);
        let again = InstanceGuard::new(7, 0).unwrap();
        assert!(ids.iter().all(|id| find(*id).is_err()), "known after the callback returned");
        assert_eq!(find(again.id()), Ok((7, 0)));
    }
}
