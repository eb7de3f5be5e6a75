//! Measurements. The programs in `bin` print a line for each figure: its name, and the time of one iteration in the fastest of
//! many short blocks. Blocks of all figures alternate, so that other activity of the machine affects all figures equally.
//! `cargo xtask bench` runs the programs; no other crate uses them.

pub mod variables;

use std::fmt::Display;
use std::hint::black_box;
use std::time::Instant;

/// A figure to measure: runs a block of iterations and returns the time of one.
pub type Block<'a> = Box<dyn FnMut() -> f64 + 'a>;

/// Returns the nanoseconds of one call of `work` in a loop, which passes the number of the call.
#[inline]
pub fn per_turn(turns: u32, work: impl Fn(u32)) -> f64 {
    let start = Instant::now();
    for turn in 0..turns {
        work(black_box(turn));
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(turns)
}

/// Returns a block that measures such a loop.
pub fn a_loop<'a>(turns: u32, work: impl Fn(u32) + 'a) -> Block<'a> {
    Box::new(move || per_turn(turns, &work))
}

/// Runs all blocks in alternation, each `repetitions` times, and prints the least time of each.
pub fn measure<const N: usize>(repetitions: u32, figures: [(impl Display, Block<'_>); N]) {
    let mut figures = figures.map(|(name, block)| (name, block, f64::INFINITY));
    for _ in 0..repetitions {
        for (_, block, best) in &mut figures {
            *best = best.min(block());
        }
    }
    for (name, _, best) in figures {
        println!("{name} {best:.3}");
    }
}
