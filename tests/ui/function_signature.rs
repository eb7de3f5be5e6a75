use mpit::object::Comm;
use mpit::pvar;

#[pvar(class = "COUNTER")]
fn takes_a_number(_rank: u32) -> u64 {
    0
}

#[pvar(class = "COUNTER", bind = "COMM")]
fn takes_too_much(_: &Comm<'_>, _: &Comm<'_>) -> u64 {
    0
}

#[pvar(class = "COUNTER")]
fn returns_nothing() {}

#[pvar(class = "COUNTER", count = 2)]
fn returns_and_fills(out: &mut [u64]) -> u64 {
    out.fill(0);
    0
}

#[pvar(class = "COUNTER")]
fn returns_only_success() -> mpit::Result<()> {
    Ok(())
}

fn main() {}

// Proves C29.
