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

fn main() {}

// Proves C9, C11, C12.
