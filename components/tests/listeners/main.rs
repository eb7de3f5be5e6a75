//! Components of programs and of other images beside monitoring, each test in a process of its own.

#[path = "../support/own_process.rs"]
mod own_process;

mod foreign;
mod foreign_lifecycle;
mod linked;

use own_process::in_own_process;
