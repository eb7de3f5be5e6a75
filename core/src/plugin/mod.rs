//! Plug-ins, and tables in C: definitions that other images contribute.
//!
//! A plug-in is a shared object that adds variables, events, categories and components to an MPI library that its author did not
//! build. It is written in C, with `mpit_plugin.h`, or in Rust, with the attributes of this crate and
//! [`plugin!`](macro@crate::plugin), whose documentation says how. Its *host*, the mpit that loads it, may contain another version
//! of this crate, made by another compiler with other options: only the C structs of [`crate::abi`] cross the boundary.
//!
//! # Modules
//!
//! | module | content |
//! |---|---|
//! | `c_structs`, `c_strings` | checked access to structs and strings in another image's memory |
//! | `table` | the checks and the registration of a whole table |
//! | `pvar`, `settings`, `enums`, `event` | the entries of a table |
//! | `metadata`, `leak` | the metadata that entries share, and values that are never freed |
//! | `cell` | cells of performance variables of other images |
//! | `export` | tables made of the definitions of a Rust image |
//! | [`component`], `convert` | components, and conversion of traffic to C structs |
//! | [`image`] | programs and libraries that are not plug-ins |
//! | [`announcement`] | the call by which an image that is loaded announces itself to a host |
//! | `find`, `load` | plug-in files: search, checks, handshake |
//! | `loaded` | the plug-ins of this process, active or not |
//! | [`check`], [`fault_log`] | a complete list of a plug-in's faults, for a process of its own |
//! | `process` | the registry and the interface of this process |

pub mod announcement;
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
pub mod fault_log;
mod find;
pub mod image;
mod leak;
mod load;
mod loaded;
mod metadata;
mod process;
mod pvar;
mod settings;
mod table;

pub use crate::environment::{PLUGIN_PATH, PLUGINS};
use loaded::load_from_environment;
pub use loaded::{Plugin, Refused, all, disable_loading, load, numbered};
pub use table::register;
#[doc(hidden)]
pub use table::register_in;

/// Notifies plug-ins and adopted images of the thread level from now on.
fn listen_to_thread_level() {
    crate::threads::set_listener(|concurrent| {
        loaded::notify_concurrent(concurrent);
        image::notify_concurrent(concurrent);
    });
}
