use mpit::MpitEnum;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase {
    Idle = 0x8000_0000,
}

fn main() {}

// Proves C13.
