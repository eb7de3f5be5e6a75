//! Comparison of the lists of the first tier with what mpit has.

use std::collections::BTreeSet;
use std::fs;

use mpit_tests::{Context, Job, Outcome, paths};
use serde_json::Value;

use super::commands::COMMANDS;
use super::{FILE_MODES, FRAMEWORKS, LANGUAGES};
use crate::equal;

/// The options of `mpit run` that select no files.
const OTHER_OPTIONS: [&str; 13] = [
    "--set",
    "--time",
    "--sites",
    "--regions",
    "--read",
    "--stuck",
    "--kill",
    "--hide",
    "--quiet",
    "--verbose",
    "--preload",
    "--help",
    "--version",
];

/// Directories of `tests/hosts` that have no programs of a language.
const NO_LANGUAGES: [&str; 2] = ["inputs", "stubs"];

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

fn help(words: &[&str]) -> Outcome<String> {
    Ok(Job::mpit(words)?.succeed()?.stdout)
}

#[test]
fn each_command_is_in_the_list() -> Outcome {
    let help = help(&["--help"])?;
    let (_, commands) = help.split_once("Commands:\n").context("commands")?;
    let (commands, _) = commands.split_once("\n\n").context("an end of the commands")?;
    let commands = commands.lines().filter_map(|line| line.split_whitespace().next());
    let listed = COMMANDS.iter().map(|(name, _)| *name).chain(["help"]);
    equal("commands of mpit, and of the first tier", &set(commands), &set(listed))
}

#[test]
fn each_file_mode_is_in_the_list() -> Outcome {
    let help = help(&["run", "--help"])?;
    let words = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = words.flat_map(|line| line.split([' ', ',']).filter(|word| word.starts_with("--")));
    let of_modes = FILE_MODES.iter().flat_map(|(options, _)| options.iter().copied());
    let listed = of_modes.filter(|word| word.starts_with("--")).chain(OTHER_OPTIONS);
    equal("options of mpit run, and of the first tier", &set(options), &set(listed))
}

#[test]
fn each_language_is_in_the_list() -> Outcome {
    let mut directories = BTreeSet::new();
    for entry in fs::read_dir(paths::source("hosts")).context("hosts")? {
        let entry = entry.context("hosts")?;
        if entry.path().is_dir() {
            directories.insert(entry.file_name().display().to_string());
        }
    }
    let listed = LANGUAGES.iter().map(|(language, _)| *language).chain(NO_LANGUAGES);
    equal("directories of tests/hosts, and languages of the first tier", &directories, &set(listed))
}

/// A framework has a control variable that selects its components.
#[test]
fn each_framework_is_in_the_list() -> Outcome {
    let listing = Job::mpit(&["vars", "--json"])?.succeed()?;
    let listing: Value = serde_json::from_str(&listing.stdout).context("mpit vars")?;
    let names = listing["cvars"].as_array().into_iter().flatten().filter_map(|cvar| cvar["name"].as_str());
    let frameworks = names.filter_map(|name| name.strip_suffix("_components"));
    let listed = FRAMEWORKS.iter().map(|(framework, _)| *framework);
    equal("frameworks of mpit, and of the first tier", &set(frameworks), &set(listed))
}
