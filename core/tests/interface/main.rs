//! The interface that tools and MPI libraries use, mostly through interfaces and registries of a test's own.
//!
//! One executable, because each costs a link. Its tests run in parallel threads, so a test that changes or measures what
//! belongs to the whole process runs in a process of its own: [`support::process::in_own_process`]. Tests name the rules
//! that they prove, and `cargo xtask rules` lists all tests of each rule.

#![allow(unsafe_code, reason = "tests hand buffers and functions to the interface as C tools do")]

mod access;
mod activation;
mod all_or_nothing;
mod bound_cvars;
mod categories;
mod classes;
mod components;
mod cvars;
mod dependencies;
mod enumerations;
mod events;
mod example;
mod fork;
mod memory;
mod nested;
mod per_object;
mod pvar_query;
mod registry;
mod safe_code;
mod session_end;
mod sessions;
mod settings;
mod signals;
mod sources;
mod support;
mod typed;
