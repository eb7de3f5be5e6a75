//! Functions between interposition and the next definition that describe the call in progress to other programs
//! ([`crate::watch`]), and those that measure it, too ([`crate::times`]).

/// Returns a description of a call with another argument, by name and kind.
macro_rules! watch_argument {
    ($into:ident comm $value:ident $kind:ident) => {
        $crate::watch::Arguments { object: Some($value.get()), comm: Some($value.get()), ..$into }
    };
    ($into:ident local_comm $value:ident $kind:ident) => {
        $crate::watch::Arguments { object: Some($value.get()), comm: Some($value.get()), ..$into }
    };
    ($into:ident win $value:ident $kind:ident) => {
        $crate::watch::Arguments { object: Some($value.get()), ..$into }
    };
    ($into:ident new $value:ident NewWin) => {
        $crate::watch::Arguments { new_window: Some($value.handles()), ..$into }
    };
    ($into:ident new $value:ident NewFile) => {
        $crate::watch::Arguments { new_file: Some($value.handles()), ..$into }
    };
    ($into:ident file $value:ident $kind:ident) => {
        $crate::watch::Arguments { object: Some($value.get()), ..$into }
    };
    ($into:ident group $value:ident Group) => {
        $crate::watch::Arguments { group: Some($value.get()), leader: Some(0), ..$into }
    };
    ($into:ident local_leader $value:ident Int) => {
        $crate::watch::Arguments { leader: Some($value.get()), ..$into }
    };
    ($into:ident peer_comm $value:ident Comm) => {
        $crate::watch::Arguments { leaders: Some($value.get()), ..$into }
    };
    ($into:ident remote_leader $value:ident Int) => {
        $crate::watch::Arguments { remote_leader: Some($value.get()), ..$into }
    };
    ($into:ident partitions $value:ident Int) => {
        $crate::watch::Arguments { partitions: Some(i64::from($value.get())), ..$into }
    };
    ($into:ident partition $value:ident Int) => {
        $crate::watch::Arguments { partitions: Some(1), ..$into }
    };
    ($into:ident first $value:ident Int) => {
        $crate::watch::Arguments { partitions: Some(1 - i64::from($value.get())), ..$into }
    };
    ($into:ident last $value:ident Int) => {
        $crate::watch::Arguments {
            partitions: Some($into.partitions.unwrap_or(0) + i64::from($value.get())),
            ..$into
        }
    };
    ($into:ident len $value:ident Int) => {
        $crate::watch::Arguments { partitions: Some(i64::from($value.get())), ..$into }
    };
    ($into:ident request $value:ident OneRequest) => {
        $crate::watch::Arguments { request: Some($value.get()), ..$into }
    };
    ($into:ident dest $value:ident Int) => {
        $crate::watch::Arguments { dest: Some($value.get()), ..$into }
    };
    ($into:ident source $value:ident Int) => {
        $crate::watch::Arguments { source: Some($value.get()), ..$into }
    };
    ($into:ident root $value:ident Int) => {
        $crate::watch::Arguments { other_peer: Some($value.get()), ..$into }
    };
    ($into:ident rank $value:ident Int) => {
        $crate::watch::Arguments { other_peer: Some($value.get()), ..$into }
    };
    ($into:ident target_rank $value:ident Int) => {
        $crate::watch::Arguments { other_peer: Some($value.get()), ..$into }
    };
    ($into:ident tag $value:ident Int) => {
        $crate::watch::Arguments { tag: Some($value.get()), ..$into }
    };
    ($into:ident sendtag $value:ident Int) => {
        $crate::watch::Arguments { tag: Some($value.get()), ..$into }
    };
    ($into:ident kind $value:ident Int) => {
        $crate::watch::Arguments { tag: Some($value.get()), ..$into }
    };
    ($into:ident recvtag $value:ident Int) => {
        $crate::watch::Arguments { receive_tag: Some($value.get()), ..$into }
    };
    ($into:ident count $value:ident $kind:ident) => {
        $crate::watch::Arguments { count: Some(i64::from($value.get())), ..$into }
    };
    ($into:ident sendcount $value:ident $kind:ident) => {
        $crate::watch::Arguments { count: Some(i64::from($value.get())), ..$into }
    };
    ($into:ident origin_count $value:ident $kind:ident) => {
        $crate::watch::Arguments { count: Some(i64::from($value.get())), ..$into }
    };
    ($into:ident datatype $value:ident Type) => {
        $crate::watch::Arguments { datatype: Some($value.get()), ..$into }
    };
    ($into:ident sendtype $value:ident Type) => {
        $crate::watch::Arguments { datatype: Some($value.get()), ..$into }
    };
    ($into:ident origin_datatype $value:ident Type) => {
        $crate::watch::Arguments { datatype: Some($value.get()), ..$into }
    };
    ($into:ident request $value:ident Request) => {
        $crate::watch::Arguments { requests: Some($value.handles()), ..$into }
    };
    ($into:ident requests $value:ident Request) => {
        $crate::watch::Arguments { requests: Some($value.handles()), ..$into }
    };
    ($into:ident $name:ident $value:ident $kind:ident) => {
        $into
    };
}
pub(crate) use watch_argument;

/// Returns the description of a call's arguments.
macro_rules! describe_arguments {
    ($($arg:ident: $kind:ident),*) => {{
        let arguments = $crate::watch::Arguments::default();
        $(let arguments = $crate::interpose::watch_argument!(arguments $arg $arg $kind);)*
        arguments
    }};
}
pub(crate) use describe_arguments;

/// Defines the functions of C that describe a call, and `watched_function`, which returns the address of the first.
macro_rules! watched_in_c {
    ($symbol:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        const CALL: Option<$crate::watch::Call> = $crate::watch::Call::of_symbol(stringify!($symbol));
        /// Describes a call at once and forwards it, or leaves both to `watched_slowly`.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn watched(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let Some(begun) = $crate::watch::enter_at_once(CALL, &arguments) else {
                // SAFETY: the function gets the program's arguments.
                return unsafe { watched_slowly($($arg),*) };
            };
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            let code = unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                ) -> std::ffi::c_int)
            };
            $crate::watch::leave_at_once(CALL, begun, &arguments, code);
            code
        }
        /// Describes a call in any state of the process, and forwards it.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn watched_slowly(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let begun = $crate::watch::enter(CALL, &arguments);
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            let code = unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                ) -> std::ffi::c_int)
            };
            $crate::watch::leave(CALL, begun, &arguments, code);
            code
        }
        fn watched_function() -> *mut std::ffi::c_void {
            if CALL.is_some() { watched as *mut std::ffi::c_void } else { std::ptr::null_mut() }
        }
    };
}
pub(crate) use watched_in_c;

/// Defines the functions of C that measure and describe a call, and `timed_function`, which returns the address of the first.
macro_rules! timed_in_c {
    ($symbol:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        const TIMED: Option<$crate::times::Call> = $crate::times::Call::of_symbol(stringify!($symbol));
        /// Measures a call at once and forwards it, or leaves both to `timed_slowly`.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn timed(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let Some(entered) = $crate::times::enter_at_once(TIMED, CALL, &arguments) else {
                // SAFETY: the function gets the program's arguments.
                return unsafe { timed_slowly($($arg),*) };
            };
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            let code = unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                ) -> std::ffi::c_int)
            };
            $crate::times::leave_at_once(TIMED, CALL, entered, &arguments, code);
            code
        }
        /// Measures a call in any state of the process, and forwards it.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[inline(never)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn timed_slowly(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let entered = $crate::times::enter(TIMED, CALL, &arguments);
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            let code = unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>),*
                ) -> std::ffi::c_int)
            };
            $crate::times::leave(TIMED, CALL, entered, &arguments, code);
            code
        }
        fn timed_function() -> *mut std::ffi::c_void {
            if TIMED.is_some() { timed as *mut std::ffi::c_void } else { std::ptr::null_mut() }
        }
    };
}
pub(crate) use timed_in_c;

/// Defines the function of Fortran that describes a call, and `watched_function`, which returns its address.
macro_rules! watched_in_fortran {
    ($symbol:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        const CALL: Option<$crate::watch::Call> = $crate::watch::Call::of_symbol(stringify!($symbol));
        /// Describes a call and forwards it.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn watched(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let begun = $crate::watch::enter(CALL, &arguments);
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>,)*
                    error => $crate::arguments::ErrorCode,
                ) -> ())
            };
            $crate::watch::leave(CALL, begun, &arguments, error.get());
        }
        fn watched_function() -> *mut std::ffi::c_void {
            if CALL.is_some() { watched as *mut std::ffi::c_void } else { std::ptr::null_mut() }
        }
    };
}
pub(crate) use watched_in_fortran;

/// Defines the function of Fortran that measures and describes a call, and `timed_function`, which returns its address.
macro_rules! timed_in_fortran {
    ($symbol:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        const TIMED: Option<$crate::times::Call> = $crate::times::Call::of_symbol(stringify!($symbol));
        /// Measures a call and forwards it.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn timed(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            let arguments = $crate::interpose::describe_arguments!($($arg: $kind),*);
            let entered = $crate::times::enter(TIMED, CALL, &arguments);
            let next = NEXT.target();
            // SAFETY: `next` is the next definition of the same function, and gets the program's arguments.
            unsafe {
                $crate::interpose::call!(next(
                    $($arg => $crate::arguments::$kind<$crate::arguments::$binding>,)*
                    error => $crate::arguments::ErrorCode,
                ) -> ())
            };
            $crate::times::leave(TIMED, CALL, entered, &arguments, error.get());
        }
        fn timed_function() -> *mut std::ffi::c_void {
            if TIMED.is_some() { timed as *mut std::ffi::c_void } else { std::ptr::null_mut() }
        }
    };
}
pub(crate) use timed_in_fortran;
