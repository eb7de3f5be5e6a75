//! Events: rules R217 to R302 as far as this crate has them. The C side of them (lengths, null pointers, info objects,
//! raw levels) is tested in `mpit-ffi`; what needs a program of its own in `events_depth.rs`, `events_signals.rs` and
//! `events_stress.rs`.

#![allow(unsafe_code, reason = "tests hand buffers and functions to the interface as C tools do")]

#[path = "../common/mod.rs"]
mod common;

mod callbacks;
mod drops;
mod instances;
mod kit;
mod lives;
mod queries;
mod selection;
mod waiting;
