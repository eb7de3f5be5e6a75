use mpit::MpitEnum;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase {
    Idle,
    Active,
    #[mpit(name = "idle")]
    Asleep,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Mode {
    Eager = 1,
    Rendezvous = 1,
}

fn main() {}

// Proves C12.
