//! Events: rules R217 to R302 as far as this crate has them. The C side of them (lengths, null pointers, info objects,
//! raw levels) is tested in `mpit-ffi`. The tests in `recursion.rs`, `signals.rs` and `stress.rs` run alone in a process.

mod activation;
mod callbacks;
mod drops;
mod fixture;
mod instances;
mod payload;
mod queries;
mod recursion;
mod selection;
mod signals;
mod stress;
mod tool;
