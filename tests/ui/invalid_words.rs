use mpit::cell::{Counter, Level, PeerArray, Size};
use mpit::cvar::Cvar;
use mpit::{cvar, pvar};

#[pvar(class = "SIZE", bind = "MPI_T_BIND_MPI_COMM")]
static BYTES: PeerArray<u64> = PeerArray::new();

#[pvar(class = "COUNTER", datatype = "UNSIGNED LONG")]
static LOST: Counter<u64> = Counter::new();

/// Everywhere the same.
#[cvar(scope = "ALL_EQUAL", settable = "before init")]
static LIMIT: Cvar<u32> = Cvar::new(1);

#[pvar(class = "COUNTER", verbosity = "TUNER_BASICS")]
static LATE: Counter<u64> = Counter::new();

#[pvar(class = "COUNTER", verbosity = "user")]
static EARLY: Counter<u64> = Counter::new();

#[pvar(class = COUNTER)]
static UNQUOTED: Counter<u64> = Counter::new();

#[pvar(class = "SIZES")]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "high_watermark")]
static QUEUE: Level<u64> = Level::new();

#[pvar(class = "temperature")]
static HEAT: Level<u64> = Level::new();

fn main() {}

// Proves C4.
