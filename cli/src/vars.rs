//! `mpit vars`: lists variables, events, sources, categories and enumerations.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use mpit::internal::registry::nearest;
use mpit_ffi::inventory::INVENTORY_FILE;

use crate::forwarding;
use crate::inventory::Inventory;
use crate::{Vars, inventory_view, json, output, preload, require_program, settings, temporary_directory};

pub(crate) fn list(args: &Vars) -> Result<ExitCode, String> {
    let mut inventory = if args.command.is_empty() {
        Inventory::of_this_process()?
    } else {
        inventory_of(&args.command, &preload::find(args.library.file.as_deref())?, |_| ())?
    };
    if !args.names.is_empty() {
        select_names(&mut inventory, &args.names)?;
    }
    if let Some(wanted) = &args.grep {
        let wanted = wanted.to_lowercase();
        inventory.retain(|name, description| {
            name.to_lowercase().contains(&wanted) || description.to_lowercase().contains(&wanted)
        });
    }
    let text = if args.json {
        json(&inventory)?
    } else if !args.names.is_empty() {
        inventory_view::in_full(&inventory)
    } else {
        inventory_view::of(&inventory)
    };
    output(&text).map(|_| ExitCode::SUCCESS)
}

/// The similarity (Jaro-Winkler) above which a name is taken for a misspelling of another one.
const MIN_SIMILARITY: f64 = 0.85;

fn select_names(inventory: &mut Inventory, names: &[String]) -> Result<(), String> {
    // Only mpit's own variables have aliases.
    let of_alias = |name: &&String| settings::find(name).map(|desc| desc.name().to_owned());
    let wanted: BTreeSet<String> =
        names.iter().cloned().chain(names.iter().filter_map(|name| of_alias(&name))).collect();
    let mut known = BTreeSet::new();
    inventory.retain(|name, _| {
        known.insert(name.to_owned());
        wanted.contains(name)
    });
    match names.iter().find(|name| !known.contains(*name) && of_alias(name).is_none()) {
        None => Ok(()),
        Some(missing) => Err(match nearest(missing, known.iter().map(String::as_str), MIN_SIMILARITY) {
            Some(near) => format!("no entry is called `{missing}`; did you mean `{near}`?"),
            None => format!("no entry is called `{missing}`; `mpit vars` lists all entries"),
        }),
    }
}

/// Runs a command and returns the inventory that its first MPI process writes.
pub(crate) fn inventory_of(
    words: &[OsString],
    library: &Path,
    prepare: impl FnOnce(&mut Command),
) -> Result<Inventory, String> {
    require_program(words)?;
    let dir = temporary_directory()?;
    let file = dir.path().join("listing.json");
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).env(INVENTORY_FILE, &file);
    prepare(&mut command);
    // Standard output is for the list alone.
    command.stdout(Stdio::from(std::io::stderr()));
    preload::add(&mut command, library, None);
    let status = forwarding::run_to_end(&mut command, |_| ())?;
    let text = std::fs::read(&file).map_err(|_| {
        format!("{} ended with {status}, and none of its processes initialized MPI: name a command that runs an MPI program", words[0].display())
    })?;
    Inventory::parse(&text)
}
