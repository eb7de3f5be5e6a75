//! Functions with partly unknown parameters: they are recorded, and forwarded by a jump.

/// Defines a function of which only the first parameter is known: `fast_path` records the call and returns the
/// address to jump to.
macro_rules! variadic_function {
    ($binding:ident $recorder:tt $symbol:ident, $args:tt) => {
        $crate::interpose::functions_of! { $symbol {
            $crate::interpose::next_definition! { $recorder $symbol, stringify!($symbol), None }
            $crate::interpose::variadic_recorders! { $binding $recorder $args }
        }}
    };
    ($binding:ident $recorder:tt $symbol:ident / $profiling:ident, $args:tt) => {
        $crate::interpose::functions_of! { $symbol {
            $crate::interpose::next_definition! {
                $recorder $symbol, stringify!($symbol), Some($crate::interpose::c_name!(stringify!($profiling)))
            }
            $crate::interpose::profiling! { $recorder $profiling }
            $crate::interpose::variadic_recorders! { $binding $recorder $args }
        }}
    };
}
pub(crate) use variadic_function;

/// Defines `fast_path` of such a function, and `slow_path` for libraries that lack the function.
macro_rules! variadic_recorders {
    ($binding:ident [variadic () ($recorder:expr)] ($arg:ident: $kind:ident)) => {
        extern "C" fn record(
            next: &'static $crate::next_definition::NextDefinition,
            return_address: $crate::callers::ReturnAddress,
            $arg: $crate::arguments::$kind<$crate::arguments::$binding>,
        ) -> *mut std::ffi::c_void {
            let slow_path = slow_path as *mut std::ffi::c_void;
            $crate::calls::record_and_forward(next, slow_path, return_address, || $recorder)
        }
        // Reached if the library lacks the function.
        extern "C" fn missing() -> std::ffi::c_int {
            $crate::calls::no_such_function()
        }
        const fn watched_function() -> *mut std::ffi::c_void {
            std::ptr::null_mut()
        }
        use missing as slow_path;
        use record as fast_path;
        use record as indirect_path;
        use watched_function as timed_function;
    };
}
pub(crate) use variadic_recorders;
