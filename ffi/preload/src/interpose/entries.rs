//! Exported functions, and the trampolines behind them.

/// Defines the exported function of a name, with the counters that show if there are listeners. Calls for
/// which one or two counters do not suffice go to `fast_path`, which checks itself.
macro_rules! entry {
    ([variadic $i:tt $n:tt] $symbol:ident) => {
        $crate::trampoline::entry! { $symbol DESTINATIONS }
    };
    ([$when:ident (Messages) $n:tt] $symbol:ident) => {
        $crate::trampoline::counted_entry! { $symbol DESTINATIONS mpit::component::pml::LISTENING, 0 }
    };
    ([$when:ident (Collectives) $n:tt] $symbol:ident) => {
        $crate::trampoline::counted_entry! { $symbol DESTINATIONS mpit::component::coll::LISTENING, 0 }
    };
    ([$when:ident (Accesses) $n:tt] $symbol:ident) => {
        $crate::trampoline::counted_entry! { $symbol DESTINATIONS mpit::component::osc::LISTENING, 0 }
    };
    ([$when:ident (Starts) $n:tt] $symbol:ident) => {
        $crate::trampoline::doubly_counted_entry! {
            $symbol DESTINATIONS mpit::component::pml::LISTENING, mpit::component::coll::LISTENING
        }
    };
    ([timed ($interest:ident) $n:tt] $symbol:ident) => {
        $crate::trampoline::counted_entry! {
            $symbol DESTINATIONS
            mpit_components::calls::RECORDING,
            $crate::calls::counter_offset(<$crate::calls::$interest as $crate::calls::Interest>::AREA)
        }
    };
    ($recorder:tt $symbol:ident) => {
        $crate::trampoline::entry! { $symbol DESTINATIONS }
    };
}
pub(crate) use entry;

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

/// Defines `NEXT` and `DESTINATIONS` for a name and describes it; the functions of the name are in scope.
macro_rules! describe_next {
    ($name:expr, $profiling:expr, $twin:expr, $indirect_path:ident, $watched:expr) => {
        static NEXT: $crate::next_definition::NextDefinition = $crate::next_definition::NextDefinition::new();
        #[unsafe(link_section = ".data.destinations")]
        static DESTINATIONS: $crate::next_definition::Destinations =
            $crate::next_definition::Destinations::new(unresolved as *mut std::ffi::c_void);
        fn describe() -> $crate::next_definition::Description {
            $crate::next_definition::Description {
                next: &NEXT,
                destinations: &DESTINATIONS,
                name: $crate::interpose::c_name!($name),
                profiling_name: $profiling,
                twin: $twin,
                unresolved: unresolved as *mut std::ffi::c_void,
                with_listeners: with_listeners as *mut std::ffi::c_void,
                fast_path: fast_path as *mut std::ffi::c_void,
                slow_path: slow_path as *mut std::ffi::c_void,
                indirect_path: $indirect_path as *mut std::ffi::c_void,
                watched: $watched,
            }
        }
        $crate::trampoline::unresolved! { describe }
    };
}
pub(crate) use describe_next;

/// Defines a name, with its trampolines; `fast_path`, `slow_path` and `watched_function` are in scope.
macro_rules! next_definition {
    ($recorder:tt $symbol:ident, $name:expr, $profiling:expr) => {
        $crate::interpose::describe_next! { $name, $profiling, None, indirect_path, watched_function() }
        $crate::interpose::with_listeners! { $recorder }
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
                std::ptr::null_mut()
            }
            // Libraries call their own functions by these names.
            $crate::interpose::with_listeners! { from_outside $recorder }
            $crate::interpose::entry! { $recorder $symbol }
        };
    };
}
pub(crate) use profiling;
