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
//! - `opening(Interest)`: after the call has succeeded, with or without listeners; its time is measured as with `timed`, as is that
//!   of a call with `freeing(Interest)`,
//! - `before()`: before the call is forwarded, whether it succeeds or not,
//! - `finalizing()`: like `before`, in calls after which MPI may be finalized,
//! - `variadic()`: like `before`, if the program calls, in functions with unknown further parameters: they are
//!   forwarded by a jump with all registers unchanged.
//!
//! The *forms* are `plain` (C and Fortran), `large` (also with large counts), `c` and `fortran` (one language
//! only), and `extension` (`MPIX_`, in C). If a large form has arrays, `large(AtRoot, Blocking)` gives their
//! [lengths](crate::line::ArrayLengths) and for [how long](crate::line::ArrayLifetime) the library reads them.
//!
//! An exported function is machine code ([`crate::trampoline`]). It reads a counter of listeners, determines
//! if the name is MPI's in this process ([`crate::next_definition`]) and which object makes the call
//! ([`crate::callers`]), and jumps to the next definition, or to the [code of all calls](generic). A line is data ([`crate::line`]) and one
//! function that makes the record from the arguments; names of a line are data as well ([`crate::next_definition::Name`]).
//!
//! A line with the attribute `#[in_registers]` is of a call that is frequent and may take less than a microsecond. In C with `int` counts,
//! it has functions of its own in which the arguments stay in their registers ([`own_code`]): `fast_path`, which counts a call like an
//! earlier one ([`crate::recorders::routes`]) and leaves all other work to `fast_path_with_listeners`
//! ([`crate::calls::run_on_fast_path`]), and two that describe and measure calls at once. In Fortran with `int` counts, each name has a
//! `fast_path` that records a call which is not measured. What these cannot do is left to the code of all calls. Calls of a line with
//! `#[observed_in_registers]` are only described and measured by functions of their own, in C.
//!
//! Open MPI's Fortran interfaces call `PMPI_` functions, which interposition in C does not see; MPICH's call
//! `MPI_` functions, with a few exceptions. So each call is interposed under its Fortran names, too, and
//! still recorded once: the calls inside are recognized ([`crate::callers`]). `use mpi_f08` has names of its
//! own, with the same arguments, all by reference; buffers may have descriptors, counts may have 64 bits, and
//! only the error code may be missing. For the other interfaces, only the name with one underscore at its end is
//! exported, the default of all current compilers: names decorated in other ways collide with C functions of many libraries.

mod generic;
mod missing;
mod names;
mod own_code;

pub(crate) use generic::{CallInProgress, no_record, not_recorded, recorded, variadic};
pub(crate) use names::{c_names, entry, forms, fortran_name, label, name, profiling_name};
pub(crate) use own_code::{
    call, counting_function, counting_functions, described, fast_entry, fast_path_with_listeners,
    fortran_fast_path, function_with, functions_of, observing, own_code, own_fast_path, run_by_route,
};

/// Defines the functions of some lines.
macro_rules! calls {
    ($(
        $(#[$own:ident])? $when:ident($($interest:ident)?) $form:ident $(($lengths:ident, $lifetime:ident))?
            fn $name:ident($($arg:ident: $kind:ident),* $(,)?) $(=> $recorder:expr)?;
    )+) => {$(
        const _: () = {
            static LINE: $crate::line::Line = $crate::line::Line::new(
                stringify!($name),
                concat!("MPI_", stringify!($name)),
                ($crate::line::Time::$when, $crate::interpose::interest!($($interest)?)),
                &[$((stringify!($arg), $crate::arguments::Kind::$kind)),*],
                $crate::interpose::array_lengths!($($lengths, $lifetime)?),
            );
            $crate::interpose::record_function! { [$($arg: $kind),*] $($recorder)? }
            $crate::interpose::forms! {
                $form [$when ($($interest)?)] [[$($own)?] [$($arg: $kind),*] [$($recorder)?]] $name (LINE record)
            }
        };
    )+};
}
pub(crate) use calls;

/// Expands to the interest of a line.
macro_rules! interest {
    () => {
        $crate::calls::Interest::Always
    };
    ($interest:ident) => {
        $crate::calls::Interest::$interest
    };
}
pub(crate) use interest;

/// Expands to the lengths and the lifetime of the arrays of a line.
macro_rules! array_lengths {
    () => {
        ($crate::line::ArrayLengths::None, $crate::line::ArrayLifetime::Blocking)
    };
    ($lengths:ident, $lifetime:ident) => {
        ($crate::line::ArrayLengths::$lengths, $crate::line::ArrayLifetime::$lifetime)
    };
}
pub(crate) use array_lengths;

/// Defines `record`, the function for the record of a line.
macro_rules! record_function {
    ([$($args:tt)*]) => {
        use $crate::interpose::no_record as record;
    };
    ([$($arg:ident: $kind:ident),*] $recorder:expr) => {
        #[allow(unused_variables, unused_mut, unused_assignments, reason = "records do not use all arguments")]
        fn record(call: $crate::interpose::CallInProgress) -> $crate::recorders::Record {
            let mut next = 0..;
            $(let $arg: $crate::arguments::$kind<$crate::arguments::Any> = call.argument(next.next().unwrap_or(0));)*
            $recorder.into()
        }
    };
}
pub(crate) use record_function;
