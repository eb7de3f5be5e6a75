//! The report as a single HTML page. It needs no network; without scripts it lacks only the numbers shown under the
//! pointer.

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use mpit_format::rows::Kind;
use serde::Serialize;

use crate::job::{Job, JobSum};
use crate::picture::{self, Embedding, ORIGIN, SHOWN, Tiles, escaped, pixels, shown};
use crate::units::{bin, bytes, grouped};

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The maximum number of pairs listed for each kind.
const PAIRS: usize = 20;
/// The maximum number of communicator groups listed.
const COMMS: usize = 200;

/// The maximum number of lines about missing processes.
const MISSING: usize = 100;

#[derive(Serialize)]
struct Data {
    size: u32,
    side: u32,
    ranks: u32,
    pixels: i32,
    left: i32,
    top: i32,
    /// Tiles as sender, receiver, bytes, messages.
    tiles: Vec<(u32, u32, u64, u64)>,
}

impl Data {
    fn of(tiles: &Tiles, size: u32) -> Self {
        let cells = tiles.cells.cells().iter();
        Self {
            size,
            side: tiles.side,
            ranks: tiles.ranks,
            pixels: pixels(tiles.side),
            left: ORIGIN.0,
            top: ORIGIN.1,
            tiles: cells.map(|cell| (cell.from, cell.to, cell.bytes, cell.count)).collect(),
        }
    }
}

/// Writes the page.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(mut out: impl Write, job: &Job, title: &str) -> io::Result<()> {
    let maps = maps(job);
    let data: Vec<_> = maps.iter().map(|(_, tiles)| Data::of(tiles, job.size)).collect();
    let mut page = String::new();
    body(&mut page, job, title, &maps).map_err(io::Error::other)?;
    let name = escaped(title);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{name}</title>\n<style>\n{CSS}</style>\n\
         </head>\n<body>\n{page}<div id=\"tip\" hidden></div>\n<script type=\"application/json\" id=\"tiles\">"
    )?;
    serde_json::to_writer(&mut out, &data)?;
    write!(out, "</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")?;
    out.flush()
}

fn maps(job: &Job) -> Vec<(String, Tiles)> {
    let mut maps = vec![(SHOWN.map(Kind::name).join("; "), Tiles::of(&shown(job), job.size))];
    let kinds: Vec<_> = Kind::ALL.into_iter().filter(|kind| !job.matrix(*kind).is_empty()).collect();
    if kinds.len() > 1 {
        for kind in kinds {
            maps.push((kind.name().to_owned(), Tiles::of(job.matrix(kind), job.size)));
        }
    }
    maps
}

fn body(out: &mut String, job: &Job, title: &str, maps: &[(String, Tiles)]) -> fmt::Result {
    writeln!(out, "<h1>{}</h1>\n<p>{} of {} processes</p>", escaped(title), job.present, job.size)?;
    if !job.missing.is_empty() {
        out.push_str("<ul>\n");
        for missing in job.missing.iter().take(MISSING) {
            writeln!(out, "<li>missing: {}</li>", escaped(&missing.to_string()))?;
        }
        if job.missing.len() > MISSING {
            writeln!(out, "<li>and {} ranges of ranks more</li>", job.missing.len() - MISSING)?;
        }
        out.push_str("</ul>\n");
    }
    totals(out, job)?;
    out.push_str("<h2>Traffic between ranks</h2>\n");
    for (at, (kinds, tiles)) in maps.iter().enumerate() {
        let open = if at == 0 { " open" } else { "" };
        writeln!(out, "<details{open}>\n<summary>{kinds}</summary>")?;
        out.push_str(&picture::svg(tiles, job, title, Embedding::Page));
        out.push_str("</details>\n");
    }
    sizes(out, job)?;
    pairs(out, job)?;
    comms(out, job)
}

fn totals(out: &mut String, job: &Job) -> fmt::Result {
    out.push_str("<h2>Totals</h2>\n<table>\n<tr><th></th><th class=\"text\">kind</th><th>messages</th>");
    out.push_str("<th>bytes</th><th></th><th>pairs</th></tr>\n");
    for kind in Kind::ALL {
        let JobSum { count, bytes: total } = job.total(kind);
        if count > 0 {
            writeln!(
                out,
                "<tr><td>{}</td><td class=\"text\">{kind}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                kind.letter(),
                grouped(count),
                grouped(total),
                bytes(total),
                grouped(job.matrix(kind).cells().len() as u128),
            )?;
        }
    }
    out.push_str("</table>\n");
    Ok(())
}

fn sizes(out: &mut String, job: &Job) -> fmt::Result {
    let filled = |count: &u128| *count > 0;
    let (Some(first), Some(last)) = (job.sizes.iter().position(filled), job.sizes.iter().rposition(filled))
    else {
        return Ok(());
    };
    let most = job.sizes.iter().copied().max().unwrap_or(1);
    out.push_str("<h2>Messages by size</h2>\n<table>\n<tr><th>bytes</th><th>messages</th><th></th></tr>\n");
    for (at, count) in job.sizes.iter().enumerate().take(last + 1).skip(first) {
        let width = *count as f64 / most as f64 * 100.0;
        writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"bar\"><i style=\"width:{width:.2}%\"></i></td></tr>",
            bin(at),
            grouped(*count)
        )?;
    }
    out.push_str("</table>\n");
    Ok(())
}

fn pairs(out: &mut String, job: &Job) -> fmt::Result {
    writeln!(out, "<h2>Pairs with the most bytes, up to {PAIRS} of each kind</h2>\n<table>")?;
    out.push_str("<tr><th></th><th>from</th><th>to</th><th>messages</th><th>bytes</th><th></th></tr>\n");
    for kind in Kind::ALL {
        for cell in job.matrix(kind).top(PAIRS) {
            writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                kind.letter(),
                cell.from,
                cell.to,
                grouped(cell.count.into()),
                grouped(cell.bytes.into()),
                bytes(cell.bytes.into()),
            )?;
        }
    }
    out.push_str("</table>\n");
    Ok(())
}

fn comms(out: &mut String, job: &Job) -> fmt::Result {
    if job.comms.is_empty() {
        return Ok(());
    }
    out.push_str("<h2>Communicators</h2>\n<p>Collective operations from one to all (O2A), all to one (A2O), all to all ");
    out.push_str("(A2A)</p>\n<div class=\"wide\"><table>\n<tr><th class=\"text\">name</th><th>size</th><th>how many</th>");
    out.push_str("<th>O2A</th><th>bytes</th><th>A2O</th><th>bytes</th><th>A2A</th><th>bytes</th></tr>\n");
    for comm in job.comms.iter().take(COMMS) {
        let name = escaped(&comm.name);
        write!(out, "<tr><td class=\"text\">{name}</td><td>{}</td><td>{}</td>", comm.size, comm.groups)?;
        let all = &comm.collectives;
        for sum in [all.one_to_all, all.all_to_one, all.all_to_all] {
            write!(out, "<td>{}</td><td>{}</td>", grouped(sum.count), grouped(sum.bytes))?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    if job.comms.len() > COMMS {
        writeln!(out, "<p>and {} more</p>", job.comms.len() - COMMS)?;
    }
    Ok(())
}
