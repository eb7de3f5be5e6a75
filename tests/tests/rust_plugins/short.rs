//! The shortest plug-in that is worth having.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, paths, rust_plugins::Build};

#[test]
fn twenty_five_lines_are_enough_for_two_variables_a_setting_and_an_event() -> Outcome {
    let lines = |file: &str| -> Outcome<usize> {
        let path = paths::source(&format!("plugins/rust/short/{file}"));
        Ok(fs::read_to_string(&path).context(path.display())?.lines().count())
    };
    let all = lines("Cargo.toml")? + lines("src/lib.rs")?;
    Failure::unless(all <= 25, || format!("it has {all} lines"))?;
    Build::PLAIN.plugin("short").map(drop)
}
