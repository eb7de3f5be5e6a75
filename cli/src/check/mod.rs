//! `mpit check`: checks plug-ins before they are distributed.
//!
//! | module | purpose |
//! |---|---|
//! | `parent`, `child` | the process in which a plug-in is checked: the parent's side and the child's |
//! | `values`, `advice`, `library` | checks beyond the rules of the registry |
//! | `finding`, `print` | findings and their output |

mod advice;
mod child;
mod finding;
mod library;
mod parent;
mod print;
mod values;

use std::process::ExitCode;
use std::time::Duration;

use crate::inventory::Inventory;
use mpit::internal::plugin::{PLUGIN_PATH, PLUGINS};

use crate::{Check, json, output, preload, require_program, vars};
use finding::{CheckedPlugin, Report};

/// Checks plug-ins, each as if it were loaded after the ones before it.
pub(crate) fn check(args: &Check) -> Result<ExitCode, String> {
    if let (Some(notes), [path]) = (&args.notes, args.plugins.as_slice()) {
        return child::check(notes, path).map(|()| ExitCode::SUCCESS);
    }
    require_program(&args.command)?;
    if let Some(missing) = args.plugins.iter().find(|path| !path.exists()) {
        return Err(format!("there is no file {}", missing.display()));
    }
    let inventory = if args.command.is_empty() { None } else { Some(inventory_of(args)?) };
    let timeout = Duration::from_secs(args.timeout.into());
    let mut all: Vec<CheckedPlugin> = Vec::new();
    for path in &args.plugins {
        let before: Vec<_> = args
            .plugins
            .iter()
            .zip(&all)
            .filter(|(_, one)| one.loads)
            .map(|(path, _)| path.as_path())
            .collect();
        let parent::Outcome { mut checked, definitions } = parent::check(path, &before, timeout)?;
        if let Some(inventory) = &inventory {
            checked.findings.extend(definitions.iter().filter_map(|one| one.conflict_with(inventory)));
        }
        checked.sort();
        all.push(checked);
    }
    let report = Report::new(all, inventory.map(|inventory| inventory.library.unwrap_or_default()));
    output(&if args.json { json(&report)? } else { print::of(&report) })?;
    Ok(if report.errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Returns the definitions of the MPI library that a command's program uses, without any plug-in.
fn inventory_of(args: &Check) -> Result<Inventory, String> {
    let library = preload::find(args.library.file.as_deref())?;
    vars::inventory_of(&args.command, &library, |command| {
        command.env_remove(PLUGINS).env_remove(PLUGIN_PATH);
    })
}
