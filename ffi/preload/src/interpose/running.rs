//! Code that runs a call, by the *when* of its line.

/// Runs a call of such a line on the fast path. `None`, without forwarding it, if it has to take the slow path.
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

/// Expands to true where a call of such a line is to be passed on at once.
macro_rules! is_quiet {
    ([$when:ident ($interest:ident) $note:tt]) => {
        $crate::calls::is_quiet::<$crate::calls::$interest>()
    };
    ([$when:ident () $note:tt]) => {
        false
    };
}
pub(crate) use is_quiet;

/// Expands to true where `noted` has to test for listeners itself, because the exported function tests no word.
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

/// Defines `noted` in C, the place where calls with listeners go. For calls that can be counted in advance it is machine code:
/// `counted` counts the call and returns the address to jump to, and the arguments stay in their registers.
macro_rules! noted_in_c {
    ([handing ($interest:ident) ($note:expr)] $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        extern "C" fn counted(
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
        ) -> *mut std::ffi::c_void {
            // Where the next definition is still to be found, the call is recorded on the way to it.
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

/// The body of `noted_with_listeners` in C; `$next` is the place of the next definition, and `looked_at` the slow path.
macro_rules! note_in_c {
    ([handing ($interest:ident) ($note:expr)] $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        // A function of its own, so that `noted_with_listeners` ends with a jump; with the parameters of the call, so that they stay in registers.
        #[inline(never)]
        extern "C" fn told(
            $($arg: $crate::arguments::$kind<$crate::arguments::$language>),*
        ) -> *mut std::ffi::c_void {
            let (straight, long_way) = ($next.straight(), looked_at as *mut std::ffi::c_void);
            // Where the next definition is still to be found, the call is recorded on the way to it.
            let is_found = straight != long_way;
            let is_told = is_found && $crate::calls::hand_over::<$crate::calls::$interest, _>(|| $note);
            if is_told { straight } else { long_way }
        }
        let goes_on = told($($arg),*);
        // SAFETY: either is a function with these parameters, called with the program's arguments.
        unsafe {
            $crate::interpose::call!(goes_on(
                $($arg => $crate::arguments::$kind<$crate::arguments::$language>),*
            ) -> std::ffi::c_int)
        }
    }};
    ($note:tt $next:ident, $language:ident ($($arg:ident: $kind:ident),*)) => {{
        let straight = || {
            let next = $next.straight();
            // SAFETY: a function with these parameters, called with the program's arguments.
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
            // SAFETY: a function with the same parameters, called with the program's arguments.
            None => unsafe { looked_at($($arg),*) },
        }
    }};
}
pub(crate) use note_in_c;
