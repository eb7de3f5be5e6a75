use mpit::MpitEnum;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase {}

fn main() {}

// Proves C11.
