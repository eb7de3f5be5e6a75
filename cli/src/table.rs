//! Output of the inventory as tables.

use std::fmt::Write;

use crate::inventory::{Element, Inventory};
use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(crate) fn of(inventory: &Inventory) -> String {
    let mut out = String::new();
    let library = inventory.library.as_deref().unwrap_or("no MPI library: entries of mpit");
    let _ = writeln!(out, "{library}\n");
    for Entries { heading, mut table, descriptions, .. } in all(inventory) {
        let _ = writeln!(out, "{heading} ({})", descriptions.len());
        if !descriptions.is_empty() {
            write(&mut out, &mut table);
        }
        out.push('\n');
    }
    out
}

/// Formats the entries with all their properties, one below the other.
pub(crate) fn in_full(inventory: &Inventory) -> String {
    let mut out = String::new();
    for Entries { kind, table, descriptions, .. } in all(inventory) {
        let header = header(&table);
        for (row, description) in table.row_iter().zip(descriptions) {
            let cells: Vec<String> = row.cell_iter().map(Cell::content).collect();
            let name = header.iter().position(|head| head == "name").and_then(|at| cells.get(at));
            let _ = writeln!(out, "{} ({kind})", name.map_or("", String::as_str));
            let others = header
                .iter()
                .zip(&cells)
                .filter(|(head, cell)| !matches!(head.as_str(), "name" | "description") && !cell.is_empty());
            for (head, cell) in others {
                let _ = writeln!(out, "    {head}: {cell}");
            }
            for line in description.lines() {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
        }
    }
    out
}

/// The entries of one kind.
struct Entries<'a> {
    heading: &'static str,
    kind: &'static str,
    table: Table,
    /// The whole descriptions, of which the table has the first lines.
    descriptions: Vec<&'a str>,
}

impl<'a> Entries<'a> {
    fn new(heading: &'static str, kind: &'static str, header: &[&str]) -> Self {
        Self { heading, kind, table: new(header), descriptions: Vec::new() }
    }

    /// Adds an entry. The description is the last column.
    fn add<const N: usize>(&mut self, description: &'a str, row: [String; N]) {
        let first_line = description.lines().next().unwrap_or_default();
        self.table.add_row(row.into_iter().chain([first_line.to_owned()]));
        self.descriptions.push(description);
    }
}

fn all(inventory: &Inventory) -> [Entries<'_>; 6] {
    [
        pvars(inventory),
        cvars(inventory),
        events(inventory),
        sources(inventory),
        categories(inventory),
        enumerations(inventory),
    ]
}

fn header(table: &Table) -> Vec<String> {
    table.header().map(|row| row.cell_iter().map(Cell::content).collect()).unwrap_or_default()
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
    let header = header(table);
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
    let mut widths = Vec::new();
    for row in &rows {
        widths.resize(widths.len().max(row.len()), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            let own = cell.chars().count();
            *width = if own > WIDEST { *width } else { own.max(*width) };
        }
    }
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths.iter().copied()) {
            let _ = write!(line, " {cell:<width$} ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
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

fn pvars(inventory: &Inventory) -> Entries<'_> {
    let header = ["index", "from", "name", "class", "type", "bind", "verbosity", "flags", "description"];
    let mut entries = Entries::new("Performance variables", "performance variable", &header);
    for pvar in &inventory.pvars {
        let flags = [(pvar.readonly, "readonly"), (pvar.continuous, "continuous"), (pvar.atomic, "atomic")];
        let flags: Vec<_> = flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect();
        entries.add(
            &pvar.description,
            [
                pvar.index.to_string(),
                from(pvar.own, pvar.late),
                pvar.name.clone(),
                pvar.class.clone(),
                typed(&pvar.datatype, pvar.enumeration.as_deref()),
                pvar.bind.clone(),
                pvar.verbosity.clone(),
                flags.join(","),
            ],
        );
    }
    entries
}

fn cvars(inventory: &Inventory) -> Entries<'_> {
    let header = ["index", "from", "name", "type", "scope", "verbosity", "value", "set by", "description"];
    let mut entries = Entries::new("Control variables", "control variable", &header);
    for cvar in &inventory.cvars {
        entries.add(
            &cvar.description,
            [
                cvar.index.to_string(),
                from(cvar.own, cvar.late),
                cvar.name.clone(),
                typed(&cvar.datatype, cvar.enumeration.as_deref()),
                cvar.scope.clone(),
                cvar.verbosity.clone(),
                cvar.value.clone().unwrap_or_default(),
                cvar.source.clone().unwrap_or_default(),
            ],
        );
    }
    entries
}

fn events(inventory: &Inventory) -> Entries<'_> {
    let header = ["index", "from", "name", "source", "elements", "bind", "verbosity", "description"];
    let mut entries = Entries::new("Events", "event", &header);
    for event in &inventory.events {
        let element = |element: &Element| match &element.name {
            Some(name) => format!("{name}: {}", element.datatype),
            None => element.datatype.clone(),
        };
        entries.add(
            &event.description,
            [
                event.index.to_string(),
                from(event.own, event.late),
                event.name.clone(),
                event.source.clone(),
                event.elements.iter().map(element).collect::<Vec<_>>().join(", "),
                event.bind.clone(),
                event.verbosity.clone(),
            ],
        );
    }
    entries
}

fn sources(inventory: &Inventory) -> Entries<'_> {
    let header = ["index", "name", "ordering", "ticks per second", "description"];
    let mut entries = Entries::new("Sources of events", "source of events", &header);
    for source in &inventory.sources {
        entries.add(
            &source.description,
            [
                source.index.to_string(),
                source.name.clone(),
                source.ordering.clone(),
                source.ticks_per_second.to_string(),
            ],
        );
    }
    entries
}

fn categories(inventory: &Inventory) -> Entries<'_> {
    let header = ["index", "from", "name", "pvars", "cvars", "events", "categories", "description"];
    let mut entries = Entries::new("Categories", "category", &header);
    for category in &inventory.categories {
        entries.add(
            &category.description,
            [
                category.index.to_string(),
                from(category.own, category.late),
                category.name.clone(),
                category.pvars.len().to_string(),
                category.cvars.len().to_string(),
                category.events.len().to_string(),
                category.categories.len().to_string(),
            ],
        );
    }
    entries
}

fn enumerations(inventory: &Inventory) -> Entries<'_> {
    let header = ["name", "items"];
    let mut entries = Entries::new("Enumerations", "enumeration", &header);
    for enumeration in &inventory.enumerations {
        let items: Vec<_> =
            enumeration.items.iter().map(|item| format!("{}={}", item.value, item.name)).collect();
        entries.table.add_row([enumeration.name.clone(), items.join(" ")]);
        entries.descriptions.push("");
    }
    entries
}

fn from(own: bool, late: bool) -> String {
    let whose = if own { "mpit" } else { "MPI" };
    if late { format!("{whose}, after MPI_Init") } else { whose.into() }
}

fn typed(datatype: &str, enumeration: Option<&str>) -> String {
    match enumeration {
        Some(name) => format!("{datatype} ({name})"),
        None => datatype.into(),
    }
}
