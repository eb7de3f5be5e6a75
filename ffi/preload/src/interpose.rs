//! What a line of the table of calls becomes: functions in C and in Fortran.
//!
//! A line says when a call is noted, in which forms it exists, its name, its arguments by kind, and the note:
//!
//! ```text
//! around(Messages) large fn Send(buf: Buf, count: Count, ...) => Sending::new(Standard, count, ...);
//! ```
//!
//! *When* is one of
//! - `after(Interest)`: when it has succeeded, if somebody listens ([`crate::calls::Interest`]),
//! - `around(Interest)`: the note is made before, and ended when the call has succeeded ([`crate::notes::Note`]),
//! - `handing(Interest)`: the same, but in C a note that is sure ([`crate::notes::Note::sure`]) is told before, so that
//!   the call is a jump ([`crate::calls::hand_over`]); Fortran's calls may make calls in C, which must not count,
//! - `timed(Interest)`: only its time is taken,
//! - `always()`: whenever it has succeeded, whoever listens,
//! - `initializing()`: the same, and the library reads its settings meanwhile,
//! - `making()`: the same, with a note that is made before, as with `around`,
//! - `freeing()`: the note is made before and ended afterwards, with and without listeners; what the program's callbacks do meanwhile
//!   is not inside,
//! - `before()`: whenever it is called, before it is passed on,
//! - `passing()`: the same if the program calls, in functions whose further parameters are not known: they are passed on by a
//!   jump, with all registers as they are.
//!
//! *Forms* are `plain` (C and Fortran), `large` (and with large counts in C), `c` and `fortran` (only there), and `extension`
//! (`MPIX_`, in C). Where a
//! large form has arrays, `large(lens, needed)` says how long they are and for how long the library looks at them
//! ([`crate::arguments::narrow`]).
//!
//! A function looks at one word, and jumps: to the next definition, to `noted`, which is for calls that are like most, or
//! from there to `looked_at`, which is for all others ([`crate::calls::run_plainly`], [`crate::calls::run`]).
//!
//! The exported function itself is machine code ([`crate::trampoline`]): it looks at the word, finds out whether the name is
//! MPI's here at all ([`crate::next`]), and who makes the call ([`crate::callers`]).
//!
//! Open MPI's Fortran interfaces call `PMPI_` functions, past everything that interposes C; MPICH's call `MPI_`
//! functions, but for a few. So each call is taken by its Fortran names, too, and counted once all the same: what it
//! calls in turn is inside ([`crate::callers`]). `use mpi_f08` has names of its own, with the same arguments, all by
//! reference, where buffers may have descriptors and counts 64 bits; only the error code may be missing there. Of the ways in which compilers decorate other names, all compilers in
//! use have the same by default; the others are names of C functions in many libraries, and are not exported.

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

/// Runs a call of such a line as most calls go; `None` if it is not like most, and was not passed on.
macro_rules! run_plainly {
    ([after ($interest:ident) ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_plainly::<$crate::calls::$interest, ()>(
            || Some(()),
            $pass_on,
            |()| {
                $crate::calls::safely(|| $note);
            },
        )
    };
    ([around ($interest:ident) ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_plainly::<$crate::calls::$interest, _>(
            || $crate::notes::known($note),
            $pass_on,
            $crate::notes::told,
        )
    };
    ([handing $interest:tt $note:tt] $pass_on:expr) => {
        $crate::interpose::run_plainly! { [around $interest $note] $pass_on }
    };
    ([$when:ident ($($interest:ident)?) $note:tt] $pass_on:expr) => {{
        let _ = $pass_on;
        None
    }};
}
pub(crate) use run_plainly;

/// Runs a call as its line says.
macro_rules! run {
    ([after ($interest:ident) ($note:expr)] $pass_on:expr) => {
        $crate::calls::run::<$crate::calls::$interest, ()>($pass_on, || (), |()| $note)
    };
    ([around ($interest:ident) ($note:expr)] $pass_on:expr) => {
        $crate::calls::run::<$crate::calls::$interest, _>(
            $pass_on,
            || $crate::notes::begun($note),
            $crate::notes::ended,
        )
    };
    ([handing $interest:tt $note:tt] $pass_on:expr) => {
        $crate::interpose::run! { [around $interest $note] $pass_on }
    };
    ([timed ($interest:ident) ()] $pass_on:expr) => {
        $crate::calls::run::<$crate::calls::$interest, ()>($pass_on, || (), |()| ())
    };
    ([always () ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_always($pass_on, || $note)
    };
    ([initializing () ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_initialization($pass_on, || $note)
    };
    ([making () ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_making($pass_on, || $crate::notes::begun($note), $crate::notes::ended)
    };
    ([freeing () ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_freeing($pass_on, || $note)
    };
    ([before () ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_after_note($pass_on, || $note)
    };
}
pub(crate) use run;

/// Whether a call of such a line is to be passed on at once.
macro_rules! is_quiet {
    ([$when:ident ($interest:ident) $note:tt]) => {
        $crate::calls::is_quiet::<$crate::calls::$interest>()
    };
    ([$when:ident () $note:tt]) => {
        false
    };
}
pub(crate) use is_quiet;

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

/// What `noted` does in C, where `$next` is the next definition's place and `looked_at` does it for all calls.
macro_rules! note_in_c {
    ([handing ($interest:ident) ($note:expr)] $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        // Apart, so that `noted` ends with a jump; with the parameters of the call, so that they stay in registers.
        #[inline(never)]
        extern "C" fn told(
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
        ) -> *mut std::ffi::c_void {
            let (straight, long_way) = ($next.straight(), looked_at as *mut std::ffi::c_void);
            // Where the next definition is still to be found, the call is told of on the way to it.
            let is_found = straight != long_way;
            let is_told = is_found && $crate::calls::hand_over::<$crate::calls::$interest, _>(|| $note);
            if is_told { straight } else { long_way }
        }
        let goes_on = told($($arg),*);
        // SAFETY: either is a function with these parameters; the rest by the caller's promise.
        unsafe {
            $crate::interpose::call!(goes_on(
                $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
            ) -> std::ffi::c_int)
        }
    }};
    ($note:tt $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        let straight = || {
            let next = $next.straight();
            // SAFETY: a function with these parameters; the rest by the caller's promise.
            unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
                ) -> std::ffi::c_int)
            }
        };
        // Where no word could be looked at before.
        if $crate::interpose::looks_itself!($note) && $crate::interpose::is_quiet!($note) {
            return straight();
        }
        let run = || $crate::interpose::run_plainly!($note straight);
        let code: Option<std::ffi::c_int> = if $next.is_unknown() { None } else { run() };
        match code {
            Some(code) => code,
            // SAFETY: by the caller's promise.
            None => unsafe { looked_at($($arg),*) },
        }
    }};
}
pub(crate) use note_in_c;

/// The exported function of a name: the places that show whether there are listeners. Calls whose listeners are not in a
/// word or two go to `noted`, which looks for itself.
macro_rules! entry {
    ([passing $i:tt $n:tt] $symbol:ident) => {
        $crate::trampoline::entry! { $symbol NEXT }
    };
    ([$when:ident (Messages) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::traffic::pml::LISTENING, 0 }
    };
    ([$when:ident (Collectives) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::traffic::coll::LISTENING, 0 }
    };
    ([$when:ident (Accesses) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! { $symbol NEXT mpit::traffic::osc::LISTENING, 0 }
    };
    ([$when:ident (Starts) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at_either! {
            $symbol NEXT mpit::traffic::pml::LISTENING, mpit::traffic::coll::LISTENING
        }
    };
    ([timed ($interest:ident) $n:tt] $symbol:ident) => {
        $crate::trampoline::entry_at! {
            $symbol NEXT
            mpit_components::calls::RECORDING,
            $crate::calls::word_of(<$crate::calls::$interest as $crate::calls::Interest>::AREA)
        }
    };
    ($note:tt $symbol:ident) => {
        $crate::trampoline::entry! { $symbol NEXT }
    };
}
pub(crate) use entry;

/// True if `noted` has to look for listeners.
macro_rules! looks_itself {
    ([$when:ident (Messages) $n:tt]) => {
        false
    };
    ([$when:ident (Collectives) $n:tt]) => {
        false
    };
    ([$when:ident (Accesses) $n:tt]) => {
        false
    };
    ([$when:ident (Starts) $n:tt]) => {
        false
    };
    ([timed $i:tt $n:tt]) => {
        false
    };
    ($note:tt) => {
        true
    };
}
pub(crate) use looks_itself;

/// The place where calls with listeners go, once they are known to be MPI's; defines `entered`.
macro_rules! entered {
    ([passing $i:tt $n:tt]) => {
        $crate::trampoline::passing! { NEXT }
    };
    // Noted for every caller.
    ([always $i:tt $n:tt]) => {
        use noted as entered;
    };
    ([before $i:tt $n:tt]) => {
        use noted as entered;
    };
    ([initializing $i:tt $n:tt]) => {
        use noted as entered;
    };
    ([making $i:tt $n:tt]) => {
        use noted as entered;
    };
    ([freeing $i:tt $n:tt]) => {
        use noted as entered;
    };
    ($note:tt) => {
        $crate::trampoline::entered! { NEXT }
    };
}
pub(crate) use entered;

/// Defines `NEXT` for a name, with its trampolines; `noted` and `looked_at` are there.
macro_rules! next {
    ($note:tt $symbol:ident, $name:expr, $profiling:expr) => {
        static NEXT: $crate::next::Next = $crate::next::Next::new(
            $crate::interpose::c_name!($name),
            $profiling,
            $crate::next::Ways {
                unresolved: unresolved as *mut std::ffi::c_void,
                entered: entered as *mut std::ffi::c_void,
                noted: noted as *mut std::ffi::c_void,
                looked_at: looked_at as *mut std::ffi::c_void,
                between: between as *mut std::ffi::c_void,
            },
        );
        $crate::trampoline::unresolved! { NEXT }
        $crate::interpose::entered! { $note }
        $crate::interpose::entry! { $note $symbol }
    };
}
pub(crate) use next;

/// The function of the profiling interface beside one of C: recorded like that where it is the same function of the library, and
/// called from outside of it.
macro_rules! profiling {
    // The library is found by it.
    ([initializing $i:tt $n:tt] $symbol:ident) => {};
    ($note:tt $symbol:ident) => {
        const TWIN: &$crate::next::Next = &NEXT;
        const _: () = {
            static NEXT: $crate::next::Next = $crate::next::Next::new(
                $crate::interpose::c_name!(stringify!($symbol)),
                Some($crate::interpose::c_name!(stringify!($symbol))),
                $crate::next::Ways {
                    unresolved: unresolved as *mut std::ffi::c_void,
                    entered: entered as *mut std::ffi::c_void,
                    noted: noted as *mut std::ffi::c_void,
                    looked_at: looked_at as *mut std::ffi::c_void,
                    between: noted as *mut std::ffi::c_void,
                },
            )
            .beside(TWIN);
            $crate::trampoline::unresolved! { NEXT }
            $crate::interpose::entered_from_outside! { $note }
            $crate::interpose::entry! { $note $symbol }
        };
    };
}
pub(crate) use profiling;

/// Defines `entered` like [`entered!`], always with a look at the caller: libraries call their own functions by these names.
macro_rules! entered_from_outside {
    ([passing $i:tt $n:tt]) => {
        $crate::trampoline::passing! { NEXT }
    };
    ($note:tt) => {
        $crate::trampoline::entered! { NEXT }
    };
}
pub(crate) use entered_from_outside;

/// A function with parameters that are not known here, but for the first: `noted` records the call and says where it goes.
macro_rules! passing_function {
    ($language:ident $note:tt $symbol:ident, $args:tt) => {
        const _: () = {
            $crate::interpose::next! { $note $symbol, stringify!($symbol), None }
            $crate::interpose::passing_notes! { $language $note $args }
        };
    };
    ($language:ident $note:tt $symbol:ident / $profiling:ident, $args:tt) => {
        const _: () = {
            $crate::interpose::next! {
                $note $symbol, stringify!($symbol), Some($crate::interpose::c_name!(stringify!($profiling)))
            }
            $crate::interpose::profiling! { $note $profiling }
            $crate::interpose::passing_notes! { $language $note $args }
        };
    };
}
pub(crate) use passing_function;

/// Defines `noted` of such a function, and `looked_at` for libraries that have no such function.
macro_rules! passing_notes {
    ($language:ident [passing () ($note:expr)] ($arg:ident: $kind:ident)) => {
        extern "C" fn noted(
            next: &'static $crate::next::Next,
            return_address: usize,
            $arg: $crate::arguments::$kind<$crate::arguments::$language>,
        ) -> *mut std::ffi::c_void {
            $crate::calls::note_and_pass(next, return_address, || $note)
        }
        // The library has no such function.
        extern "C" fn looked_at() -> std::ffi::c_int {
            $crate::calls::no_such_function()
        }
        use noted as between;
    };
}
pub(crate) use passing_notes;

/// A function of C, by a language, a symbol and its `PMPI_` twin, with what happens where the host lacks it.
macro_rules! c_function {
    ($language:ident [passing $i:tt $n:tt] $symbol:ident / $profiling:ident, $args:tt else $missing:expr) => {
        $crate::interpose::passing_function! {
            $language [passing $i $n] $symbol / $profiling, $args
        }
    };
    (
        $language:ident $note:tt $symbol:ident / $profiling:ident, ($($arg:ident: $kind:ident),*)
        else $missing:expr
    ) => {
        const _: () = {
            $crate::interpose::next! {
                $note $symbol, stringify!($symbol), Some($crate::interpose::c_name!(stringify!($profiling)))
            }
            $crate::interpose::profiling! { $note $profiling }

            /// Records a call and passes it on, on the fast path.
            ///
            /// # Safety
            ///
            /// As the MPI function.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn noted(
                $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
            ) -> std::ffi::c_int {
                $crate::interpose::note_in_c! { $note NEXT, $language ($($arg: $kind),*) }
            }

            /// Records a call and passes it on, on the slow path. Not cold: with several threads every call comes here.
            ///
            /// # Safety
            ///
            /// As the MPI function.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn looked_at(
                $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
            ) -> std::ffi::c_int {
                let pass_on = || match NEXT.find() {
                    // SAFETY: the next definition of the same function, with the arguments of the program.
                    Some(next) => unsafe {
                        $crate::interpose::call!(next(
                            $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
                        ) -> std::ffi::c_int)
                    },
                    None => $missing,
                };
                $crate::interpose::run!($note pass_on)
            }
            // A tool between us and the library may call MPI in turn while the call lasts, so its end has to be seen.
            use looked_at as between;
        };
    };
}
pub(crate) use c_function;

/// The function of C.
macro_rules! in_c {
    ($note:tt $name:ident $args:tt) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                C $note [<MPI_ $name>] / [<PMPI_ $name>], $args
                else $crate::calls::no_such_function()
            }
        }
    };
}
pub(crate) use in_c;

/// The function of C with large counts. Passed on with `int` counts to hosts that have no other.
macro_rules! in_large_c {
    ($note:tt [] $name:ident $args:tt) => {
        $crate::interpose::in_large_c! {
            $note [$crate::arguments::narrow::Lens::default(), $crate::arguments::narrow::Needed::Blocking] $name $args
        }
    };
    ($note:tt [$lens:expr, $needed:expr] $name:ident ($($arg:ident: $kind:ident),*)) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                LargeC $note [<MPI_ $name _c>] / [<PMPI_ $name _c>],
                ($($arg: $kind),*)
                else {
                    static SMALL: mpit_ffi::host::Function = mpit_ffi::host::Function::new(
                        $crate::interpose::c_name!(concat!("MPI_", stringify!($name))),
                        $crate::interpose::c_name!(concat!("PMPI_", stringify!($name))),
                    );
                    // Nothing is known of the arguments then.
                    if mpit_ffi::host::foreign::is_foreign() {
                        return $crate::calls::no_such_function();
                    }
                    let mut arrays = $crate::arguments::narrow::Arrays::new($lens, $needed);
                    let mut narrowed = || {
                        Some(($($crate::arguments::narrow::Narrow::narrow($arg, &mut arrays)?,)*))
                    };
                    match (SMALL.next(), narrowed()) {
                        (None, _) => $crate::calls::no_such_function(),
                        (_, None) => $crate::calls::count_too_large(),
                        // SAFETY: the function with these parameters; the rest by the caller's promise.
                        (Some(small), Some(($($arg,)*))) => unsafe {
                            $crate::interpose::call!(small(
                                $($arg => $crate::arguments::$kind<$crate::arguments::C>),*
                            ) -> std::ffi::c_int)
                        },
                    }
                }
            }
        }
    };
}
pub(crate) use in_large_c;

/// The function of C of an extension, `MPIX_`. Passed on to the standard's function where the host has only that.
macro_rules! in_c_extension {
    ($note:tt $name:ident ($($arg:ident: $kind:ident),*)) => {
        pastey::paste! {
            $crate::interpose::c_function! {
                C $note [<MPIX_ $name>] / [<PMPIX_ $name>], ($($arg: $kind),*)
                else {
                    static STANDARD: mpit_ffi::host::Function = mpit_ffi::host::Function::new(
                        $crate::interpose::c_name!(concat!("MPI_", stringify!($name))),
                        $crate::interpose::c_name!(concat!("PMPI_", stringify!($name))),
                    );
                    match STANDARD.next() {
                        // SAFETY: the standard has taken the function over with these parameters; the rest by the
                        // caller's promise.
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

/// The functions of Fortran.
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

/// The function of Fortran whose buffers have descriptors (TS 29113).
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

/// The functions of Fortran with large counts.
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

/// A function of Fortran in one form, under its names.
macro_rules! fortran_form {
    ($language:ident $note:tt $noted:ident ($($arg:ident: $kind:ident),*) $($symbol:ident)+) => {
        /// Passes a call on to the next definition of the name that it came by, and notes it.
        ///
        /// # Safety
        ///
        /// As the MPI function.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe fn $noted(
            next: &'static $crate::next::Next,
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            let call = |next: *mut std::ffi::c_void| {
                // SAFETY: a function with these parameters; the rest by the caller's promise.
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
            // Also called without listeners, when the next definition is to be found.
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

/// A function of Fortran under all its names.
macro_rules! fortran_names {
    ($language:ident $note:tt $noted:ident $args:tt $($symbol:ident)+) => {
        $($crate::interpose::fortran_name! { $language $note $noted $args $symbol })+
    };
}
pub(crate) use fortran_names;

/// A function of Fortran under one of its names.
macro_rules! fortran_name {
    ($language:ident $note:tt $noted:ident ($($arg:ident: $kind:ident),*) $symbol:ident) => {
        const _: () = {
            $crate::interpose::next! { $note $symbol, stringify!($symbol), None }

            /// Records a call and passes it on.
            ///
            /// # Safety
            ///
            /// As the MPI function.
            #[inline(never)]
            #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
            unsafe extern "C-unwind" fn noted(
                $($arg: $crate::arguments::$kind<$crate::arguments::$language>,)*
                error: $crate::arguments::ErrorCode,
            ) {
                // SAFETY: the arguments are those of the program.
                unsafe { $noted(&NEXT, $($arg,)* error) }
            }
            use noted as looked_at;
            use noted as between;
        };
    };
}
pub(crate) use fortran_name;
