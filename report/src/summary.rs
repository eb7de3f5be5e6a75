//! The report as text for a terminal.

use std::borrow::Cow;
use std::fmt;

use comfy_table::{CellAlignment, presets};

use crate::job::{Job, Line};
use crate::missing;
use crate::screen;
use crate::text_view::{self, View};

/// The default number of pairs listed.
pub const TOP: usize = 10;

/// The width of the longest bar of the histogram.
const BAR: f64 = 40.0;

/// The maximum number of communicator groups listed.
const COMMS: usize = 40;

/// Writes a summary of a job that fits on a page.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(out: &mut impl fmt::Write, job: &Job, top: usize) -> fmt::Result {
    writeln!(out, "{} of {} processes", job.present, job.size)?;
    for (name, value) in job.facts() {
        writeln!(out, "{name}: {value}")?;
    }
    for line in missing::lines(&job.missing, &job.missing_nodes, NAMED) {
        writeln!(out, "{line}")?;
    }
    if job.is_summary {
        writeln!(out)?;
        return screen::lines(&job.summary).iter().try_for_each(|line| writeln!(out, "{line}"));
    }
    if job.summary.efficiency().is_some() {
        writeln!(out)?;
        for line in screen::lines(&job.summary) {
            writeln!(out, "{line}")?;
        }
    }
    section(out, &text_view::totals(job))?;
    for view in text_view::details(job, top, COMMS) {
        section(out, &view)?;
    }
    lines(out, job)
}

/// The maximum number of lines about missing processes, and of nodes that are named.
const NAMED: usize = 20;

fn lines(out: &mut impl fmt::Write, job: &Job) -> fmt::Result {
    if !job.lines.is_empty() {
        writeln!(out, "\nLines of components")?;
    }
    for Line { rank, component, text } in job.lines.iter().take(NAMED) {
        writeln!(out, "rank {rank}, {component}: {text}")?;
    }
    match job.lines.len().checked_sub(NAMED) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "and {more} more in the files"),
    }
}

/// The maximum number of characters in a cell: the time for a table is quadratic in it, and functions of C++ may have long names.
const MAX_CELL: usize = 1000;

/// Returns the text of a cell, cut off if it is too long.
fn shortened(cell: &str) -> Cow<'_, str> {
    match cell.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}...", &cell[..end]).into(),
        None => cell.into(),
    }
}

fn section(out: &mut impl fmt::Write, view: &View) -> fmt::Result {
    writeln!(out, "\n{}", view.heading)?;
    if view.rows.is_empty() {
        return writeln!(out, "  nothing was recorded");
    }
    let mut shown = comfy_table::Table::new();
    let bar_head = if view.has_bars() { Some("") } else { None };
    shown.load_preset(presets::NOTHING).set_header(view.heads.iter().map(|(head, _)| *head).chain(bar_head));
    for (column, (_, is_name)) in shown.column_iter_mut().zip(&view.heads) {
        column.set_cell_alignment(if *is_name { CellAlignment::Left } else { CellAlignment::Right });
    }
    for row in &view.rows {
        // A bar that is not empty is visible.
        let bar = row.bar.map(|share| Cow::from("#".repeat((share * BAR).ceil() as usize)));
        shown.add_row(row.cells.iter().map(|cell| shortened(cell)).chain(bar));
    }
    for line in shown.lines() {
        // Trailing blanks of the table are removed.
        writeln!(out, " {}", line.trim_end())?;
    }
    if view.more > 0 {
        writeln!(out, "and {} more", view.more)?;
    }
    Ok(())
}
