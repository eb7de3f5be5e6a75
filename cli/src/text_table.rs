//! Output of tables as text, fitted into a terminal.

use std::fmt::Write;

use comfy_table::{Cell, ColumnConstraint, ContentArrangement, Table, Width, presets};

pub(crate) fn new(header: &[&str]) -> Table {
    let mut table = Table::new();
    // In a file or a pipe, each entry is one line.
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header);
    table
}

fn terminal_width() -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    if size.ws_col > 0 { Some(size.ws_col) } else { None }
}

/// The width below which descriptions are hard to read.
const DESCRIPTION: usize = 30;

/// The width below which a column is not wrapped.
const NARROWEST: usize = 12;

/// Fits a table into a width: hides columns of `less_needed` in their order, and wraps the last one, which has descriptions, and another
/// that is too wide.
fn fit(table: &mut Table, terminal: u16, less_needed: &[&str]) {
    let width = usize::from(terminal);
    let header: Vec<String> =
        table.header().map(|row| row.cell_iter().map(Cell::content).collect()).unwrap_or_default();
    // Includes a blank on each side.
    let mut widths: Vec<usize> =
        table.column_max_content_widths().iter().map(|width| usize::from(*width) + 2).collect();
    let Some(last) = widths.pop() else { return };
    let needed = last.min(DESCRIPTION);
    let mut hidden = Vec::new();
    for name in less_needed {
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

/// Writes a table. In a narrow terminal, columns of `less_needed` are hidden.
pub(crate) fn write(out: &mut String, table: &mut Table, less_needed: &[&str]) {
    let Some(width) = terminal_width() else { return write_lines(out, table) };
    fit(table, width, less_needed);
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
