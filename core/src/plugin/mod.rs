//! Plug-ins, and tables in C: definitions that other images contribute.
//!
//! A plug-in is a shared object that adds variables, events, categories and components to an MPI library that its author did not
//! build. It is written in C, with `mpit_plugin.h`, or in Rust, with the attributes of this crate and
//! [`plugin!`](macro@crate::plugin), whose documentation says how. The host may contain another version of this crate, made by
//! another compiler with other options: only C structs cross the boundary.
//!
//! # Modules
//!
//! | module | content |
//! |---|---|
//! | [`abi`] | the structs that cross between images |
//! | `c_structs`, `c_strings` | checked access to structs and strings in another image's memory |
//! | `table` | the checks and the registration of a whole table |
//! | `pvar`, `settings`, `enums`, `event` | the entries of a table |
//! | `cell` | cells of performance variables of other images |
//! | `export` | tables made of the definitions of a Rust image |
//! | [`component`], `convert` | components, and conversion of traffic to C structs |
//! | [`image`] | programs and libraries that are no plug-ins |
//! | `find`, `load` | plug-in files: search, checks, handshake |
//! | `loaded` | the plug-ins of this process, active or not |
//! | [`check`] | a complete list of a plug-in's faults, for a process of its own |
//! | `activation` | the time in which a plug-in's definitions have values |

#[allow(missing_docs, reason = "members are described where people read of them, in mpit_plugin.h")]
pub mod abi;
mod activation;
mod c_strings;
mod c_structs;
mod cell;
pub mod check;
pub mod component;
mod convert;
mod enums;
mod event;
#[doc(hidden)]
pub mod export;
mod find;
pub mod image;
mod load;
mod loaded;
mod pvar;
mod settings;
mod table;

pub use find::{PLUGIN_PATH, PLUGINS};

/// Returns true if the environment names plug-ins.
pub(crate) fn are_in_environment() -> bool {
    let is_set = |name| crate::environment::var_os(name).is_some_and(|value| !value.is_empty());
    [PLUGINS, PLUGIN_PATH].into_iter().any(is_set)
}

pub use activation::Activation;
pub(crate) use activation::check_active;
pub use loaded::{Plugin, Refused, all, disable_loading, load, numbered};
pub(crate) use loaded::{load_from_environment, notify_concurrent};
pub use table::register;
#[doc(hidden)]
pub use table::register_in;
