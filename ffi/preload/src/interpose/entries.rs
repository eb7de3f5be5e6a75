//! Exported functions, and the trampolines behind them.

/// Defines the exported function of a name, with the counters that show if there are listeners. Calls for
/// which one or two counters do not suffice go to `fast_path`, which checks itself.
macro_rules! entry {
    ([passing $i:tt $n:tt] $symbol:ident) => {
        $crate::trampoline::entry! { $symbol NEXT }
    };
    ([$when:ident (Messages) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::component::pml::LISTENING, 0 }
    };
    ([$when:ident (Collectives) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::component::coll::LISTENING, 0 }
    };
    ([$when:ident (Accesses) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::component::osc::LISTENING, 0 }
    };
    ([$when:ident (Starts) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at_either! {
            $symbol NEXT mpit::component::pml::LISTENING, mpit::component::coll::LISTENING
        }
    };
    ([timed ($interest:ident) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! {
            $symbol NEXT
            mpit_components::calls::RECORDING,
            $crate::calls::word_of(<$crate::calls::$interest as $crate::calls::Interest>::AREA)
        }
    };
    ($recorder:tt $symbol:ident) => {
        $crate::trampoline::entry! { $symbol NEXT }
    };
}
pub(crate) use entry;

/// Defines `entered`: the destination of calls with listeners once they are known to be MPI's.
macro_rules! entered {
    ([passing $i:tt $n:tt]) => {
        $crate::trampoline::passing! { NEXT }
    };
    // Recorded for every caller.
    ([always $i:tt $n:tt]) => {
        use fast_path as entered;
    };
    ([before $i:tt $n:tt]) => {
        use fast_path as entered;
    };
    ([initializing $i:tt $n:tt]) => {
        use fast_path as entered;
    };
    ([making $i:tt $n:tt]) => {
        use fast_path as entered;
    };
    ([freeing $i:tt $n:tt]) => {
        use fast_path as entered;
    };
    ($recorder:tt) => {
        $crate::trampoline::entered! { NEXT }
    };
}
pub(crate) use entered;

/// Defines `entered` like [`entered!`], always with a check of the caller: libraries call their own functions
/// by these names.
macro_rules! entered_from_outside {
    ([passing $i:tt $n:tt]) => {
        $crate::trampoline::passing! { NEXT }
    };
    ($recorder:tt) => {
        $crate::trampoline::entered! { NEXT }
    };
}
pub(crate) use entered_from_outside;

/// Defines `NEXT` for a name, with its trampolines; `fast_path` and `slow_path` are in scope.
macro_rules! next {
    ($recorder:tt $symbol:ident, $name:expr, $profiling:expr) => {
        static NEXT: $crate::next::Next = $crate::next::Next::new(
            $crate::interpose::c_name!($name),
            $profiling,
            $crate::next::Ways {
                unresolved: unresolved as *mut std::ffi::c_void,
                entered: entered as *mut std::ffi::c_void,
                fast_path: fast_path as *mut std::ffi::c_void,
                slow_path: slow_path as *mut std::ffi::c_void,
                between: between as *mut std::ffi::c_void,
            },
        );
        $crate::trampoline::unresolved! { NEXT }
        $crate::interpose::entered! { $recorder }
        $crate::interpose::entry! { $recorder $symbol }
    };
}
pub(crate) use next;

/// Defines the `PMPI_` function beside a C function. It is recorded if both are the same function of the
/// library, and the caller is outside of it.
macro_rules! profiling {
    // Not exported, because the library is found by this symbol.
    ([initializing $i:tt $n:tt] $symbol:ident) => {};
    ($recorder:tt $symbol:ident) => {
        const TWIN: &$crate::next::Next = &NEXT;
        const _: () = {
            static NEXT: $crate::next::Next = $crate::next::Next::new(
                $crate::interpose::c_name!(stringify!($symbol)),
                Some($crate::interpose::c_name!(stringify!($symbol))),
                $crate::next::Ways {
                    unresolved: unresolved as *mut std::ffi::c_void,
                    entered: entered as *mut std::ffi::c_void,
                    fast_path: fast_path as *mut std::ffi::c_void,
                    slow_path: slow_path as *mut std::ffi::c_void,
                    between: fast_path as *mut std::ffi::c_void,
                },
            )
            .beside(TWIN);
            $crate::trampoline::unresolved! { NEXT }
            $crate::interpose::entered_from_outside! { $recorder }
            $crate::interpose::entry! { $recorder $symbol }
        };
    };
}
pub(crate) use profiling;
