//! Code that runs a call, by the time of recording in its line.

/// Runs a call on the fast path; expands to `None`, without forwarding the call, if that is not possible.
macro_rules! run_plainly {
    ([after ($interest:ident) ($note:expr)] $pass_on:expr) => {
        $crate::calls::run_plainly::<$crate::calls::$interest, ()>(
            || Some(()),
            $pass_on,
            |alone, ()| {
                alone.notify(|| {
                    $crate::calls::safely(|| $note);
                });
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

/// Runs a call on the slow path.
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

/// Expands to true if a call of such a line needs no recording and is to be forwarded at once.
macro_rules! is_quiet {
    ([$when:ident ($interest:ident) $note:tt]) => {
        $crate::calls::is_quiet::<$crate::calls::$interest>()
    };
    ([$when:ident () $note:tt]) => {
        false
    };
}
pub(crate) use is_quiet;

/// Expands to true if `noted` has to check for listeners itself, because the exported function tests no counter.
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

/// Defines `noted` in C, the destination of calls with listeners. For calls that can be counted in advance it
/// is machine code: it calls `counted` and jumps to the result, and the arguments stay in their registers.
macro_rules! noted_in_c {
    ([handing ($interest:ident) ($note:expr)] $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        extern "C" fn counted(
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
        ) -> *mut std::ffi::c_void {
            // While the next definition is unknown, the slow path finds it and records the call.
            let is_counted =
                !$next.is_unknown() && $crate::calls::count_in_advance::<$crate::calls::$interest, _>(|| $note);
            if is_counted { $next.found() } else { noted_with_listeners as *mut std::ffi::c_void }
        }
        $crate::trampoline::jump_to! { noted counted ($($arg)*) }
    };
    ($note:tt $next:ident, $language:ident $args:tt) => {
        use noted_with_listeners as noted;
    };
}
pub(crate) use noted_in_c;

/// Expands to the body of `noted_with_listeners` in C; `$next` holds the next definition, and `looked_at` is
/// the slow path.
macro_rules! note_in_c {
    ([handing ($interest:ident) ($note:expr)] $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        // A separate function, so that `noted` ends with a tail call; with the parameters of the call, so
        // that they stay in registers.
        #[inline(never)]
        extern "C" fn told(
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
        ) -> *mut std::ffi::c_void {
            let (straight, long_way) = ($next.straight(), looked_at as *mut std::ffi::c_void);
            // While the next definition is unknown, the slow path finds it and records the call.
            let is_found = straight != long_way;
            let is_told = is_found && $crate::calls::hand_over::<$crate::calls::$interest, _>(|| $note);
            if is_told { straight } else { long_way }
        }
        let goes_on = told($($arg),*);
        // SAFETY: both destinations are functions with these parameters, and get the program's arguments.
        unsafe {
            $crate::interpose::call!(goes_on(
                $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
            ) -> std::ffi::c_int)
        }
    }};
    ($note:tt $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        let straight = || {
            let next = $next.straight();
            // SAFETY: `next` is a function with these parameters, and gets the program's arguments.
            unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
                ) -> std::ffi::c_int)
            }
        };
        // Only for lines whose trampoline could not check for listeners.
        if $crate::interpose::looks_itself!($note) && $crate::interpose::is_quiet!($note) {
            return straight();
        }
        let run = || $crate::interpose::run_plainly!($note straight);
        let code: Option<std::ffi::c_int> = if $next.is_unknown() { None } else { run() };
        match code {
            Some(code) => code,
            // SAFETY: `looked_at` has the same obligations as this function, and gets the same arguments.
            None => unsafe { looked_at($($arg),*) },
        }
    }};
}
pub(crate) use note_in_c;
