//! What listens to the traffic of an MPI library, and how it hears of it.
//!
//! A *host* moves bytes: a real MPI library seen through the preload object, an implementation that embeds this
//! crate, or [`local`]. It says when MPI is up ([`host`]), which communicators there are ([`comms`]), and reports
//! each operation to one of three *frameworks*, as in Open MPI: [`pml`] (point to point), [`osc`] (one-sided) and
//! [`coll`] (collectives). *Components* of a framework listen, several at once if need be. Which ones is chosen
//! by the control variables `pml_components`, `osc_components` and `coll_components`. Tools listen, too, to the events
//! of each framework and to those of [`events`].
//!
//! Everything here is written with the public interface of [`mpit`], as a third party would write it.

#![forbid(unsafe_code)]

pub mod calls;
pub mod coll;
pub mod comms;
mod complaint;
pub mod control;
pub mod events;
mod framework;
pub mod gather;
pub mod host;
pub mod local;
pub mod monitoring;
pub mod osc;
pub mod output;
pub mod pml;
pub mod prof;
pub mod record;
pub mod run;
mod selection;
pub mod store;
pub mod windows;

pub use mpit::traffic::{Lifecycle, Switch};
