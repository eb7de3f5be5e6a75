//! Cells: storage for the values of performance variables.
//!
//! | class | cell | value | update |
//! |---|---|---|---|
//! | COUNTER | [`Counter`] | `u32`, `u64` | [`Counter::add`], [`Counter::increment`] |
//! | AGGREGATE | [`Aggregate`] | `u32`, `u64`, `f64` | [`Aggregate::add`] |
//! | TIMER | [`Timer`] | `u32`, `u64`, `f64` | [`Timer::add`], [`Timer::time`] |
//! | LEVEL | [`Level`] | `u32`, `u64`, `f64` | [`Level::set`], [`Level::raise`], [`Level::lower`] |
//! | HIGHWATERMARK, LOWWATERMARK | [`HighWatermark`], [`LowWatermark`], or a [`Level`] | as a level | `set` |
//! | SIZE | [`Size`] | `u32`, `u64`, `f64` | [`Size::set`] |
//! | PERCENTAGE | [`Percentage`] | `f64` | [`Percentage::set`] |
//! | STATE | [`State`] | an enum that derives [`MpitEnum`](trait@crate::MpitEnum) | [`State::set`] |
//! | GENERIC | [`Generic`], or a type that implements [`Custom`] | any [`Value`] | [`Generic::set`] |
//! | LEVEL and watermarks, per communicator | [`CommLevels`] | as a level | [`CommLevels::of_comm`], then as a level |
//! | any sum, per peer of a communicator | [`PeerArray`] | `u32`, `u64` | [`PeerArray::add`] |
//!
//! An update is a few instructions on one word, without lock, allocation or system call. Sums are counted only while a handle on
//! them is started; otherwise an update is one load and a branch.

mod class;
mod computed;
mod current;
mod custom;
mod desc;
mod level_storage;
mod levels;
mod peers;
mod sum;
mod value;
mod watermark_cursor;

pub use current::{Generic, Percentage, Size, State};
pub use custom::{Custom, HandleId};
pub use level_storage::{HighWatermark, Level, LowWatermark};
pub use levels::{CommLevel, CommLevels};
pub use peers::PeerArray;
pub use sum::{Aggregate, Counter, Timer};
pub use value::Value;

// The bounds of the cells, which the documentation of each cell lists as types, and the part for the attributes.
#[doc(hidden)]
pub use class::{
    AggregateCell, CounterCell, GenericCell, HighWatermarkCell, LevelCell, LowWatermarkCell, PercentageCell,
    SizeCell, StateCell, TimerCell,
};
#[doc(hidden)]
pub use computed::{Computed, ComputedPvar};
#[doc(hidden)]
pub use custom::{Action, Request};
#[doc(hidden)]
pub use desc::{Behavior, PvarDesc, PvarFlags, PvarOps};
#[doc(hidden)]
pub use level_storage::LevelStorage;
pub(crate) use level_storage::ReachedFunction;
#[doc(hidden)]
pub use value::{AmountValue, AtomicReadReset, CounterValue, EnumValue, fits};
pub(crate) use watermark_cursor::WatermarkCursor;

use std::any::TypeId;
use std::marker::PhantomData;

use crate::desc::EnumDesc;
use crate::object::Object;
use crate::vocabulary::Bind;

/// Storage of a performance variable. Sealed: implemented by the types of this module. For custom behavior implement [`Custom`],
/// or define the variable as a function.
#[doc(hidden)]
pub trait Cell: Sync + Sized + 'static + sealed::Sealed {
    /// The Rust type of one element.
    type Value: Value;

    /// The accounting of handles, for classes that allow several kinds.
    const BEHAVIOR: Behavior = Behavior::Current;
    /// The kind of object that the cell must be bound to.
    const BIND: Bind = Bind::NoObject;
    /// The enumeration of its values.
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// Returns the number of elements for an object.
    fn count(&self, _object: &Object<'_>) -> usize {
        1
    }

    /// Copies the value to `out`, which has as many elements as the handle.
    ///
    /// # Errors
    ///
    /// The error of the variable's function.
    fn fill(&self, object: &Object<'_>, out: &mut [Self::Value]) -> crate::Result<()>;

    /// Counts a handle that is started (+1) or stopped (-1).
    fn watch(&self, _more: i32) {}

    /// Returns the level that watermarks follow.
    fn level_storage(&self) -> Option<&LevelStorage> {
        None
    }

    /// Returns the level of an object that watermarks follow.
    fn level_storage_of(&self, _object: &Object<'_>) -> Option<&LevelStorage> {
        self.level_storage()
    }

    /// Handles a request to a handle, for [`Behavior::Custom`].
    ///
    /// # Errors
    ///
    /// The error of the custom variable.
    fn custom(&self, _action: &Action<'_>) -> crate::Result<()> {
        Err(crate::Error::Invalid)
    }
}

/// Seals [`Cell`]: an [`Action`] is valid only for the variable that it was made for, and a descriptor relies on the constants of
/// its cell.
pub(crate) mod sealed {
    pub trait Sealed {}
}

/// The functions for the cells of a type. Not a part of [`Cell`], so that no implementation can replace them.
pub(crate) struct Operations<C>(PhantomData<C>);

impl<C: Cell> Operations<C> {
    pub(crate) const TABLE: &'static PvarOps = &PvarOps {
        count: ops::count::<C>,
        read: ops::read::<C>,
        watch: ops::watch::<C>,
        level_storage: ops::level_storage::<C>,
        custom: ops::custom::<C>,
        enumeration: C::ENUMERATION,
        cell_type: TypeId::of::<C>,
    };
}

/// C functions for the operations of [`Cell`], with untyped pointers. They turn panics of the definition's functions into errors.
mod ops {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::{Action, Cell, LevelStorage};
    use crate::Error;
    use crate::object::Object;

    /// Returns the number of elements, or minus an error code: `count` of `PvarOps`.
    ///
    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn count<C: Cell>(cell: *const (), object: &Object<'_>) -> i32 {
        // SAFETY: the descriptor passes the cell for whose type its functions were made: the caller ensures it.
        let cell = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.count(object))) {
            Ok(count) => i32::try_from(count).unwrap_or(-Error::Memory.code()),
            Err(_) => -Error::Invalid.code(),
        }
    }

    /// Sets elements to 0, inline for the usual case of one.
    ///
    /// # Safety
    ///
    /// `out` is valid for writes of `count` values, and aligned; zero is one of their values.
    #[inline]
    unsafe fn zero<T>(out: *mut T, count: usize) {
        if count == 1 {
            // SAFETY: the caller ensures that `out` is valid for writes of `count` values, which is 1 here.
            unsafe { out.write_bytes(0, 1) };
        } else {
            // SAFETY: the caller ensures that `out` is valid for writes of `count` values.
            unsafe { out.write_bytes(0, count) };
        }
    }

    /// Copies the value: `read` of `PvarOps`.
    ///
    /// # Safety
    ///
    /// `cell` is a `&'static C`; `out` is valid for writes of `count` values of its type, and aligned.
    pub(super) unsafe extern "C" fn read<C: Cell>(
        cell: *const (),
        object: &Object<'_>,
        out: *mut u8,
        count: usize,
    ) -> i32 {
        // SAFETY: the descriptor passes the cell for whose type its functions were made: the caller ensures it.
        let cell = unsafe { &*cell.cast::<C>() };
        let out = out.cast::<C::Value>();
        // SAFETY: `out` has `count` aligned elements: the caller ensures it. Zero is a value of every `Value` type, so the slice
        // below is initialized, and elements that `fill` skips are 0.
        unsafe { zero(out, count) };
        // SAFETY: `count` aligned elements, initialized above, which the caller does not access during the call.
        let out = unsafe { std::slice::from_raw_parts_mut(out, count) };
        match catch_unwind(AssertUnwindSafe(|| cell.fill(object, out))) {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => error.code(),
            Err(_) => Error::Invalid.code(),
        }
    }

    /// Counts a started or stopped handle: `watch` of `PvarOps`.
    ///
    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn watch<C: Cell>(cell: *const (), more: i32) {
        // SAFETY: the descriptor passes the cell for whose type its functions were made: the caller ensures it.
        let cell = unsafe { &*cell.cast::<C>() };
        // There is no way to report a panic of `watch`; the variable then does not count.
        let _ = catch_unwind(AssertUnwindSafe(|| cell.watch(more)));
    }

    /// Returns the level that watermarks follow: `level_storage` of `PvarOps`.
    ///
    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn level_storage<C: Cell>(
        cell: *const (),
        object: &Object<'_>,
    ) -> *const LevelStorage {
        // SAFETY: the descriptor passes the cell for whose type its functions were made: the caller ensures it.
        let cell: &'static C = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.level_storage_of(object))) {
            Ok(Some(level_storage)) => std::ptr::from_ref(level_storage),
            Ok(None) | Err(_) => std::ptr::null(),
        }
    }

    /// Handles a request to a handle: `custom` of `PvarOps`.
    ///
    /// # Safety
    ///
    /// `cell` is a `&'static C`.
    pub(super) unsafe extern "C" fn custom<C: Cell>(cell: *const (), action: &Action<'_>) -> i32 {
        // SAFETY: the descriptor passes the cell for whose type its functions were made: the caller ensures it.
        let cell = unsafe { &*cell.cast::<C>() };
        match catch_unwind(AssertUnwindSafe(|| cell.custom(action))) {
            Ok(Ok(())) => 0,
            Ok(Err(error)) => error.code(),
            Err(_) => Error::Invalid.code(),
        }
    }
}
