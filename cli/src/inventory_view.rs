//! Output of the inventory as tables.

use std::fmt::Write;

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};
use serde_json::Value;

use crate::inventory::{Entry, Inventory, KINDS};

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
            let mut table = new(&heads.iter().copied().chain(description).collect::<Vec<_>>());
            for entry in entries {
                let first_line = description.map(|name| entry.text(name).lines().next().unwrap_or_default());
                table
                    .add_row(heads.iter().map(|head| cell(entry, head)).chain(first_line.map(str::to_owned)));
            }
            write(&mut out, &mut table);
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

fn terminal_width() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    if size.ws_col > 0 { Some(size.ws_col) } else { None }
}

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

/// The width below which descriptions are hard to read.
const DESCRIPTION: usize = 30;

/// The width below which a column is not wrapped.
const NARROWEST: usize = 12;

/// Fits a table into a width: hides columns, and wraps the last one, which has descriptions, and another that is too wide.
fn fit(table: &mut Table, terminal: u16) {
    let width = usize::from(terminal);
    let header: Vec<String> =
        table.header().map(|row| row.cell_iter().map(Cell::content).collect()).unwrap_or_default();
    // Includes a blank on each side.
    let mut widths: Vec<usize> =
        table.column_max_content_widths().iter().map(|width| usize::from(*width) + 2).collect();
    let Some(last) = widths.pop() else { return };
    let needed = last.min(DESCRIPTION);
    let mut hidden = Vec::new();
    for name in LESS_NEEDED {
        if widths.iter().sum::<usize>() + needed <= width {
            break;
        }
        if let Some(at) = header.iter().position(|head| head == name).filter(|at| *at < widths.len()) {
            widths[at] = 0;
            hidden.push(at);
        }
    }
    let excess = (widths.iter().sum::<usize>() + needed).saturating_sub(width);
    let widest = (0..widths.len()).max_by_key(|at| widths[*at]);
    for (at, own) in widths.iter().enumerate() {
        let Some(column) = table.column_mut(at) else { continue };
        column.set_constraint(if hidden.contains(&at) {
            ColumnConstraint::Hidden
        } else if excess > 0 && widest == Some(at) {
            let rest = own.saturating_sub(excess).max(NARROWEST);
            ColumnConstraint::Absolute(Width::Fixed(u16::try_from(rest).unwrap_or(terminal)))
        } else {
            ColumnConstraint::ContentWidth
        });
    }
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(terminal);
}

pub(crate) fn write(out: &mut String, table: &mut Table) {
    let Some(width) = terminal_width() else { return write_lines(out, table) };
    fit(table, width);
    for line in table.to_string().lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

/// The width above which a cell does not widen its column where there is no terminal.
const WIDEST: usize = 60;

/// Writes a table for a file or a pipe, where each entry is one line. A long cell only shifts the rest of its own line.
fn write_lines(out: &mut String, table: &Table) {
    let rows: Vec<Vec<String>> = table
        .header()
        .into_iter()
        .chain(table.row_iter())
        .map(|row| row.cell_iter().map(|cell| cell.content().replace('\n', " ")).collect())
        .collect();
    let width_of = |at: usize| {
        let widths = rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count());
        widths.filter(|width| *width <= WIDEST).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..rows.first().map_or(0, Vec::len)).map(width_of).collect();
    for row in &rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!(" {cell:<width$} "));
        let _ = writeln!(out, "{}", cells.collect::<String>().trim_end());
    }
}

pub(crate) fn new(header: &[&str]) -> Table {
    let mut table = Table::new();
    // In a file or a pipe, each entry is one line.
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    table
}
