//! Output of the inventory as tables.

use std::fmt::Write;

use crate::inventory::{Element, Inventory};
use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(crate) fn of(inventory: &Inventory) -> String {
    let mut out = String::new();
    let library = inventory.library.as_deref().unwrap_or("no MPI library: entries of mpit");
    let _ = writeln!(out, "{library}\n");
    section(&mut out, "Performance variables", inventory.pvars.len(), pvars(inventory));
    section(&mut out, "Control variables", inventory.cvars.len(), cvars(inventory));
    section(&mut out, "Events", inventory.events.len(), events(inventory));
    section(&mut out, "Sources of events", inventory.sources.len(), sources(inventory));
    section(&mut out, "Categories", inventory.categories.len(), categories(inventory));
    section(&mut out, "Enumerations", inventory.enumerations.len(), enumerations(inventory));
    out
}

fn section(out: &mut String, heading: &str, count: usize, mut table: Table) {
    let _ = writeln!(out, "{heading} ({count})");
    if count > 0 {
        write(out, &mut table);
    }
    out.push('\n');
}

pub(crate) fn in_full(inventory: &Inventory) -> String {
    let mut out = String::new();
    let mut entry = |kind: &str, table: Table, descriptions: Vec<&str>| {
        let header: Vec<String> =
            table.header().map(|row| row.cell_iter().map(Cell::content).collect()).unwrap_or_default();
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
    };
    entry(
        "performance variable",
        pvars(inventory),
        inventory.pvars.iter().map(|one| one.description.as_str()).collect(),
    );
    entry(
        "control variable",
        cvars(inventory),
        inventory.cvars.iter().map(|one| one.description.as_str()).collect(),
    );
    entry("event", events(inventory), inventory.events.iter().map(|one| one.description.as_str()).collect());
    entry(
        "source of events",
        sources(inventory),
        inventory.sources.iter().map(|one| one.description.as_str()).collect(),
    );
    entry(
        "category",
        categories(inventory),
        inventory.categories.iter().map(|one| one.description.as_str()).collect(),
    );
    entry("enumeration", enumerations(inventory), inventory.enumerations.iter().map(|_| "").collect());
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

/// Fits a table into a width: hides columns, and wraps the last one, which has the descriptions, and others that are too
/// wide.
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
    if let Some(width) = terminal_width() {
        fit(table, width);
    }
    for line in table.to_string().lines() {
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

fn pvars(inventory: &Inventory) -> Table {
    let mut table =
        new(&["index", "from", "name", "class", "type", "bind", "verbosity", "flags", "description"]);
    for pvar in &inventory.pvars {
        let flags = [(pvar.readonly, "readonly"), (pvar.continuous, "continuous"), (pvar.atomic, "atomic")];
        let flags: Vec<_> = flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect();
        table.add_row([
            pvar.index.to_string(),
            from(pvar.own, pvar.late),
            pvar.name.clone(),
            pvar.class.clone(),
            typed(&pvar.datatype, pvar.enumeration.as_deref()),
            pvar.bind.clone(),
            pvar.verbosity.clone(),
            flags.join(","),
            first_line(&pvar.description),
        ]);
    }
    table
}

fn cvars(inventory: &Inventory) -> Table {
    let mut table =
        new(&["index", "from", "name", "type", "scope", "verbosity", "value", "set by", "description"]);
    for cvar in &inventory.cvars {
        table.add_row([
            cvar.index.to_string(),
            from(cvar.own, cvar.late),
            cvar.name.clone(),
            typed(&cvar.datatype, cvar.enumeration.as_deref()),
            cvar.scope.clone(),
            cvar.verbosity.clone(),
            cvar.value.clone().unwrap_or_default(),
            cvar.source.clone().unwrap_or_default(),
            first_line(&cvar.description),
        ]);
    }
    table
}

fn events(inventory: &Inventory) -> Table {
    let mut table = new(&["index", "from", "name", "source", "elements", "bind", "verbosity", "description"]);
    for event in &inventory.events {
        let element = |element: &Element| match &element.name {
            Some(name) => format!("{name}: {}", element.datatype),
            None => element.datatype.clone(),
        };
        table.add_row([
            event.index.to_string(),
            from(event.own, event.late),
            event.name.clone(),
            event.source.clone(),
            event.elements.iter().map(element).collect::<Vec<_>>().join(", "),
            event.bind.clone(),
            event.verbosity.clone(),
            first_line(&event.description),
        ]);
    }
    table
}

fn sources(inventory: &Inventory) -> Table {
    let mut table = new(&["index", "name", "ordering", "ticks per second", "description"]);
    for source in &inventory.sources {
        table.add_row([
            source.index.to_string(),
            source.name.clone(),
            source.ordering.clone(),
            source.ticks_per_second.to_string(),
            first_line(&source.description),
        ]);
    }
    table
}

fn categories(inventory: &Inventory) -> Table {
    let mut table = new(&["index", "from", "name", "pvars", "cvars", "events", "categories", "description"]);
    for category in &inventory.categories {
        table.add_row([
            category.index.to_string(),
            from(category.own, category.late),
            category.name.clone(),
            category.pvars.len().to_string(),
            category.cvars.len().to_string(),
            category.events.len().to_string(),
            category.categories.len().to_string(),
            first_line(&category.description),
        ]);
    }
    table
}

fn enumerations(inventory: &Inventory) -> Table {
    let mut table = new(&["name", "items"]);
    for enumeration in &inventory.enumerations {
        let items: Vec<_> =
            enumeration.items.iter().map(|item| format!("{}={}", item.value, item.name)).collect();
        table.add_row([enumeration.name.clone(), items.join(" ")]);
    }
    table
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

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().into()
}
