//! Bytes between the processes of a job while MPI goes down, over the host's own functions.
//!
//! First all processes meet in a barrier. Then they make a communicator of their own:
//! on the program's communicators, a receive from anybody that the program left behind could take what is ours. Every
//! operation is one that returns at once and is asked after until the time is up. One that was given up stays with the
//! library, and so does the memory that it uses.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use mpit::words::Datatype;
use mpit_components::gather::{self, Patience, Transport};

use crate::abi::{Abi, Flavour, Handle};
use crate::host::{Host, p2p};

/// Offers the host's functions to those who gather.
pub(crate) fn offer() {
    gather::offer(&OverMpi);
}

#[derive(Debug)]
struct OverMpi;

/// The communicator that all processes made when they met.
static COMM: OnceLock<Handle> = OnceLock::new();

/// No message is longer: counts are of C's type int, and a piece that is taken is a sign of life.
const PIECE: usize = 16 << 20;

/// A length goes before what is as long.
const LENGTH: c_int = 1;
const BYTES: c_int = 2;

impl Transport for OverMpi {
    fn meet(&self, further: Duration) -> Result<(), String> {
        let abi = Host::get().ok_or("there is no MPI library")?.abi();
        let all = Request::begin(|request| {
            // SAFETY: MPI is up, so the world exists; there is room for a request.
            unsafe { p2p::ibarrier(abi.comm_world, request) }
        })?;
        all.complete(None)?;
        // The library writes it whenever the last process comes, which may be after we gave up.
        let made: &'static mut u64 = Box::leak(Box::new(0));
        let at: *mut u64 = made;
        let dup = Request::begin(|request| {
            // SAFETY: MPI is up; `at` stays valid for ever and has room for a handle; so has `request`.
            unsafe { p2p::comm_idup(abi.comm_world, at.cast(), request) }
        })?;
        if !dup.complete(Some(Instant::now() + further))? {
            return Err("a process does not answer any more".to_owned());
        }
        // SAFETY: the library has written the handle, and will not do so again.
        let comm = unsafe { abi.load_handle(at.cast::<c_void>()) };
        if let Some(handler) = errors_return(abi) {
            // SAFETY: the communicator is ours and alive, and the handler predefined.
            unsafe { p2p::comm_set_errhandler(comm, handler) };
        }
        // Giving it back would need everybody once more; the library does so at its end.
        let _ = COMM.set(comm);
        Ok(())
    }

    fn send(&self, to: u32, bytes: Vec<u8>, patience: Patience) -> Result<(), String> {
        let late = || format!("rank {to} did not take it in time");
        let length = (bytes.len() as u64).to_le_bytes().to_vec();
        if !send(to, LENGTH, length, 0, patience.until)?.0 {
            return Err(late());
        }
        let (mut bytes, mut at) = (bytes, 0);
        while at < bytes.len() {
            let (taken, rest) = send(to, BYTES, bytes, at, Instant::now() + patience.further)?;
            if !taken {
                return Err(late());
            }
            bytes = rest;
            at += PIECE;
        }
        Ok(())
    }

    fn receive(&self, from: u32, patience: Patience) -> Result<Vec<u8>, String> {
        let late = || format!("rank {from} sent nothing in time");
        let length = receive(from, LENGTH, 8, patience.until)?.ok_or_else(late)?;
        let length = length.try_into().map_or(0, u64::from_le_bytes);
        let length = usize::try_from(length).map_err(|_| format!("rank {from} sent too much"))?;
        let mut all = Vec::new();
        while all.len() < length {
            let piece = PIECE.min(length - all.len());
            all.extend(receive(from, BYTES, piece, Instant::now() + patience.further)?.ok_or_else(late)?);
        }
        Ok(all)
    }

    fn host_name(&self) -> String {
        // More than MPI_MAX_PROCESSOR_NAME of any flavour.
        let mut name = [0_u8; 1024];
        let mut len: c_int = 0;
        // SAFETY: MPI is up, and the buffer is longer than any name.
        let asked = unsafe { p2p::get_processor_name(name.as_mut_ptr(), &raw mut len) };
        let end = if asked == Some(Abi::SUCCESS) { len.clamp(0, 1023) as usize } else { 0 };
        String::from_utf8_lossy(&name[..end]).into_owned()
    }
}

/// `MPI_ERRORS_RETURN`.
pub(crate) fn errors_return(abi: &Abi) -> Option<Handle> {
    match abi.flavour {
        Flavour::OpenMpi => Host::get()?.object("ompi_mpi_errors_return"),
        Flavour::Mpich => Some(0x5400_0001),
        Flavour::Standard => Some(323),
    }
}

/// What messages are made of, and the communicator they travel on.
fn means() -> Result<(Handle, Handle), String> {
    let abi = Host::get().ok_or("there is no MPI library")?.abi();
    let comm = COMM.get().ok_or("the processes did not meet")?;
    Ok((abi.datatype(Datatype::Char), *comm))
}

/// Sends the piece that begins at a place, and gives the bytes back if it was taken.
fn send(to: u32, tag: c_int, bytes: Vec<u8>, at: usize, until: Instant) -> Result<(bool, Vec<u8>), String> {
    let (datatype, comm) = means()?;
    let piece = &bytes[at..bytes.len().min(at + PIECE)];
    let request = Request::begin(|request| {
        let (data, count) = (piece.as_ptr().cast(), piece.len() as c_int);
        // SAFETY: the communicator is alive; the bytes are not changed while the request is active, and stay for
        // ever if it is given up.
        unsafe { p2p::issend(data, count, datatype, to.cast_signed(), tag, comm, request) }
    })?;
    match request.complete(Some(until)) {
        Ok(true) => Ok((true, bytes)),
        otherwise => {
            std::mem::forget(bytes);
            otherwise.map(|_| (false, Vec::new()))
        }
    }
}

/// Receives so many bytes; `None` if they did not come.
fn receive(from: u32, tag: c_int, len: usize, until: Instant) -> Result<Option<Vec<u8>>, String> {
    let (datatype, comm) = means()?;
    let mut bytes = vec![0; len];
    let request = Request::begin(|request| {
        let (data, count) = (bytes.as_mut_ptr().cast(), len as c_int);
        // SAFETY: the communicator is alive; the bytes are left alone while the request is active, and stay for ever
        // if it is given up.
        unsafe { p2p::irecv(data, count, datatype, from.cast_signed(), tag, comm, request) }
    })?;
    match request.complete(Some(until)) {
        Ok(true) => Ok(Some(bytes)),
        otherwise => {
            std::mem::forget(bytes);
            otherwise.map(|_| None)
        }
    }
}

/// Something that the library is at.
struct Request {
    /// A handle of either width.
    handle: u64,
}

impl Request {
    fn begin(begin: impl FnOnce(*mut c_void) -> Option<c_int>) -> Result<Self, String> {
        let mut handle = 0_u64;
        match begin((&raw mut handle).cast()) {
            Some(Abi::SUCCESS) => Ok(Self { handle }),
            Some(code) => Err(failed(code)),
            None => Err("the MPI library lacks a function that this needs".into()),
        }
    }

    /// Asks after it until it is complete or the time is up, if there is a limit; says which.
    fn complete(mut self, until: Option<Instant>) -> Result<bool, String> {
        let mut pause = Duration::ZERO;
        loop {
            let mut flag = 0;
            // Larger than a status of any flavour.
            let mut status = [0_u64; 8];
            let (request, into) = ((&raw mut self.handle).cast(), (&raw mut status).cast());
            // SAFETY: MPI is up; the request is active; flag and status are writable.
            let asked = unsafe { p2p::test(request, &raw mut flag, into) };
            match asked {
                Some(Abi::SUCCESS) if flag != 0 => return Ok(true),
                Some(Abi::SUCCESS) => (),
                code => return Err(failed(code.unwrap_or(-1))),
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Ok(false);
            }
            // Others may need the processor to come here at all.
            if pause.is_zero() {
                thread::yield_now();
            } else {
                thread::sleep(pause);
            }
            pause = (pause * 2 + Duration::from_micros(1)).min(Duration::from_millis(1));
        }
    }
}

fn failed(code: c_int) -> String {
    format!("the MPI library failed with code {code}")
}
