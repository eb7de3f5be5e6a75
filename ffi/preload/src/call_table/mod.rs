//! The table of calls: their names, arguments and records. A line is a call in all its forms; see [`crate::interpose`].
//!
//! The functions are found by their symbols, so nothing in this module is public.

mod accesses;
mod collectives;
mod communicators;
mod datatypes;
mod files;
mod lifetime;
mod messages;
mod objects;
mod persistent;
mod waits;
