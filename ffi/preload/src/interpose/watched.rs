//! Functions between interposition and the next definition that describe the call in progress to other programs
//! ([`crate::watch`]).

/// Adds an argument of a call to its description, by name and kind.
macro_rules! watch_argument {
    ($into:ident comm $value:ident $kind:ident) => {
        $into.object = Some($value.get());
    };
    ($into:ident local_comm $value:ident $kind:ident) => {
        $into.object = Some($value.get());
    };
    ($into:ident win $value:ident $kind:ident) => {
        $into.object = Some($value.get());
    };
    ($into:ident new $value:ident NewWin) => {
        $into.new_window = Some($value);
    };
    ($into:ident dest $value:ident Int) => {
        $into.dest = Some($value.get());
    };
    ($into:ident source $value:ident Int) => {
        $into.source = Some($value.get());
    };
    ($into:ident root $value:ident Int) => {
        $into.other_peer = Some($value.get());
    };
    ($into:ident rank $value:ident Int) => {
        $into.other_peer = Some($value.get());
    };
    ($into:ident target_rank $value:ident Int) => {
        $into.other_peer = Some($value.get());
    };
    ($into:ident tag $value:ident Int) => {
        $into.tag = Some($value.get());
    };
    ($into:ident sendtag $value:ident Int) => {
        $into.tag = Some($value.get());
    };
    ($into:ident kind $value:ident Int) => {
        $into.tag = Some($value.get());
    };
    ($into:ident recvtag $value:ident Int) => {
        $into.receive_tag = Some($value.get());
    };
    ($into:ident count $value:ident $kind:ident) => {
        $into.count = Some(i64::from($value.get()));
    };
    ($into:ident sendcount $value:ident $kind:ident) => {
        $into.count = Some(i64::from($value.get()));
    };
    ($into:ident origin_count $value:ident $kind:ident) => {
        $into.count = Some(i64::from($value.get()));
    };
    ($into:ident datatype $value:ident Type) => {
        $into.datatype = Some($value.get());
    };
    ($into:ident sendtype $value:ident Type) => {
        $into.datatype = Some($value.get());
    };
    ($into:ident origin_datatype $value:ident Type) => {
        $into.datatype = Some($value.get());
    };
    ($into:ident request $value:ident Request) => {
        $into.requests = Some($value);
    };
    ($into:ident requests $value:ident Request) => {
        $into.requests = Some($value);
    };
    ($into:ident $name:ident $value:ident $kind:ident) => {};
}
pub(crate) use watch_argument;

/// Declares a variable with the arguments that describe a call.
macro_rules! described_arguments {
    ($variable:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        #[allow(unused_mut, unused_assignments, reason = "calls differ in their arguments")]
        let mut $variable = $crate::watch::Arguments::<$crate::arguments::$binding>::new();
        $($crate::interpose::watch_argument!($variable $arg $arg $kind);)*
    };
}
pub(crate) use described_arguments;

/// Defines the function of C that describes a call, and `watched_function`, which returns its address.
macro_rules! watched_in_c {
    ($symbol:ident $binding:ident ($($arg:ident: $kind:ident),*)) => {
        const CALL: Option<$crate::watch::Call> = $crate::watch::Call::of_symbol(stringify!($symbol));
        /// Describes a call and forwards it.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the MPI function of this name.
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        #[allow(unused_mut, unused_assignments, reason = "calls differ in their arguments")]
        unsafe extern "C-unwind" fn watched(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>),*
        ) -> std::ffi::c_int {
            $crate::interpose::described_arguments! { arguments $binding ($($arg: $kind),*) }
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
        #[allow(unused_mut, unused_assignments, reason = "calls differ in their arguments")]
        unsafe extern "C-unwind" fn watched(
            $($arg: $crate::arguments::$kind<$crate::arguments::$binding>,)*
            error: $crate::arguments::ErrorCode,
        ) {
            $crate::interpose::described_arguments! { arguments $binding ($($arg: $kind),*) }
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
