//! Persistent requests: what they send is known when they are made, and counts each time they are started.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit_components::pml::Mode::{self, Buffered, Ready, Standard, Synchronous};
use mpit_components::pml::{self, Send};
use mpit_ffi::abi::Handle;
use mpit_ffi::comms::Comm;
use mpit_ffi::host::Host;
use mpit_ffi::table::Table;

use crate::calls::{Buffer, Count, HandleAt, Sending, interposed};

/// What a persistent request sends.
#[derive(Debug, Default)]
struct Persistent {
    comm: AtomicPtr<Comm>,
    dest: AtomicU32,
    to: AtomicU32,
    bytes: AtomicU64,
    tag: AtomicI32,
    mode: AtomicU8,
}

static REQUESTS: Table<Persistent> = Table::new();

const MODES: [Mode; 4] = [Standard, Buffered, Synchronous, Ready];

impl Persistent {
    fn set(&self, comm: &'static Comm, send: &Send) {
        self.comm.store(std::ptr::from_ref(comm).cast_mut(), Relaxed);
        self.dest.store(send.dest, Relaxed);
        self.to.store(send.to, Relaxed);
        self.bytes.store(send.bytes, Relaxed);
        self.tag.store(send.tag, Relaxed);
        let mode = MODES.iter().position(|mode| *mode == send.mode).unwrap_or_default();
        self.mode.store(mode as u8, Relaxed);
    }

    fn started(&self) {
        // SAFETY: null, or what `set` stored: a `&'static`.
        let Some(comm) = (unsafe { self.comm.load(Relaxed).as_ref() }) else { return };
        pml::sent(&Send {
            comm: comm.id(),
            dest: self.dest.load(Relaxed),
            to: self.to.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            tag: self.tag.load(Relaxed),
            mode: MODES[usize::from(self.mode.load(Relaxed)) % MODES.len()],
        });
    }
}

/// Reads a request of the user's.
fn request(at: HandleAt) -> Option<Handle> {
    let abi = Host::get()?.abi();
    // SAFETY: the host has accepted the pointer.
    (!at.is_null()).then(|| unsafe { abi.load_handle(at) })
}

/// A request that sends was made.
pub(crate) fn made(handle: Handle, sending: Sending) {
    // Whatever was known under this handle is of the past.
    REQUESTS.remove(handle);
    if let Some((comm, send)) = sending.resolve() {
        REQUESTS.insert_reusing(handle, |known| known.set(comm, &send));
    }
}

/// The same, for a C program.
fn made_by(at: HandleAt, sending: Sending) {
    if let Some(handle) = request(at) {
        made(handle, sending);
    }
}

/// A request that does not send was made.
pub(crate) fn made_other(handle: Option<Handle>) {
    if let Some(handle) = handle {
        REQUESTS.remove(handle);
    }
}

/// A request was started.
pub(crate) fn started(handle: Option<Handle>) {
    if let Some(known) = handle.and_then(|handle| REQUESTS.get(handle)) {
        known.started();
    }
}

/// Requests that send, by mode.
macro_rules! sends {
    ($($mode:ident: $name:ident / $profiling:ident, $large:ident / $large_profiling:ident;)+) => {
        interposed! {$(
            Always fn $name / $profiling(
                buf: Buffer, count: c_int, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
                request: HandleAt,
            ) => made_by(request, Sending { count: Count::from(count), datatype, dest, tag, comm, mode: $mode });
            Always fn $large / $large_profiling(
                buf: Buffer, count: Count, datatype: Handle, dest: c_int, tag: c_int, comm: Handle,
                request: HandleAt,
            ) large $name / $profiling(count)
              => made_by(request, Sending { count, datatype, dest, tag, comm, mode: $mode });
        )+}
    };
}

sends! {
    Standard: MPI_Send_init / PMPI_Send_init, MPI_Send_init_c / PMPI_Send_init_c;
    Buffered: MPI_Bsend_init / PMPI_Bsend_init, MPI_Bsend_init_c / PMPI_Bsend_init_c;
    Synchronous: MPI_Ssend_init / PMPI_Ssend_init, MPI_Ssend_init_c / PMPI_Ssend_init_c;
    Ready: MPI_Rsend_init / PMPI_Rsend_init, MPI_Rsend_init_c / PMPI_Rsend_init_c;
}

interposed! {
    Always fn MPI_Recv_init / PMPI_Recv_init(
        buf: *mut c_void, count: c_int, datatype: Handle, source: c_int, tag: c_int, comm: Handle,
        request: HandleAt,
    ) => made_other(self::request(request));
    Always fn MPI_Recv_init_c / PMPI_Recv_init_c(
        buf: *mut c_void, count: Count, datatype: Handle, source: c_int, tag: c_int, comm: Handle,
        request: HandleAt,
    ) large MPI_Recv_init / PMPI_Recv_init(count) => made_other(self::request(request));
    Watched fn MPI_Start / PMPI_Start(request: HandleAt) => started(self::request(request));
    Watched fn MPI_Startall / PMPI_Startall(count: c_int, requests: HandleAt) => {
        for at in 0..count.max(0) as usize {
            started(element(requests, at));
        }
    };
    Before fn MPI_Request_free / PMPI_Request_free(request: HandleAt) => made_other(self::request(request));
}

/// A request of an array of the user's.
fn element(requests: HandleAt, at: usize) -> Option<Handle> {
    let abi = Host::get()?.abi();
    let width = if abi.narrow_handles { 4 } else { size_of::<Handle>() };
    request(requests.wrapping_byte_add(at * width))
}
