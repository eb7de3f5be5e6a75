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

#[derive(MpitEnum)]
#[repr(i32)]
enum NotCopy {
    Idle,
}

fn main() {}

// Proves C9.
