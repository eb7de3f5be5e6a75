//! The report as a single HTML page. It needs no network; without scripts it lacks only the numbers shown under the
//! pointer.

mod bars;
mod head;
mod timeline;

use std::fmt::{self, Write as _};
use std::io::{self, Write};

use mpit_format::rows::Kind;
use serde::Serialize;

use crate::job::Job;
use crate::json;
use crate::missing;
use crate::nodes::NodeOrder;
use crate::picture::{self, Embedding, ORIGIN, SHOWN, Tiles, escaped, pixels, shown};
use crate::text_view::{self, View};
use mpit_placement::Matrix;

const CSS: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The maximum number of pairs listed for each kind.
const PAIRS: usize = 20;
/// The maximum number of communicator groups listed.
const COMMS: usize = 200;

/// The maximum number of lines about missing processes, and of nodes that are named.
const MISSING: usize = 100;

#[derive(Serialize)]
struct Data {
    size: u32,
    side: u32,
    ranks: u32,
    pixels: i32,
    left: i32,
    top: i32,
    /// True if tiles are of positions in the order of machines.
    #[serde(rename = "byNode")]
    by_node: bool,
    /// The ranks by their positions, if tiles are of positions in another order.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<Vec<u32>>,
    /// Tiles as sender, receiver, bytes, messages.
    tiles: Vec<(u32, u32, u64, u64)>,
}

impl Data {
    fn of(Map { tiles, order, .. }: &Map<'_>, size: u32) -> Self {
        let cells = tiles.cells.cells();
        Self {
            size,
            side: tiles.side,
            ranks: tiles.ranks,
            pixels: pixels(tiles.side),
            left: ORIGIN.0,
            top: ORIGIN.1,
            by_node: order.is_some(),
            // Above, ranks of a tile are not named one by one.
            order: order.as_ref().filter(|_| tiles.ranks == 1).map(|order| order.ranks(size)),
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
    let data: Vec<_> = maps.iter().map(|map| Data::of(map, job.size)).collect();
    let mut page = String::new();
    body(&mut page, job, title, &maps).map_err(io::Error::other)?;
    let name = escaped(title);
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name}</title>\n<style>\n{CSS}</style>\n\
         </head>\n<body>\n{page}<div id=\"tip\" hidden></div>\n<script type=\"application/json\" id=\"tiles\">"
    )?;
    json::write(&mut out, &data)?;
    write!(out, "</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")?;
    out.flush()
}

/// A heat map.
struct Map<'a> {
    name: String,
    tiles: Tiles,
    order: Option<NodeOrder<'a>>,
}

fn maps(job: &Job) -> Vec<Map<'_>> {
    let map = |name: String, matrix: &Matrix| Map { name, tiles: Tiles::of(matrix, job.size), order: None };
    let all = shown(job);
    let names = SHOWN.map(Kind::name).join("; ");
    let mut maps = vec![map(names.clone(), &all)];
    if let Some(order) = job.nodes.order() {
        let tiles = Tiles::in_order(&all, job.size, &order);
        maps.push(Map { name: format!("ranks by node: {names}"), tiles, order: Some(order) });
    }
    let kinds: Vec<_> = Kind::ALL.into_iter().filter(|kind| !job.matrix(*kind).is_empty()).collect();
    if kinds.len() > 1 {
        for kind in kinds {
            maps.push(map(kind.name().to_owned(), job.matrix(kind)));
        }
    }
    maps
}

fn body(out: &mut String, job: &Job, title: &str, maps: &[Map<'_>]) -> fmt::Result {
    writeln!(out, "<h1>{}</h1>", escaped(title))?;
    head::facts(out, job)?;
    head::numbers(out, job)?;
    without_data(out, job)?;
    bars::section(out, job)?;
    timeline::section(out, job)?;
    section(out, &text_view::totals(job))?;
    out.push_str("<h2>Traffic between ranks</h2>\n");
    for (at, Map { name, tiles, order }) in maps.iter().enumerate() {
        let open = if at == 0 { " open" } else { "" };
        writeln!(out, "<details{open}>\n<summary>{name}</summary>")?;
        out.push_str("<div class=\"wide\" tabindex=\"0\">\n");
        out.push_str(&picture::svg(tiles, job, title, order.as_ref(), Embedding::Page));
        out.push_str("</div></details>\n");
    }
    text_view::details(job, PAIRS, COMMS).try_for_each(|view| section(out, &view))
}

/// Lists the ranks and the nodes without data.
fn without_data(out: &mut String, job: &Job) -> fmt::Result {
    let lines = missing::lines(&job.missing, &job.missing_nodes, MISSING);
    if lines.is_empty() {
        return Ok(());
    }
    out.push_str("<ul>\n");
    for line in lines {
        writeln!(out, "<li>{}</li>", escaped(&line))?;
    }
    out.push_str("</ul>\n");
    Ok(())
}

fn section(out: &mut String, view: &View) -> fmt::Result {
    writeln!(out, "<h2>{}</h2>", view.heading)?;
    if view.rows.is_empty() {
        return writeln!(out, "<p>nothing was recorded</p>");
    }
    let class = |is_name: bool| if is_name { " class=\"text\"" } else { "" };
    out.push_str("<div class=\"wide\" tabindex=\"0\"><table>\n<thead><tr>");
    for (head, is_name) in &view.heads {
        write!(out, "<th{}>{head}</th>", class(*is_name))?;
    }
    out.push_str(if view.has_bars() {
        "<th></th></tr></thead>\n<tbody>\n"
    } else {
        "</tr></thead>\n<tbody>\n"
    });
    for row in &view.rows {
        out.push_str("<tr>");
        for (cell, (_, is_name)) in row.cells.iter().zip(&view.heads) {
            write!(out, "<td{}>{}</td>", class(*is_name), escaped(cell))?;
        }
        if let Some(share) = row.bar {
            write!(out, "<td class=\"bar\"><i style=\"width:{:.2}%\"></i></td>", share * 100.0)?;
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if view.more > 0 {
        writeln!(out, "<p>and {} more</p>", view.more)?;
    }
    Ok(())
}
