//! Interposed functions of C.

/// Defines a C function and its `PMPI_` twin for a calling convention; `$missing` runs if the host lacks the function.
macro_rules! c_function {
    ($binding:ident [variadic $i:tt $n:tt] $symbol:ident / $profiling:ident, $args:tt else $missing:expr) => {
        $crate::interpose::variadic_function! {
            $binding [variadic $i $n] $symbol / $profiling, $args
        }
    };
    (
        $binding:ident $recorder:tt $symbol:ident / $profiling:ident, ($($arg:ident: $kind:ident),*)
        else $missing:expr
    ) => {
        $crate::interpose::functions_of! { $symbol {
            $crate::interpose::next_definition! {
                $recorder $symbol, stringify!($symbol), Some($crate::interpose::c_name!(stringify!($profiling)))
            }
            $crate::interpose::profiling! { $recorder $profiling }
            $crate::interpose::watched_in_c! { $symbol $binding ($($arg: $kind),*) }
            $crate::interpose::timed_in_c! { $symbol $binding ($($arg: $kind),*) }

            /// Records a call on the fast path and forwards it.
            ///
            /// # Safety
            ///
            /// The arguments satisfy the rules of the MPI function of this name.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn fast_path_with_listeners(
                $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
            ) -> std::ffi::c_int {
                $crate::interpose::fast_path_in_c! { $recorder NEXT, $binding ($($arg: $kind),*) }
            }
            $crate::interpose::fast_entry_in_c! { $recorder NEXT, $binding ($($arg: $kind),*) }

            /// Records a call on the slow path and forwards it. Not cold: with several threads, all calls but sends take this path.
            ///
            /// # Safety
            ///
            /// The arguments satisfy the rules of the MPI function of this name.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn slow_path(
                $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
            ) -> std::ffi::c_int {
                let forward = || match NEXT.find() {
                    // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
                    Some(next) => unsafe {
                        $crate::interpose::call!(next(
                            $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                        ) -> std::ffi::c_int)
                    },
                    None => $missing,
                };
                $crate::interpose::run_in_c!($recorder forward)
            }
            // A tool between us and the library may make MPI calls during the call, so its end has to be seen.
            use slow_path as indirect_path;
        }}
    };
}
pub(crate) use c_function;

/// Defines the C function.
macro_rules! in_c {
    ($recorder:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                C $recorder [<MPI_ $name>] / [<PMPI_ $name>], $args
                else $crate::calls::no_such_function()
            }
        }
    };
}
pub(crate) use in_c;

/// Defines the C function with large counts. Forwarded with `int` counts to hosts that lack it.
macro_rules! in_large_c {
    ($recorder:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_large_c! {
            $recorder [$crate::arguments::small_counts::ArrayLengths::default(), $crate::arguments::small_counts::ArrayLifetime::Blocking] $name $args
        }
    };
    ($recorder:tt [$array_lengths:expr, $lifetime:expr] $name:ident ($($arg:ident: $kind:ident),*)) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                LargeC $recorder [<MPI_ $name _c>] / [<PMPI_ $name _c>],
                ($($arg: $kind),*)
                else {
                    static SMALL: mpit_ffi::host::Function =
                        mpit_ffi::host::Function::new(concat!("PMPI_", stringify!($name), "\0"));
                    // Arguments cannot be converted if the constants of the library are unknown.
                    if mpit_ffi::host::foreign::is_foreign() {
                        return $crate::calls::no_such_function();
                    }
                    let array_lengths = $array_lengths;
                    // The library's own function is not called through `watched` or `timed`.
                    let described = $crate::interpose::describe_arguments!($($arg: $kind),*);
                    // Not dropped if unwinding leaves the call, which must have nothing to clean up.
                    let mut arrays = std::mem::ManuallyDrop::new(
                        // SAFETY: the table lists the lengths that the standard requires of the call's arrays.
                        unsafe { $crate::arguments::small_counts::Arrays::new(array_lengths, $lifetime) }
                    );
                    let mut narrowed = || {
                        Some(($($crate::arguments::small_counts::Narrow::narrow($arg, &mut arrays)?,)*))
                    };
                    let code = match (SMALL.next(), narrowed()) {
                        (None, _) => $crate::calls::no_such_function(),
                        (_, None) => $crate::calls::count_too_large(),
                        (Some(small), Some(($($arg,)*))) => {
                            let entered = $crate::times::enter(TIMED, CALL, &described);
                            // SAFETY: `small` is the form with `int` counts, and gets the program's arguments,
                            // converted to its parameter types.
                            let code = unsafe {
                                $crate::interpose::call!(small(
                                    $($arg => $crate::arguments::$kind<$crate::arguments::C>),*
                                ) -> std::ffi::c_int)
                            };
                            $crate::times::leave(TIMED, CALL, entered, &described, code);
                            code
                        }
                    };
                    std::mem::ManuallyDrop::into_inner(arrays).release();
                    code
                }
            }
        }
    };
}
pub(crate) use in_large_c;

/// Defines the C function of an extension, `MPIX_`. Forwarded to the standard's function if the host has only that.
macro_rules! in_c_extension {
    ($recorder:tt $name:ident ($($arg:ident: $kind:ident),*)) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                C $recorder [<MPIX_ $name>] / [<PMPIX_ $name>], ($($arg: $kind),*)
                else {
                    static STANDARD: mpit_ffi::host::Function =
                        mpit_ffi::host::Function::new(concat!("PMPI_", stringify!($name), "\0"));
                    match STANDARD.next() {
                        // SAFETY: the standard adopted the function with the same parameters, and it gets the
                        // program's arguments.
                        Some(standard) => unsafe {
                            $crate::interpose::call!(standard(
                                $($arg => $crate::arguments::$kind<$crate::arguments::C>),*
                            ) -> std::ffi::c_int)
                        },
                        None => $crate::calls::no_such_function(),
                    }
                }
            }
        }
    };
}
pub(crate) use in_c_extension;
