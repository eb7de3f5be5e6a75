//! The exported functions: machine code that chooses the destination of a call with all registers unchanged.
//!
//! | function | purpose |
//! |---|---|
//! | `entry!` | the exported function: a jump to the next definition or, with listeners, to a second [`Destination`] |
//! | `unresolved!` | in place of destinations that are unknown: finds the next definition ([`next_definition::resolve`]) and jumps there |
//! | `with_listeners!` | the second destination of MPI functions: checks if the program makes the call ([`crate::callers`]) |
//! | `sited!` | in front of one of the others, and of functions of calls, while places in the program are distinguished: stores the return address |
//! | `hidden_jump!` | a function that is not exported, which calls another one and jumps to its result |
//! | `variadic!` | the second destination of functions with unknown parameters: records the call and jumps |
//!
//! A function that is not MPI's may have any parameters and results: all registers that a caller may use for
//! arguments are saved while Rust code runs, vector registers in their full width, and the stack is unchanged at the jump.
//!
//! [`Destination`]: crate::next_definition::Destination [`next_definition::resolve`]: crate::next_definition::resolve

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{
    check_caller, counted_entry, doubly_counted_entry, entry, hidden_jump, record, resolve, sited,
    with_listeners, with_operand,
};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{
    check_caller, counted_entry, doubly_counted_entry, entry, hidden_jump, jump_to_result, record, resolve,
    sited, with_listeners, with_operand,
};

/// Defines an exported function with these instructions.
macro_rules! exported {
    ($symbol:ident $($body:tt)+) => {
        /// Jumps to a [`Destination`](crate::next_definition::Destination) of the name.
        ///
        /// # Safety
        ///
        /// The arguments satisfy the rules of the next function of this name.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C-unwind" fn $symbol() {
            std::arch::naked_asm!($($body)+)
        }
    };
}
pub(crate) use exported;

/// Defines `unresolved`, to which calls go until the next definition is found.
macro_rules! unresolved {
    ($describe:ident) => {
        $crate::trampoline::with_operand! { unresolved $describe $crate::trampoline::resolve }
    };
}
pub(crate) use unresolved;

/// Defines `with_listeners` for a function with unknown parameters.
macro_rules! variadic {
    ($next:ident) => {
        $crate::trampoline::with_operand! { with_listeners $next $crate::trampoline::record }
    };
}
pub(crate) use variadic;
