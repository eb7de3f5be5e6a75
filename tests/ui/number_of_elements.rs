use mpit::cell::PeerArray;
use mpit::object::Comm;
use mpit::pvar;

#[pvar(class = "SIZE", count = 0)]
fn none(out: &mut [u64]) {
    out.fill(0);
}

#[pvar(class = "SIZE")]
fn unknown(out: &mut [u64]) {
    out.fill(0);
}

#[pvar(class = "SIZE", count = 3)]
fn single() -> u64 {
    0
}

#[pvar(class = "SIZE", bind = "COMM", count = 3)]
static BYTES: PeerArray<u64> = PeerArray::new();

#[pvar(class = "SIZE", count = |comm| comm.size())]
fn unbound(out: &mut [u64]) {
    out.fill(0);
}

#[pvar(class = "SIZE", bind = "COMM", count = |comm, rank| comm.size())]
fn two(_: &Comm<'_>, out: &mut [u64]) {
    out.fill(0);
}

#[pvar(class = "SIZE", count = "three")]
fn text(out: &mut [u64]) {
    out.fill(0);
}

const NONE: usize = 0;

#[pvar(class = "SIZE", count = NONE)]
fn hidden(out: &mut [u64]) {
    out.fill(0);
}

fn main() {}

// Proves C28.
