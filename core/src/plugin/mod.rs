//! Plug-ins, and tables of C: definitions that other images bring.

#[allow(missing_docs, reason = "members are described where people read of them, in mpit_plugin.h")]
pub mod abi;
#[doc(hidden)]
pub mod export;
