//! What the two libraries export.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use mpit_tests::{Context, Failure, Outcome, build, paths};

/// The functions of the tools interface, from the table that `bad_calls` calls them by.
fn functions() -> Outcome<Vec<String>> {
    let table = paths::source("hosts/c/bad_calls_table.h");
    let text = fs::read_to_string(&table).context(table.display())?;
    let lines = text.lines().skip_while(|line| !line.contains("functions[] = {"));
    let names = lines.filter_map(|line| line.trim_start().strip_prefix("{\"")?.split('"').next());
    Ok(names.map(str::to_owned).collect())
}

fn exports(library: &Path) -> Outcome<Vec<String>> {
    let output =
        Command::new("nm").args(["-D", "--defined-only"]).arg(library).output().context("nm (binutils)")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split_whitespace().last().map(str::to_owned)).collect())
}

/// The functions of `mpit_register.h`.
const REGISTER: [&str; 3] = ["mpit_level_reached", "mpit_raise_now", "mpit_register"];

#[test]
fn r1_c52_functions_are_exported_and_definitions_are_not() -> Outcome {
    let functions = functions()?;
    Failure::unless(functions.len() == 51, || format!("not 51 functions: {functions:?}"))?;
    let both = |name: &String| [format!("MPI_T_{name}"), format!("PMPI_T_{name}")];
    let wanted: BTreeSet<String> = functions.iter().flat_map(both).collect();
    let artifacts = build::artifacts()?;
    for library in [&artifacts.preload, &artifacts.embedded] {
        let (of_tools, others): (BTreeSet<_>, BTreeSet<_>) =
            exports(library)?.into_iter().partition(|name| name.contains("MPI_T_"));
        let differ: Vec<_> = of_tools.symmetric_difference(&wanted).collect();
        Failure::unless(differ.is_empty(), || format!("{}: {differ:?}", library.display()))?;
        // Functions of MPI by their names in C and Fortran, those of mpit_register.h, and what the linker marks lists with.
        let known = ["MPI_", "PMPI_", "mpi_", "pmpi_", "__start_link", "__stop_link"];
        let more: Vec<_> = others
            .iter()
            .filter(|name| !known.iter().any(|start| name.starts_with(start)))
            .filter(|name| !REGISTER.contains(&name.as_str()))
            .collect();
        Failure::unless(more.is_empty(), || format!("{} exports {more:?}", library.display()))?;
    }
    Ok(())
}
