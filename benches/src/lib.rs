//! Measurements: the programs in `bin` print a line for each figure, with its name and the time of one turn in the best of
//! many short blocks. Blocks of all figures alternate, so that other activity of the machine affects all figures equally.
//! `cargo xtask bench` runs the programs; no other crate uses them.

pub mod variables;

use std::fmt::Display;
use std::hint::black_box;
use std::time::Instant;

/// Something to be measured. Runs a block and returns what one turn of it took.
pub type Block<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// Nanoseconds per turn of a loop that does this, with the number of the turn.
#[inline]
pub fn per_turn(turns: u32, work: impl Fn(u32)) -> f64 {
    let start = Instant::now();
    for turn in 0..turns {
        work(black_box(turn));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(turns)
}

/// A block that is such a loop.
pub fn a_loop<'a>(turns: u32, work: impl Fn(u32) + 'a) -> Block<'a> {
    Box::new(move || per_turn(turns, &work))
}

/// Runs each of the blocks so often, in turns, and prints the least that each of them took.
pub fn measure<const N: usize>(often: u32, figures: [(impl Display, Block<'_>); N]) {
    let mut figures = figures.map(|(name, block)| (name, block, f64::INFINITY));
    for _ in 0..often {
        for (_, block, best) in &mut figures {
            *best = best.min(block());
        }
    }
    for (name, _, best) in figures {
        println!("{name} {best:.3}");
    }
}
