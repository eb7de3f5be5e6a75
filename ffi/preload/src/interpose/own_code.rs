//! The functions of a name whose calls keep their arguments in registers. They leave what is rare to the code of all calls.

/// Defines the functions of a name in a block that has this name, by which the linker sorts them: those of a call are then in few pages.
macro_rules! functions_of {
    ($symbol:ident { $($item:tt)* }) => {
        #[allow(dead_code, non_upper_case_globals, reason = "nothing but the symbols of the functions inside has this name")]
        const $symbol: () = { $($item)* };
    };
}
pub(crate) use functions_of;

/// Defines all functions of a name.
macro_rules! own_code {
    ([$when:ident ($interest:ident)] $symbol:ident ($line:ident $record:path) $args:tt [$($recorder:expr)?]) => {
        $crate::interpose::functions_of! { $symbol {
            static NEXT: $crate::next_definition::NextDefinition = $crate::next_definition::NextDefinition::new();
            $crate::trampoline::with_listeners! { NEXT $crate::interpose::label!($symbol) }
            $crate::trampoline::sited! { sited with_listeners, slow_path, timed }
            $crate::trampoline::with_name! {
                /// Records a call on the slow path.
                slow_path $crate::interpose::label!($symbol), $crate::trampoline::recorded
            }
            $crate::trampoline::with_name! {
                /// Describes and measures a call in any state of the process.
                observed $crate::interpose::label!($symbol), $crate::trampoline::not_recorded
            }
            $crate::interpose::observing! { $symbol $args }
            $crate::interpose::fast_path_with_listeners! { $when $interest $args [$($recorder)?] }
            $crate::interpose::fast_entry! { $when $interest $args [$($recorder)?] }
            $crate::interpose::entry! {
                [$when ($interest)]
                $symbol $line $record, C [$crate::interpose::label!($symbol)] ["0"] own
            }
        }}
    };
}
pub(crate) use own_code;

/// Defines the functions of a name in Fortran: `fast_path`, which records a call that is not measured and leaves others to the code of all
/// calls.
macro_rules! own_fast_path {
    ([$when:ident ($interest:ident)] $symbol:ident $form:ident ($line:ident $record:path) [$($arg:ident: $kind:ident),*] $recorder:expr) => {
        $crate::interpose::functions_of! { $symbol {
            static NEXT: $crate::next_definition::NextDefinition = $crate::next_definition::NextDefinition::new();
            $crate::trampoline::with_name! {
                /// Records a call on the slow path.
                slow_path $crate::interpose::label!($symbol), $crate::trampoline::recorded
            }
            $crate::interpose::fortran_fast_path! { $interest [$($arg: $kind,)* error: ErrorCode] error, $recorder }
            $crate::interpose::entry! {
                [$when ($interest)] $symbol $line $record, $form [$crate::interpose::label!($symbol)] ["0"] fast
            }
        }}
    };
}
pub(crate) use own_fast_path;

/// Defines `fast_path` in Fortran. The library's function may call those of C, which are not recorded again.
macro_rules! fortran_fast_path {
    ($interest:ident $args:tt $error:ident, $recorder:expr) => {
        $crate::interpose::function_with! {
            /// Records a call and forwards it.
            Fortran, fast_path $args -> std::ffi::c_int, {
                // The function has no result.
                let forward = || {
                    $crate::interpose::call!(Fortran, NEXT.address(), $args);
                    $error.get()
                };
                let run = || {
                    // Once, because conversions of handles call the library.
                    let recorder = $recorder;
                    if $crate::calls::sends_nothing($crate::calls::Interest::$interest, || recorder) {
                        return Some(forward());
                    }
                    $crate::calls::run_on_fast_path(
                        $crate::calls::Interest::$interest,
                        || $crate::recorders::Recorder::fast_record(recorder),
                        || $crate::nesting::forward_on_fast_path(forward),
                        $crate::recorders::record_call,
                    )
                };
                let code = if NEXT.is_unresolved() { None } else { run() };
                match code {
                    Some(code) => code,
                    None => $crate::interpose::call!(Fortran, slow_path as *mut _, $args),
                }
            }
        }
    };
}
pub(crate) use fortran_fast_path;

/// Passes the arguments of a call to a destination, which may be a function of the library or of this name.
macro_rules! call {
    (function $function:ident, [$($arg:ident: $kind:ident),*]) => {
        // SAFETY: a function of this name, which gets the program's arguments.
        unsafe { $function($($arg),*) }
    };
    ($address:expr, $args:tt) => {
        $crate::interpose::call! { C, $address, $args }
    };
    ($binding:ident, $address:expr, [$($arg:ident: $kind:ident),*]) => {{
        type Function = unsafe extern "C-unwind" fn(
            $($crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int;
        let address: *mut std::ffi::c_void = $address;
        // SAFETY: the address is that of a function with these parameters.
        let function = unsafe { std::mem::transmute::<*mut std::ffi::c_void, Function>(address) };
        // SAFETY: the function gets the program's arguments, which satisfy the rules of this MPI function.
        unsafe { function($($arg),*) }
    }};
}
pub(crate) use call;

/// Defines a function with the parameters of the call, in C or in the language of a binding.
macro_rules! function_with {
    ($(#[$attribute:meta])* $name:ident $args:tt -> $result:ty, $body:expr) => {
        $crate::interpose::function_with! { $(#[$attribute])* C, $name $args -> $result, $body }
    };
    ($(#[$attribute:meta])* $binding:ident, $name:ident [$($arg:ident: $kind:ident),*] -> $result:ty, $body:expr) => {
        $(#[$attribute])*
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn $name(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> $result {
            $body
        }
    };
}
pub(crate) use function_with;

/// Defines `watched` and `timed`, which describe a call and measure it at once, or leave that to `observed`.
macro_rules! observing {
    ($symbol:ident $args:tt) => {
        const CALL: $crate::watch::MeasuredCall = match $crate::watch::MeasuredCall::of_symbol(stringify!($symbol)) {
            Some(call) => call,
            None => panic!("such calls are described or measured"),
        };
        $crate::interpose::observing! { @ watched by watch $args }
        $crate::interpose::observing! { @ timed by times $args }
    };
    (@ $name:ident by $module:ident [$($arg:ident: $kind:ident),*]) => {
        $crate::interpose::function_with! {
            /// Observes a call and forwards it.
            $name [$($arg: $kind),*] -> std::ffi::c_int, {
                let arguments = $crate::interpose::described!($($arg: $kind),*);
                let Some(begun) = $crate::$module::enter_at_once(CALL, &arguments) else {
                    return $crate::interpose::call!(observed as *mut _, [$($arg: $kind),*]);
                };
                let code = $crate::interpose::call!(NEXT.target(), [$($arg: $kind),*]);
                $crate::$module::leave_at_once(CALL, begun, &arguments, code);
                code
            }
        }
    };
}
pub(crate) use observing;

/// Expands to the description of a call's arguments.
macro_rules! described {
    ($($arg:ident: $kind:ident),*) => {{
        let mut arguments = $crate::watch::Arguments::default();
        $(arguments.add(
            const { $crate::watch::Role::of(stringify!($arg), $crate::arguments::Kind::$kind) },
            $crate::arguments::Kind::$kind,
            $crate::arguments::Argument::word($arg),
        );)*
        arguments
    }};
}
pub(crate) use described;

/// Defines `fast_path_with_listeners`, by the time of recording.
macro_rules! fast_path_with_listeners {
    (in_advance $interest:ident $args:tt [$recorder:expr]) => {
        // A separate function, so that `fast_path_with_listeners` ends with a tail call; with the parameters of the call, so
        // that they stay in registers.
        $crate::interpose::function_with! {
            /// Records a call and returns the function that forwards it.
            #[inline(never)]
            record_and_choose $args -> *mut std::ffi::c_void, {
                // While the next definition is unknown, the slow path finds it and records the call.
                let is_recorded = !NEXT.is_unresolved()
                    && ($crate::calls::sends_nothing($crate::calls::Interest::$interest, || $recorder)
                        || $crate::calls::count_in_advance($crate::calls::Interest::$interest, || $recorder)
                        || $crate::calls::count_for_thread($crate::calls::Interest::$interest, || $recorder)
                        || $crate::calls::record_before_call($crate::calls::Interest::$interest, || $recorder));
                if is_recorded { NEXT.address() } else { slow_path as *mut std::ffi::c_void }
            }
        }
        $crate::interpose::function_with! {
            /// Records a call and forwards it.
            #[inline(never)]
            fast_path_with_listeners $args -> std::ffi::c_int, {
                let destination = $crate::interpose::call!(function record_and_choose, $args);
                $crate::interpose::call!(destination, $args)
            }
        }
    };
    (around $interest:ident $args:tt [$recorder:expr]) => {
        // A separate function, so that `fast_path_with_listeners` needs no registers for it.
        $crate::interpose::function_with! {
            /// Records a call while several threads call at once, and forwards it.
            #[inline(never)]
            fast_path_of_threads $args -> std::ffi::c_int, {
                let forward = || $crate::interpose::call!(NEXT.address(), $args);
                match $crate::calls::find_route_of_thread(|| $recorder) {
                    Some(routed) if !NEXT.is_unresolved() => {
                        $crate::interpose::run_by_route! { routed, $recorder, forward }
                    }
                    _ if !NEXT.is_unresolved()
                        && $crate::calls::sends_nothing($crate::calls::Interest::$interest, || $recorder) =>
                    {
                        forward()
                    }
                    _ => $crate::interpose::call!(slow_path as *mut _, $args),
                }
            }
        }
        $crate::interpose::function_with! {
            /// Records a call and forwards it.
            #[inline(never)]
            fast_path_with_listeners $args -> std::ffi::c_int, {
                if !$crate::nesting::FastPathGuard::is_available() {
                    return $crate::interpose::call!(fast_path_of_threads as *mut _, $args);
                }
                let forward = || $crate::interpose::call!(NEXT.address(), $args);
                if let Some(routed) = $crate::recorders::Recorder::find_route($recorder) {
                    return $crate::interpose::run_by_route! { routed, $recorder, forward };
                }
                if !NEXT.is_unresolved() && $crate::calls::sends_nothing($crate::calls::Interest::$interest, || $recorder) {
                    return forward();
                }
                // Read before the conditions that a route stands for.
                let revision = mpit::internal::host::revision::current();
                let run = || $crate::calls::run_on_fast_path(
                    $crate::calls::Interest::$interest,
                    || $crate::recorders::Recorder::fast_record($recorder),
                    forward,
                    |record| {
                        $crate::recorders::record_call(record);
                        $crate::recorders::Recorder::store_route($recorder, revision, record);
                    },
                );
                let code = if NEXT.is_unresolved() { None } else { run() };
                match code {
                    Some(code) => code,
                    None => $crate::interpose::call!(slow_path as *mut _, $args),
                }
            }
        }
    };
    // The code of all calls records those that are recorded.
    ($when:ident $interest:ident $args:tt []) => {
        use slow_path as fast_path_with_listeners;
    };
}
pub(crate) use fast_path_with_listeners;

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

/// Defines `fast_path`, the destination of calls with listeners. It counts a call that can be counted in advance, if an equal
/// one was counted before, and ends with a tail call: the arguments stay in their registers.
macro_rules! fast_entry {
    (in_advance $interest:ident $args:tt [$recorder:expr]) => {
        $crate::interpose::counting_functions! { $args $recorder }
    };
    (around Collectives $args:tt [$recorder:expr]) => {
        $crate::interpose::counting_functions! { $args $recorder }
    };
    ($when:ident $interest:ident $args:tt $recorder:tt) => {
        use fast_path_with_listeners as fast_path;
    };
}
pub(crate) use fast_entry;

/// Defines `fast_path` for calls that can be counted in advance, and the functions that it leaves some calls to. Each is small enough
/// to need no registers that it would have to save.
macro_rules! counting_functions {
    ($args:tt $recorder:expr) => {
        $crate::interpose::counting_function! {
            /// Counts a call by its route and forwards it, if it has as many elements as the one before it and one thread calls at a
            /// time.
            fast_path $args
            if !$crate::nesting::FastPathGuard::is_available() => directed_to_threads;
            if $crate::recorders::Recorder::count_equal($recorder), else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Replaces `fast_path` by `counted_by_thread`, if several threads call at once.
            directed_to_threads $args
            if NEXT.replace_for_threads(fast_path as *mut _, counted_by_thread as *mut _) => counted_by_thread;
            if false, else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Does the same while several threads call at once.
            counted_by_thread $args
            if false => counted_in_any_state;
            if $crate::recorders::Recorder::count_equal_of_thread($recorder), else counted_in_any_state
        }
        $crate::interpose::counting_function! {
            /// Counts a call by its route, with any number of elements, or leaves it to `fast_path_with_listeners`.
            counted_in_any_state $args
            if false => fast_path_with_listeners;
            if $crate::calls::count_by_route(|| $recorder), else fast_path_with_listeners
        }
    };
}
pub(crate) use counting_functions;

/// Defines a function that forwards a call to a destination, unchanged, by a tail call: to the first one for which its condition holds, or
/// to the next definition, which has to be known.
macro_rules! counting_function {
    (
        $(#[$doc:meta])* $name:ident $args:tt
        if $elsewhere:expr => $other:ident; if $is_counted:expr, else $rest:ident
    ) => {
        $crate::interpose::function_with! {
            $(#[$doc])*
            #[inline(never)]
            $name $args -> std::ffi::c_int, {
                if $elsewhere {
                    return $crate::interpose::call!($other as *mut _, $args);
                }
                if NEXT.is_known_on_fast_path() && $is_counted {
                    return $crate::interpose::call!(NEXT.address(), $args);
                }
                $crate::interpose::call!($rest as *mut _, $args)
            }
        }
    };
}
pub(crate) use counting_function;
