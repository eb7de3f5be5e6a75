//! Freeing registrations while events are delivered.

use std::ffi::c_void;
use std::sync::atomic::Ordering::{Acquire, SeqCst};

use super::ids::POOL;
use super::instance::{InstanceSlot, SLOTS, is_taken, type_bits};
use super::registration::{PinGuard, Registration};
use crate::barrier;

impl PinGuard<'_> {
    /// Frees the registration: no callback begins any more. Its free callback runs when the last pin is released, which may be
    /// this one. Returns true if the registration was live.
    pub(crate) fn free(self, free_callback: *mut c_void, user_data: *mut c_void) -> bool {
        let ended = self.clear_live();
        if ended {
            self.event.remove_listener();
            self.set_free_callback(free_callback, user_data);
            request_release(&self);
        }
        ended
    }

    /// Reports drops, and ends the registration like `free`, but keeps the slot until the tool frees the registration.
    pub(crate) fn abandon(&self) {
        self.report_drops(self.safety());
        if self.set_abandoned() {
            self.event.remove_listener();
            request_release(self);
        }
    }
}

/// Pins the registration once for each instance in flight that may be using it, and marks the slot of that instance. The
/// registration is no longer live, and the caller has it pinned.
fn request_release(registration: &Registration) {
    // Raises that this thread does not see below have not seen the registration live.
    barrier::heavy();
    let state_if_using = |slot: &InstanceSlot| {
        // The state is loaded last: it is another one if `passed` is of a later raise.
        let passed = slot.passed.load(Acquire);
        let state = slot.state.load(Acquire);
        let is_of_type = (state ^ type_bits(registration.event)) & !u64::from(u32::MAX) == 0;
        // A raise that is past this registration will not use it any more.
        if is_taken(state) && is_of_type && passed <= registration.position { Some(state) } else { None }
    };
    let users: [Option<u64>; POOL] = std::array::from_fn(|number| state_if_using(&SLOTS[number]));
    if users.iter().all(Option::is_none) {
        return;
    }
    let each_user = || users.iter().enumerate().filter(|(_, user)| user.is_some());
    for (number, _) in each_user() {
        registration.pin_for_slot(number);
        SLOTS[number].release_requested.store(true, SeqCst);
    }
    // Raises that this thread does not see to have finished below find the request.
    barrier::heavy();
    for (number, user) in each_user() {
        if state_if_using(&SLOTS[number]) != *user {
            registration.unpin_for_slot(number);
        }
    }
}
