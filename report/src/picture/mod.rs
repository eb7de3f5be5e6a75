//! Heat maps of bytes by sender and receiver: senders from top to bottom, receivers from left to right.
//!
//! In large matrices, a tile stands for several ranks in each direction.

mod colors;
mod png;
mod scene;
mod svg;
mod tiles;

use std::io::{self, Write};

use crate::job::Job;
use crate::nodes::NodeOrder;

pub use scene::SHOWN;
pub(crate) use scene::{ORIGIN, pixels, shown};
pub(crate) use svg::{Embedding, escaped};
pub(crate) use tiles::Tiles;

/// Writes a heat map as SVG.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_svg(mut out: impl Write, job: &Job, title: &str) -> io::Result<()> {
    let tiles = Tiles::of(&shown(job), job.size);
    out.write_all(svg(&tiles, job, title, None, Embedding::File).as_bytes())
}

/// Writes a heat map as PNG.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_png(out: impl Write, job: &Job, title: &str) -> io::Result<()> {
    let tiles = Tiles::of(&shown(job), job.size);
    png::draw(&scene::heat_map(&tiles, job.size, title, None), out)
}

pub(crate) fn svg(
    tiles: &Tiles,
    job: &Job,
    title: &str,
    order: Option<&NodeOrder<'_>>,
    place: Embedding,
) -> String {
    svg::draw(&scene::heat_map(tiles, job.size, title, order), place)
}
