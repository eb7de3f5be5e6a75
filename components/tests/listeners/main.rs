//! Components of programs and of other images beside monitoring, each test in a process of its own.

#[path = "../../../core/tests/interface/support/process.rs"]
mod process;
#[path = "../support/mod.rs"]
mod support;

mod foreign;
mod foreign_lifecycle;
mod linked;

use process::in_own_process;
