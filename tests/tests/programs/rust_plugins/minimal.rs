//! The shortest useful plug-in, also beside another one in Rust.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, paths, rust_plugins::Build};

use super::{entries_seen, has};

#[test]
fn minimal_plugin_has_25_lines() -> Outcome {
    let mut lines = 0;
    for file in ["Cargo.toml", "src/lib.rs"] {
        let path = paths::source(&format!("plugins/rust/short/{file}"));
        lines += fs::read_to_string(&path).context(path.display())?.lines().count();
    }
    Failure::unless(lines <= 25, || format!("it has {lines} lines"))
}

/// Each plug-in in Rust has its own copy of mpit.
#[test]
fn two_plug_ins_in_rust_share_a_program() -> Outcome {
    let (short, every) = (Build::PLAIN.plugin("short")?, Build::PLAIN.plugin("every")?);
    let [loaded, _] = entries_seen("loaded", &[&short, &every], &[])?;
    for line in [
        "not started: short_widgets COUNTER x1 = [0]",
        "not started: short_stock LEVEL x1 = [0]",
        "not started: short_stock HIGHWATERMARK x1 = [0]",
        "source short_factory ORDERED of short at short/src/lib.rs:12: The factory.",
        "  named by short_made_elements [(0, \"size\")]",
        "started: every_counter COUNTER x1 = [3]",
    ] {
        has(&loaded, line)?;
    }
    let setting = loaded.lines().find(|line| line.starts_with("cvar short_limit UNSIGNED "));
    Failure::unless(setting.is_some_and(|line| line.contains(" = 8 by Default: ")), || loaded.clone())
}
