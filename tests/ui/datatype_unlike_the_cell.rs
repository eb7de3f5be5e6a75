#![forbid(unsafe_code)]

use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::internal::desc::{Metadata, SharedMetadata};
use mpit::tool::{Class, CvarDesc, Datatype, PvarDesc};

static SHARED: SharedMetadata = SharedMetadata::new("acme", file!());
static COUNT: Counter<u64> = Counter::new();
static LIMIT: Cvar<f64> = Cvar::new(0.5);

static WIDE: PvarDesc =
    PvarDesc::new(Metadata::new("count", 5, &SHARED, line!()), Class::Counter, &COUNT).with_datatype(Datatype::Char);
static NARROW: CvarDesc = CvarDesc::new(Metadata::new("limit", 5, &SHARED, line!()), &LIMIT).with_datatype(Datatype::Int);

fn main() {}

// Proves C54.
