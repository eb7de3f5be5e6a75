#![forbid(unsafe_code)]

use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::desc::{Common, CvarDesc, Head, PvarDesc};
use mpit::words::{Class, Datatype};

static COMMON: Common = Common::new("acme", file!());
static COUNT: Counter<u64> = Counter::new();
static LIMIT: Cvar<f64> = Cvar::new(0.5);

static WIDE: PvarDesc =
    PvarDesc::new(Head::new("count", 5, &COMMON, line!()), Class::Counter, &COUNT).datatype(Datatype::Char);
static NARROW: CvarDesc = CvarDesc::new(Head::new("limit", 5, &COMMON, line!()), &LIMIT).datatype(Datatype::Int);

fn main() {}

// Proves C54.
