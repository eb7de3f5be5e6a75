//! The C interface of `mpit`: the MPI_T functions of the standard, for any MPI library.
//!
//! This crate contains C ABIs and no semantics of its own: `mpit` defines variables and events, `mpit_components` defines
//! traffic. The parts are the tables of MPI constants ([`mod@abi`]), the MPI library underneath ([`mod@host`]; in this crate,
//! *host* means nothing else), the list merged from its MPI_T entries and ours (`merge`), and the C functions of MPI_T
//! ([`mpi_t`]).
//!
//! # API boundary
//!
//! MPI libraries in Rust re-export [`mpi_t`], and report their state through [`embed`]. The other modules are for
//! `mpit-preload`, `mpit-embed` and the command `mpit`, and are no stable interface.
//!
//! # Invariants
//!
//! * Everything from C is checked before it is used. No panic and no Rust type crosses the boundary.
//! * C gets identifiers, not pointers; stale, foreign and forged ones are errors.
//! * Constants of an MPI ABI are data, chosen once at run time.
//! * The host is called with handles of objects that exist ([`abi::LiveHandle`]) and, for MPI_T, while that is initialized
//!   (`merge::HostIsUp`), with indices that it has reported (`merge::HostIndex`).
//! * No lock is held while the MPI library, a callback or a plug-in runs.

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

pub mod abi;
pub mod arguments;
mod attributes;
pub mod bound_values;
pub mod comms;
pub mod datatypes;
pub mod doctor;
pub mod embed;
mod existence;
pub mod files;
pub mod fortran;
mod gather;
pub mod groups;
pub mod handle_table;
pub mod heap;
pub mod hidden;
pub mod host;
pub mod images;
mod in_flight;
pub mod info_store;
mod infos;
pub mod inventory;
mod json;
pub mod lifecycle;
mod members;
mod merge;
pub mod mpi_t;
pub mod native_monitoring;
mod objects;
pub mod origins;
pub mod plugins;
mod probe;
pub mod quarantine;
pub mod register;
mod sessions;
pub mod signals;
mod strings;
mod topology;
pub mod updates;
mod values;
pub mod windows;

pub use mpit::internal::panic::catch_panic;
use mpit_sync::lock::Once;

use abi::Abi;
use host::Host;

/// Reports what no return code expresses, in one line on standard error.
#[allow(clippy::print_stderr, reason = "C callers get only a code, and some functions have no caller")]
fn warn(message: &str) {
    eprintln!("mpit: {}", mpit::internal::os::printable(message));
}

/// The MPI constants that the calling program uses: the host's, or the standard ABI's if there is no host.
#[inline]
pub fn abi() -> &'static Abi {
    match Host::get() {
        Some(host) => host.abi(),
        None => standard_abi(),
    }
}

/// Returns the constants of the standard ABI. A separate function, because it has something to clean up, which functions of the preload
/// library that forward calls must not have.
#[cold]
#[inline(never)]
fn standard_abi() -> &'static Abi {
    static STANDARD: Once<Abi> = Once::new();
    STANDARD.get_or_init(abi::standard)
}
