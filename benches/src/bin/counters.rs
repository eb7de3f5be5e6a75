//! Cost of incrementing a counter, in nanoseconds.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::cell::Counter;
use mpit::internal::host::threads;
use mpit::tool::{Class, Tool};
use mpit::{Result, pvar};
use mpit_benches::{Block, a_loop, measure, per_turn};

const BLOCKS: u32 = 300;
const TURNS: u32 = 100_000;

/// No handle is started.
#[pvar(class = "COUNTER")]
static DISABLED: Counter<u64> = Counter::new();

/// A handle is started.
#[pvar(class = "COUNTER")]
static ENABLED: Counter<u64> = Counter::new();

/// The code without mpit.
static WORD: AtomicU64 = AtomicU64::new(0);

fn enabled(concurrent: bool) -> Block<'static> {
    Box::new(move || {
        threads::set_concurrent(concurrent);
        per_turn(TURNS, |_| ENABLED.increment())
    })
}

fn main() -> Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    let handle = session.handle("enabled", Class::Counter, None)?;
    handle.start()?;
    measure(
        BLOCKS,
        [
            ("loop", a_loop(TURNS, |_| ())),
            ("disabled", a_loop(TURNS, |_| DISABLED.increment())),
            ("enabled", enabled(false)),
            ("concurrent", enabled(true)),
            ("fetch_add", a_loop(TURNS, |_| _ = WORD.fetch_add(1, Relaxed))),
        ],
    );
    // The count shows that the right loops were measured.
    let counted = u64::from(BLOCKS) * u64::from(TURNS);
    assert_eq!(handle.read::<u64>()?, [2 * counted], "the enabled counter");
    assert_eq!(DISABLED.total(), 0, "the disabled counter");
    Ok(())
}
