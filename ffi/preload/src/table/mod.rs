//! The table of calls: what each is called, what its arguments are, and what is noted of it. A line is a call in all its
//! forms, see [`crate::interpose`].
//!
//! Functions are known by their symbols, so nothing in here has to be public.

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
