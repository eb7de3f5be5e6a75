//! The command as people type it. The tests of `tests/` cover its effects on MPI programs.

mod check;
mod cli;
mod run;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
