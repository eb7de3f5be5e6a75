//! The common part of the program, the plug-in, the test and the static archive: they print what is defined in them.
#![allow(unsafe_code, reason = "a function of it is called from C")]

use std::fmt::Write as _;

use mpit::cell::Counter;
use mpit::tool::Tool;
use mpit_tests_linking_disk as _;

mod inner {
    /// Runs of the program.
    #[mpit::pvar(class = "COUNTER", name = "app_runs")]
    pub(super) static RUNS: super::Counter<u64> = super::Counter::new();
}

/// Everything that is defined in this image, a line each, under its index.
#[must_use]
pub fn list() -> String {
    mpit_tests_linking_net::send();
    inner::RUNS.increment();
    let registry = Tool::new().registry();
    let mut text = String::new();
    for (at, pvar) in (0..).map_while(|at| Some((at, registry.pvar(at)?))) {
        _ = writeln!(text, "pvar {at} {} {}", pvar.name(), pvar.class());
    }
    for (at, cvar) in (0..).map_while(|at| Some((at, registry.cvar(at)?))) {
        _ = writeln!(text, "cvar {at} {}", cvar.name());
    }
    for (at, event) in (0..).map_while(|at| Some((at, registry.event(at)?))) {
        _ = writeln!(text, "event {at} {}", event.name());
    }
    for (at, source) in (0..).map_while(|at| Some((at, registry.source(at)?))) {
        _ = writeln!(text, "source {at} {}", source.name());
    }
    for (at, category) in (0..).map_while(|at| Some((at, registry.category(at)?))) {
        _ = writeln!(text, "category {at} {}", category.name());
    }
    for (at, list) in registry.enums().enumerate() {
        _ = writeln!(text, "enumeration {at} {}", list.name());
    }
    // They have no indices.
    let mut components: Vec<_> = mpit::components().map(|one| (one.framework(), one.name())).collect();
    components.sort_unstable();
    for (framework, name) in components {
        _ = writeln!(text, "component {framework} {name}");
    }
    text
}

/// Prints the list; for C.
#[unsafe(no_mangle)]
#[allow(clippy::print_stdout, reason = "the test reads it")]
pub extern "C" fn linking_print() {
    print!("{}", list());
}
