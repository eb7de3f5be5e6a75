//! Exported functions, and the trampolines behind them.

/// Defines the functions of a name in a block that has this name, by which the linker sorts them: those of a call are then in few pages.
macro_rules! functions_of {
    ($symbol:ident { $($item:tt)* }) => {
        #[allow(dead_code, non_upper_case_globals, reason = "nothing but the symbols of the functions inside has this name")]
        const $symbol: () = { $($item)* };
    };
}
pub(crate) use functions_of;

/// Defines the exported function of a name and its destinations, with the counters that show if there are listeners. Calls for
/// which one or two counters do not suffice go to `fast_path`, which checks itself.
macro_rules! entry {
    ([variadic $i:tt $n:tt] $symbol:ident) => {
        $crate::interpose::uncounted_entry! { $symbol }
    };
    ([$when:ident (Messages) $n:tt] $symbol:ident) => {
        $crate::interpose::counted_entry! { counted_entry $symbol mpit::component::pml::LISTENING, 0 }
    };
    ([$when:ident (Collectives) $n:tt] $symbol:ident) => {
        $crate::interpose::counted_entry! { counted_entry $symbol mpit::component::coll::LISTENING, 0 }
    };
    ([$when:ident (Accesses) $n:tt] $symbol:ident) => {
        $crate::interpose::counted_entry! { counted_entry $symbol mpit::component::osc::LISTENING, 0 }
    };
    ([$when:ident (Starts) $n:tt] $symbol:ident) => {
        $crate::interpose::counted_entry! {
            doubly_counted_entry $symbol mpit::component::pml::LISTENING, mpit::component::coll::LISTENING
        }
    };
    ([timed ($interest:ident) $n:tt] $symbol:ident) => {
        $crate::interpose::counted_entry! {
            counted_entry $symbol mpit_components::calls::RECORDING,
            $crate::calls::counter_offset(<$crate::calls::$interest as $crate::calls::Interest>::AREA)
        }
    };
    ($recorder:tt $symbol:ident) => {
        $crate::interpose::uncounted_entry! { $symbol }
    };
}
pub(crate) use entry;

/// Defines the destinations of a name with counters, and the exported function by one of the macros of [`crate::trampoline`].
macro_rules! counted_entry {
    ($trampoline:ident $symbol:ident $($counters:tt)+) => {
        #[unsafe(link_section = ".data.destinations")]
        static WITHOUT_LISTENERS: $crate::next_definition::Destination =
            $crate::next_definition::Destination::new(unresolved as *mut std::ffi::c_void);
        static WITH_LISTENERS: $crate::next_definition::Destination =
            $crate::next_definition::Destination::new(std::ptr::null_mut());
        $crate::trampoline::$trampoline! { $symbol WITHOUT_LISTENERS WITH_LISTENERS $($counters)+ }
    };
}
pub(crate) use counted_entry;

/// Defines the destinations of a name without counters, of which calls take only the second one, and the exported function.
macro_rules! uncounted_entry {
    ($symbol:ident) => {
        static WITHOUT_LISTENERS: $crate::next_definition::Destination =
            $crate::next_definition::Destination::new(std::ptr::null_mut());
        static WITH_LISTENERS: $crate::next_definition::Destination =
            $crate::next_definition::Destination::new(std::ptr::null_mut());
        $crate::trampoline::entry! { $symbol WITH_LISTENERS }
    };
}
pub(crate) use uncounted_entry;

/// Defines `with_listeners`: the destination of calls with listeners once they are known to be MPI's. With `from_outside`, the
/// caller is always checked.
macro_rules! with_listeners {
    ($($from_outside:ident)? [variadic $i:tt $n:tt]) => {
        $crate::trampoline::variadic! { NEXT }
    };
    // Times of recording without an interest: recorded for every caller.
    ([$when:ident () $n:tt]) => {
        use fast_path as with_listeners;
    };
    ($($from_outside:ident)? [$($recorder:tt)+]) => {
        $crate::trampoline::with_listeners! { NEXT }
    };
}
pub(crate) use with_listeners;

/// Defines `sited_functions`, which returns the functions in front of destinations that store the return address; `with_listeners`,
/// `slow_path` and, unless this is a function with unknown parameters, `timed` and `TIMED` are in scope.
macro_rules! sited_functions {
    ([variadic $i:tt $n:tt]) => {
        const fn sited_functions() -> [*mut std::ffi::c_void; 3] {
            [std::ptr::null_mut(); 3]
        }
    };
    ($recorder:tt) => {
        $crate::trampoline::sited! { sited_with_listeners with_listeners }
        $crate::trampoline::sited! { sited_slow_path slow_path }
        $crate::trampoline::sited! { sited_timed timed }
        fn sited_functions() -> [*mut std::ffi::c_void; 3] {
            if TIMED.is_none() {
                return [std::ptr::null_mut(); 3];
            }
            [sited_with_listeners as *mut _, sited_slow_path as *mut _, sited_timed as *mut _]
        }
    };
}
pub(crate) use sited_functions;

/// Defines `NEXT` for a name and describes it; the functions and destinations of the name are in scope.
macro_rules! describe_next {
    (
        $name:expr, $profiling:expr, $twin:expr, $indirect_path:ident, $watched:expr, $timed:expr, $sited:expr
    ) => {
        static NEXT: $crate::next_definition::NextDefinition = $crate::next_definition::NextDefinition::new();
        fn describe() -> $crate::next_definition::Description {
            $crate::next_definition::Description {
                next: &NEXT,
                without_listeners: &WITHOUT_LISTENERS,
                with_listeners: &WITH_LISTENERS,
                name: $crate::interpose::c_name!($name),
                profiling_name: $profiling,
                twin: $twin,
                unresolved: unresolved as *mut std::ffi::c_void,
                check_caller: with_listeners as *mut std::ffi::c_void,
                fast_path: fast_path as *mut std::ffi::c_void,
                slow_path: slow_path as *mut std::ffi::c_void,
                indirect_path: $indirect_path as *mut std::ffi::c_void,
                watched: $watched,
                timed: $timed,
                sited: $sited,
            }
        }
        $crate::trampoline::unresolved! { describe }
    };
}
pub(crate) use describe_next;

/// Defines a name, with its trampolines; `fast_path`, `slow_path`, `watched_function` and `timed_function` are in scope.
macro_rules! next_definition {
    ($recorder:tt $symbol:ident, $name:expr, $profiling:expr) => {
        $crate::interpose::describe_next! {
            $name, $profiling, None, indirect_path, watched_function(), timed_function(), sited_functions()
        }
        $crate::interpose::with_listeners! { $recorder }
        $crate::interpose::sited_functions! { $recorder }
        $crate::interpose::entry! { $recorder $symbol }
    };
}
pub(crate) use next_definition;

/// Defines the `PMPI_` function beside a C function. It is recorded if both are the same function of the
/// library, and the caller is outside of it.
macro_rules! profiling {
    // Not exported, because the library is found by this symbol.
    ([initializing $i:tt $n:tt] $symbol:ident) => {};
    ($recorder:tt $symbol:ident) => {
        const TWIN: $crate::next_definition::Describe = describe;
        const _: () = {
            $crate::interpose::describe_next! {
                stringify!($symbol), Some($crate::interpose::c_name!(stringify!($symbol))), Some(TWIN), fast_path,
                std::ptr::null_mut(), std::ptr::null_mut(), sited_functions()
            }
            // Libraries call their own functions by these names.
            $crate::interpose::with_listeners! { from_outside $recorder }
            $crate::interpose::sited_functions! { $recorder }
            $crate::interpose::entry! { $recorder $symbol }
        };
    };
}
pub(crate) use profiling;
