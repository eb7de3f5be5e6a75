//! What a counter costs the code it is in.
//!
//! Prints a line per figure: its name, and the nanoseconds per turn of a loop in the best of many short blocks. The blocks
//! are run in turns, so that what the machine does meanwhile hits all figures alike.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use mpit::Result;
use mpit::cell::Counter;
use mpit::pvar;
use mpit::tool::Tool;
use mpit::words::Class;

const BLOCKS: u32 = 300;
const TURNS: u32 = 100_000;

/// Nobody looks.
#[pvar(class = "COUNTER")]
static DISABLED: Counter<u64> = Counter::new();

/// A handle is started.
#[pvar(class = "COUNTER")]
static ENABLED: Counter<u64> = Counter::new();

/// What is there without mpit.
static WORD: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds per turn of a loop that does this.
#[inline]
fn block(work: impl Fn()) -> f64 {
    let start = Instant::now();
    for turn in 0..TURNS {
        black_box(turn);
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(TURNS)
}

fn main() -> Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    let handle = session.handle("enabled", Class::Counter, None)?;
    handle.start()?;

    let names = ["loop", "disabled", "enabled", "concurrent", "fetch_add"];
    let mut best = [f64::INFINITY; 5];
    for _ in 0..BLOCKS {
        mpit::threads::set_concurrent(false);
        let one_thread = [block(|| ()), block(|| DISABLED.increment()), block(|| ENABLED.increment())];
        mpit::threads::set_concurrent(true);
        let many_threads = [block(|| ENABLED.increment()), block(|| _ = WORD.fetch_add(1, Relaxed))];
        for (best, took) in best.iter_mut().zip(one_thread.into_iter().chain(many_threads)) {
            *best = best.min(took);
        }
    }
    // What was counted shows that the right loops were measured.
    let counted = u64::from(BLOCKS) * u64::from(TURNS);
    assert_eq!(handle.read::<u64>()?, [2 * counted], "the enabled counter");
    assert_eq!(DISABLED.total(), 0, "the disabled counter");
    for (name, best) in names.iter().zip(best) {
        println!("{name} {best:.3}");
    }
    Ok(())
}
