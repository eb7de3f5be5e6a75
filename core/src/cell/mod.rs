//! Cells: where the values of variables live.
//!
//! | class | cell | update |
//! |---|---|---|
//! | COUNTER | [`Counter`] | [`Counter::add`], [`Counter::increment`] |
//! | AGGREGATE | [`Aggregate`] | [`Aggregate::add`] |
//! | TIMER | [`Timer`] | [`Timer::add`], [`Timer::time`] |
//! | LEVEL | [`Level`] | [`Level::set`], [`Level::raise`], [`Level::lower`] |
//! | HIGHWATERMARK, LOWWATERMARK | [`HighWatermark`], [`LowWatermark`], or a [`Level`] | `set` |
//! | SIZE | [`Size`] | [`Size::set`] |
//! | PERCENTAGE | [`Percentage`] | [`Percentage::set`] |
//! | STATE | [`State`] | [`State::set`] |
//! | GENERIC | [`Generic`], or a type of one's own that is [`Custom`] | [`Generic::set`] |
//! | LEVEL and watermarks, per communicator | [`CommLevels`] | [`CommLevels::of_comm`], then as a level |
//! | any sum, per peer of a communicator | [`PeerArray`] | [`PeerArray::add`] |
//!
//! Every update is a handful of instructions on one word: no lock, no allocation, no system call. Sums are
//! kept only while a handle on them is started; otherwise an update is one load and a branch.

mod class;
mod computed;
mod current;
mod custom;
mod gauge;
mod levels;
mod mark;
mod peers;
mod sum;
mod value;

pub use class::{
    AggregateCell, CounterCell, GenericCell, HighWatermarkCell, LevelCell, LowWatermarkCell, PercentageCell,
    SizeCell, StateCell, TimerCell,
};
pub use computed::{Computed, ComputedPvar};
pub use current::{Generic, Percentage, Size, State};
pub use custom::{Action, Custom, HandleId, Request};
pub(crate) use gauge::ReachedFunction;
pub use gauge::{Gauge, HighWatermark, Level, LowWatermark};
pub use levels::{CommLevel, CommLevels};
pub(crate) use mark::Mark;
pub use peers::PeerArray;
pub use sum::{Aggregate, Counter, Timer};
pub use value::{AmountValue, AtomicReadReset, CounterValue, EnumValue, Value, fits};

use std::marker::PhantomData;

use crate::desc::{Behaviour, EnumDesc, PvarOps};
use crate::object::Object;
use crate::words::Bind;

/// Storage of a performance variable. Sealed: implemented by the types of this module. For behaviour of one's own
/// implement [`Custom`] or write the variable as a function.
pub trait Cell: Sync + Sized + 'static + sealed::Sealed {
    /// The Rust type of one element.
    type Value: Value;

    /// How handles account when the class leaves it open.
    const BEHAVIOUR: Behaviour = Behaviour::Current;
    /// What the cell must be bound to.
    const BIND: Bind = Bind::NoObject;
    /// The enumeration of its values.
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// Elements for this object.
    fn count(&self, _object: &Object<'_>) -> usize {
        1
    }

    /// Fills `out`, which has the number of elements that a handle was told.
    ///
    /// # Errors
    ///
    /// When the value cannot be had.
    fn fill(&self, object: &Object<'_>, out: &mut [Self::Value]) -> crate::Result<()>;

    /// One handle more (+1) or less (-1) is looking.
    fn watch(&self, _more: i32) {}

    /// The level behind a watermark.
    fn gauge(&self) -> Option<&Gauge> {
        None
    }

    /// The level behind a watermark that is bound to an object.
    fn gauge_of(&self, _object: &Object<'_>) -> Option<&Gauge> {
        self.gauge()
    }

    /// What happens to a handle, for [`Behaviour::Custom`].
    ///
    /// # Errors
    ///
    /// As the variable decides.
    fn custom(&self, _action: &Action<'_>) -> crate::Result<()> {
        Err(crate::Error::Invalid)
    }
}

/// Keeps [`Cell`] to this crate: an [`Action`] is only right for the variable that it was made for, and a descriptor
/// relies on what a cell says of itself.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// The functions behind the cells of a type. Not a part of [`Cell`]: no implementation may replace them.
pub(crate) struct Operations<C>(PhantomData<C>);

impl<C: Cell> Operations<C> {
    pub(crate) const TABLE: &'static PvarOps = &PvarOps {
        count: ops::count::<C>,
        read: ops::read::<C>,
        watch: ops::watch::<C>,
        gauge: ops::gauge::<C>,
        custom: ops::custom::<C>,
        enumeration: C::ENUMERATION,
    };
}

/// The C side of [`Cell`]: one function per operation, for pointers of unknown type. A panic in somebody's
/// function ends here, as an error.
mod ops {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::{Action, Cell, Gauge};
    use crate::Error;
    use crate::object::Object;

    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn count<C: Cell>(cell: *const (), object: &Object<'_>) -> i32 {
        // SAFETY: by the caller's promise.
        let cell = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.count(object))) {
            Ok(count) => i32::try_from(count).unwrap_or(-Error::Memory.code()),
            Err(_) => -Error::Invalid.code(),
        }
    }

    /// Sets values to 0; most often it is one, and then without a call.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` values, and aligned; zero is one of their values.
    #[inline]
    unsafe fn zero<T>(out: *mut T, count: usize) {
        if count == 1 {
            // SAFETY: by the caller's promise.
            unsafe { out.write_bytes(0, 1) };
        } else {
            // SAFETY: by the caller's promise.
            unsafe { out.write_bytes(0, count) };
        }
    }

    /// # Safety
    ///
    /// `cell` is a `&'static C`; `out` is valid for writes of `count` values of its type, and aligned.
    pub(super) unsafe extern "C" fn read<C: Cell>(
        cell: *const (),
        object: &Object<'_>,
        out: *mut u8,
        count: usize,
    ) -> i32 {
        // SAFETY: by the caller's promise.
        let cell = unsafe { &*cell.cast::<C>() };
        let out = out.cast::<C::Value>();
        // SAFETY: by the caller's promise. Zero is a value of every `Value` type, so what follows may see the
        // memory as initialized, and elements that nobody fills are 0.
        unsafe { zero(out, count) };
        // SAFETY: by the caller's promise, and initialized just now.
        let out = unsafe { std::slice::from_raw_parts_mut(out, count) };
        match catch_unwind(AssertUnwindSafe(|| cell.fill(object, out))) {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => error.code(),
            Err(_) => Error::Invalid.code(),
        }
    }

    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn watch<C: Cell>(cell: *const (), more: i32) {
        // SAFETY: by the caller's promise.
        let cell = unsafe { &*cell.cast::<C>() };
        // A panicking `watch` has no way to report; the variable then merely stays unwatched.
        let _ = catch_unwind(AssertUnwindSafe(|| cell.watch(more)));
    }

    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn gauge<C: Cell>(cell: *const (), object: &Object<'_>) -> *const Gauge {
        // SAFETY: by the caller's promise.
        let cell: &'static C = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.gauge_of(object))) {
            Ok(Some(gauge)) => std::ptr::from_ref(gauge),
            Ok(None) | Err(_) => std::ptr::null(),
        }
    }

    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn custom<C: Cell>(cell: *const (), action: &Action<'_>) -> i32 {
        // SAFETY: by the caller's promise.
        let cell = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.custom(action))) {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => error.code(),
            Err(_) => Error::Invalid.code(),
        }
    }
}
