//! Plug-ins, and tables of C: definitions that other images bring.

#[allow(missing_docs, reason = "members are described where people read of them, in mpit_plugin.h")]
pub mod abi;
pub mod component;
mod crossing;
mod life;

pub(crate) use life::Lease;
pub use life::Life;
