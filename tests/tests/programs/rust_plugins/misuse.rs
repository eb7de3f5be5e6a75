//! Mistakes that neither the compiler nor, in all cases, the linker detects.

use mpit_tests::{Failure, Outcome, rust_plugins::Build};

use super::entries_seen;

#[test]
fn two_plug_ins_in_one_file_are_refused() -> Outcome {
    let plugin = match Build::PLAIN.plugin("twice") {
        Ok(plugin) => plugin,
        // The linker may find it, depending on the division of the crates into object files.
        Err(failure) if failure.to_string().contains("mpit_plugin_v1") => return Ok(()),
        Err(failure) => return Err(failure),
    };
    let every = Build::PLAIN.plugin("every")?;
    let [_, reported] = entries_seen("loaded", &[&plugin, &every], &[])?;
    let refused = reported.lines().find(|line| line.contains("libtwice.so")).unwrap_or_default();
    let wanted =
        ["two plug-ins are linked into it", "`twice` at twice/src/lib.rs:6", "`every` at every/src/lib.rs:"];
    Failure::unless(wanted.iter().all(|part| refused.contains(part)), || reported.clone())
}
