//! The functions in C and Fortran that a line of the table of calls defines.
//!
//! A line has the time of recording, the forms of the call, its name, its arguments by kind, and the record:
//!
//! ```text
//! around(Messages) large fn Send(buf: Buf, count: Count, ...) => SendRecorder::new(Standard, count, ...);
//! ```
//!
//! The *time of recording* is one of
//!
//! - `after(Interest)`: after the call has succeeded, if there are listeners ([`crate::calls::Interest`]),
//! - `around(Interest)`: the record is prepared before, and completed after the call has succeeded
//!   ([`crate::recorders::Recorder`]); in C, a call that equals an earlier one may take its route, and
//!   a collective operation may be counted by it before it is forwarded ([`crate::recorders::routes`]),
//! - `in_advance(Interest)`: like `around`, but in C a call that cannot fail ([`crate::recorders::Recorder::infallible_record`]) is
//!   recorded before it is forwarded by a tail call: only counted if monitoring is the only listener, by the route of an
//!   earlier call ([`crate::calls::count_by_route`]) or without ([`crate::calls::count_in_advance`]), otherwise reported to all
//!   listeners ([`crate::calls::record_before_call`]).
//!   Not in Fortran, whose functions may call those of C, which must not be recorded again,
//! - `timed(Interest)`: only the time is measured,
//! - `always()`: after the call has succeeded, with or without listeners,
//! - `initializing()`: like `always`, for calls in which the library reads its settings,
//! - `creating()`: like `always`, with a record that is prepared before the call, as with `around`,
//! - `freeing()`: prepared before and completed after the call, with or without listeners; calls of the
//!   program's callbacks meanwhile are not inside,
//! - `before()`: before the call is forwarded, whether it succeeds or not,
//! - `finalizing()`: like `before`, in calls after which MPI may be finalized,
//! - `variadic()`: like `before`, if the program calls, in functions with unknown further parameters: they are
//!   forwarded by a jump with all registers unchanged.
//!
//! The *forms* are `plain` (C and Fortran), `large` (also with large counts), `c` and `fortran` (one language
//! only), and `extension` (`MPIX_`, in C). If a large form has arrays, `large(array_lengths, lifetime)` gives their
//! lengths and for how long the library reads them ([`crate::arguments::small_counts`]).
//!
//! An exported function is machine code ([`crate::trampoline`]). It reads a counter of listeners, determines
//! if the name is MPI's in this process ([`crate::next_definition`]) and which object makes the call
//! ([`crate::callers`]), and jumps: to the next definition; to `fast_path` ([`crate::calls::run_on_fast_path`]); or
//! from there to `slow_path` ([`crate::calls::run`]). For calls that are counted like an earlier one
//! ([`crate::recorders::routes`]), `fast_path` counts without moving the arguments, and leaves all other work to
//! `fast_path_with_listeners`.
//!
//! Open MPI's Fortran interfaces call `PMPI_` functions, which interposition in C does not see; MPICH's call
//! `MPI_` functions, with a few exceptions. So each call is interposed under its Fortran names, too, and
//! still recorded once: the calls inside are recognized ([`crate::callers`]). `use mpi_f08` has names of its
//! own, with the same arguments, all by reference; buffers may have descriptors, counts may have 64 bits, and
//! only the error code may be missing. For the other interfaces, only the name with one underscore at its end is
//! exported, the default of all current compilers: names decorated in other ways collide with C functions of many libraries.

mod c;
mod entries;
mod fortran;
mod running;
mod variadic;
mod watched;

pub(crate) use c::{c_function, in_c, in_c_extension, in_large_c};
pub(crate) use entries::{
    counted_entry, describe_next, entry, functions_of, next_definition, profiling, sited_functions,
    uncounted_entry, with_listeners,
};
pub(crate) use fortran::{
    fortran_form, fortran_name, fortran_names, in_fortran, in_fortran_ts, in_large_fortran,
};
pub(crate) use running::{
    counting_entry_in_c, counting_function, fast_entry_in_c, fast_path_in_c, has_no_listeners,
    must_check_listeners, run, run_by_route, run_in_c, run_on_fast_path,
};
pub(crate) use variadic::{variadic_function, variadic_recorders};
pub(crate) use watched::{
    describe_arguments, timed_in_c, timed_in_fortran, watch_argument, watched_in_c, watched_in_fortran,
};

/// Defines the functions of some lines.
macro_rules! calls {
    ($(
        $when:ident($($interest:ident)?) $form:ident $(($array_lengths:expr, $lifetime:expr))?
            fn $name:ident($($arg:ident: $kind:ident),* $(,)?) $(=> $recorder:expr)?;
    )+) => {$(
        $crate::interpose::forms! {
            $form [$when ($($interest)?) ($($recorder)?)] [$($array_lengths, $lifetime)?] $name($($arg: $kind),*)
        }
    )+};
}
pub(crate) use calls;

/// Defines the functions of one line.
macro_rules! forms {
    // The parameters are unknown, so there are no other forms.
    (plain [variadic $i:tt $n:tt] [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { [variadic $i $n] $name $args }
        $crate::interpose::in_fortran! { [variadic $i $n] $name $args }
    };
    (plain $recorder:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $recorder $name $args }
        $crate::interpose::in_fortran! { $recorder $name $args }
        $crate::interpose::in_fortran_ts! { $recorder $name $args }
    };
    (large $recorder:tt [$($array_lengths:expr, $lifetime:expr)?] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $recorder $name $args }
        $crate::interpose::in_large_c! { $recorder [$($array_lengths, $lifetime)?] $name $args }
        $crate::interpose::in_fortran! { $recorder $name $args }
        $crate::interpose::in_fortran_ts! { $recorder $name $args }
        $crate::interpose::in_large_fortran! { $recorder $name $args }
    };
    (c $recorder:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $recorder $name $args }
    };
    (extension $recorder:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c_extension! { $recorder $name $args }
    };
    (fortran $recorder:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_fortran! { $recorder $name $args }
    };
}
pub(crate) use forms;

/// Converts a name to a C string.
macro_rules! c_name {
    ($name:expr) => {
        mpit_ffi::host::c_name(concat!($name, "\0"))
    };
}
pub(crate) use c_name;

/// Calls the function at an address with the given arguments and their types.
macro_rules! call {
    ($address:ident($($arg:expr => $type:ty),* $(,)?) -> $result:ty) => {
        std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> $result>(
            $address
        )($($arg),*)
    };
}
pub(crate) use call;
