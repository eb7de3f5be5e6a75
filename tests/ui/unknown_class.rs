use mpit::cell::{Level, Size};
use mpit::pvar;

#[pvar(class = "SIZES")]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "high_watermark")]
static QUEUE: Level<u64> = Level::new();

#[pvar(class = "temperature")]
static HEAT: Level<u64> = Level::new();

fn main() {}

// Proves C4.
