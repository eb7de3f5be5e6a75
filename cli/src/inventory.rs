//! The listing of all that MPI_T shows a tool, as `ffi/src/inventory.rs` writes it. A test below compares the fields.
//!
//! `own` is true for entries of mpit, and false for those of the MPI library; `late` is true for entries that appeared
//! after the initialization of MPI. `enumeration` is a name.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// The flavor of the MPI library underneath; `None` for the embedded registry.
    pub(crate) library: Option<String>,
    pub(crate) pvars: Vec<Pvar>,
    pub(crate) cvars: Vec<Cvar>,
    pub(crate) events: Vec<Event>,
    pub(crate) sources: Vec<Source>,
    pub(crate) categories: Vec<Category>,
    /// Enumerations, in the order in which variables name them.
    pub(crate) enumerations: Vec<Enumeration>,
}

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
    pub(crate) readonly: bool,
    pub(crate) continuous: bool,
    pub(crate) atomic: bool,
    pub(crate) enumeration: Option<String>,
    pub(crate) description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cvar {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    pub(crate) datatype: String,
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

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    /// The name of the event source, if it is ours; for the MPI library's event types, only instances have one.
    pub(crate) source: String,
    pub(crate) elements: Vec<Element>,
    pub(crate) bind: String,
    pub(crate) verbosity: String,
    pub(crate) description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Element {
    pub(crate) name: Option<String>,
    pub(crate) datatype: String,
    /// Displacement from the start of the buffer, in bytes.
    pub(crate) displacement: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) name: String,
    pub(crate) ordering: String,
    pub(crate) ticks_per_second: i64,
    pub(crate) description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Category {
    pub(crate) index: u32,
    pub(crate) own: bool,
    pub(crate) late: bool,
    pub(crate) name: String,
    pub(crate) pvars: Vec<i32>,
    pub(crate) cvars: Vec<i32>,
    pub(crate) events: Vec<i32>,
    pub(crate) categories: Vec<i32>,
    pub(crate) description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Enumeration {
    pub(crate) name: String,
    pub(crate) items: Vec<Item>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Item {
    pub(crate) value: i32,
    pub(crate) name: String,
}

impl Inventory {
    pub(crate) fn of_this_process() -> Result<Self, String> {
        Self::parse(mpit_ffi::inventory::of_this_process().as_bytes())
    }

    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(text).map_err(|error| format!("the list of variables is damaged: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Inventory;

    /// A field that only one of both has is missing in one of the values: optional ones are `null`, not left out.
    #[test]
    fn reader_and_writer_have_the_same_fields() {
        let written = mpit_ffi::inventory::of_this_process();
        let read = Inventory::parse(written.as_bytes()).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap(), serde_json::from_str::<Value>(&written).unwrap());
        // Each kind of object is compared at least once.
        assert!(!read.pvars.is_empty() && !read.cvars.is_empty());
        assert!(!read.sources.is_empty() && !read.categories.is_empty());
        assert!(read.events.iter().any(|event| !event.elements.is_empty()));
        assert!(read.enumerations.iter().any(|enumeration| !enumeration.items.is_empty()));
    }
}
