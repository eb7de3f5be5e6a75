//! Events: rules R217 to R302 as far as this crate has them. The C side of them (lengths, null pointers, info objects,
//! raw levels) is tested in `mpit-ffi`. The tests in `depth.rs`, `signals.rs` and `stress.rs` run alone in a process.

mod activation;
mod callbacks;
mod depth;
mod drops;
mod instances;
mod payload;
mod queries;
mod selection;
mod signals;
mod stage;
mod stress;
mod tool;
mod waiting;
