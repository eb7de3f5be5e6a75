//! The licenses of the crates that the command and the libraries contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;

use mpit_tests::{Context, Outcome, build};
use serde_json::Value;

use crate::{cargo, names_in};

/// The packages that are installed.
const INSTALLED: [&str; 4] = ["mpit-cli", "mpit-embed", "mpit-preload", "mpit-regions"];

/// Beginnings of the names of files with licenses, in lower case, in any spelling.
const NAMES: [&str; 5] = ["copying", "copyright", "licen", "notice", "unlicen"];

/// Returns texts by their paths: the licenses of each crate from elsewhere, and a list of all of these crates.
pub(super) fn of_dependencies() -> Outcome<BTreeMap<String, String>> {
    let [metadata, _] =
        build::run(&mut cargo(&["metadata", "--format-version", "1", "--filter-platform", &host()?]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo metadata")?;
    let mut texts = BTreeMap::new();
    let mut list = "The programs and libraries of mpit contain these crates, and Rust's standard library (MIT OR Apache-2.0):\n\n".to_owned();
    for package in contained(&metadata) {
        let [name, version, manifest] =
            ["name", "version", "manifest_path"].map(|key| package[key].as_str().unwrap_or_default());
        let license = package["license"].as_str().unwrap_or("see its files");
        // Writing to a string does not fail.
        let _ = writeln!(list, "{name} {version}: {license}");
        let directory = Path::new(manifest).parent().context(manifest)?;
        for file in names_in(directory)? {
            let path = directory.join(&file);
            if NAMES.iter().any(|start| file.to_lowercase().starts_with(start)) && path.is_file() {
                let text = fs::read_to_string(&path).context(path.display())?;
                texts.insert(format!("{name}-{version}/{file}"), text);
            }
        }
    }
    texts.insert("crates.txt".to_owned(), list);
    Ok(texts)
}

/// Returns the triple of this machine.
fn host() -> Outcome<String> {
    let [version, _] = build::run(std::process::Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc -vV")
}

/// Returns the packages from elsewhere that the installed ones depend on, except for builds and tests.
fn contained(metadata: &Value) -> Vec<&Value> {
    let array = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let dependencies: BTreeMap<String, Vec<String>> = array(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| {
            let normal = array(&node["deps"]).into_iter().filter(|dependency| {
                array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null())
            });
            let ids = normal.filter_map(|dependency| dependency["pkg"].as_str().map(str::to_owned));
            (node["id"].as_str().unwrap_or_default().to_owned(), ids.collect())
        })
        .collect();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let is_installed = |package: &&Value| INSTALLED.iter().any(|name| package["name"] == *name);
    let mut open: Vec<&str> =
        packages.clone().filter(is_installed).filter_map(|package| package["id"].as_str()).collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if reached.insert(id) {
            open.extend(dependencies.get(id).into_iter().flatten().map(String::as_str));
        }
    }
    let is_contained = |package: &&Value| {
        package["id"].as_str().is_some_and(|id| reached.contains(id)) && !package["source"].is_null()
    };
    packages.filter(is_contained).collect()
}
