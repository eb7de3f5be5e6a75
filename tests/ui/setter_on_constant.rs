use mpit::cvar;
use mpit::cvar::Cvar;

fn check(_: u32) -> mpit::Result<()> {
    Ok(())
}

#[cvar(scope = "CONSTANT")]
static PAGE: Cvar<u32> = Cvar::new(4096).on_set(check);

#[cvar(scope = "READONLY", settable = "before_init")]
static CORES: Cvar<u32> = Cvar::new(1).range(1..=64).on_set(check);

fn main() {}

// Proves C24.
