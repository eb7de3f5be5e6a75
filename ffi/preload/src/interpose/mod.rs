//! The functions in C and in Fortran that a line of the table of calls stands for.
//!
//! A line says when a call is noted, in which forms it exists, its name, its arguments by kind, and the note:
//!
//! ```text
//! around(Messages) large fn Send(buf: Buf, count: Count, ...) => Sending::new(Standard, count, ...);
//! ```
//!
//! *When* is one of
//! - `after(Interest)`: when it has succeeded, if there are listeners ([`crate::calls::Interest`]),
//! - `around(Interest)`: the note is made before, and ended when the call has succeeded ([`crate::notes::Note`]),
//! - `handing(Interest)`: the same, but in C a note that is sure ([`crate::notes::Note::sure`]) is recorded before, so that
//!   the call is a jump: counted alone where only monitoring listens ([`crate::calls::count_in_advance`]), else with all
//!   listeners ([`crate::calls::hand_over`]); Fortran's calls may make calls in C, which must not count,
//! - `timed(Interest)`: only its time is taken,
//! - `always()`: whenever it has succeeded, with and without listeners,
//! - `initializing()`: the same, and the library reads its settings meanwhile,
//! - `making()`: the same, with a note that is made before, as with `around`,
//! - `freeing()`: the note is made before and ended afterwards, with and without listeners; what the program's callbacks do meanwhile
//!   is not inside,
//! - `before()`: whenever it is called, before it is passed on,
//! - `passing()`: the same if the program calls, in functions whose further parameters are not known: they are passed on by a
//!   jump, with all registers as they are.
//!
//! *Forms* are `plain` (C and Fortran), `large` (and with large counts in C), `c` and `fortran` (only there), and `extension`
//! (`MPIX_`, in C). Where a large form has arrays, `large(lens, needed)` says how long they are and for how long the library
//! looks at them ([`crate::arguments::narrow`]).
//!
//! A function looks at one word, and jumps: to the next definition, to `noted`, the fast path, or from there to `looked_at`, the
//! slow path ([`crate::calls::run_plainly`], [`crate::calls::run`]). `noted` of a `handing` line in C counts the call without
//! moving its arguments; calls that cannot be counted so go on to `noted_with_listeners`.
//!
//! The exported function itself is machine code ([`crate::trampoline`]): it looks at the word, finds out whether the name is
//! MPI's here at all ([`crate::next`]), and who makes the call ([`crate::callers`]).
//!
//! Open MPI's Fortran interfaces call `PMPI_` functions, past everything that interposes C; MPICH's call `MPI_`
//! functions, but for a few. So each call is taken by its Fortran names, too, and counted once all the same: what it
//! calls in turn is inside ([`crate::callers`]). `use mpi_f08` has names of its own, with the same arguments, all by
//! reference, where buffers may have descriptors and counts 64 bits; only the error code may be missing there. Of the ways in
//! which compilers decorate other names, all compilers in use have the same by default; the others are names of C functions in
//! many libraries, and are not exported.

mod c;
mod entries;
mod fortran;
mod passing;
mod running;

pub(crate) use c::{c_function, in_c, in_c_extension, in_large_c};
pub(crate) use entries::{entered, entered_from_outside, entry, next, profiling};
pub(crate) use fortran::{
    fortran_form, fortran_name, fortran_names, in_fortran, in_fortran_ts, in_large_fortran,
};
pub(crate) use passing::{passing_function, passing_notes};
pub(crate) use running::{is_quiet, looks_itself, note_in_c, noted_in_c, run, run_plainly};

/// Defines the functions of some lines.
macro_rules! calls {
    ($(
        $when:ident($($interest:ident)?) $form:ident $(($lens:expr, $needed:expr))?
            fn $name:ident($($arg:ident: $kind:ident),* $(,)?) $(=> $note:expr)?;
    )+) => {$(
        $crate::interpose::forms! {
            $form [$when ($($interest)?) ($($note)?)] [$($lens, $needed)?] $name($($arg: $kind),*)
        }
    )+};
}
pub(crate) use calls;

/// The functions of one line.
macro_rules! forms {
    // Parameters are not known, so there are no other forms.
    (plain [passing $i:tt $n:tt] [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { [passing $i $n] $name $args }
        $crate::interpose::in_fortran! { [passing $i $n] $name $args }
    };
    (plain $note:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $note $name $args }
        $crate::interpose::in_fortran! { $note $name $args }
        $crate::interpose::in_fortran_ts! { $note $name $args }
    };
    (large $note:tt [$($lens:expr, $needed:expr)?] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $note $name $args }
        $crate::interpose::in_large_c! { $note [$($lens, $needed)?] $name $args }
        $crate::interpose::in_fortran! { $note $name $args }
        $crate::interpose::in_fortran_ts! { $note $name $args }
        $crate::interpose::in_large_fortran! { $note $name $args }
    };
    (c $note:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c! { $note $name $args }
    };
    (extension $note:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_c_extension! { $note $name $args }
    };
    (fortran $note:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_fortran! { $note $name $args }
    };
}
pub(crate) use forms;

/// A name as a C string.
macro_rules! c_name {
    ($name:expr) => {{
        const NAME: &std::ffi::CStr =
            match std::ffi::CStr::from_bytes_with_nul(concat!($name, "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without NUL"),
            };
        NAME
    }};
}
pub(crate) use c_name;

/// Calls the function at an address with these arguments.
macro_rules! call {
    ($address:ident($($arg:expr => $type:ty),* $(,)?) -> $result:ty) => {
        std::mem::transmute::<*mut std::ffi::c_void, unsafe extern "C-unwind" fn($($type),*) -> $result>(
            $address
        )($($arg),*)
    };
}
pub(crate) use call;
