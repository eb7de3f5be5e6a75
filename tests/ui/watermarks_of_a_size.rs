use mpit::cell::Size;
use mpit::pvar;

#[pvar(class = "SIZE", highwatermark)]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "LEVEL", highwatermark)]
static QUEUE: Size<u64> = Size::new();

fn main() {}

// Proves C6.
