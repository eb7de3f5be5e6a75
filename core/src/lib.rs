//! Say what is worth measuring in an MPI library in one attribute; every MPI tool sees it.
//!
//! The standard's tool information interface, `MPI_T`, lets tools read what an MPI library counts and set what can be
//! set in it. This crate is that interface, for whoever has something to show: an MPI library, a component of one, or a
//! plug-in. A definition is a static and an attribute; the crate gives it an index, sessions, handles, categories, and
//! the rules of the standard. `mpit-ffi` puts the C functions on top of it.
//!
//! ```
//! use mpit::cell::{Counter, Level};
//! use mpit::cvar::Cvar;
//! use mpit::tool::Tool;
//! use mpit::words::Class;
//! use mpit::{category, cvar, pvar};
//!
//! /// The queue of messages that nobody has asked for yet.
//! #[category(name = "unexpected")]
//! struct Unexpected;
//!
//! /// Messages that came before they were asked for.
//! #[pvar(class = "COUNTER", category = Unexpected)]
//! static UNEXPECTED_MESSAGES: Counter<u64> = Counter::new();
//!
//! /// Messages that wait, and the most that ever did.
//! #[pvar(class = "LEVEL", category = Unexpected, highwatermark)]
//! static UNEXPECTED_LENGTH: Level<u64> = Level::new();
//!
//! /// Messages of up to so many bytes are kept in the queue.
//! #[cvar(scope = "LOCAL", category = Unexpected)]
//! static UNEXPECTED_LIMIT: Cvar<u32> = Cvar::new(4096).range(0..=65536);
//!
//! // The library does its work. Where nobody looks, this is a load and a branch.
//! fn arrived(bytes: u32) {
//!     if bytes <= UNEXPECTED_LIMIT.get() {
//!         UNEXPECTED_MESSAGES.increment();
//!         UNEXPECTED_LENGTH.raise(1);
//!     }
//! }
//!
//! // A tool looks.
//! let tool = Tool::new();
//! let session = tool.session()?;
//! let messages = session.handle("unexpected_messages", Class::Counter, None)?;
//! let most = session.handle("unexpected_length", Class::HighWatermark, None)?;
//! session.start_all()?;
//! arrived(8);
//! arrived(100_000);
//! arrived(16);
//! assert_eq!(messages.read::<u64>()?, [2]);
//! assert_eq!(most.read::<u64>()?, [2]);
//!
//! tool.cvar("unexpected_limit")?.write::<u32>(&[10])?;
//! arrived(16);
//! assert_eq!(messages.read::<u64>()?, [2]);
//! # Ok::<(), mpit::Error>(())
//! ```
//!
//! # Where things are
//!
//! Who defines variables needs the attributes and
//!
//! * [`cell`]: where the values of performance variables live, a type for each class;
//! * [`mod@cvar`]: settings, and where their values come from: files, the environment, launchers, tools;
//! * [`mod@event`]: single events, with what is known of each, and the clocks they are timed by;
//! * [`object`]: communicators and other objects that variables are bound to;
//! * [`traffic`]: components, which hear of every message, access and collective operation;
//! * [`words`]: the vocabularies of the standard, such as classes and scopes.
//!
//! Who looks at them needs
//!
//! * [`tool`]: the interface for tools, in Rust;
//! * [`session`]: the same on plain numbers, as C needs it;
//! * [`registry`]: what there is, under indices that never move.
//!
//! Who embeds the crate in an MPI library tells it of itself in [`host`] and [`threads`]. The rest serves these:
//! [`desc`] has what the attributes make of definitions; [`log`], [`slots`], [`sparse`] and [`static_ref`] are read without
//! locks; [`lock`] has the locks that remain, which no forked process finds held; [`mapping`] has memory that outlives the
//! process in a file; [`environment`] has the variables that count, none in a privileged process; [`files`] opens
//! and writes files without disturbing the program;
//! [`readable`] tells whether a pointer from outside leads anywhere.
//!
//! # Safety
//!
//! Definitions and tools in Rust are safe code. Inside, `unsafe` is where types are forgotten, or things cross an image or
//! a language:
//!
//! * a descriptor keeps its cell as an untyped pointer beside functions made for that cell's type ([`desc`]), so that
//!   cells of all types, and those of code in C, are listed and read alike;
//! * the buffers of tools are pointers ([`session`]), with as many elements as the tool was told;
//! * lists hand out references into memory that never moves ([`log`], [`sparse`]);
//! * the words of a file are memory that others could change or cut off ([`mapping`]);
//! * tables of other images are read as their header says, after what can be checked of them was checked ([`mod@plugin`]).
//!
//! Handles are numbers with a generation, checked on every call: one that is stale, foreign or forged is an error. The
//! access calls take no lock and allocate nothing, so they work in a signal handler that interrupts any of them.
#![allow(unsafe_code, reason = "cells of all types are handled alike; see the section on safety")]
// The attributes refer to this crate as `::mpit`, also in its own tests.
extern crate self as mpit;

pub mod cell;
pub mod cvar;
pub mod desc;
pub mod environment;
mod error;
pub mod event;
pub mod files;
pub mod host;
pub mod lock;
pub mod log;
pub mod mapping;
pub mod object;
pub mod plugin;
mod printable;
pub mod readable;
pub mod registry;
mod section;
pub mod session;
pub mod slots;
pub mod sparse;
pub mod static_ref;
mod switch;
pub mod threads;
pub mod tool;
pub mod traffic;
pub mod words;

pub use desc::{Category, MpitEnum};
pub use error::{Error, Result};
pub use mpit_macros::{MpitEnum, category, component, cvar, event, plugin, pvar, source};
pub use printable::printable;

#[doc(hidden)]
pub mod __private;

/// The components linked into this program, of all frameworks, in no particular order.
pub fn components() -> impl Iterator<Item = &'static desc::ComponentDesc> {
    __private::MPIT_COMPONENTS_V1.iter().copied()
}
