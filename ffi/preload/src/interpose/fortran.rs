//! Interposed functions of Fortran.

/// Defines the functions of `use mpi` and `mpif.h` (`mpi_name_`) and of `use mpi_f08` (`mpi_name_f08_`).
macro_rules! in_fortran {
    ([variadic $i:tt $n:tt] $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::variadic_function! {
                Fortran [variadic $i $n] [<mpi_ $name:lower _>], $args
            }
            $crate::interpose::variadic_function! {
                Fortran [variadic $i $n] [<mpi_ $name:lower _f08_>], $args
            }
        }
    };
    ($recorder:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                Fortran $recorder [<fast_path_ $name:lower>] $args [<mpi_ $name:lower _>] [<mpi_ $name:lower _f08_>]
            }
        }
    };
}
pub(crate) use in_fortran;

/// Defines the Fortran function whose buffers have descriptors (TS 29113).
macro_rules! in_fortran_ts {
    ($recorder:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                FortranTs $recorder [<fast_path_ $name:lower _ts>] $args [<mpi_ $name:lower _f08ts_>]
            }
        }
    };
}
pub(crate) use in_fortran_ts;

/// Defines the Fortran functions with large counts.
macro_rules! in_large_fortran {
    ($recorder:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                LargeFortran $recorder [<fast_path_ $name:lower _c>] $args [<mpi_ $name:lower _c_f08_>]
            }
            $crate::interpose::fortran_form! {
                LargeFortranTs $recorder [<fast_path_ $name:lower _c_ts>] $args [<mpi_ $name:lower _c_f08ts_>]
            }
        }
    };
}
pub(crate) use in_large_fortran;

/// Defines a Fortran function in one form, under its names.
macro_rules! fortran_form {
    ($binding:ident $recorder:tt $fast_path:ident ($($arg:ident: $kind:ident),*) $($symbol:ident)+) => {
        /// Records a call and forwards it to the next definition of the name by which it was called.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe fn $fast_path(
            next: &'static $crate::next_definition::NextDefinition,
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            let call = |next: *mut std::ffi::c_void| {
                // SAFETY: `next` is a definition of this function, and gets the program's arguments.
                unsafe {
                    $crate::interpose::call!(next(
                        $($arg => $crate::arguments::$kind<$crate::arguments::$binding>,)*
                        error => $crate::arguments::ErrorCode,
                    ) -> ())
                };
                error.get()
            };
            let forward = || $crate::nesting::forward_on_fast_path(|| call(next.address()));
            let find_and_forward = || next.find().map_or_else($crate::calls::no_such_function, call);
            // The fast path is for calls with listeners; while the next definition is unknown, all calls arrive here.
            let has_no_listeners = $crate::interpose::has_no_listeners!($recorder);
            let run = || $crate::interpose::run_on_fast_path!($recorder forward);
            let code: Option<std::ffi::c_int> = if has_no_listeners || next.is_unresolved() { None } else { run() };
            if code.is_none() {
                $crate::interpose::run!($recorder find_and_forward);
            }
        }
        $crate::interpose::fortran_names! { $binding $recorder $fast_path ($($arg: $kind),*) $($symbol)+ }
    };
}
pub(crate) use fortran_form;

/// Defines a Fortran function under all its names.
macro_rules! fortran_names {
    ($binding:ident $recorder:tt $fast_path:ident $args:tt $($symbol:ident)+) => {
        $($crate::interpose::fortran_name! { $binding $recorder $fast_path $args $symbol })+
    };
}
pub(crate) use fortran_names;

/// Defines a Fortran function under one of its names.
macro_rules! fortran_name {
    ($binding:ident $recorder:tt $fast_path:ident ($($arg:ident: $kind:ident),*) $symbol:ident) => {
        $crate::interpose::functions_of! { $symbol {
            $crate::interpose::next_definition! { $recorder $symbol, stringify!($symbol), None }
            $crate::interpose::watched_in_fortran! { $symbol $binding ($($arg: $kind),*) }
            $crate::interpose::timed_in_fortran! { $symbol $binding ($($arg: $kind),*) }

            /// Records a call and forwards it.
            ///
            /// # Safety
            ///
            /// The arguments satisfy the rules of the MPI function of this name.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn fast_path(
                $($arg: $crate::arguments::$kind<$crate::arguments::$binding>,)*
                error: $crate::arguments::ErrorCode,
            ) {
                // SAFETY: the arguments are those of the program, which satisfy the rules of this MPI function.
                unsafe { $fast_path(&NEXT, $($arg,)* error) }
            }
            use fast_path as slow_path;
            use fast_path as indirect_path;
        }}
    };
}
pub(crate) use fortran_name;
