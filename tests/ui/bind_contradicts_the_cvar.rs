use mpit::cvar;
use mpit::cvar::{Cvar, ObjectCvar};

type Single = Cvar<u32>;
type Each = ObjectCvar<u32>;

#[cvar(bind = "COMM")]
static SINGLE: Cvar<u32> = Cvar::new(1);

#[cvar]
static EACH: ObjectCvar<u32> = ObjectCvar::new(1);

#[cvar(bind = "NO_OBJECT")]
static NONE: ObjectCvar<bool> = ObjectCvar::new(false);

#[cvar(bind = "WIN")]
static ALIAS_OF_SINGLE: Single = Cvar::new(1);

#[cvar]
static ALIAS_OF_EACH: Each = ObjectCvar::new(1);

#[cvar(bind = "WINDOW")]
static WINDOW: ObjectCvar<u32> = ObjectCvar::new(1);

fn main() {}

// Proves C29.
