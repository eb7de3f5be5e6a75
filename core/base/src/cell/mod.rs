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
//! | COUNTER, AGGREGATE, TIMER, SIZE, LEVEL and watermarks, per communicator, window, file and so on | [`PerObject`] of one of these cells | as that cell | [`PerObject::of`], then as that cell |
//! | any sum, per peer of a communicator | [`PeerArray`] | `u32`, `u64` | [`PeerArray::add`] |
//!
//! An update is a few instructions on one word, without lock, allocation or system call. Sums are counted only while a handle on
//! them is started; otherwise an update is one load and a branch.

mod behavior;
mod class;
mod computed;
mod current;
mod custom;
pub(crate) mod desc;
mod erased;
mod level_storage;
mod peers;
mod per_object;
mod sum;
mod value;
mod watermark_cursor;

pub use current::*;
pub use custom::{Custom, HandleId};
pub use level_storage::{HighWatermark, Level, LowWatermark};
pub use peers::PeerArray;
pub use per_object::{ObjectValue, PerObject};
pub use sum::{Aggregate, Counter, Timer};
pub use value::Value;

// The bounds of the cells, which the documentation of each cell lists as types, and the part for the attributes.
#[doc(hidden)]
pub use behavior::{Behavior, PvarFlags};
#[doc(hidden)]
pub use class::*;
#[doc(hidden)]
pub use computed::{Computed, ComputedPvar, Numbered, NumberedPvars};
#[doc(hidden)]
pub use custom::{Action, Request};
pub(crate) use desc::PvarDesc;
pub(crate) use erased::{ErasedCell, Operation};
#[doc(hidden)]
pub use level_storage::LevelStorage;
pub(crate) use level_storage::ReachedFunction;
#[doc(hidden)]
pub use per_object::ObjectCell;
#[doc(hidden)]
pub use value::{AmountValue, AtomicReadReset, CounterValue, EnumValue, fits};
pub(crate) use watermark_cursor::WatermarkCursor;

use crate::desc::EnumDesc;
use crate::object::Object;
use crate::vocabulary::Bind;

/// The cells with a present value, for the prelude.
#[doc(hidden)]
pub mod current_cells {
    pub use super::current::*;
}

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
    /// True if a definition can bind the cell to another kind of object instead.
    const IS_BOUND_TO_ANY: bool = false;
    const ENUMERATION: Option<&'static EnumDesc> = None;

    /// True if there is one element for any object, so that [`count`](Self::count) need not be called.
    const IS_SCALAR: bool = true;

    /// Returns the number of elements. A cell with a function of its own is no scalar.
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
