//! The end of a command: its time, and the processes that it leaves.

use std::thread;
use std::time::{Duration, Instant};

use mpit::event::clock;
use mpit_components::store::StoreFile;
use mpit_components::times::{self, Moment};

/// Returns the time on the clock that processes use.
pub(crate) fn now() -> Moment {
    Moment { domain: times::machine(), ns: clock::read_both().nanoseconds.cast_unsigned() }
}

/// Waits until no process uses the stores any more, for at most `limit`.
pub(crate) fn wait_for_processes<'a>(stores: impl IntoIterator<Item = &'a StoreFile>, limit: Duration) {
    let until = Instant::now() + limit;
    for store in stores {
        while store.is_in_use() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
    }
}
