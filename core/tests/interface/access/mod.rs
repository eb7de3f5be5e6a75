//! Start, stop, read, write, reset, readreset: rules R158 to R194 of the interface.
//!
//! Tested elsewhere:
//!
//! | rule | what it needs | where |
//! |---|---|---|
//! | R173 | `MPI_T_PVAR_ALL_HANDLES` as a handle of C; here only `HandleSelection` can say it, which these calls do not take | `mpit-ffi` |
//! | R189 | no call here can answer it: [`Error::NotAccessible`] is made nowhere in this crate | `mpit-ffi` |
//! | R190 | event callbacks | `events/` |
//! | R191 | a signal handler, alone in its process | `signals.rs` |
//! | R192 | variables that go away | plug-ins |
//! | R194 | a host's own sessions | on hosts; here R141 to R145 |

mod all_handles;
mod counter;
mod running;
mod values;
