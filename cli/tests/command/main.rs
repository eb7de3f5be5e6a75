//! The command as people type it. The tests of `tests/` cover its effects on MPI programs.

mod check;
mod cli;
mod run;
