//! A plug-in and its host need not be built alike.

use mpit_tests::{Outcome, record, rust_plugins::Build};

use crate::{equal, has, shown};

fn shows_the_same(build: &Build) -> Outcome {
    let plugin = build.plugin("every")?;
    let [linked, _] = shown("linked", &[], &[])?;
    let [loaded, _] = shown("loaded", &[&plugin], &[])?;
    has(&loaded, "started: every_counter COUNTER x1 = [3]")?;
    equal(&linked, &loaded)
}

#[test]
fn optimized() -> Outcome {
    shows_the_same(&Build::RELEASE)
}

#[test]
fn optimized_as_a_whole_and_without_unwinding() -> Outcome {
    shows_the_same(&Build::LTO)
}

#[test]
fn linked_by_another_linker() -> Outcome {
    shows_the_same(&Build::GNU_LD)
}

#[test]
fn by_another_compiler() -> Outcome {
    if !Build::NIGHTLY.is_possible() {
        return record::not_run("Rust nightly", "is not installed; `rustup toolchain install nightly` gets it");
    }
    shows_the_same(&Build::NIGHTLY)
}
