//! The names that most definitions and tools use: `use mpit::prelude::*;`.
//!
//! [`Result`](crate::Result) and [`Error`](crate::Error) are left out, as programs have types of these names.

pub use crate::cell::{
    Aggregate, CommLevel, CommLevels, Counter, Generic, HighWatermark, Level, LowWatermark, PeerArray,
    Percentage, Size, State, Timer,
};
pub use crate::cvar::{Cvar, ObjectCvar, Text};
pub use crate::event::{Context, Event};
pub use crate::object::{Comm, Object};
pub use crate::tool::{EventInstance, Handle, HandleOf, Listener, Session, Setting, SettingOf, Tool};
pub use crate::vocabulary::{Bind, Class, Safety, Scope, Verbosity};
pub use crate::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
