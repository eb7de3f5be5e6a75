//! The interface that tools and MPI libraries use, mostly through interfaces and registries of a test's own.
//!
//! One executable, because each costs a link. Its tests run in parallel threads, so a test that changes or measures what
//! belongs to the whole process runs in a process of its own: [`support::process::alone`].

#![allow(unsafe_code, reason = "tests hand buffers and functions to the interface as C tools do")]

mod access;
mod activation;
mod bound_cvars;
mod categories;
mod classes;
mod components;
mod cvars;
mod enumerations;
mod events;
mod fork;
mod levels;
mod memory;
mod nested;
mod pvar_query;
mod registry;
mod registry_whole;
mod safe_code;
mod sessions;
mod signals;
mod sources;
mod support;
mod typed;
