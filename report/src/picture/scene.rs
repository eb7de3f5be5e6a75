//! The layout of a picture, independent of the output format.

use std::borrow::Cow;

use mpit_format::rows::Kind;

use super::colors::{Color, STEPS, Scale, color};
use super::tiles::Tiles;
use crate::job::Job;
use crate::nodes::NodeOrder;
use crate::units::bytes;
use mpit_placement::Matrix;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: i32,
    pub(super) height: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text; `y` is its baseline.
#[derive(Clone, Debug)]
pub(super) struct Label {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) anchor: Anchor,
    pub(super) text: String,
    pub(super) bold: bool,
}

#[derive(Debug)]
pub(super) struct Scene {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) plot: Rect,
    pub(super) rects: Vec<(Color, Vec<Rect>)>,
    pub(super) labels: Vec<Label>,
    pub(super) marks: Vec<Rect>,
}

/// All operations of the program. Internal messages are left out, since they carry the same data again.
pub const SHOWN: [Kind; 4] = [Kind::External, Kind::Sent, Kind::Received, Kind::Collective];

pub(crate) fn shown(job: &Job) -> Cow<'_, Matrix> {
    job.matrix_of(&SHOWN)
}

const LEFT: i32 = 70;
const TOP: i32 = 70;
const PLOT: i32 = 512;
const BAR_GAP: i32 = 30;
const BAR_WIDTH: i32 = 18;
const RIGHT: i32 = 95;
const BOTTOM: i32 = 45;

pub(crate) fn pixels(side: u32) -> i32 {
    (PLOT / side.max(1).cast_signed()).max(2)
}

pub(crate) const ORIGIN: (i32, i32) = (LEFT, TOP);

/// Draws a matrix of ranks, or of positions in the order of machines.
pub(super) fn heat_map(tiles: &Tiles, size: u32, title: &str, order: Option<&NodeOrder<'_>>) -> Scene {
    let pixels = pixels(tiles.side);
    let edge = pixels * tiles.side.cast_signed();
    let plot = Rect { x: LEFT, y: TOP, width: edge, height: edge };
    let mut scene = Scene {
        width: LEFT + edge + BAR_GAP + BAR_WIDTH + RIGHT,
        height: TOP + edge + BOTTOM,
        plot,
        rects: (0..STEPS).map(|step| (color(step), Vec::new())).collect(),
        labels: Vec::new(),
        marks: Vec::new(),
    };
    scene.label(LEFT, 24, Anchor::Start, format!("{title}: bytes from rank to rank"), true);
    match order {
        None => axes(&mut scene, tiles, size, pixels),
        Some(order) => node_axes(&mut scene, tiles, order, pixels),
    }
    if let Some(scale) = Scale::of(tiles.cells.cells().map(|cell| cell.bytes)) {
        for cell in tiles.cells.cells() {
            let (x, y) = (LEFT + cell.to.cast_signed() * pixels, TOP + cell.from.cast_signed() * pixels);
            let rect = Rect { x, y, width: pixels, height: pixels };
            scene.rects[scale.step(cell.bytes)].1.push(rect);
        }
        bar(&mut scene, scale);
    } else {
        scene.label(LEFT + edge / 2, TOP + edge / 2, Anchor::Middle, "nothing was sent".into(), false);
    }
    scene
}

impl Scene {
    fn label(&mut self, x: i32, y: i32, anchor: Anchor, text: String, bold: bool) {
        self.labels.push(Label { x, y, anchor, text, bold });
    }
}

fn axes(scene: &mut Scene, tiles: &Tiles, size: u32, pixels: i32) {
    let Rect { x, y, width, height } = scene.plot;
    let unit = if tiles.ranks == 1 { "rank".into() } else { format!("rank, {} in a tile", tiles.ranks) };
    scene.label(x, y - 26, Anchor::Start, format!("receiver ({unit})"), false);
    scene.label(x, y + height + 32, Anchor::Start, "sender (rank): from top to bottom".into(), false);
    let mut rank = 0;
    while rank < size {
        let middle = (rank / tiles.ranks).cast_signed() * pixels + pixels / 2;
        scene.label(x + middle, y - 8, Anchor::Middle, rank.to_string(), false);
        scene.label(x - 9, y + middle + 4, Anchor::End, rank.to_string(), false);
        scene.marks.push(Rect { x: x + middle, y: y - 5, width: 1, height: 5 });
        scene.marks.push(Rect { x: x - 5, y: y + middle, width: 5, height: 1 });
        rank = rank.saturating_add(tick(size));
    }
    debug_assert!(width == height);
}

/// The maximum number of machines with names at the axes, and with lines between them.
const NAMED_NODES: usize = 12;
const LINED_NODES: usize = 64;

/// The maximum length of the name of a machine beside the matrix.
const NAME: usize = 9;

fn node_axes(scene: &mut Scene, tiles: &Tiles, order: &NodeOrder<'_>, pixels: i32) {
    let Rect { x, y, width, height } = scene.plot;
    scene.label(x, y - 26, Anchor::Start, "receiver (ranks by node)".into(), false);
    let sender = "sender (ranks by node): from top to bottom";
    scene.label(x, y + height + 32, Anchor::Start, sender.into(), false);
    let step = order.starts.len().div_ceil(NAMED_NODES);
    for (number, (start, name)) in order.starts.iter().enumerate() {
        let at = (start / tiles.ranks).cast_signed() * pixels;
        if number.is_multiple_of(step) {
            let short: String = name.chars().take(NAME).collect();
            // Names are wider than a label of a column may be.
            if order.starts.len() <= NAMED_NODES / 2 {
                scene.label(x + at + 2, y - 8, Anchor::Start, short.clone(), false);
            }
            scene.label(x - 7, y + at + 11, Anchor::End, short, false);
        }
        if number > 0 && order.starts.len() <= LINED_NODES {
            scene.marks.push(Rect { x: x + at, y: y - 5, width: 1, height: height + 5 });
            scene.marks.push(Rect { x: x - 5, y: y + at, width: width + 5, height: 1 });
        }
    }
}

/// Returns the distance between labeled ranks: 1, 2 or 5 times a power of ten, so that there are at most 9 labels.
fn tick(size: u32) -> u32 {
    let mut unit: u32 = 1;
    loop {
        for step in [1, 2, 5] {
            let tick = unit.saturating_mul(step);
            if size.div_ceil(tick) <= 9 {
                return tick;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

fn bar(scene: &mut Scene, scale: Scale) {
    let Rect { x, y, width, height } = scene.plot;
    let x = x + width + BAR_GAP;
    // A single value has a single color.
    let steps = if scale.least == scale.most { STEPS - 1..STEPS } else { 0..STEPS };
    let count = steps.len() as i32;
    for (at, step) in (0..).zip(steps) {
        let bottom = y + height - at * height / count;
        let top = y + height - (at + 1) * height / count;
        scene.rects[step].1.push(Rect { x, y: top, width: BAR_WIDTH, height: bottom - top });
    }
    scene.label(x, y - 26, Anchor::Start, "bytes, log scale".into(), false);
    let shares: &[f64] = if count == 1 { &[0.5] } else { &[0.0, 0.25, 0.5, 0.75, 1.0] };
    for share in shares {
        let middle = y + height - (share * f64::from(height)) as i32;
        scene.marks.push(Rect { x: x + BAR_WIDTH, y: middle.min(y + height - 1), width: 4, height: 1 });
        scene.label(x + BAR_WIDTH + 8, middle + 4, Anchor::Start, bytes(scale.at(*share).into()), false);
    }
}

#[cfg(test)]
mod tests {
    use super::tick;

    #[test]
    fn ticks_are_round_and_few() {
        for (size, wanted) in [(1, 1), (9, 1), (10, 2), (40, 5), (256, 50), (1024, 200), (100_000, 20_000)] {
            assert_eq!(tick(size), wanted, "{size}");
        }
        assert!(tick(u32::MAX) > 0);
    }
}
