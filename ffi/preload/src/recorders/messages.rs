//! Records of messages.

use std::ffi::c_int;

use mpit::object::OUTSIDE;
use mpit_components::pml::{self, Mode, Send, SizeCells};
use mpit_ffi::abi::{Handle, LiveComm, LiveDatatype};
use mpit_ffi::comms::{COMMS, Comm};
use mpit_ffi::datatypes;
use mpit_sync::static_ref::StaticRef;
use mpit_sync::thread_slots;

use super::datatypes::query_size;
use super::routes::{RouteKey, Routes};
use super::{Deliver, Recorder, in_advance};
use crate::arguments::{self, Binding, Buf, Count, Int, Request, Type, Wide};
use crate::nesting::thread_routes::ThreadRoutes;

/// The message that a call sends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SendRecorder {
    pub(crate) mode: Mode,
    pub(crate) count: i64,
    pub(crate) datatype: Handle,
    pub(crate) dest: c_int,
    pub(crate) tag: c_int,
    pub(crate) comm: Handle,
    /// True if the library accepts the call whenever communicator, type, count and receiver are valid.
    pub(crate) has_valid_arguments: bool,
}

type SendRoutes = Routes<SizeCells, 128>;

static ROUTES: SendRoutes = Routes::new();

/// The routes of threads that call at once, by [slot](mpit_sync::thread_slots).
static OF_THREADS: [StaticRef<SendRoutes>; thread_slots::SLOTS] =
    [const { StaticRef::new() }; thread_slots::SLOTS];

/// The routes of this thread.
// SAFETY: the routes of collective operations have another index.
const OF_THIS_THREAD: ThreadRoutes<SendRoutes, 0> = unsafe { ThreadRoutes::new() };

/// The largest tag that all libraries accept: the standard's minimum of `MPI_TAG_UB`.
const MIN_TAG_LIMIT: c_int = 32767;

impl SendRecorder {
    #[inline]
    pub(crate) fn new<L: Binding>(
        mode: Mode,
        count: Count<L>,
        datatype: Type<L>,
        dest: Int<L>,
        tag: Int<L>,
        comm: arguments::Comm<L>,
    ) -> Self {
        Self::of(mode, count.get(), datatype, dest, tag, comm)
    }

    #[inline(always)]
    fn of<L: Binding>(
        mode: Mode,
        count: i64,
        datatype: Type<L>,
        dest: Int<L>,
        tag: Int<L>,
        comm: arguments::Comm<L>,
    ) -> Self {
        let (datatype, comm) = (datatype.get(), comm.get());
        Self { mode, count, datatype, dest: dest.get(), tag: tag.get(), comm, has_valid_arguments: false }
    }

    /// Checks the addresses and the tag, for records in advance. The library may refuse other modes of valid sends, for lack of
    /// buffer space or of a receive.
    #[inline]
    pub(crate) fn validate_arguments<L: Binding>(mut self, buf: Buf<L>, request: Option<Request<L>>) -> Self {
        let has_request = request.is_none_or(Request::is_given);
        let is_accepted = matches!(self.mode, Mode::Standard | Mode::Synchronous);
        let has_addresses = buf.is_given() && has_request;
        self.has_valid_arguments = is_accepted && has_addresses && (0..=MIN_TAG_LIMIT).contains(&self.tag);
        self
    }

    /// Makes the record from the arguments of a partitioned send, which is one message.
    pub(crate) fn partitioned<L: Binding>(
        partitions: Int<L>,
        count: Wide<L>,
        datatype: Type<L>,
        dest: Int<L>,
        tag: Int<L>,
        comm: arguments::Comm<L>,
    ) -> Self {
        let count = i64::from(partitions.get()).saturating_mul(count.get());
        Self::of(Mode::Standard, count, datatype, dest, tag, comm)
    }

    #[inline]
    fn route_key(self) -> RouteKey {
        let Self { comm, datatype, dest, count, .. } = self;
        RouteKey { comm, datatype, other: u64::from(dest.cast_unsigned()), count, is_comm_only: false }
    }

    /// Returns the message on a communicator if its type and its receiver were used before.
    #[inline(always)]
    fn record_on(self, comm: &Comm) -> Option<Send> {
        let size = datatypes::cached_size(self.datatype)?;
        let to = comm.cached_world_rank(self.dest);
        // `MPI_PROC_NULL` and ranks that were not used before are [`OUTSIDE`], too; the library refuses negative counts.
        if to != OUTSIDE && self.count >= 0 {
            let bytes = self.count.cast_unsigned().wrapping_mul(size);
            Some(self.send(comm, to, bytes))
        } else {
            None
        }
    }

    #[inline]
    fn send(self, comm: &Comm, to: u32, bytes: u64) -> Send {
        let (dest, tag, mode) = (self.dest.cast_unsigned(), self.tag, self.mode);
        Send::new(comm.id(), dest, to, bytes, tag, mode)
    }
}

impl Recorder for SendRecorder {
    type FastRecord = Send;
    type Pending = Pending;
    const MAY_SEND_NOTHING: bool = true;

    /// Returns the message if communicator and type are in the caches of recent lookups.
    #[inline(always)]
    fn fast_record(self) -> Option<Send> {
        self.record_on(COMMS.cached(self.comm)?)
    }

    #[inline(always)]
    fn infallible_record(self) -> Option<Send> {
        if !self.has_valid_arguments || !in_advance::is_allowed() {
            return None;
        }
        let comm = COMMS.cached(self.comm)?;
        if comm.has_fatal_errors() { self.record_on(comm) } else { None }
    }

    #[inline(always)]
    fn count_equal(self) -> bool {
        self.has_valid_arguments && ROUTES.count_equal(self.route_key())
    }

    #[inline(always)]
    fn count_equal_of_thread(self) -> bool {
        if !self.has_valid_arguments {
            return false;
        }
        let Some(routes) = OF_THIS_THREAD.idle() else { return false };
        routes.count_equal(self.route_key())
    }

    #[inline(always)]
    fn count_by_route(self) -> bool {
        self.has_valid_arguments && ROUTES.count(self.route_key())
    }

    #[inline(always)]
    fn count_by_route_of_thread(self, slot: usize) -> bool {
        self.has_valid_arguments
            && OF_THREADS[slot].get().is_some_and(|routes| routes.count(self.route_key()))
    }

    fn count_for_thread(self, slot: usize, revision: u64) -> bool {
        let Some(send) = self.infallible_record() else { return false };
        let Some(size) = datatypes::cached_size(self.datatype) else { return false };
        let Some(counter) = pml::count_for_thread(&send, slot) else { return false };
        let routes = OF_THREADS[slot].get().unwrap_or_else(|| {
            let made = &*Box::leak(Box::new(Routes::new()));
            OF_THREADS[slot].set(Some(made));
            made
        });
        OF_THIS_THREAD.set(routes);
        routes.store(self.route_key(), revision, size, Some(counter));
        true
    }

    fn count_in_advance(self, revision: u64) -> bool {
        let Some(send) = self.infallible_record() else { return false };
        if !send.count() {
            return false;
        }
        if let (Some(counter), Some(size)) = (pml::counter(send.to), datatypes::cached_size(self.datatype)) {
            ROUTES.store(self.route_key(), revision, size, Some(counter));
        }
        true
    }

    #[inline(always)]
    fn sends_nothing(self) -> bool {
        // Negative in all libraries.
        self.dest < 0 && self.dest == mpit_ffi::abi().proc_null
    }

    #[inline]
    fn prepare(self) -> Pending {
        in_advance::decide();
        let abi = mpit_ffi::abi();
        Pending {
            recorder: self,
            comm: COMMS.get(abi.clean(self.comm)),
            size: datatypes::known_size(abi, abi.clean(self.datatype)),
        }
    }
}

/// A send that was forwarded, with the handles that were resolved before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    recorder: SendRecorder,
    comm: Option<&'static Comm>,
    size: Option<u64>,
}

impl Pending {
    /// Returns the message in the form that components use; `None` for `MPI_PROC_NULL` and if a handle cannot be resolved.
    pub(crate) fn resolve(self) -> Option<(&'static Comm, Send)> {
        let Self { recorder, comm, size } = self;
        let abi = mpit_ffi::abi();
        if recorder.dest == abi.proc_null {
            return None;
        }
        // SAFETY: the library has accepted the call in progress, so its communicator exists.
        let live_comm = || unsafe { LiveComm::from_nullable(abi, recorder.comm) };
        // SAFETY: the library has accepted the call in progress, so its type exists.
        let live_datatype = || unsafe { LiveDatatype::from_nullable(abi, recorder.datatype) };
        let comm = comm.or_else(|| COMMS.in_use(live_comm()?))?;
        let size = size.unwrap_or_else(|| query_size(live_datatype()));
        let bytes = recorder.count.max(0).cast_unsigned().wrapping_mul(size);
        Some((comm, recorder.send(comm, comm.world_rank(recorder.dest), bytes)))
    }
}

impl super::Pending for Pending {
    #[inline]
    fn after(self) {
        let Some((comm, send)) = self.resolve() else { return };
        pml::sent(&send);
        // SAFETY: the library has accepted the call in progress, so its communicator exists.
        if let Some(handle) = unsafe { LiveComm::from_nullable(mpit_ffi::abi(), self.recorder.comm) } {
            comm.query_error_handler(handle);
        }
    }
}

impl Deliver for Send {
    #[inline(always)]
    fn count(&self) -> bool {
        pml::count(self)
    }

    #[inline]
    fn deliver(&self) {
        pml::sent(self);
    }
}
