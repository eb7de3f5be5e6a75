//! Programs, plug-ins and commands that tests build and run: definitions in them, however they are linked, and the guides.
//!
//! One executable, because each costs a link. Only `attributes` defines variables in it.

mod attributes;
mod check;
mod guides;
mod header;
mod inside;
mod languages;
mod linking;
mod plugins;
mod python;
mod rust_plugins;
