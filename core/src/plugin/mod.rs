//! Plug-ins, and tables of C: definitions that other images bring.
//!
//! | module | what |
//! |---|---|
//! | [`abi`] | the structs that cross between images |
//! | `read`, `texts` | how they are read from memory that is not ours |
//! | `table` | a whole table: checked before anybody can see anything of it, then registered |
//! | `pvar`, `settings`, `enums`, `event` | its entries |
//! | `cell` | where values of performance variables lie |
//! | `export` | the same tables, made of the definitions of an image in Rust |
//! | [`component`], `crossing` | components, and the words of traffic that they hear |
//! | `find`, `trial`, `load` | which files are loaded, what they do to a child process, and what is in them |
//! | `loaded` | the plug-ins of this process, active or not |
//! | [`check`] | all that is wrong with a plug-in, for a process that is there for this alone |
//! | `life` | when definitions have values |

#[allow(missing_docs, reason = "members are described where people read of them, in mpit_plugin.h")]
pub mod abi;
mod cell;
pub mod check;
pub mod component;
mod crossing;
mod enums;
mod event;
#[doc(hidden)]
pub mod export;
mod find;
mod life;
mod load;
mod loaded;
mod pvar;
mod read;
mod settings;
mod table;
mod texts;
mod trial;

pub use find::{PLUGIN_PATH, PLUGINS};
pub(crate) use life::Lease;
pub use life::Life;
pub use loaded::{Plugin, Refused, all, load, numbered};
pub(crate) use loaded::{load_what_is_asked_for, tell_concurrent};
pub use table::register;
