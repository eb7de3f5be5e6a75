//! Functions with partly unknown parameters: they are recorded, and forwarded by a jump.

/// Defines a function of which only the first parameter is known: `noted` records the call and returns the
/// address to jump to.
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

/// Defines `noted` of such a function, and `looked_at` for libraries that lack the function.
macro_rules! passing_notes {
    ($language:ident [passing () ($note:expr)] ($arg:ident: $kind:ident)) => {
        extern "C" fn noted(
            next: &'static $crate::next::Next,
            return_address: usize,
            $arg: $crate::arguments::$kind<$crate::arguments::$language>,
        ) -> *mut std::ffi::c_void {
            $crate::calls::note_and_pass(next, return_address, || $note)
        }
        // Reached if the library lacks the function.
        extern "C" fn looked_at() -> std::ffi::c_int {
            $crate::calls::no_such_function()
        }
        use noted as between;
    };
}
pub(crate) use passing_notes;
