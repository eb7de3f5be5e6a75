//! Events of one-sided communication.

use mpit::event;
use mpit::event::{Context, Event};

use super::{Access, LISTENING, Osc};
use crate::events::Clock;

/// The memory of a process was accessed. Raised after the call that starts the access has succeeded. Not raised for
/// accesses to MPI_PROC_NULL and for synchronization. kind: 0 put, 1 get, 2 accumulate, 3 get_accumulate, 4 fetch_and_op,
/// 5 compare_and_swap. Bound to the window.
#[event(
    name = "osc_accessed", bind = "WIN", source = Clock, category = Osc, listeners = LISTENING,
    verbosity = "USER_DETAIL"
)]
#[derive(Debug)]
pub struct Accessed {
    /// The number of the window, unique within the process.
    pub window: u64,
    /// The target's rank in the group of the window.
    pub target: i32,
    /// The target's rank in the world; -1 outside of it.
    pub world_target: i32,
    /// The kind of access, as one of the numbers in the description of this event.
    pub kind: i32,
    /// Bytes sent to the target.
    pub sent: u64,
    /// Bytes returned from the target.
    pub received: u64,
}

#[inline]
pub(super) fn accessed(access: &Access) {
    // Hosts report from the call that the user made, where callbacks may call any function.
    Accessed::raise(Context::ANYWHERE.about(access.window.get()), || Accessed {
        window: access.window.get(),
        target: access.rank.cast_signed(),
        world_target: access.target.cast_signed(),
        // Tools rely on these numbers, which are those of the C interface.
        kind: access.kind as i32,
        sent: access.sent,
        received: access.received,
    });
}
