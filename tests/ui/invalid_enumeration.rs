use mpit::cell::Counter;
use mpit::{MpitEnum, pvar};

#[derive(Clone, Copy, MpitEnum)]
enum Phase {
    Idle,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(u8)]
enum Mode {
    Eager,
}

#[derive(MpitEnum)]
#[repr(i32)]
enum NotCopy {
    Idle,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Empty {}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum SameName {
    Idle,
    Active,
    #[mpit(name = "idle")]
    Asleep,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum SameValue {
    Eager = 1,
    Rendezvous = 1,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Sound {
    Idle,
}

#[pvar(class = "COUNTER")]
static LOST: Counter<Sound> = Counter::new();

fn main() {}

// Proves C9, C10, C11, C12.
