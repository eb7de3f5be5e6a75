//! Control variables: their cells, and the sources of their values.
//!
//! A control variable is a static of type [`Cvar`], or [`ObjectCvar`] if each object has a value of its own, with the attribute
//! `cvar`.
//!
//! # Sources of values
//!
//! From weakest to strongest: the default; a parameter file; the environment; the launcher (`mpit run --set`); a write through
//! the tools interface. Within the environment, `MPIT_<NAME>` in upper case is the strongest, then that of each alias, then the
//! further variables that a definition names (`OMPI_MCA_...`). Of two lines of a file, and of two `--set`, the later one is
//! stronger.
//!
//! A privileged process (set-user-ID, file capabilities) reads no files and no environment; only tools set its variables.
//!
//! For a bound variable, these sources set the default of all objects; a tool sets the value of one object.
//!
//! A value that a variable refuses is reported on standard error, and the next weaker one is used.
//!
//! The first use of the interface gives variables their values. Other threads that begin to use it wait meanwhile, for at most 10
//! seconds, so a function such as [`Cvar::on_set`] should not wait for them. A waiting thread keeps its locks: if the function needs one of
//! them, both threads wait until that limit. For example, a constructor of a shared library runs under the lock of the dynamic loader; if it
//! waits here, a function that calls `dlopen` waits for it.
//!
//! # Parameter files
//!
//! The environment variable `MPIT_PARAM_FILE` names the file; if it is not set, `$HOME/.mpit/params.conf` is read if it exists. The
//! settings of the site, `/etc/mpit/mpit.conf` or the file that `MPIT_SITE_FILE` names, are weaker than those. A file that users other than
//! root and the user of the process can change or replace is ignored, and one line on standard error says so. A file consists of lines:
//!
//! ```text
//! # A comment, here or behind a value.
//! name = value
//! name = "text, in which # is no comment"
//! ```
//!
//! White space around names and values is ignored. The value of an enumeration is the name of an item, or its number; whole
//! numbers may be written as `0x1f`.

mod cell;
pub(crate) mod desc;
mod erased;
mod object_cvar;
mod setters;
#[doc(hidden)]
pub mod sources;
mod text;

#[doc(hidden)]
pub use cell::CvarCell;
pub use cell::{Cvar, CvarValue, Text};
pub(crate) use desc::CvarDesc;
pub(crate) use erased::{ErasedCvar, words_of};
pub use object_cvar::ObjectCvar;
pub(crate) use setters::Setters;
pub use sources::ValueSource;
