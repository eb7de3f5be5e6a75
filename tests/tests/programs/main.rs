//! Programs, plug-ins and commands that tests build and run: definitions in them, however they are linked, and the guides.
//!
//! One executable, because each costs a link. No test here defines a variable: `attributes` does, whose program lists what
//! it defines.

mod check;
mod guides;
mod header;
mod linking;
mod plugins;
mod rust_plugins;
