//! Transport of bytes between the processes of a job during `MPI_Finalize`, over the host's own functions.
//!
//! All processes enter a barrier and then create a communicator of our own: on the program's communicators, a
//! receive from `MPI_ANY_SOURCE` that the program left pending could match our messages. All operations are
//! nonblocking and polled: the barrier without a time limit, since `MPI_Finalize` has none either, the others until
//! a deadline. An operation that times out stays with the library, and its memory is leaked.
//!
//! An exchange in which all processes wait for each other is last. MPICH 4 over UCX disconnects in `MPI_Finalize`, and never returns from it if the
//! process has made progress after another one closed their connection, because the library then waits for an answer on a closed connection. A
//! process that leaves the exchange closes its connections while others poll. So with that library no process enters
//! `MPI_Finalize` before the others have stopped to poll: each pauses, without progress, much longer than an exchange takes. No send is
//! synchronous (a message is answered by another one), and the exchange goes along the connections of the library's barrier in both directions.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::{Duration, Instant};

use mpit::tool::Datatype;
use mpit_components::gather::{self, Channel, TimeLimits, Transport, World};

use crate::abi::{Abi, Handle};
use crate::host::{Host, foreign, mpi, p2p};

pub(crate) fn register_transport() {
    gather::register_transport(&MpiTransport);
}

#[derive(Debug)]
struct MpiTransport;

/// The communicator that all processes have created.
static COMM: OnceLock<Handle> = OnceLock::new();

/// The result of the barrier. Processes that failed send nothing later.
static SYNCHRONIZED: OnceLock<Result<(), String>> = OnceLock::new();

/// The maximum length of a message: counts are of C's type `int`, and each piece that arrives extends the deadline.
const MAX_PIECE: usize = 16 << 20;

/// The pause between the last exchange and `MPI_Finalize`. With 1 ms, 1 of 12 jobs of 4 processes on 2 hosts did not end; with 5 ms, none.
const MIN_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(500);

/// The tag of the messages of the last exchange.
const LEAVE: c_int = 7;

/// The tags of a message with the length, of its answer, and of the bytes that follow.
const fn tags(channel: Channel) -> [c_int; 3] {
    match channel {
        Channel::Texts => [1, 2, 3],
        Channel::Summaries => [4, 5, 6],
    }
}

impl Transport for MpiTransport {
    fn synchronize(&self, timeout: Duration) -> Result<(), String> {
        if let Some(result) = SYNCHRONIZED.get() {
            return result.clone();
        }
        // Without a lock, because the library runs meanwhile. One thread calls `MPI_Finalize`.
        let result = synchronize(timeout);
        let _ = SYNCHRONIZED.set(result.clone());
        result
    }

    fn send(&self, channel: Channel, to: u32, bytes: Vec<u8>, limits: TimeLimits) -> Result<(), String> {
        let [of_length, of_answer, of_bytes] = tags(channel);
        let timed_out = || format!("rank {to} did not receive the data in time");
        let length = (bytes.len() as u64).to_le_bytes().to_vec();
        send(to, of_length, length, 0, limits.deadline)?.ok_or_else(timed_out)?;
        receive(to, of_answer, 1, limits.deadline)?.ok_or_else(timed_out)?;
        let (mut bytes, mut at) = (bytes, 0);
        while at < bytes.len() {
            let deadline = Instant::now() + limits.per_message;
            bytes = send(to, of_bytes, bytes, at, deadline)?.ok_or_else(timed_out)?;
            at += MAX_PIECE;
        }
        Ok(())
    }

    fn receive(&self, channel: Channel, from: u32, limits: TimeLimits) -> Result<Vec<u8>, String> {
        let [of_length, of_answer, of_bytes] = tags(channel);
        let timed_out = || format!("rank {from} sent nothing in time");
        let length = receive(from, of_length, 8, limits.deadline)?.ok_or_else(timed_out)?;
        send(from, of_answer, vec![0], 0, Instant::now() + limits.per_message)?.ok_or_else(timed_out)?;
        let length = length.try_into().map_or(0, u64::from_le_bytes);
        let length = usize::try_from(length).map_err(|_| format!("rank {from} sent too much"))?;
        let mut all = Vec::new();
        all.try_reserve_exact(length).map_err(|_| no_memory())?;
        while all.len() < length {
            let piece = MAX_PIECE.min(length - all.len());
            all.extend(
                receive(from, of_bytes, piece, Instant::now() + limits.per_message)?.ok_or_else(timed_out)?,
            );
        }
        Ok(all)
    }

    fn leave(&self, world: World, timeout: Duration) {
        if COMM.get().is_none() {
            return;
        }
        let deadline = Instant::now() + timeout;
        if !exchange_with_all(world, deadline) || !hangs_after_progress() {
            return;
        }
        // Now no process is late, so this takes as long as the processes need to leave an exchange on this machine under its load.
        let begin = Instant::now();
        if exchange_with_all(world, deadline) {
            thread::sleep((begin.elapsed() * 10).clamp(MIN_PAUSE, MAX_PAUSE));
        }
    }

    fn host_name(&self) -> String {
        // SAFETY: MPI is initialized, and `text` passes space for `MPI_MAX_PROCESSOR_NAME` characters.
        mpi::text(|name, len| unsafe { p2p::get_processor_name(name, len) })
    }
}

/// Waits for all processes, and creates the communicator.
fn synchronize(timeout: Duration) -> Result<(), String> {
    // Static: if the last process is late, the library writes the handle after the deadline.
    static MADE: AtomicU64 = AtomicU64::new(0);
    let abi = Host::get().ok_or("there is no MPI library")?.abi();
    let all = Request::begin(|request| {
        // SAFETY: MPI is initialized, so the world exists, and `begin` passes space for a request.
        unsafe { p2p::ibarrier(abi.comm_world, request) }
    })?;
    all.complete(None)?;
    let at = MADE.as_ptr();
    let dup = Request::begin(|request| {
        // SAFETY: MPI is initialized; `at` is static and has space for a handle, and `begin` passes space for a request.
        unsafe { p2p::comm_idup(abi.comm_world, at.cast(), request) }
    })?;
    if !dup.complete(Some(Instant::now() + timeout))? {
        return Err("a process does not respond".to_owned());
    }
    // SAFETY: the request is complete, so the library has written the handle and does not write again.
    let comm = unsafe { abi.load_handle(at.cast::<c_void>()) };
    if let Some(handler) = abi.errors_return {
        // SAFETY: this function created the communicator, and the handler is a predefined one.
        unsafe { p2p::comm_set_errhandler(comm, handler) };
    }
    // Never freed: that would be another collective call. The library frees it when it ends.
    let _ = COMM.set(comm);
    Ok(())
}

/// Returns true if the library never returns from `MPI_Finalize` after progress on a closed connection: MPICH 4 over UCX. MPICH 5, whose UCX is
/// newer, ends well.
fn hangs_after_progress() -> bool {
    foreign::library()
        .is_some_and(|(_, version)| version.starts_with("MPICH Version: 4.") && version.contains("ucx"))
}

/// Exchanges messages such that no process returns before all have called this. Returns false if one does not by the deadline.
fn exchange_with_all(world: World, deadline: Instant) -> bool {
    let (rank, size) = (u64::from(world.rank), u64::from(world.size));
    let mut distance = 1;
    while distance < size {
        let after = ((rank + distance) % size) as u32;
        let before = ((rank + size - distance) % size) as u32;
        for (to, from) in [(after, before), (before, after)] {
            // A process that does not come has ended, or has given up.
            if !exchange(to, from, deadline).is_ok_and(|is_complete| is_complete) {
                return false;
            }
        }
        distance *= 2;
    }
    true
}

/// Sends a message to a rank, and receives one from another rank. Returns true if both are complete by the deadline.
fn exchange(to: u32, from: u32, deadline: Instant) -> Result<bool, String> {
    let (receiving, into) = begin_receive(from, LEAVE, 1)?;
    let sent =
        begin_send(to, LEAVE, vec![0], 0).and_then(|(sending, bytes)| sending.complete_with(bytes, deadline));
    let received = receiving.complete_with(into, deadline);
    Ok(sent?.is_some() && received?.is_some())
}

/// Returns the datatype and the communicator of the messages.
fn channel() -> Result<(Handle, Handle), String> {
    let abi = Host::get().ok_or("there is no MPI library")?.abi();
    let comm = COMM.get().ok_or("the processes have no common communicator")?;
    Ok((abi.datatype(Datatype::Char), *comm))
}

/// Sends the piece that begins at `at`. Returns the bytes; `None` if the library did not take the piece in time.
fn send(
    to: u32,
    tag: c_int,
    bytes: Vec<u8>,
    at: usize,
    deadline: Instant,
) -> Result<Option<Vec<u8>>, String> {
    let (request, bytes) = begin_send(to, tag, bytes, at)?;
    request.complete_with(bytes, deadline)
}

/// Begins to send the piece that begins at `at`. The bytes are for [`Request::complete_with`].
fn begin_send(to: u32, tag: c_int, bytes: Vec<u8>, at: usize) -> Result<(Request, Vec<u8>), String> {
    let (datatype, comm) = channel()?;
    let piece = &bytes[at..bytes.len().min(at + MAX_PIECE)];
    let request = Request::begin(|request| {
        let (data, count) = (piece.as_ptr().cast(), piece.len() as c_int);
        // SAFETY: the communicator is never freed; the bytes are not changed while the request is active, and
        // are leaked if it times out.
        unsafe { p2p::isend(data, count, datatype, to.cast_signed(), tag, comm, request) }
    })?;
    Ok((request, bytes))
}

/// Receives `len` bytes; returns `None` if they did not arrive in time.
fn receive(from: u32, tag: c_int, len: usize, deadline: Instant) -> Result<Option<Vec<u8>>, String> {
    let (request, bytes) = begin_receive(from, tag, len)?;
    request.complete_with(bytes, deadline)
}

/// Begins to receive `len` bytes. The bytes are for [`Request::complete_with`].
fn begin_receive(from: u32, tag: c_int, len: usize) -> Result<(Request, Vec<u8>), String> {
    let (datatype, comm) = channel()?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| no_memory())?;
    bytes.resize(len, 0);
    let request = Request::begin(|request| {
        let (data, count) = (bytes.as_mut_ptr().cast(), len as c_int);
        // SAFETY: the communicator is never freed; the bytes are not used while the request is active, and
        // are leaked if it times out.
        unsafe { p2p::irecv(data, count, datatype, from.cast_signed(), tag, comm, request) }
    })?;
    Ok((request, bytes))
}

struct Request {
    /// The handle, of either width.
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

    /// Completes a request that uses the bytes, and returns them. They are leaked if it is not complete by the deadline.
    fn complete_with(self, bytes: Vec<u8>, deadline: Instant) -> Result<Option<Vec<u8>>, String> {
        match self.complete(Some(deadline)) {
            Ok(true) => Ok(Some(bytes)),
            otherwise => {
                std::mem::forget(bytes);
                otherwise.map(|_| None)
            }
        }
    }

    /// Polls the request until it is complete or the deadline has passed. Returns true if it is complete.
    fn complete(mut self, deadline: Option<Instant>) -> Result<bool, String> {
        let mut pause = Duration::ZERO;
        loop {
            let mut flag = 0;
            // Larger than a status of any flavor.
            let mut status = [0_u64; 8];
            let (request, into) = ((&raw mut self.handle).cast(), (&raw mut status).cast());
            // SAFETY: MPI is initialized, the request is active, and `flag` and `status` are local variables.
            let code = unsafe { p2p::test(request, &raw mut flag, into) };
            match code {
                Some(Abi::SUCCESS) if flag != 0 => return Ok(true),
                Some(Abi::SUCCESS) => (),
                code => return Err(failed(code.unwrap_or(-1))),
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ok(false);
            }
            // Yields the processor, which the other processes may need to reach this point.
            if pause.is_zero() {
                thread::yield_now();
            } else {
                thread::sleep(pause);
            }
            pause = (pause * 2 + Duration::from_micros(1)).min(Duration::from_millis(1));
        }
    }
}

fn no_memory() -> String {
    "memory is short".to_owned()
}

fn failed(code: c_int) -> String {
    format!("the MPI library failed with code {code}")
}
