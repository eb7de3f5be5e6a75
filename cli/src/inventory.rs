//! The listing of all that MPI_T shows a tool, as the library writes it.
//!
//! `own` is true for entries of mpit, and false for those of the MPI library; `late` is true for entries that appeared
//! after the initialization of MPI. `enumeration` is a name.

use serde::{Deserialize, Serialize};

/// The entries of all kinds that MPI_T shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// The flavor of the MPI library underneath; `None` for the embedded registry.
    pub(crate) library: Option<String>,
    /// Performance variables, by index.
    pub(crate) pvars: Vec<Pvar>,
    /// Control variables, by index.
    pub(crate) cvars: Vec<Cvar>,
    /// Event types, by index.
    pub(crate) events: Vec<Event>,
    /// Event sources, by index.
    pub(crate) sources: Vec<Source>,
    /// Categories, by index.
    pub(crate) categories: Vec<Category>,
    /// Enumerations, in the order in which variables name them.
    pub(crate) enumerations: Vec<Enumeration>,
}

/// A performance variable.
#[allow(clippy::struct_excessive_bools, reason = "three flags of the standard, and two of the list")]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pvar {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) datatype: String,
    pub(crate) bind: String,
    pub(crate) verbosity: String,
    /// True if handles cannot be written or reset.
    pub(crate) readonly: bool,
    /// True if handles cannot be started or stopped.
    pub(crate) continuous: bool,
    /// True if handles can be read and reset in one atomic step.
    pub(crate) atomic: bool,
    pub(crate) enumeration: Option<String>,
    pub(crate) description: String,
}

/// A control variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cvar {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    pub(crate) datatype: String,
    /// Scope: the processes that have to write it.
    pub(crate) scope: String,
    pub(crate) bind: String,
    pub(crate) verbosity: String,
    pub(crate) enumeration: Option<String>,
    /// The current value, if it is ours.
    pub(crate) value: Option<String>,
    /// The source of the value, if it is ours.
    pub(crate) source: Option<String>,
    pub(crate) description: String,
}

/// An event type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    /// The name of the event source, if it is ours; for the MPI library's event types, only an instance has a
    /// source.
    pub(crate) source: String,
    /// The elements of an instance, in order.
    pub(crate) elements: Vec<Element>,
    pub(crate) bind: String,
    pub(crate) verbosity: String,
    pub(crate) description: String,
}

/// An element of an event type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Element {
    /// Name, if it has one.
    pub(crate) name: Option<String>,
    pub(crate) datatype: String,
    /// Displacement from the start of the buffer, in bytes.
    pub(crate) displacement: usize,
}

/// An event source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) name: String,
    /// The ordering of its time stamps.
    pub(crate) ordering: String,
    /// Ticks per second.
    pub(crate) ticks_per_second: i64,
    pub(crate) description: String,
}

/// A category.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Category {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    /// The indices of its performance variables.
    pub(crate) pvars: Vec<i32>,
    /// The indices of its control variables.
    pub(crate) cvars: Vec<i32>,
    /// The indices of its event types.
    pub(crate) events: Vec<i32>,
    /// The indices of the categories in it.
    pub(crate) categories: Vec<i32>,
    pub(crate) description: String,
}

/// An enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Enumeration {
    pub(crate) name: String,
    pub(crate) items: Vec<Item>,
}

/// An item of an enumeration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) value: i32,
    pub(crate) name: String,
}

impl Inventory {
    /// Lists all entries that a tool would see in this process.
    pub(crate) fn of_this_process() -> Result<Self, String> {
        Self::parse(mpit_ffi::inventory::of_this_process().as_bytes())
    }

    /// Reads a listing.
    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text).map_err(|error| format!("the list of variables is damaged: {error}"))
    }
}
