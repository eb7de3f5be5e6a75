//! Events: rules R217 to R302 as far as this crate has them. The C side of them (lengths, null pointers, info objects,
//! raw levels) is tested in `mpit-ffi`. The tests in `recursion.rs` and `stress.rs` run alone in a process;
//! `../signals.rs` raises events in signal handlers.

mod activation;
mod callbacks;
mod drops;
mod fixture;
mod instances;
mod queries;
mod recursion;
mod selection;
mod stress;
mod tool;
