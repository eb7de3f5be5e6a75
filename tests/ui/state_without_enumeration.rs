use mpit::cell::{Size, State};
use mpit::pvar;

enum Plain {
    Idle,
}

#[pvar(class = "STATE")]
static NUMBER: State<i32> = State::new();

#[pvar(class = "STATE")]
static SIZE: Size<u32> = Size::new();

#[pvar(class = "STATE")]
fn number() -> i32 {
    0
}

#[pvar(class = "STATE")]
fn plain() -> Plain {
    Plain::Idle
}

#[pvar(class = "STATE", count = 3)]
fn several(out: &mut [i32]) {
    out.fill(0);
}

fn main() {}

// Proves C9.
