//! Plug-ins, and tables in C: definitions that other images contribute to this one, their *host*.
//!
//! A plug-in is a shared object that adds variables, events, categories and components to an MPI library that its author did not
//! build. It is written in C, with `mpit_plugin.h`, or in Rust, with the attributes of `mpit` and `plugin!`, whose documentation says
//! how. Its host may contain another version of this crate, made by another compiler with other options: only the C structs of
//! [`crate::abi`] cross the boundary. The other side of the boundary is [`crate::export`].
//!
//! # Modules
//!
//! | module | content |
//! |---|---|
//! | `c_structs`, `c_strings` | checked access to structs and strings in another image's memory |
//! | `c_table` | the checks and the registration of a whole table |
//! | `pvar`, `settings`, `enums`, `event` | the entries of a table |
//! | `metadata`, `leak` | the metadata that entries share, and values that are never freed |
//! | `cell` | cells of performance variables of other images |
//! | [`component`], `convert` | components, and conversion of traffic to C structs |
//! | `adopted` | images that are not plug-ins |
//! | `find`, `load` | plug-in files: search, checks, handshake |
//! | `loaded` | the plug-ins of this process, active or not |
//! | [`check`] | a complete list of a plug-in's faults, for a process of its own |

mod adopted;
mod c_strings;
mod c_structs;
mod c_table;
mod cell;
pub mod check;
pub mod component;
mod convert;
mod enums;
mod event;
mod find;
mod load;
mod loaded;
mod metadata;
mod pvar;
mod raise;
mod settings;

pub use adopted::adopt;
pub use c_table::register;
#[doc(hidden)]
pub use c_table::register_in;
#[cfg(feature = "plugins")]
pub(crate) use loaded::load_all;
pub use loaded::{Plugin, Refused, all, load, numbered};

/// Notifies plug-ins and adopted images of the thread level from now on.
fn listen_to_thread_level() {
    crate::host::threads::set_listener(|concurrent| {
        loaded::notify_concurrent(concurrent);
        adopted::notify_concurrent(concurrent);
    });
}
