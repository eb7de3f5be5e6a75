//! The names that most definitions and tools use: `use mpit::prelude::*;`.
//!
//! [`Result`](crate::Result) and [`Error`](crate::Error) are left out, as programs have types of these names.

#[doc(no_inline)]
pub use crate::cell::current_cells::*;
#[doc(no_inline)]
pub use crate::cell::{
    Aggregate, Counter, HighWatermark, Level, LowWatermark, ObjectValue, PeerArray, PerObject, Timer,
};
#[doc(no_inline)]
pub use crate::cvar::{Cvar, ObjectCvar, Text};
#[doc(no_inline)]
pub use crate::event::{Context, Event, Safety};
#[doc(no_inline)]
pub use crate::object::{Bind, Comm, Object};
#[doc(no_inline)]
pub use crate::tool::{Class, EventInstance, Handle, HandleOf, Listener, Session, Setting, SettingOf, Tool};
#[doc(no_inline)]
pub use crate::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
