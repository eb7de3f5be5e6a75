use mpit::MpitEnum;

#[derive(Clone, Copy, MpitEnum)]
enum Phase {
    Idle,
}

#[derive(Clone, Copy, MpitEnum)]
#[repr(u8)]
enum Mode {
    Eager,
}

fn main() {}

// Proves C9.
