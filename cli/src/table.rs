//! The list as tables for people.

use std::fmt::Write;

use comfy_table::{ContentArrangement, Table, presets};
use mpit_ffi::listing::{Element, Listing};

/// All tables, each under a heading.
pub(crate) fn of(listing: &Listing) -> String {
    let mut out = String::new();
    let library = listing.library.as_deref().unwrap_or("no MPI library: what mpit brings");
    let _ = writeln!(out, "{library}\n");
    section(&mut out, "Performance variables", listing.pvars.len(), &pvars(listing));
    section(&mut out, "Control variables", listing.cvars.len(), &cvars(listing));
    section(&mut out, "Events", listing.events.len(), &events(listing));
    section(&mut out, "Sources of events", listing.sources.len(), &sources(listing));
    section(&mut out, "Categories", listing.categories.len(), &categories(listing));
    section(&mut out, "Enumerations", listing.enumerations.len(), &enumerations(listing));
    out
}

fn section(out: &mut String, heading: &str, count: usize, table: &Table) {
    let _ = writeln!(out, "{heading} ({count})");
    if count > 0 {
        write(out, table);
    }
    out.push('\n');
}

/// Lines end where the text ends, not where the table does.
pub(crate) fn write(out: &mut String, table: &Table) {
    for line in table.to_string().lines() {
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

pub(crate) fn new(header: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    table
}

fn pvars(listing: &Listing) -> Table {
    let mut table =
        new(&["index", "from", "name", "class", "type", "bind", "verbosity", "flags", "description"]);
    for pvar in &listing.pvars {
        let flags = [(pvar.readonly, "readonly"), (pvar.continuous, "continuous"), (pvar.atomic, "atomic")];
        let flags: Vec<_> = flags.into_iter().filter(|(set, _)| *set).map(|(_, word)| word).collect();
        table.add_row([
            pvar.index.to_string(),
            from(pvar.own),
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

fn cvars(listing: &Listing) -> Table {
    let mut table =
        new(&["index", "from", "name", "type", "scope", "verbosity", "value", "set by", "description"]);
    for cvar in &listing.cvars {
        table.add_row([
            cvar.index.to_string(),
            from(cvar.own),
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

fn events(listing: &Listing) -> Table {
    let mut table = new(&["index", "name", "source", "elements", "bind", "verbosity", "description"]);
    for event in &listing.events {
        let element = |element: &Element| match &element.name {
            Some(name) => format!("{name}: {}", element.datatype),
            None => element.datatype.clone(),
        };
        table.add_row([
            event.index.to_string(),
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

fn sources(listing: &Listing) -> Table {
    let mut table = new(&["index", "name", "ordering", "ticks per second", "description"]);
    for source in &listing.sources {
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

fn categories(listing: &Listing) -> Table {
    let mut table = new(&["index", "from", "name", "pvars", "cvars", "events", "categories", "description"]);
    for category in &listing.categories {
        table.add_row([
            category.index.to_string(),
            from(category.own),
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

fn enumerations(listing: &Listing) -> Table {
    let mut table = new(&["name", "items"]);
    for enumeration in &listing.enumerations {
        let items: Vec<_> =
            enumeration.items.iter().map(|item| format!("{}={}", item.value, item.name)).collect();
        table.add_row([enumeration.name.clone(), items.join(" ")]);
    }
    table
}

fn from(own: bool) -> String {
    if own { "mpit" } else { "MPI" }.into()
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
