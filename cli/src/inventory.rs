//! The listing of all that MPI_T shows a tool, as `ffi/src/inventory.rs` writes it.
//!
//! `own` is true for entries of mpit, and false for those of the MPI library; `late` is true for entries that appeared
//! after the initialization of MPI. `enumeration` is a name.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// The kinds of entries, by the names of their lists, in the order of output.
pub(crate) const KINDS: [&str; 6] = ["pvars", "cvars", "events", "sources", "categories", "enumerations"];

/// Returns the properties of the objects in a list, in the order of output. The lists of a kind's entry have names too.
fn properties_in(list: &str) -> impl Iterator<Item = &'static str> {
    let names = match list {
        "pvars" => {
            "index own late name class datatype bind verbosity readonly continuous atomic enumeration description"
        }
        "cvars" => "index own late name datatype scope bind verbosity enumeration value source description",
        "events" => "index own late name source elements bind verbosity description",
        "sources" => "index own name ordering ticks_per_second description",
        "categories" => "index own late name pvars cvars events categories description",
        "enumerations" => "name items",
        "elements" => "name datatype displacement",
        "items" => "value name",
        _ => "",
    };
    names.split_whitespace()
}

/// Returns true if a property of an object in a list can have this value.
fn is_valid(list: &str, name: &str, value: &Value) -> bool {
    match (list, name) {
        ("items", "value") | (_, "index" | "ticks_per_second" | "displacement") => value.is_i64(),
        ("elements", "name") | ("cvars", "source") | (_, "value" | "enumeration") => {
            value.is_string() || value.is_null()
        }
        (_, "own" | "late" | "readonly" | "continuous" | "atomic") => value.is_boolean(),
        (_, "elements" | "items" | "pvars" | "cvars" | "events" | "categories") => value.is_array(),
        _ => value.is_string(),
    }
}

/// Checks an object in a list, and those in its own lists.
fn check(list: &str, object: &Value) -> Result<(), String> {
    for name in properties_in(list) {
        let value = object.get(name).ok_or_else(|| format!("missing field `{name}` in {list}"))?;
        if !is_valid(list, name, value) {
            return Err(format!("field `{name}` in {list} is {value}"));
        }
        if ["elements", "items"].contains(&name) {
            value.as_array().into_iter().flatten().try_for_each(|inner| check(name, inner))?;
        }
    }
    Ok(())
}

/// A value that is written with the properties of objects in the order of a list.
struct Ordered<'a>(&'a str, &'a Value);

impl Serialize for Ordered<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(list, value) = *self;
        match value {
            Value::Array(values) => serializer.collect_seq(values.iter().map(|inner| Ordered(list, inner))),
            Value::Object(object) => {
                let known = properties_in(list).filter_map(|name| object.get_key_value(name));
                serializer.collect_map(known.map(|(name, inner)| (name, Ordered(name, inner))))
            }
            plain => plain.serialize(serializer),
        }
    }
}

/// An entry, with the properties of its kind.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub(crate) struct Entry(Value);

impl Entry {
    /// Returns a property. Only descriptions may be missing, as enumerations have none: they are null.
    pub(crate) fn get(&self, name: &str) -> &Value {
        let value = self.0.get(name);
        debug_assert!(value.is_some() || name == "description", "no property `{name}`");
        value.unwrap_or(&Value::Null)
    }

    /// Returns a property that is a text; empty if it is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).as_str().unwrap_or_default()
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        *self.get(name) == Value::Bool(true)
    }
}

#[derive(Clone, Debug, Deserialize)]
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
        for kind in KINDS {
            let list = inventory.lists.get(kind);
            let list = list.ok_or_else(|| damaged(&format!("missing field `{kind}`")))?;
            list.iter().try_for_each(|entry| check(kind, &entry.0)).map_err(|error| damaged(&error))?;
        }
        Ok(inventory)
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

impl Serialize for Inventory {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("library", &self.library)?;
        for kind in KINDS {
            let entries: Vec<_> = self.list(kind).iter().map(|entry| Ordered(kind, &entry.0)).collect();
            object.serialize_entry(kind, &entries)?;
        }
        object.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{Inventory, KINDS};
    use crate::inventory_view;

    /// A property that only the writer or only the reader has, or another order of them, is a difference.
    #[test]
    fn reader_and_writer_have_one_form() {
        let written = mpit_ffi::inventory::of_this_process();
        let read = Inventory::parse(written.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), written.replace("\\u000a", "\\n"));
        // Each kind of object is compared at least once.
        assert!(KINDS.iter().all(|kind| !read.list(kind).is_empty()));
        let has_items =
            |kind: &str, name: &str| read.list(kind).iter().any(|entry| entry.get(name).get(0).is_some());
        assert!(has_items("events", "elements") && has_items("enumerations", "items"));
        // The tables read only properties that are written.
        assert!(!inventory_view::of(&read).is_empty() && !inventory_view::in_full(&read).is_empty());
    }

    #[test]
    fn damaged_lists_are_refused() {
        let mut written: Value = serde_json::from_str(&mpit_ffi::inventory::of_this_process()).unwrap();
        for kind in KINDS {
            written[kind].as_array_mut().unwrap().truncate(1);
        }
        for kind in KINDS {
            for name in written[kind][0].as_object().unwrap().keys() {
                let mut missing = written.clone();
                missing[kind][0].as_object_mut().unwrap().remove(name);
                let mut changed = written.clone();
                changed[kind][0][name] = Value::Object(serde_json::Map::new());
                for text in [missing, changed] {
                    let error = Inventory::parse(text.to_string().as_bytes()).unwrap_err();
                    assert!(error.contains("is damaged") && error.contains(name), "{kind}: {error}");
                }
            }
        }
        for text in ["{\"library\": null}", "{", "[]"] {
            assert!(Inventory::parse(text.as_bytes()).is_err(), "{text}");
        }
    }
}
