//! Plug-ins, and tables in C: definitions that other images contribute.
//!
//! A plug-in is a shared object that adds variables, events, categories and components to an MPI library that its author did not
//! build. It is written in C, with `mpit_plugin.h`, or in Rust, with the attributes of this crate and
//! [`plugin!`](macro@crate::plugin). The host may contain another version of this crate, made by another compiler with other
//! options: only C structs cross the boundary.
//!
//! # A plug-in in Rust
//!
//! A plug-in is a crate of its own, whose `Cargo.toml` contains:
//!
//! ```toml
//! [lib]
//! crate-type = ["cdylib"]
//! [dependencies]
//! mpit = "0.1"
//! ```
//!
//! Its definitions are written as in any other crate. It needs no unsafe code, and compiles under `#![forbid(unsafe_code)]`:
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
//! /// The work of the plug-in, in a thread or a component of its own.
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
//! `MPIT_PLUGINS=target/release/libacme.so mpit run -- mpiexec ..` makes it visible to tools.
//!
//! A plug-in differs from a program in these points:
//!
//! * The plug-in has its own copy of this crate, in which [`tool`](crate::tool), [`session`](crate::session) and
//!   [`registry`](crate::registry) are empty: they list neither the host's entries nor those that the plug-in exported.
//!   [`host`](crate::host) and [`load`] are for the host only; [`threads`](crate::threads) has the host's thread level.
//! * The error that a function of a performance or control variable returns is lost: tools get `MPI_T_ERR_INVALID`.
//! * Variables with custom behavior ([`cell::Custom`](crate::cell::Custom)) and events with `listeners` are left out, with a line
//!   on standard error. So are components of other frameworks than those of [`traffic`](crate::traffic).
//! * While the plug-in is not active, no handle can be started and no event registered, so updates, settings and events cost as
//!   little as without tools.
//! * It is never unloaded: its statics and threads remain.
//!
//! All this holds in the process that loads it. Its own tests are an ordinary program, in which [`tool`](crate::tool) sees the
//! plug-in's definitions.
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

/// Returns true if the environment asks for plug-ins.
pub(crate) fn are_asked_for() -> bool {
    let is_set = |name| crate::environment::var_os(name).is_some_and(|value| !value.is_empty());
    [PLUGINS, PLUGIN_PATH].into_iter().any(is_set)
}

pub use activation::Activation;
pub(crate) use activation::check_active;
pub use loaded::{Plugin, Refused, all, leave_to_others, load, numbered};
pub(crate) use loaded::{load_what_is_asked_for, tell_concurrent};
pub use table::register;
#[doc(hidden)]
pub use table::register_in;
