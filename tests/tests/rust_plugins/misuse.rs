//! What neither the compiler nor, for sure, the linker finds.

use mpit_tests::{Failure, Outcome, rust_plugins::Build};

use crate::shown;

#[test]
fn two_plug_ins_in_one_shared_object_are_refused() -> Outcome {
    let plugin = match Build::PLAIN.plugin("twice") {
        Ok(plugin) => plugin,
        // As it happens to divide the crates into objects.
        Err(failure) if failure.to_string().contains("mpit_plugin_v1") => return Ok(()),
        Err(failure) => return Err(failure),
    };
    let every = Build::PLAIN.plugin("every")?;
    let [_, told] = shown("loaded", &[&plugin, &every], &[])?;
    let refused = told.lines().find(|line| line.contains("libtwice.so")).unwrap_or_default();
    let wanted =
        ["two plug-ins are linked into it", "`twice` at twice/src/lib.rs:6", "`every` at every/src/lib.rs:"];
    Failure::unless(wanted.iter().all(|part| refused.contains(part)), || told.clone())
}
