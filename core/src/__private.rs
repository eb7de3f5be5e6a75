//! What the attributes expand to. Not for people: anything here may change without notice.

pub use linkme;

pub use crate::cell::{
    AggregateCell, AtomicReadReset, Cell, Computed, ComputedPvar, CounterCell, CounterValue, EnumValue,
    GenericCell, HighWatermarkCell, LevelCell, LowWatermarkCell, PercentageCell, SizeCell, StateCell,
    TimerCell, Value, fits,
};
pub use crate::cvar::{CvarCell, CvarValue};
pub use crate::desc::{
    CategoryDesc, ComponentDesc, CvarDesc, EnumDesc, EnumItem, Origin, PvarDesc, PvarFlags,
};
pub use crate::object::{Comm, Object};
pub use crate::words::{Bind, Class, Datatype, Scope, Verbosity};

/// The performance variables of this image.
#[linkme::distributed_slice]
pub static MPIT_PVARS_V1: [&'static PvarDesc];

/// The control variables of this image.
#[linkme::distributed_slice]
pub static MPIT_CVARS_V1: [&'static CvarDesc];

/// The enumerations of this image.
#[linkme::distributed_slice]
pub static MPIT_ENUMS_V1: [&'static EnumDesc];

/// The categories of this image.
#[linkme::distributed_slice]
pub static MPIT_CATEGORIES_V1: [&'static CategoryDesc];

/// The components of this image.
#[linkme::distributed_slice]
pub static MPIT_COMPONENTS_V1: [&'static ComponentDesc];
