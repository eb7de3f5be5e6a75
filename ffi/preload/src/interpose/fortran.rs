//! Interposed functions of Fortran.

/// Defines the Fortran functions.
macro_rules! in_fortran {
    ([passing $i:tt $n:tt] $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::passing_function! {
                Fortran [passing $i $n] [<mpi_ $name:lower _>], $args
            }
            $crate::interpose::passing_function! {
                Fortran [passing $i $n] [<mpi_ $name:lower _f08_>], $args
            }
        }
    };
    ($note:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                Fortran $note [<noted_ $name:lower>] $args [<mpi_ $name:lower _>] [<mpi_ $name:lower _f08_>]
            }
        }
    };
}
pub(crate) use in_fortran;

/// Defines the Fortran function whose buffers have descriptors (TS 29113).
macro_rules! in_fortran_ts {
    ($note:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                FortranTs $note [<noted_ $name:lower _ts>] $args [<mpi_ $name:lower _f08ts_>]
            }
        }
    };
}
pub(crate) use in_fortran_ts;

/// Defines the Fortran functions with large counts.
macro_rules! in_large_fortran {
    ($note:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::fortran_form! {
                LargeFortran $note [<noted_ $name:lower _c>] $args [<mpi_ $name:lower _c_f08_>]
            }
            $crate::interpose::fortran_form! {
                LargeFortranTs $note [<noted_ $name:lower _c_ts>] $args [<mpi_ $name:lower _c_f08ts_>]
            }
        }
    };
}
pub(crate) use in_large_fortran;

/// Defines a Fortran function in one form, under its names.
macro_rules! fortran_form {
    ($language:ident $note:tt $noted:ident ($($arg:ident: $kind:ident),*) $($symbol:ident)+) => {
        /// Records a call and forwards it to the next definition of the name by which it was called.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe fn $noted(
            next: &'static $crate::next::Next,
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            let call = |next: *mut std::ffi::c_void| {
                // SAFETY: `next` is a definition of this function, and gets the program's arguments.
                unsafe {
                    $crate::interpose::call!(next(
                        $($arg => $crate::arguments::$kind<$crate::arguments::$language>,)*
                        error => $crate::arguments::ErrorCode,
                    ) -> ())
                };
                error.get()
            };
            let straight = || call(next.straight());
            let found = || next.find().map_or_else($crate::calls::no_such_function, call);
            // Reached without listeners, too, while the next definition is still unknown.
            let is_quiet = $crate::interpose::is_quiet!($note);
            let run = || $crate::interpose::run_plainly!($note straight);
            let code: Option<std::ffi::c_int> = if is_quiet || next.is_unknown() { None } else { run() };
            if code.is_none() {
                $crate::interpose::run!($note found);
            }
        }
        $crate::interpose::fortran_names! { $language $note $noted ($($arg: $kind),*) $($symbol)+ }
    };
}
pub(crate) use fortran_form;

/// Defines a Fortran function under all its names.
macro_rules! fortran_names {
    ($language:ident $note:tt $noted:ident $args:tt $($symbol:ident)+) => {
        $($crate::interpose::fortran_name! { $language $note $noted $args $symbol })+
    };
}
pub(crate) use fortran_names;

/// Defines a Fortran function under one of its names.
macro_rules! fortran_name {
    ($language:ident $note:tt $noted:ident ($($arg:ident: $kind:ident),*) $symbol:ident) => {
        const _: () = {
            $crate::interpose::next! { $note $symbol, stringify!($symbol), None }

            /// Records a call and forwards it.
            ///
            /// # Safety
            ///
            /// The arguments satisfy the rules of the MPI function of this name.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn noted(
                $($arg: $crate::arguments::$kind<$crate::arguments::$language>,)*
                error: $crate::arguments::ErrorCode,
            ) {
                // SAFETY: the arguments are those of the program, which satisfy the rules of this MPI
                // function.
                unsafe { $noted(&NEXT, $($arg,)* error) }
            }
            use noted as looked_at;
            use noted as between;
        };
    };
}
pub(crate) use fortran_name;
