//! The keys that performance variables of the three components share.

/// Defines variables of a category, each with its own keys in brackets. Their numbers are recorded while a handle is started.
///
/// An array has one element for each process of a communicator, given its rank in the world; `0` outside of the world. The
/// other variables are single numbers, of an object or of the whole process.
macro_rules! variables {
    ($category:ident:) => {
        fn start_recording() {
            SUBSCRIPTION.add();
        }

        fn stop_recording() {
            SUBSCRIPTION.remove();
        }
    };
    ($category:ident: $(#[doc = $doc:tt])* [$($key:tt)*] array $name:ident = |$to:ident| $value:expr; $($rest:tt)*) => {
        $(#[doc = $doc])*
        #[mpit::pvar(
            $($key)* class = "SIZE", bind = "COMM", verbosity = "TUNER_BASIC", category = $category, cumulative,
            readonly, on_start = start_recording, on_stop = stop_recording
        )]
        fn $name(comm: &mpit::object::Comm<'_>, out: &mut [u64]) {
            crate::record::write_per_rank(comm, out, |$to| $value);
        }

        variables!($category: $($rest)*);
    };
    ($category:ident: $(#[doc = $doc:tt])* [$($key:tt)*] $name:ident = |$object:ident: $type:ty| $value:expr; $($rest:tt)*) => {
        $(#[doc = $doc])*
        #[mpit::pvar(
            $($key)*, verbosity = "TUNER_BASIC", category = $category, readonly, on_start = start_recording,
            on_stop = stop_recording
        )]
        fn $name($object: $type) -> u64 {
            $value
        }

        variables!($category: $($rest)*);
    };
    ($category:ident: $(#[doc = $doc:tt])* [$($key:tt)*] $name:ident = $value:expr; $($rest:tt)*) => {
        $(#[doc = $doc])*
        #[mpit::pvar(
            $($key)*, verbosity = "USER_BASIC", category = $category, on_start = start_recording,
            on_stop = stop_recording
        )]
        fn $name() -> u64 {
            $value
        }

        variables!($category: $($rest)*);
    };
}

pub(crate) use variables;
