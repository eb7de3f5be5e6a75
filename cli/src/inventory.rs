//! The listing of all that MPI_T shows a tool, as `ffi/src/inventory.rs` writes it.
//!
//! `own` is true for entries of mpit, and false for those of the MPI library; `late` is true for entries that appeared
//! after the initialization of MPI. `enumeration` is a name.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The kinds of entries, by the names of their lists, in the order of output.
pub(crate) const KINDS: [&str; 6] = ["pvars", "cvars", "events", "sources", "categories", "enumerations"];

/// An entry, with the properties of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Entry(Map<String, Value>);

impl Entry {
    /// Returns a property; null if the entry has none of this name.
    pub(crate) fn get(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// Returns a property that is a text; empty if it is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).as_str().unwrap_or_default()
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        *self.get(name) == Value::Bool(true)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Inventory {
    /// The flavor of the MPI library underneath; `None` for the embedded registry.
    pub(crate) library: Option<String>,
    #[serde(flatten)]
    lists: BTreeMap<String, Vec<Entry>>,
}

impl Inventory {
    pub(crate) fn of_this_process() -> Result<Self, String> {
        Self::parse(mpit_ffi::inventory::of_this_process().as_bytes())
    }

    pub(crate) fn parse(text: &[u8]) -> Result<Self, String> {
        let damaged = |error: &dyn std::fmt::Display| format!("the list of variables is damaged: {error}");
        let inventory: Self = serde_json::from_slice(text).map_err(|error| damaged(&error))?;
        match KINDS.iter().find(|kind| !inventory.lists.contains_key(**kind)) {
            Some(kind) => Err(damaged(&format!("missing field `{kind}`"))),
            None => Ok(inventory),
        }
    }

    /// Returns the entries of a kind. Enumerations are in the order in which variables name them.
    pub(crate) fn list(&self, kind: &str) -> &[Entry] {
        self.lists.get(kind).map_or(&[], Vec::as_slice)
    }

    /// Keeps the entries for whose name and description the function returns true.
    pub(crate) fn retain(&mut self, mut is_wanted: impl FnMut(&str, &str) -> bool) {
        for kind in KINDS {
            if let Some(list) = self.lists.get_mut(kind) {
                list.retain(|entry| is_wanted(entry.text("name"), entry.text("description")));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Inventory, KINDS};

    /// A property that only the writer or only the reader names would be shown as empty.
    #[test]
    fn columns_have_properties() {
        let read = Inventory::of_this_process().unwrap();
        for (kind, properties) in [
            (
                "pvars",
                &["index", "class", "datatype", "bind", "verbosity", "readonly", "continuous", "atomic"][..],
            ),
            ("cvars", &["index", "datatype", "scope", "verbosity", "value", "source"]),
            ("events", &["index", "source", "elements", "bind", "verbosity"]),
            ("sources", &["index", "ordering", "ticks_per_second"]),
            ("categories", &["index", "pvars", "cvars", "events", "categories"]),
            ("enumerations", &["items"]),
        ] {
            let first = &read.list(kind)[0];
            assert!(!first.text("name").is_empty(), "{kind}");
            for property in properties {
                assert!(first.0.contains_key(*property), "{kind}: {property}");
            }
        }
        for kind in &KINDS[..3] {
            assert!(read.list(kind)[0].0.contains_key("late") && read.list(kind)[0].is("own"));
        }
        assert!(Inventory::parse(b"{\"library\": null}").is_err() && Inventory::parse(b"{").is_err());
    }
}
