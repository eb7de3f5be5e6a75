//! The comparison of the picture of crates in `ARCHITECTURE.md` with the dependencies that Cargo knows.
//!
//! A line of the picture has the directory of a crate, a description, and after an arrow the directories of the crates that it depends on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use mpit_tests::{Context, Outcome, build, paths};
use serde_json::Value;

const PAGE: &str = "ARCHITECTURE.md";

/// The directories of crates that no user needs, which are not in the picture.
const DEVELOPMENT: [&str; 5] = ["benches", "core/models", "examples", "tests", "xtask"];

/// The crates by their directories, with the normal dependencies of each in the workspace.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// Returns the differences between the picture and Cargo.
pub(crate) fn faults() -> Outcome<Vec<String>> {
    let page = std::fs::read_to_string(paths::workspace().join(PAGE)).context(PAGE)?;
    let picture = page.split("```").nth(1).and_then(|block| block.strip_prefix("text\n"));
    Ok(differences(picture.context(format!("{PAGE} has no picture of the crates"))?, &graph()?))
}

fn graph() -> Outcome<Graph> {
    let [metadata, _] = build::run(&mut crate::cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let directory =
        |path: &str| Some(Path::new(path).strip_prefix(paths::workspace()).ok()?.display().to_string());
    let mut graph = Graph::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest =
            package["manifest_path"].as_str().and_then(directory).context("a manifest of the workspace")?;
        let name = manifest.trim_end_matches("/Cargo.toml").to_owned();
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let normal = dependencies.filter(|dependency| dependency["kind"].is_null());
        let used = normal.filter_map(|dependency| dependency["path"].as_str().and_then(directory)).collect();
        if !DEVELOPMENT.iter().any(|directory| Path::new(&name).starts_with(directory)) {
            graph.insert(name, used);
        }
    }
    Ok(graph)
}

fn differences(picture: &str, graph: &Graph) -> Vec<String> {
    let mut faults = Vec::new();
    let mut drawn = BTreeSet::new();
    for line in picture.lines().filter(|line| !line.is_empty()) {
        let (head, arrows) = line.split_once(" -> ").unwrap_or((line, ""));
        let name = head.split_whitespace().next().unwrap_or_default();
        drawn.insert(name);
        let Some(used) = graph.get(name) else {
            faults.push(format!("{PAGE}: {name} is no crate"));
            continue;
        };
        let arrows = targets(arrows);
        let changes = [("remove", arrows.difference(used)), ("draw", used.difference(&arrows))];
        for (change, others) in changes {
            faults.extend(others.map(|other| format!("{PAGE}: {change} the arrow from {name} to {other}")));
        }
        let above = arrows.iter().filter(|other| drawn.contains(other.as_str()));
        faults.extend(above.map(|other| format!("{PAGE}: draw {name} above {other}")));
    }
    let missing = graph.keys().filter(|name| !drawn.contains(name.as_str()));
    faults.extend(missing.map(|name| format!("{PAGE}: draw the crate {name}")));
    faults
}

/// Returns the directories in a list, in which `a/{b, c}` stands for `a/b` and `a/c`.
fn targets(list: &str) -> BTreeSet<String> {
    let (mut targets, mut parent) = (BTreeSet::new(), "");
    for word in list.split(", ").map(str::trim).filter(|word| !word.is_empty()) {
        let mut name = word;
        if let Some((before, first)) = word.split_once('{') {
            (parent, name) = (before, first);
        }
        targets.insert(format!("{parent}{}", name.trim_end_matches('}')));
        if name.ends_with('}') {
            parent = "";
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_the_arrows_of_cargo() -> Outcome {
        assert_eq!(faults()?, [""; 0]);
        Ok(())
    }

    #[test]
    fn wrong_pictures_are_refused() {
        let graph = [("a", vec!["b/c", "b/d"]), ("b/c", vec!["b/d"]), ("b/d", vec![])];
        let graph: Graph =
            graph.map(|(name, used)| (name.to_owned(), used.into_iter().map(str::to_owned).collect())).into();
        let right = "a  top -> b/{c, d}\n\nb/c  x -> b/d\nb/d\n";
        assert_eq!(differences(right, &graph), [""; 0]);
        for (from, to) in [
            ("b/{c, d}", "b/c"),
            ("b/c  x -> b/d\nb/d\n", "b/d\nb/c  x -> b/d\n"),
            ("\nb/d\n", "\nb/d\ne  x\n"),
            ("b/{c, d}", "b/{c, d}, e"),
            ("\nb/d\n", "\n"),
        ] {
            assert_eq!(differences(&right.replace(from, to), &graph).len(), 1, "{from}: {to}");
        }
    }
}
