//! The values of `--read` at the end of a run. They are printed with `--quiet` as well, because the user requested them.

use super::worlds::{World, Worlds};

/// Returns the lines about the values of all worlds, and about patterns that no name matches.
pub(super) fn lines(patterns: &[String], worlds: &Worlds) -> Vec<String> {
    // Values are read at the end of MPI. Without processes that reached it, other lines have the reason.
    if patterns.is_empty() || worlds.values().all(|world| world.summary.finalized == 0) {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let mut are_all_here = true;
    for (number, World { variables, with_values, summary, .. }) in worlds {
        if worlds.len() > 1 && !variables.is_empty() {
            lines.push(format!("world {number}:"));
        }
        lines.extend(variables.lines());
        if *with_values < summary.size.into() {
            let size = summary.size;
            lines.push(format!(
                "values of {with_values} of {size} processes are here; with --output, files have all"
            ));
            are_all_here = false;
        }
    }
    if !are_all_here {
        return lines;
    }
    let is_unknown = |pattern: &&String| !worlds.values().any(|world| world.variables.has(pattern));
    for pattern in patterns.iter().filter(is_unknown) {
        lines.push(format!("--read '{pattern}': no variable or event has such a name; see `mpit vars`"));
    }
    lines
}
