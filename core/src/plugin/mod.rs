//! Plug-ins, and tables of C: definitions that other images bring.
//!
//! A plug-in is a shared object that adds variables, events, categories and components to an MPI library that its author
//! did not build. It is written in C, with `mpit_plugin.h`, or in Rust, with the attributes of this crate and
//! [`plugin!`](macro@crate::plugin). The host may be made of another version of this crate, by another compiler, with other
//! options: only structs of C cross.
//!
//! # A plug-in in Rust
//!
//! A crate of its own, whose `Cargo.toml` says:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//! [dependencies]
//! mpit = "0.1"
//! ```
//!
//! What it defines is written as everywhere. It needs no unsafe code, and compiles under `#![forbid(unsafe_code)]`:
//!
//! ```
//! use mpit::cell::{Counter, Level};
//! use mpit::cvar::Cvar;
//! use mpit::event::{Context, Event};
//! use mpit::{cvar, event, pvar, source};
//!
//! mpit::plugin!(name = "acme");
//!
//! /// Widgets that were made.
//! #[pvar(class = "COUNTER")]
//! static ACME_WIDGETS: Counter<u64> = Counter::new();
//!
//! /// Widgets in stock, and the most that there ever were.
//! #[pvar(class = "LEVEL", highwatermark)]
//! static ACME_STOCK: Level<u64> = Level::new();
//!
//! /// No larger widgets are made.
//! #[cvar]
//! static ACME_LARGEST: Cvar<u32> = Cvar::new(8);
//!
//! /// The factory.
//! #[source(ordered)]
//! struct AcmeFactory;
//!
//! /// A widget was made.
//! #[event(source = AcmeFactory)]
//! struct AcmeMade {
//!     size: u32,
//! }
//!
//! /// What the plug-in does, in a thread or a component of its own.
//! fn make(size: u32) {
//!     if size <= ACME_LARGEST.get() {
//!         ACME_WIDGETS.increment();
//!         ACME_STOCK.raise(1);
//!         AcmeMade::raise(Context::ANYWHERE, || AcmeMade { size });
//!     }
//! }
//! # make(1);
//! ```
//!
//! `MPIT_PLUGINS=target/release/libacme.so mpit run -- mpiexec ..` shows it to tools.
//!
//! What is in a plug-in differs from what is in the program in this:
//!
//! * The plug-in has its own copy of this crate, in which [`tool`](crate::tool), [`session`](crate::session) and
//!   [`registry`](crate::registry) see nothing: neither what the host has, nor what the plug-in gave to it.
//!   [`host`](crate::host) is for the host alone, and so is [`load`]; [`threads`](crate::threads) knows what the host says.
//! * Which error a function of a variable or of a setting returns is lost: tools get `MPI_T_ERR_INVALID`.
//! * Variables with behaviour of their own ([`cell::Custom`](crate::cell::Custom)) and events with `listeners` are left out,
//!   with a line on standard error. So are components of other frameworks than those of [`traffic`](crate::traffic).
//! * While the plug-in is not active, nobody can start a handle or register for an event, so what is counted, set and raised
//!   costs as little as if nobody looked.
//! * It is never unloaded: statics stay, and threads that it started run on.
//!
//! All that holds where it is loaded. Its own tests are a program like any other: there, [`tool`](crate::tool) sees what it
//! defines.
//!
//! # What is in here
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
//! | [`image`] | programs and libraries that are no plug-ins |
//! | `find`, `load` | the files that are loaded, and what is in them |
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
pub mod image;
mod life;
mod load;
mod loaded;
mod pvar;
mod read;
mod settings;
mod table;
mod texts;

pub use find::{PLUGIN_PATH, PLUGINS};

/// Returns true if the environment asks for plug-ins.
pub(crate) fn are_asked_for() -> bool {
    let is_set = |name| crate::environment::var_os(name).is_some_and(|value| !value.is_empty());
    [PLUGINS, PLUGIN_PATH].into_iter().any(is_set)
}

pub(crate) use life::Lease;
pub use life::Life;
pub use loaded::{Plugin, Refused, all, leave_to_others, load, numbered};
pub(crate) use loaded::{load_what_is_asked_for, tell_concurrent};
pub use table::register;
#[doc(hidden)]
pub use table::register_in;
