//! The C interface of `mpit`.
//!
//! This crate knows C ABIs and has no semantics of its own: what a variable is, `mpit` knows; what traffic is,
//! `mpit_components` knows. Here are the tables of constants ([`mod@abi`]), the MPI library underneath ([`host`]), the
//! list made of its entries and ours ([`merge`]), and the C functions of the tools interface ([`mpi_t`]).

#![allow(unsafe_code, reason = "this crate is the boundary to C")]

pub mod abi;
mod attributes;
pub mod bound_values;
pub mod comms;
pub mod datatypes;
pub mod doctor;
pub mod fortran;
mod gather;
mod groups;
pub mod hidden;
pub mod host;
mod images;
pub mod infos;
pub mod life;
pub mod listing;
mod meeting;
mod members;
pub mod merge;
pub mod mpi_t;
pub mod native_monitoring;
mod objects;
pub mod origins;
pub mod own_infos;
pub mod plugins;
mod probe;
pub mod quarantine;
pub mod register;
mod sessions;
pub mod signals;
pub mod strings;
pub mod table;
mod topology;
pub mod windows;

use mpit::lock::Once;

use abi::Abi;
use host::Host;

/// The constants of the program that calls us: the host's, or without one the standard's.
pub fn abi() -> &'static Abi {
    static STANDARD: Once<Abi> = Once::new();
    match Host::get() {
        Some(host) => host.abi(),
        None => STANDARD.get_or_init(abi::standard),
    }
}
