//! How a call is interposed: passed on to the next definition of the function, and noted if it succeeded.

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use mpit_ffi::abi::{Abi, Handle};
use mpit_ffi::comms::{self, Comm};
use mpit_ffi::host::Host;
use mpit_ffi::{datatypes, life};

use mpit::object::OUTSIDE;
use mpit_components::pml::{self, Mode, Send};

use crate::depth::Outermost;

/// A buffer of the user's. Never looked at.
pub(crate) type Buffer = *const c_void;

/// Where a handle of the user's is.
pub(crate) type HandleAt = *mut c_void;

/// `MPI_Count`, 64 bits everywhere.
pub(crate) type Count = i64;

/// What a host that has no such function answers: nothing to pass the call on to.
pub(crate) fn no_such_function() -> c_int {
    Host::get().map_or(1, |host| host.abi().err_other)
}

/// What a large count gets from a host that has only the form with `int` counts.
pub(crate) fn count_too_large() -> c_int {
    Host::get().map_or(2, |host| host.abi().err_count)
}

/// Whether anything is to be noted. Also where MPI is noticed that came up without our seeing it.
#[inline]
pub(crate) fn watching() -> bool {
    if !life::is_known_up() {
        life::ensure_up();
    }
    pml::active()
}

/// Whether a call is none of our business, at a glance: nobody listens, and MPI is known to be up.
#[inline]
pub(crate) fn is_quiet(when: When) -> bool {
    when == When::Watched && life::is_known_up() && !pml::active()
}

/// What one call sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sending {
    pub(crate) count: Count,
    pub(crate) datatype: Handle,
    pub(crate) dest: c_int,
    pub(crate) tag: c_int,
    pub(crate) comm: Handle,
    pub(crate) mode: Mode,
}

impl Sending {
    /// As the frameworks take it; `None` for `MPI_PROC_NULL` and for what cannot be made out.
    pub(crate) fn resolve(self) -> Option<(&'static Comm, Send)> {
        let abi = Host::get()?.abi();
        if self.dest == abi.proc_null {
            return None;
        }
        let comm = comms::in_use(abi.clean(self.comm))?;
        let bytes = self.count.max(0).cast_unsigned() * datatypes::size(abi, abi.clean(self.datatype));
        let to = comm.world_rank(self.dest);
        Some((comm, self.send(comm, to, bytes)))
    }

    /// The same for what is like the call before: the communicator and the type are the last ones. Most are, and
    /// nothing has to be known of the library for them.
    #[inline(always)]
    #[allow(clippy::inline_always, reason = "as `sent`")]
    fn resolve_like_last(self) -> Option<Send> {
        let (comm, size) = (comms::last(self.comm)?, datatypes::last_size(self.datatype)?);
        let to = comm.world_rank(self.dest);
        // Special ranks are none of the world's; counts below 0 are refused by the library.
        let plain = to != OUTSIDE && self.count >= 0;
        let bytes = self.count.cast_unsigned().wrapping_mul(size);
        plain.then(|| self.send(comm, to, bytes))
    }

    #[inline]
    fn send(self, comm: &Comm, to: u32, bytes: u64) -> Send {
        let (dest, tag, mode) = (self.dest.cast_unsigned(), self.tag, self.mode);
        Send { comm: comm.id(), dest, to, bytes, tag, mode }
    }
}

/// Notes that a message was sent.
#[inline(always)]
#[allow(clippy::inline_always, reason = "seven words that would go through memory, for every message")]
pub(crate) fn sent(sending: Sending) {
    match sending.resolve_like_last() {
        Some(send) => pml::sent(&send),
        None => sent_unlike_last(&sending),
    }
}

#[inline(never)]
fn sent_unlike_last(sending: &Sending) {
    if let Some((_, send)) = sending.resolve() {
        pml::sent(&send);
    }
}

/// When a call is noted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// If somebody listens, and the call is the user's and succeeded.
    Watched,
    /// Whenever it succeeded.
    Always,
    /// Before it is passed on.
    Before,
}

/// Runs a call: passes it on, and notes it.
#[inline]
pub(crate) fn run(when: When, pass_on: impl FnOnce() -> c_int, note: impl FnOnce()) -> c_int {
    match when {
        When::Watched if !watching() => pass_on(),
        When::Watched | When::Always => {
            let outermost = Outermost::enter();
            let code = pass_on();
            if code == Abi::SUCCESS && (outermost.is_some() || when == When::Always) {
                safely(note);
            }
            code
        }
        When::Before => {
            safely(note);
            pass_on()
        }
    }
}

/// A defect of ours must not end the program: a panic stops here, after its message.
#[inline]
fn safely(note: impl FnOnce()) {
    // What a note changes is made of atomics and of locks that survive a panic.
    drop(catch_unwind(AssertUnwindSafe(note)));
}

/// Defines interposed functions: when they are noted ([`When`]), name, parameters, and what is noted. A function with
/// large counts (`large`) is passed on with `int` counts to hosts that have no other.
macro_rules! interposed {
    ($(
        $when:ident fn $name:ident / $profiling:ident ($($arg:ident: $type:ty),* $(,)?)
        $(large $small:ident / $small_profiling:ident ($($count:ident),+))?
        => $note:expr;
    )+) => {$(
        /// Passed on; see the module.
        ///
        /// # Safety
        ///
        /// As the MPI function.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        pub unsafe extern "C-unwind" fn $name($($arg: $type),*) -> std::ffi::c_int {
            static NEXT: mpit_ffi::host::Function = mpit_ffi::host::Function::new(
                $crate::calls::c_name!($name),
                $crate::calls::c_name!($profiling),
            );
            // Apart, so that a call that nobody listens to is a look and a jump, and saves no registers.
            #[inline(never)]
            unsafe extern "C-unwind" fn noted($($arg: $type),*) -> std::ffi::c_int {
                let pass_on = || match NEXT.next() {
                    // SAFETY: the next definition of the same function; the rest by the caller's promise.
                    Some(next) => unsafe { $crate::calls::call!(next($($arg: $type),*)) },
                    None => $crate::calls::without!(
                        ($($arg: $type),*) $(large $small / $small_profiling ($($count),+))?
                    ),
                };
                $crate::calls::run($crate::calls::When::$when, pass_on, || $note)
            }
            match NEXT.known() {
                // SAFETY: as in `noted`.
                Some(next) if $crate::calls::is_quiet($crate::calls::When::$when) => unsafe {
                    $crate::calls::call!(next($($arg: $type),*))
                },
                // SAFETY: by the caller's promise.
                _ => unsafe { noted($($arg),*) },
            }
        }
    )+};
}
pub(crate) use interposed;

/// Calls the function at an address with these parameters.
macro_rules! call {
    ($address:ident($($arg:ident: $type:ty),*)) => {
        std::mem::transmute::<
            *mut std::ffi::c_void,
            unsafe extern "C-unwind" fn($($type),*) -> std::ffi::c_int,
        >($address)($($arg),*)
    };
}
pub(crate) use call;

/// A name as a C string.
macro_rules! c_name {
    ($name:ident) => {{
        const NAME: &std::ffi::CStr =
            match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => name,
                Err(_) => panic!("a name without NUL"),
            };
        NAME
    }};
}
pub(crate) use c_name;

/// What happens where the host lacks the function: with `large`, the form with `int` counts; else an error.
macro_rules! without {
    (($($arg:ident: $type:ty),*)) => {
        $crate::calls::no_such_function()
    };
    (($($arg:ident: $type:ty),*) large $small:ident / $small_profiling:ident ($($count:ident),+)) => {{
        static SMALL: mpit_ffi::host::Function = mpit_ffi::host::Function::new(
            $crate::calls::c_name!($small),
            $crate::calls::c_name!($small_profiling),
        );
        if [$($count),+].into_iter().any(|count| std::ffi::c_int::try_from(count).is_err()) {
            $crate::calls::count_too_large()
        } else if let Some(small) = SMALL.next() {
            // SAFETY: the two forms differ in the types of their counts only. Counts that fit into an `int` have it in
            // their low half, which is all that the callee looks at. The rest by the caller's promise.
            unsafe { $crate::calls::call!(small($($arg: $type),*)) }
        } else {
            $crate::calls::no_such_function()
        }
    }};
}
pub(crate) use without;
