use mpit::cell::{PeerArray, Size};
use mpit::pvar;

#[pvar(class = "COUNTER", bind = "COMM", atomic)]
static LOST: PeerArray<u64> = PeerArray::new();

#[pvar(class = "SIZE", atomic)]
static BUFFER: Size<u64> = Size::new();

#[pvar(class = "COUNTER", atomic)]
fn late() -> u64 {
    0
}

fn main() {}

// Proves C22.
