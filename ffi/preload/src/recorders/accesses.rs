//! Records of accesses to memory of other processes.

use std::ffi::c_int;

use mpit::object::OUTSIDE;
use mpit_components::osc::{self, Access, Kind};
use mpit_ffi::abi::{Handle, LiveDatatype, LiveWin};
use mpit_ffi::datatypes;
use mpit_ffi::windows::{WINDOWS, Window};

use super::datatypes::query_size;
use super::{Deliver, Recorder};
use crate::arguments::{Binding, Count, Int, Op, Type, Win};

#[derive(Clone, Copy, Debug)]
struct Elements {
    count: i64,
    datatype: Handle,
}

impl Elements {
    #[inline]
    fn bytes(self, size: impl FnOnce(Handle) -> Option<u64>) -> Option<u64> {
        Some(self.count.max(0).cast_unsigned().wrapping_mul(size(self.datatype)?))
    }
}

/// An access: the elements that go to the target, and those that come back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessRecorder {
    kind: Kind,
    rank: c_int,
    win: Handle,
    sent: Option<Elements>,
    received: Option<Elements>,
}

impl AccessRecorder {
    #[inline]
    pub(crate) fn new<L: Binding>(kind: Kind, rank: Int<L>, win: Win<L>) -> Self {
        Self { kind, rank: rank.get(), win: win.get(), sent: None, received: None }
    }

    #[inline]
    pub(crate) fn sends<L: Binding>(mut self, count: Count<L>, datatype: Type<L>) -> Self {
        self.sent = Some(Elements { count: count.get(), datatype: datatype.get() });
        self
    }

    #[inline]
    pub(crate) fn receives<L: Binding>(mut self, count: Count<L>, datatype: Type<L>) -> Self {
        self.received = Some(Elements { count: count.get(), datatype: datatype.get() });
        self
    }

    #[inline]
    pub(crate) fn exchanges_one<L: Binding>(mut self, datatype: Type<L>) -> Self {
        let one = Some(Elements { count: 1, datatype: datatype.get() });
        (self.sent, self.received) = (one, one);
        self
    }

    /// Sets the operation: `MPI_NO_OP` sends nothing.
    #[inline]
    pub(crate) fn operation<L: Binding>(mut self, op: Op<L>) -> Self {
        let abi = mpit_ffi::abi();
        if abi.clean(op.get()) == abi.no_op {
            self.sent = None;
        }
        self
    }

    #[inline]
    fn access(self, window: &Window, target: u32, [sent, received]: [u64; 2]) -> Access {
        Access::new(window.id(), self.rank.cast_unsigned(), target, self.kind, sent, received)
    }

    #[inline]
    fn bytes(self, size: impl Fn(Handle) -> Option<u64>) -> [Option<u64>; 2] {
        [self.sent, self.received].map(|elements| elements.map_or(Some(0), |elements| elements.bytes(&size)))
    }
}

impl Recorder for AccessRecorder {
    type FastRecord = Access;
    type Pending = Pending;

    /// Returns the access if window and types are in the caches of recent lookups.
    #[inline]
    fn fast_record(self) -> Option<Access> {
        let window = WINDOWS.cached(self.win)?;
        let target = window.cached_world_rank(self.rank.cast_unsigned());
        let [Some(sent), Some(received)] = self.bytes(datatypes::cached_size) else { return None };
        // `MPI_PROC_NULL` and ranks that were not used before are [`OUTSIDE`], too.
        if target == OUTSIDE { None } else { Some(self.access(window, target, [sent, received])) }
    }

    fn prepare(self) -> Pending {
        let abi = mpit_ffi::abi();
        Pending {
            recorder: self,
            window: WINDOWS.get(abi.clean(self.win)),
            bytes: self.bytes(|datatype| datatypes::known_size(abi, abi.clean(datatype))),
        }
    }
}

/// An access that was forwarded, with the handles that were resolved before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    recorder: AccessRecorder,
    window: Option<&'static Window>,
    bytes: [Option<u64>; 2],
}

impl super::Pending for Pending {
    fn after(self) {
        let Self { recorder, window, bytes } = self;
        let abi = mpit_ffi::abi();
        if recorder.rank == abi.proc_null {
            return;
        }
        // SAFETY: the library has accepted the access in progress, so its window exists.
        let live_window = || unsafe { LiveWin::from_nullable(abi, recorder.win) };
        let Some(window) = window.or_else(|| WINDOWS.in_use(live_window()?)) else { return };
        // SAFETY: the library has accepted the access in progress, so its types exist or are null.
        let live_datatype = |datatype| unsafe { LiveDatatype::from_nullable(abi, datatype) };
        let queried = || recorder.bytes(|datatype| Some(query_size(live_datatype(datatype))));
        let bytes = if bytes.contains(&None) { queried() } else { bytes };
        let target = window.world_rank(recorder.rank.cast_unsigned());
        osc::accessed(&recorder.access(window, target, bytes.map(Option::unwrap_or_default)));
    }
}

impl Deliver for Access {
    #[inline]
    fn count(&self) -> bool {
        osc::count(self)
    }

    #[inline]
    fn deliver(&self) {
        osc::accessed(self);
    }
}
