//! Output of the inventory as tables.

use std::fmt::Write;

use serde_json::Value;

use crate::inventory::{Entry, Inventory, KINDS};
use crate::text_table;

/// The view of a kind of entries.
struct View {
    /// The name of the list in the inventory.
    list: &'static str,
    heading: &'static str,
    kind: &'static str,
    /// The heads of the columns, without the description. Each stands for a property of this name, or is in [`cell`].
    heads: &'static [&'static str],
}

const VIEWS: [View; KINDS.len()] = [
    View {
        list: "pvars",
        heading: "Performance variables",
        kind: "performance variable",
        heads: &["index", "from", "name", "class", "type", "bind", "verbosity", "flags"],
    },
    View {
        list: "cvars",
        heading: "Control variables",
        kind: "control variable",
        heads: &["index", "from", "name", "type", "scope", "verbosity", "value", "set by"],
    },
    View {
        list: "events",
        heading: "Events",
        kind: "event",
        heads: &["index", "from", "name", "source", "elements", "bind", "verbosity"],
    },
    View {
        list: "sources",
        heading: "Sources of events",
        kind: "source of events",
        heads: &["index", "name", "ordering", "ticks per second"],
    },
    View {
        list: "categories",
        heading: "Categories",
        kind: "category",
        heads: &["index", "from", "name", "pvars", "cvars", "events", "categories"],
    },
    View { list: "enumerations", heading: "Enumerations", kind: "enumeration", heads: &["name", "items"] },
];

/// The columns to hide in a narrow terminal, in this order; `mpit vars NAME` shows them.
const LESS_NEEDED: [&str; 11] = [
    "verbosity",
    "flags",
    "elements",
    "set by",
    "scope",
    "bind",
    "from",
    "ordering",
    "index",
    "type",
    "source",
];

/// Returns the text of an entry in a column.
fn cell(entry: &Entry, head: &str) -> String {
    let joined = |name: &str, separator: &str, text: &dyn Fn(&Value) -> String| {
        let list = entry.get(name).as_array().map(Vec::as_slice).unwrap_or_default();
        list.iter().map(text).collect::<Vec<_>>().join(separator)
    };
    match head {
        "from" => {
            let whose = if entry.is("own") { "mpit" } else { "MPI" };
            if entry.is("late") { format!("{whose}, after MPI_Init") } else { whose.into() }
        }
        "type" => match entry.text("enumeration") {
            "" => entry.text("datatype").into(),
            name => format!("{} ({name})", entry.text("datatype")),
        },
        "flags" => {
            let flags = ["readonly", "continuous", "atomic"];
            flags.into_iter().filter(|flag| entry.is(flag)).collect::<Vec<_>>().join(",")
        }
        "set by" => entry.text("source").into(),
        "ticks per second" => plain(entry.get("ticks_per_second")),
        "elements" => joined(head, ", ", &|element| match element["name"].as_str() {
            Some(name) => format!("{name}: {}", plain(&element["datatype"])),
            None => plain(&element["datatype"]),
        }),
        "items" => joined(head, " ", &|item| format!("{}={}", item["value"], plain(&item["name"]))),
        property => plain(entry.get(property)),
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(list) => list.len().to_string(),
        other => other.to_string(),
    }
}

pub(crate) fn of(inventory: &Inventory) -> String {
    let mut out = String::new();
    let library = inventory.library.as_deref().unwrap_or("no MPI library: entries of mpit");
    let _ = writeln!(out, "{library}\n");
    for View { list, heading, heads, .. } in &VIEWS {
        let entries = inventory.list(list);
        let _ = writeln!(out, "{heading} ({})", entries.len());
        if let Some(first) = entries.first() {
            let description = first.get("description").as_str().map(|_| "description");
            let mut table = text_table::new(&heads.iter().copied().chain(description).collect::<Vec<_>>());
            for entry in entries {
                let first_line = description.map(|name| entry.text(name).lines().next().unwrap_or_default());
                table
                    .add_row(heads.iter().map(|head| cell(entry, head)).chain(first_line.map(str::to_owned)));
            }
            text_table::write(&mut out, &mut table, &LESS_NEEDED);
        }
        out.push('\n');
    }
    out
}

/// Formats the entries with all their properties, one below the other.
pub(crate) fn in_full(inventory: &Inventory) -> String {
    let mut out = String::new();
    for View { list, kind, heads, .. } in &VIEWS {
        for entry in inventory.list(list) {
            let _ = writeln!(out, "{} ({kind})", entry.text("name"));
            for head in heads.iter().filter(|head| **head != "name") {
                let cell = cell(entry, head);
                if !cell.is_empty() {
                    let _ = writeln!(out, "    {head}: {cell}");
                }
            }
            for line in entry.text("description").lines() {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
        }
    }
    out
}
