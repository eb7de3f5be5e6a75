//! Code that runs a call, by the time of recording in its line.

/// Runs a call on the fast path; expands to `None`, without forwarding the call, if that is not possible.
macro_rules! run_on_fast_path {
    ([after ($interest:ident) ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_on_fast_path::<$crate::calls::$interest, ()>(
            || Some(()),
            $forward,
            |()| $crate::recorders::run_on_fast_path(|| $recorder),
        )
    };
    ([around ($interest:ident) ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_on_fast_path::<$crate::calls::$interest, _>(
            || $crate::recorders::Recorder::fast_record($recorder),
            $forward,
            $crate::recorders::record_call,
        )
    };
    // In C, where the next equal call can take the route. The fast path is available.
    ([routed ($interest:ident) ($recorder:expr)] $forward:expr) => {
        if let Some(routed) = $crate::recorders::Recorder::find_route($recorder) {
            Some($crate::interpose::run_by_route! { routed, $recorder, $forward })
        } else {
            // Read before the conditions that a route stands for.
            let revision = mpit::internal::revision::current();
            $crate::calls::run_on_fast_path::<$crate::calls::$interest, _>(
                || $crate::recorders::Recorder::fast_record($recorder),
                $forward,
                |record| {
                    $crate::recorders::record_call(record);
                    $crate::recorders::Recorder::store_route($recorder, revision, record);
                },
            )
        }
    };
    ([in_advance $interest:tt $recorder:tt] $forward:expr) => {
        $crate::interpose::run_on_fast_path! { [around $interest $recorder] $forward }
    };
    ([$when:ident ($($interest:ident)?) $recorder:tt] $forward:expr) => {{
        let _ = $forward;
        None
    }};
}
pub(crate) use run_on_fast_path;

/// Runs a call for which there is a route.
macro_rules! run_by_route {
    ($routed:ident, $recorder:expr, $forward:expr) => {{
        let code = $forward();
        if code == mpit_ffi::abi::Abi::SUCCESS && !$routed.count() {
            $crate::recorders::record_after_call($recorder);
        }
        code
    }};
}
pub(crate) use run_by_route;

/// Runs a call on the slow path.
macro_rules! run {
    ([after ($interest:ident) ($recorder:expr)] $forward:expr) => {
        $crate::calls::run::<$crate::calls::$interest, ()>($forward, || (), |()| $recorder)
    };
    ([around ($interest:ident) ($recorder:expr)] $forward:expr) => {
        $crate::calls::run::<$crate::calls::$interest, _>(
            $forward,
            || $crate::recorders::Recorder::prepare($recorder),
            $crate::recorders::Pending::after,
        )
    };
    ([in_advance $interest:tt $recorder:tt] $forward:expr) => {
        $crate::interpose::run! { [around $interest $recorder] $forward }
    };
    ([timed ($interest:ident) ()] $forward:expr) => {
        $crate::calls::run::<$crate::calls::$interest, ()>($forward, || (), |()| ())
    };
    ([always () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_always($forward, || $recorder)
    };
    ([initializing () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_initialization($forward, || $recorder)
    };
    ([creating () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_creation(
            $forward,
            || $crate::recorders::Recorder::prepare($recorder),
            $crate::recorders::Pending::after,
        )
    };
    ([freeing () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_freeing($forward, || $recorder)
    };
    ([before () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_after_recording($forward, || $recorder)
    };
    ([finalizing () ($recorder:expr)] $forward:expr) => {
        $crate::calls::run_finalization($forward, || $recorder)
    };
}
pub(crate) use run;

/// Runs a call in C on the slow path.
macro_rules! run_in_c {
    ([around ($interest:ident) ($recorder:expr)] $forward:expr) => {
        $crate::calls::run::<$crate::calls::$interest, _>(
            $forward,
            || $crate::recorders::Recorder::prepare($recorder),
            |pending| $crate::recorders::Recorder::after_in_c($recorder, pending),
        )
    };
    ($recorder:tt $forward:expr) => {
        $crate::interpose::run! { $recorder $forward }
    };
}
pub(crate) use run_in_c;

/// Expands to true if a call of such a line needs no recording and is to be forwarded at once.
macro_rules! has_no_listeners {
    ([$when:ident ($interest:ident) $recorder:tt]) => {
        $crate::calls::has_no_listeners::<$crate::calls::$interest>()
    };
    ([$when:ident () $recorder:tt]) => {
        false
    };
}
pub(crate) use has_no_listeners;

/// Expands to true if `fast_path` has to check for listeners itself: the exported function only tests the counters of calls
/// whose time may be measured.
macro_rules! must_check_listeners {
    ([$when:ident ($interest:ident) $n:tt]) => {
        <$crate::calls::$interest as $crate::calls::Interest>::AREA.is_none()
    };
    ($recorder:tt) => {
        false
    };
}
pub(crate) use must_check_listeners;

/// Defines `fast_path` in C, the destination of calls with listeners. It counts a call that can be counted in advance, if an equal
/// one was counted before, and ends with a tail call: the arguments stay in their registers.
macro_rules! fast_entry_in_c {
    ([in_advance $interest:tt $recorder:tt] $next:ident, $binding:ident $args:tt) => {
        $crate::interpose::counting_entry_in_c! { $recorder $next, $binding $args }
    };
    ([around (Collectives) $recorder:tt] $next:ident, $binding:ident $args:tt) => {
        $crate::interpose::counting_entry_in_c! { $recorder $next, $binding $args }
    };
    ($recorder:tt $next:ident, $binding:ident $args:tt) => {
        use fast_path_with_listeners as fast_path;
    };
}
pub(crate) use fast_entry_in_c;

/// Defines `fast_path` for calls that can be counted in advance, and the functions that it leaves some calls to. Each is small enough
/// to need no registers that it would have to save.
macro_rules! counting_entry_in_c {
    (($recorder:expr) $next:ident, $binding:ident $args:tt) => {
        $crate::interpose::counting_function! {
            /// Counts a call by its route and forwards it, if it has as many elements as the one before it and one thread calls at a
            /// time.
            fast_path $binding $args
            if !$crate::nesting::FastPathGuard::is_available() => directed_to_threads;
            if $crate::recorders::Recorder::count_equal($recorder) => $next, else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Replaces `fast_path` by `counted_by_thread`, if several threads call at once.
            directed_to_threads $binding $args
            if $next.replace_for_threads(fast_path as *mut _, counted_by_thread as *mut _) => counted_by_thread;
            if false => $next, else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Does the same while several threads call at once.
            counted_by_thread $binding $args
            if false => counted_in_any_state;
            if $crate::recorders::Recorder::count_equal_of_thread($recorder) => $next, else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Counts a call by its route, with any number of elements, or leaves it to `fast_path_with_listeners`.
            counted_in_any_state $binding $args
            if false => fast_path_with_listeners;
            if $crate::calls::count_by_route(|| $recorder) => $next, else fast_path_with_listeners
        }
    };
}
pub(crate) use counting_entry_in_c;

/// Defines a function that forwards a call to a destination, unchanged, by a tail call: to the first one for which its condition holds.
/// The next definition has to be known.
macro_rules! counting_function {
    (
        $(#[$doc:meta])* $name:ident $binding:ident ($($arg:ident: $kind:ident),*)
        if $elsewhere:expr => $other:ident; if $is_counted:expr => $next:ident, else $rest:ident
    ) => {
        $(#[$doc])*
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn $name(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            if $elsewhere {
                // SAFETY: a function of the same name, which gets the program's arguments.
                return unsafe { $other($($arg),*) };
            }
            if $next.is_known_on_fast_path() && $is_counted {
                let next = $next.address();
                // SAFETY: `next` is a function with these parameters, and gets the program's arguments.
                return unsafe {
                    $crate::interpose::call!(next(
                        $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                    ) -> std::ffi::c_int)
                };
            }
            // SAFETY: a function of the same name, which gets the program's arguments.
            unsafe { $rest($($arg),*) }
        }
    };
}
pub(crate) use counting_function;

/// Expands to the body of `fast_path_with_listeners` in C; `$next` holds the next definition, and `slow_path` is
/// the slow path.
macro_rules! fast_path_in_c {
    ([in_advance ($interest:ident) ($recorder:expr)] $next:ident, $binding:ident ($($arg:ident: $kind:ident),*)) => {{
        // A separate function, so that `fast_path` ends with a tail call; with the parameters of the call, so
        // that they stay in registers.
        #[inline(never)]
        extern "C" fn record_and_choose(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> *mut std::ffi::c_void {
            // While the next definition is unknown, the slow path finds it and records the call.
            let is_recorded = !$next.is_unresolved()
                && ($crate::calls::count_in_advance::<$crate::calls::$interest, _>(|| $recorder)
                    || $crate::calls::count_for_thread::<$crate::calls::$interest, _>(|| $recorder)
                    || $crate::calls::record_before_call::<$crate::calls::$interest, _>(|| $recorder));
            if is_recorded { $next.address() } else { slow_path as *mut std::ffi::c_void }
        }
        let destination = record_and_choose($($arg),*);
        // SAFETY: both destinations are functions with these parameters, and get the program's arguments.
        unsafe {
            $crate::interpose::call!(destination(
                $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
            ) -> std::ffi::c_int)
        }
    }};
    ([around $interest:tt ($recorder:expr)] $next:ident, $binding:ident ($($arg:ident: $kind:ident),*)) => {{
        // A separate function, so that `fast_path_with_listeners` needs no registers for it.
        #[inline(never)]
        extern "C-unwind" fn fast_path_of_threads(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            let forward = || {
                let next = $next.address();
                // SAFETY: `next` is a function with these parameters, and gets the program's arguments.
                unsafe {
                    $crate::interpose::call!(next(
                        $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                    ) -> std::ffi::c_int)
                }
            };
            match $crate::calls::find_route_of_thread(|| $recorder) {
                Some(routed) if !$next.is_unresolved() => {
                    $crate::interpose::run_by_route! { routed, $recorder, forward }
                }
                // SAFETY: `slow_path` is for the same function of MPI, and gets the program's arguments.
                _ => unsafe { slow_path($($arg),*) },
            }
        }
        if !$crate::nesting::FastPathGuard::is_available() {
            return fast_path_of_threads($($arg),*);
        }
        $crate::interpose::fast_path_in_c! { [routed $interest ($recorder)] $next, $binding ($($arg: $kind),*) }
    }};
    ($recorder:tt $next:ident, $binding:ident ($($arg:ident: $kind:ident),*)) => {{
        let forward = || {
            let next = $next.address();
            // SAFETY: `next` is a function with these parameters, and gets the program's arguments.
            unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                ) -> std::ffi::c_int)
            }
        };
        let run = || {
            // Only for lines whose trampoline could not check for listeners.
            if $crate::interpose::must_check_listeners!($recorder) && $crate::interpose::has_no_listeners!($recorder) {
                return Some(forward());
            }
            $crate::interpose::run_on_fast_path!($recorder forward)
        };
        let code: Option<std::ffi::c_int> = if $next.is_unresolved() { None } else { run() };
        match code {
            Some(code) => code,
            // SAFETY: `slow_path` is for the same function of MPI, and gets the program's arguments.
            None => unsafe { slow_path($($arg),*) },
        }
    }};
}
pub(crate) use fast_path_in_c;
