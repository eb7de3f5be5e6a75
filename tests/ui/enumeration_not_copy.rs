use mpit::MpitEnum;

#[derive(MpitEnum)]
#[repr(i32)]
enum Phase {
    Idle,
}

fn main() {}

// Proves C9.
