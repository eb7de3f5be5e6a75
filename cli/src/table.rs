//! Output of the inventory as tables.

use std::fmt::Write;

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

use crate::inventory::{Category, Cvar, Element, Enumeration, Event, Inventory, Pvar, Source};

pub(crate) fn of(inventory: &Inventory) -> String {
    let mut out = String::new();
    let library = inventory.library.as_deref().unwrap_or("no MPI library: entries of mpit");
    let _ = writeln!(out, "{library}\n");
    for Entries { heading, list, .. } in all(inventory) {
        let _ = writeln!(out, "{heading} ({})", list.len());
        if let Some(first) = list.first() {
            let header = first.columns.iter().map(|(head, _)| *head);
            let mut table = new(&header.chain(first.description.map(|_| "description")).collect::<Vec<_>>());
            for Entry { columns, description } in &list {
                let first_line = description.map(|text| text.lines().next().unwrap_or_default());
                table.add_row(columns.iter().map(|(_, cell)| cell.as_str()).chain(first_line));
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
    for Entries { kind, list, .. } in all(inventory) {
        for Entry { columns, description } in list {
            let name = columns.iter().find(|(head, _)| *head == "name");
            let _ = writeln!(out, "{} ({kind})", name.map_or("", |(_, name)| name));
            for (head, cell) in columns.iter().filter(|(head, cell)| *head != "name" && !cell.is_empty()) {
                let _ = writeln!(out, "    {head}: {cell}");
            }
            for line in description.unwrap_or_default().lines() {
                let _ = writeln!(out, "    {line}");
            }
            out.push('\n');
        }
    }
    out
}

/// The entries of one kind, all with the same columns.
struct Entries<'a> {
    heading: &'static str,
    kind: &'static str,
    list: Vec<Entry<'a>>,
}

struct Entry<'a> {
    /// Heads and cells, without the description.
    columns: Vec<(&'static str, String)>,
    /// The whole description, of which tables have the first line; `None` if entries of this kind have none.
    description: Option<&'a str>,
}

impl<'a> Entries<'a> {
    fn of<T>(
        heading: &'static str,
        kind: &'static str,
        all: &'a [T],
        entry: impl Fn(&'a T) -> Entry<'a>,
    ) -> Self {
        Self { heading, kind, list: all.iter().map(entry).collect() }
    }
}

fn all(inventory: &Inventory) -> [Entries<'_>; 6] {
    [
        Entries::of("Performance variables", "performance variable", &inventory.pvars, pvar),
        Entries::of("Control variables", "control variable", &inventory.cvars, cvar),
        Entries::of("Events", "event", &inventory.events, event),
        Entries::of("Sources of events", "source of events", &inventory.sources, source),
        Entries::of("Categories", "category", &inventory.categories, category),
        Entries::of("Enumerations", "enumeration", &inventory.enumerations, enumeration),
    ]
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

fn pvar(pvar: &Pvar) -> Entry<'_> {
    let flags = [(pvar.readonly, "readonly"), (pvar.continuous, "continuous"), (pvar.atomic, "atomic")];
    let flags: Vec<_> = flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect();
    let columns = vec![
        ("index", pvar.index.to_string()),
        ("from", from(pvar.own, pvar.late)),
        ("name", pvar.name.clone()),
        ("class", pvar.class.clone()),
        ("type", typed(&pvar.datatype, pvar.enumeration.as_deref())),
        ("bind", pvar.bind.clone()),
        ("verbosity", pvar.verbosity.clone()),
        ("flags", flags.join(",")),
    ];
    Entry { columns, description: Some(&pvar.description) }
}

fn cvar(cvar: &Cvar) -> Entry<'_> {
    let columns = vec![
        ("index", cvar.index.to_string()),
        ("from", from(cvar.own, cvar.late)),
        ("name", cvar.name.clone()),
        ("type", typed(&cvar.datatype, cvar.enumeration.as_deref())),
        ("scope", cvar.scope.clone()),
        ("verbosity", cvar.verbosity.clone()),
        ("value", cvar.value.clone().unwrap_or_default()),
        ("set by", cvar.source.clone().unwrap_or_default()),
    ];
    Entry { columns, description: Some(&cvar.description) }
}

fn event(event: &Event) -> Entry<'_> {
    let element = |element: &Element| match &element.name {
        Some(name) => format!("{name}: {}", element.datatype),
        None => element.datatype.clone(),
    };
    let columns = vec![
        ("index", event.index.to_string()),
        ("from", from(event.own, event.late)),
        ("name", event.name.clone()),
        ("source", event.source.clone()),
        ("elements", event.elements.iter().map(element).collect::<Vec<_>>().join(", ")),
        ("bind", event.bind.clone()),
        ("verbosity", event.verbosity.clone()),
    ];
    Entry { columns, description: Some(&event.description) }
}

fn source(source: &Source) -> Entry<'_> {
    let columns = vec![
        ("index", source.index.to_string()),
        ("name", source.name.clone()),
        ("ordering", source.ordering.clone()),
        ("ticks per second", source.ticks_per_second.to_string()),
    ];
    Entry { columns, description: Some(&source.description) }
}

fn category(category: &Category) -> Entry<'_> {
    let columns = vec![
        ("index", category.index.to_string()),
        ("from", from(category.own, category.late)),
        ("name", category.name.clone()),
        ("pvars", category.pvars.len().to_string()),
        ("cvars", category.cvars.len().to_string()),
        ("events", category.events.len().to_string()),
        ("categories", category.categories.len().to_string()),
    ];
    Entry { columns, description: Some(&category.description) }
}

fn enumeration(enumeration: &Enumeration) -> Entry<'_> {
    let items: Vec<_> =
        enumeration.items.iter().map(|item| format!("{}={}", item.value, item.name)).collect();
    let columns = vec![("name", enumeration.name.clone()), ("items", items.join(" "))];
    Entry { columns, description: None }
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
