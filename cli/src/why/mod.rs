//! `mpit why`: names the reason why a job does not go on.

#![allow(dead_code, reason = "connected to the command line in the next step")]

mod calls;
mod diagnosis;
mod filter;
mod snapshot;
