//! Fortran: the same calls by the names that Fortran programs know.
//!
//! Open MPI's Fortran interfaces call `PMPI_` functions, past everything that interposes C; MPICH's call `MPI_`
//! functions, but for a few. So each call is taken by its Fortran names, too, and counted once all the same: what it
//! calls in turn is inside ([`crate::depth`]). Compilers decorate names in four ways, and `use mpi_f08` has names of its
//! own, with the same arguments, all by reference; only the error code may be missing there.

use std::ffi::{c_int, c_void};

use mpit_components::pml::Mode::{self, Buffered, Ready, Standard, Synchronous};
use mpit_ffi::abi::Abi;
use mpit_ffi::host::Function;
use mpit_ffi::{fortran, life};

use crate::calls::{self, Sending, When};
use crate::persistent;

/// A buffer, which is passed on and never looked at.
type Buffer = *mut c_void;
/// An argument.
type Int = *const c_int;
/// Where the error code goes.
type Error = *mut c_int;

/// An argument's value.
fn get(at: Int) -> c_int {
    // SAFETY: Fortran passes the address of each argument, and the host has read it in a call that succeeded.
    unsafe { at.read() }
}

/// What the call of the user's said, as a C code.
fn code(error: Error) -> c_int {
    // SAFETY: Fortran passes the address of the error code, or null where it is left out.
    unsafe { error.as_ref() }.copied().unwrap_or(Abi::SUCCESS)
}

/// What a call sends whose arguments are these.
fn sending(mode: Mode, [count, datatype, dest, tag, comm]: [Int; 5]) -> Option<Sending> {
    Some(Sending {
        count: get(count).into(),
        datatype: fortran::datatype(get(datatype))?,
        dest: get(dest),
        tag: get(tag),
        comm: fortran::comm(get(comm))?,
        mode,
    })
}

fn sent(mode: Mode, arguments: [Int; 5]) {
    if let Some(sending) = sending(mode, arguments) {
        calls::sent(sending);
    }
}

fn made(mode: Mode, arguments: [Int; 5], request: Int) {
    if let (Some(sending), Some(request)) = (sending(mode, arguments), fortran::request(get(request))) {
        persistent::made(request, sending);
    }
}

fn started(requests: Int, count: usize) {
    for at in 0..count {
        persistent::started(fortran::request(get(requests.wrapping_add(at))));
    }
}

/// Defines a function under one name: passed on to the next of that name, and noted.
macro_rules! under {
    ($rust:ident, $symbol:expr, $when:ident ($($arg:ident: $type:ty),*), $note:expr) => {
        /// Passed on; see the module.
        ///
        /// # Safety
        ///
        /// As the MPI function.
        #[unsafe(export_name = $symbol)]
        #[allow(clippy::too_many_arguments, reason = "the standard's signatures")]
        unsafe extern "C-unwind" fn $rust($($arg: $type,)* error: Error) {
            const NAME: &std::ffi::CStr =
                match std::ffi::CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                    Ok(name) => name,
                    Err(_) => panic!("a name without NUL"),
                };
            static NEXT: Function = Function::new(NAME, NAME);
            let pass_on = || -> c_int {
                let Some(address) = NEXT.next() else { return calls::no_such_function() };
                // SAFETY: the next definition of the same function, thus with the same parameters.
                let next = unsafe {
                    std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($type,)* Error)>(address)
                };
                // SAFETY: by the caller's promise.
                unsafe { next($($arg,)* error) };
                code(error)
            };
            calls::run(When::$when, pass_on, || $note);
        }
    };
}

/// Defines a function under all its names.
macro_rules! fortran {
    ($($lower:literal $upper:literal $when:ident ($($arg:ident: $type:ty),*) => $note:expr;)+) => {$(
        const _: () = {
            under!(plain, concat!("mpi_", $lower), $when ($($arg: $type),*), $note);
            under!(one, concat!("mpi_", $lower, "_"), $when ($($arg: $type),*), $note);
            under!(two, concat!("mpi_", $lower, "__"), $when ($($arg: $type),*), $note);
            under!(upper, concat!("MPI_", $upper), $when ($($arg: $type),*), $note);
            under!(f08, concat!("mpi_", $lower, "_f08_"), $when ($($arg: $type),*), $note);
        };
    )+};
}

/// Sends, blocking, nonblocking and persistent.
macro_rules! sends {
    ($($mode:ident: $lower:literal $upper:literal, $ilower:literal $iupper:literal, $init:literal $upper_init:literal;)+) => {
        fortran! {$(
            $lower $upper Watched
                (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int)
                => sent($mode, [count, datatype, dest, tag, comm]);
            $ilower $iupper Watched
                (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int, request: Int)
                => sent($mode, [count, datatype, dest, tag, comm]);
            $init $upper_init Always
                (buf: Buffer, count: Int, datatype: Int, dest: Int, tag: Int, comm: Int, request: Int)
                => made($mode, [count, datatype, dest, tag, comm], request);
        )+}
    };
}

sends! {
    Standard: "send" "SEND", "isend" "ISEND", "send_init" "SEND_INIT";
    Buffered: "bsend" "BSEND", "ibsend" "IBSEND", "bsend_init" "BSEND_INIT";
    Synchronous: "ssend" "SSEND", "issend" "ISSEND", "ssend_init" "SSEND_INIT";
    Ready: "rsend" "RSEND", "irsend" "IRSEND", "rsend_init" "RSEND_INIT";
}

fortran! {
    "sendrecv" "SENDRECV" Watched
        (sendbuf: Buffer, sendcount: Int, sendtype: Int, dest: Int, sendtag: Int, recvbuf: Buffer, recvcount: Int,
         recvtype: Int, source: Int, recvtag: Int, comm: Int, status: Buffer)
        => sent(Standard, [sendcount, sendtype, dest, sendtag, comm]);
    "sendrecv_replace" "SENDRECV_REPLACE" Watched
        (buf: Buffer, count: Int, datatype: Int, dest: Int, sendtag: Int, source: Int, recvtag: Int, comm: Int,
         status: Buffer)
        => sent(Standard, [count, datatype, dest, sendtag, comm]);
    "recv_init" "RECV_INIT" Always
        (buf: Buffer, count: Int, datatype: Int, source: Int, tag: Int, comm: Int, request: Int)
        => persistent::made_other(fortran::request(get(request)));
    "start" "START" Watched (request: Int) => started(request, 1);
    "startall" "STARTALL" Watched (count: Int, requests: Int)
        => started(requests, get(count).max(0) as usize);
    "request_free" "REQUEST_FREE" Before (request: Int)
        => persistent::made_other(fortran::request(get(request)));
    "init" "INIT" Always () => life::ensure_up();
    "init_thread" "INIT_THREAD" Always (required: Int, provided: Int) => life::ensure_up();
    "finalize" "FINALIZE" Before () => life::finalizing();
}
