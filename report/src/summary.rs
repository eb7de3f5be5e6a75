//! The report as text for a terminal.

use std::fmt::{self, Write as _};

use comfy_table::{CellAlignment, Table, presets};
use mpit_format::rows::Kind;

use crate::job::{Job, Line, Missing, JobSum};
use crate::units::{bin, bytes, grouped};

/// The default number of pairs listed.
pub const TOP: usize = 10;

/// The width of the longest bar of the histogram.
const BAR: usize = 40;

/// Writes a summary of a job that fits on a page.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(out: &mut impl fmt::Write, job: &Job, top: usize) -> fmt::Result {
    writeln!(out, "{} of {} processes", job.present, job.size)?;
    missing(out, &job.missing)?;
    totals(out, job)?;
    sizes(out, job)?;
    pairs(out, job, top)?;
    comms(out, job)?;
    lines(out, job)
}

/// The maximum number of lines about missing processes.
const NAMED: usize = 20;

fn missing(out: &mut impl fmt::Write, all: &[Missing]) -> fmt::Result {
    for missing in all.iter().take(NAMED) {
        writeln!(out, "missing: {missing}")?;
    }
    if all.len() > NAMED {
        writeln!(out, "missing: and {} ranges of ranks more", all.len() - NAMED)?;
    }
    Ok(())
}

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

fn totals(out: &mut impl fmt::Write, job: &Job) -> fmt::Result {
    let mut table = new(&["", "kind", "messages", "bytes", "", "pairs"], &[2, 3, 4, 5]);
    for kind in Kind::ALL {
        let JobSum { count, bytes: total } = job.total(kind);
        if count > 0 {
            table.add_row([
                kind.letter().to_string(),
                kind.to_string(),
                grouped(count),
                grouped(total),
                bytes(total),
                grouped(job.matrix(kind).cells().len() as u128),
            ]);
        }
    }
    section(out, "Totals", &table, "nothing was recorded")
}

fn sizes(out: &mut impl fmt::Write, job: &Job) -> fmt::Result {
    let (Some(first), Some(last)) =
        (job.sizes.iter().position(|count| *count > 0), job.sizes.iter().rposition(|count| *count > 0))
    else {
        return Ok(());
    };
    let most = job.sizes.iter().copied().max().unwrap_or(1);
    let mut table = new(&["bytes", "messages", ""], &[0, 1]);
    for at in first..=last {
        let count = job.sizes[at];
        // A bin that is not empty has a visible bar.
        let bar = (count as f64 / most as f64 * BAR as f64).ceil() as usize;
        table.add_row([bin(at), grouped(count), "#".repeat(bar)]);
    }
    section(out, "Messages by size", &table, "")
}

fn pairs(out: &mut impl fmt::Write, job: &Job, top: usize) -> fmt::Result {
    let mut table = new(&["", "from", "to", "messages", "bytes", "", "average"], &[1, 2, 3, 4, 5, 6]);
    for kind in Kind::ALL {
        for cell in job.matrix(kind).top(top) {
            table.add_row([
                kind.letter().to_string(),
                cell.from.to_string(),
                cell.to.to_string(),
                grouped(cell.count.into()),
                grouped(cell.bytes.into()),
                bytes(cell.bytes.into()),
                bytes(u128::from(cell.bytes) / u128::from(cell.count.max(1))),
            ]);
        }
    }
    if top == 0 || table.is_empty() {
        return Ok(());
    }
    section(out, &format!("Pairs with the most bytes, up to {top} of each kind"), &table, "")
}

/// The maximum number of communicator groups listed.
const COMMS: usize = 40;

fn comms(out: &mut impl fmt::Write, job: &Job) -> fmt::Result {
    if job.comms.is_empty() {
        return Ok(());
    }
    let header = ["communicator", "size", "how many", "O2A", "bytes", "A2O", "bytes", "A2A", "bytes"];
    let mut table = new(&header, &[1, 2, 3, 4, 5, 6, 7, 8]);
    for comm in job.comms.iter().take(COMMS) {
        let mut row = vec![comm.name.clone(), comm.size.to_string(), comm.groups.to_string()];
        let all = &comm.collectives;
        for sum in [all.one_to_all, all.all_to_one, all.all_to_all] {
            row.extend([grouped(sum.count), grouped(sum.bytes)]);
        }
        table.add_row(row);
    }
    section(out, "Communicators: collective operations from one to all, all to one, all to all", &table, "")?;
    if job.comms.len() > COMMS {
        writeln!(out, "and {} more", job.comms.len() - COMMS)?;
    }
    Ok(())
}

fn new(header: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(header);
    for at in right {
        if let Some(column) = table.column_mut(*at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn section(out: &mut impl fmt::Write, heading: &str, table: &Table, otherwise: &str) -> fmt::Result {
    writeln!(out, "\n{heading}")?;
    if table.is_empty() {
        return writeln!(out, "  {otherwise}");
    }
    let mut text = String::new();
    for line in table.lines() {
        // Trailing blanks of the table are removed.
        writeln!(text, " {}", line.trim_end())?;
    }
    out.write_str(&text)
}
