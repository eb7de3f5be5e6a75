//! The names of the parts of a job.

use std::fmt::Display;

/// Returns the name of a part. The node has no dots in it, so that the number is found again.
pub(super) fn part_name(node: &str, processes: impl Display) -> String {
    format!("{}.{processes}", in_name(node).replace('.', "_"))
}

/// Returns the number of processes in the name of a part.
pub(super) fn processes_of(name: &str) -> Option<u64> {
    name.split('.').nth(1)?.parse().ok()
}

/// Returns a text as a part of a file's name, which does not begin with a dot.
pub(super) fn in_name(text: &str) -> String {
    let allowed = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' };
    let name: String = text.chars().take(100).map(allowed).collect();
    let name = name.trim_start_matches('.');
    if name.is_empty() { "node".into() } else { name.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_directory() {
        for (text, name) in [("n1", "n1"), ("../../etc", "_.._etc"), ("", "node"), (".x y/", "x_y_")] {
            assert_eq!(in_name(text), name);
        }
    }

    #[test]
    fn names_of_parts_have_numbers_of_processes() {
        for (node, processes, name) in
            [("n1", 4, "n1.4"), ("n1.site.org", 128, "n1_site_org.128"), ("", 1, "node.1")]
        {
            assert_eq!(part_name(node, processes), name);
            assert_eq!(processes_of(name), Some(processes as u64));
            assert_eq!(processes_of(&format!("{name}.2")), Some(processes as u64));
        }
        assert_eq!(processes_of("n1"), None);
    }
}
