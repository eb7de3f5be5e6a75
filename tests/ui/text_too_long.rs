use mpit::cvar;
use mpit::cvar::{Cvar, Text};

#[cvar]
static FILE: Cvar<Text<4>> = Cvar::new(Text::new("prof"));

fn main() {}

// Proves C27.
