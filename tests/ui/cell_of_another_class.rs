use mpit::cell::{Counter, Level, PeerArray};
use mpit::pvar;

#[pvar(class = "COUNTER")]
static QUEUE: Level<u64> = Level::new();

#[pvar(class = "HIGHWATERMARK")]
static LOST: Counter<u64> = Counter::new();

#[pvar(class = "LEVEL")]
static BYTES: PeerArray<u64> = PeerArray::new();

fn main() {}

// Proves C6.
