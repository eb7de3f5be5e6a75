//! The performance variables of a component, of which handles record while they are started.

use mpit::object::{Comm, OUTSIDE};

/// Writes the number of each process of a communicator, given its rank in the world; 0 for processes outside of the world.
pub(crate) fn write_per_rank(comm: &Comm<'_>, out: &mut [u64], number_of: impl Fn(u32) -> u64) {
    for (rank, out) in out.iter_mut().enumerate() {
        *out = match comm.world_rank(rank) {
            OUTSIDE => 0,
            to => number_of(to),
        };
    }
}

/// Defines performance variables in a category, by their shape: one value of the process (`total`), one for each rank of a communicator by
/// the rank in the world (`per_rank`), one of a communicator (`of_comm`) or of a window (`of_window`).
macro_rules! variables {
    ($category:ident, $subscription:ident; $($(#[$doc:meta])* $shape:ident($($keys:tt)*) $name:ident: $value:expr;)+) => {
        fn start_recording() {
            $subscription.add();
        }

        fn stop_recording() {
            $subscription.remove();
        }

        $($crate::record::variable! { $shape $category, ($($keys)*), [$(#[$doc])*], $name, $value })+
    };
}

macro_rules! variable {
    (per_rank $category:ident, ($($keys:tt)*), [$($doc:tt)*], $name:ident, $value:expr) => {
        $($doc)*
        #[mpit::pvar(
            class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = $category, cumulative, readonly,
            on_start = start_recording, on_stop = stop_recording, $($keys)*
        )]
        fn $name(comm: &mpit::object::Comm<'_>, out: &mut [u64]) {
            $crate::record::write_per_rank(comm, out, $value);
        }
    };
    (total $category:ident, ($($keys:tt)*), [$($doc:tt)*], $name:ident, $value:expr) => {
        $($doc)*
        #[mpit::pvar(
            verbosity = "USER_BASIC", category = $category, on_start = start_recording, on_stop = stop_recording,
            $($keys)*
        )]
        fn $name() -> u64 {
            $value
        }
    };
    (of_comm $category:ident, ($($keys:tt)*), [$($doc:tt)*], $name:ident, $value:expr) => {
        $($doc)*
        #[mpit::pvar(
            bind = "COMM", verbosity = "TUNER_BASIC", category = $category, readonly, on_start = start_recording,
            on_stop = stop_recording, $($keys)*
        )]
        fn $name(comm: &mpit::object::Comm<'_>) -> u64 {
            $value(comm.id())
        }
    };
    (of_window $category:ident, ($($keys:tt)*), [$($doc:tt)*], $name:ident, $value:expr) => {
        $($doc)*
        #[mpit::pvar(
            bind = "WIN", verbosity = "TUNER_BASIC", category = $category, readonly, on_start = start_recording,
            on_stop = stop_recording, $($keys)*
        )]
        fn $name(window: &mpit::object::Object<'_>) -> u64 {
            $value(window.id())
        }
    };
}

pub(crate) use {variable, variables};
