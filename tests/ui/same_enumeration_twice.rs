mod sender {
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "phase")]
    #[repr(i32)]
    pub enum Phase {
        Idle,
    }
}

mod receiver {
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "phase")]
    #[repr(i32)]
    pub enum Phase {
        Idle,
    }
}

fn main() {}

// Proves C14.
