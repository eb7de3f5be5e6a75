//! Prints the definitions like the other program, and has a trace of another copy of mpit.
#![allow(unsafe_code, reason = "it imitates a list that mpit has")]

use mpit_tests_linking_shared as _;

static TEXT: [u8; 19] = *b"0.1.99 (elsewhere)\0";

/// An element that another copy of mpit would have.
#[used]
#[unsafe(link_section = "mpit_copies")]
static COPY: &[u8; 19] = &TEXT;

fn main() {
    print!("{}", mpit_tests_linking_app::list());
}
