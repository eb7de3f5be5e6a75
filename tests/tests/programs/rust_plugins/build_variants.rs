//! Plug-ins and hosts that are built with different options.

use mpit_tests::{Outcome, build, record, rust_plugins::Build};

use super::{entries_seen, equal, has};

fn shows_the_same(build: &Build) -> Outcome {
    let plugin = build.plugin("every")?;
    let [linked, _] = entries_seen("linked", &[], &[])?;
    let [loaded, _] = entries_seen("loaded", &[&plugin], &[])?;
    has(&loaded, "started: every_counter COUNTER x1 = [3]")?;
    equal(&linked, &loaded)
}

/// Tests of the second tier.
mod second {
    use super::*;

    #[test]
    fn optimized() -> Outcome {
        shows_the_same(&Build::RELEASE)
    }

    #[test]
    fn with_lto_and_without_unwinding() -> Outcome {
        shows_the_same(&Build::LTO)
    }

    #[test]
    fn linked_by_another_linker() -> Outcome {
        shows_the_same(&Build::GNU_LD)
    }

    #[test]
    fn by_another_compiler() -> Outcome {
        if !Build::NIGHTLY.is_possible() {
            let why = "is not installed; `rustup toolchain install nightly` gets it";
            return record::not_run("Rust nightly", why);
        }
        shows_the_same(&Build::NIGHTLY)
    }
}

#[test]
fn with_the_structs_of_the_first_version() -> Outcome {
    let (first, every) = (build::plugin("first_version")?, Build::PLAIN.plugin("every")?);
    let [loaded, _] = entries_seen("loaded", &[&first, &every], &[])?;
    for line in [
        "pvar first_count_of_every COUNTER UNSIGNED_LONG_LONG NO_OBJECT USER_BASIC PvarFlags(0) Sum in [\"first_of_every\"] \
         of first at first, pvar 1: Steps.",
        "cvar first_wish_of_every INT NO_OBJECT LOCAL USER_BASIC x1 false [] [] in [] of first at first, cvar 2 = 4 by Default: \
         Makes nothing.",
        "source first_other_of_every UNORDERED of first at first, source 2: ",
        "category first_of_every: [\"first_inner_of_every\"] [\"first_count_of_every\"] [] []: The first.",
        "  named by first_event_of_every_elements [(0, \"step\")]",
        "at first: first_limits_of_every GENERIC x2 = [1, 4]",
        "started: first_count_of_every COUNTER x1 = [3]",
        "started: first_level_of_every HIGHWATERMARK x1 = [3]",
    ] {
        has(&loaded, line)?;
    }
    Ok(())
}
