//! What the two libraries export.

use std::{collections::BTreeSet, fs, path::Path, process::Command};

use mpit_tests::{
    Context, Failure, Outcome, build, paths, record,
    stacks::{self, Stack},
};

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

/// The functions of `mpit_plugin.h`.
const PLUGIN: [&str; 4] =
    ["mpit_plugin_activate", "mpit_plugin_deactivate", "mpit_plugin_load", "mpit_register"];

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
        // Functions of MPI by their names in C and Fortran, those of mpit_plugin.h, and what the linker marks lists with.
        let known = ["MPI_", "PMPI_", "mpi_", "pmpi_", "__start_link", "__stop_link"];
        let more: Vec<_> = others
            .iter()
            .filter(|name| !known.iter().any(|start| name.starts_with(start)))
            .filter(|name| !PLUGIN.contains(&name.as_str()))
            .collect();
        Failure::unless(more.is_empty(), || format!("{} exports {more:?}", library.display()))?;
    }
    Ok(())
}

/// Calls of MPI that are taken in C alone: strings have lengths in Fortran, behind the other arguments.
const IN_C_ALONE: [&str; 7] = [
    "Comm_accept",
    "Comm_connect",
    "Comm_create_from_group",
    "Comm_set_name",
    "Comm_spawn",
    "Comm_spawn_multiple",
    "Intercomm_create_from_groups",
];

/// Those that are there to be noted: all of them, by their names without `MPI_`.
fn noted() -> BTreeSet<String> {
    let modes = ["send", "bsend", "ssend", "rsend"].map(str::to_owned);
    let exchanges = ["sendrecv", "sendrecv_replace"].map(str::to_owned);
    let collectives = [
        "barrier",
        "bcast",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "reduce",
        "allreduce",
        "reduce_scatter",
        "reduce_scatter_block",
        "scan",
        "exscan",
        "neighbor_allgather",
        "neighbor_allgatherv",
        "neighbor_alltoall",
        "neighbor_alltoallv",
        "neighbor_alltoallw",
    ]
    .map(str::to_owned);
    let accesses = ["put", "get", "accumulate", "get_accumulate"].map(str::to_owned);
    let others = [
        "Fetch_and_op",
        "Compare_and_swap",
        "Psend_init",
        "Precv_init",
        "Recv_init",
        "Start",
        "Startall",
        "Request_free",
        "Pcontrol",
        "Init",
        "Init_thread",
        "Finalize",
    ]
    .map(str::to_owned);
    let capital = |name: &String| name[..1].to_uppercase() + &name[1..];
    let mut names: BTreeSet<String> = others.into();
    for (all, forms) in [
        (&modes[..], &["", "I", "init"][..]),
        (&exchanges, &["", "I"]),
        (&collectives, &["", "I", "init"]),
        (&accesses, &["", "R"]),
    ] {
        for (name, form) in all.iter().flat_map(|name| forms.iter().map(move |form| (name, *form))) {
            names.insert(match form {
                "" => capital(name),
                "init" => capital(name) + "_init",
                first => format!("{first}{name}"),
            });
        }
    }
    names
}

/// The calls of MPI that the preload library takes in C, without `MPI_`.
fn taken() -> Outcome<BTreeSet<String>> {
    let exports = exports(&build::artifacts()?.preload)?;
    let is_c =
        |name: &&str| !name.starts_with("T_") && name[1..].contains(|letter: char| letter.is_lowercase());
    Ok(exports.iter().filter_map(|name| name.strip_prefix("MPI_")).filter(is_c).map(str::to_owned).collect())
}

#[test]
fn each_call_is_taken_by_all_its_names() -> Outcome {
    let exports: BTreeSet<_> = exports(&build::artifacts()?.preload)?.into_iter().collect();
    let taken = taken()?;
    let missing: Vec<_> = noted().into_iter().filter(|name| !taken.contains(name)).collect();
    Failure::unless(missing.is_empty(), || format!("not taken in C: {missing:?}"))?;
    let mut missing = Vec::new();
    for name in taken.iter().filter(|name| !name.ends_with("_c") && !IN_C_ALONE.contains(&name.as_str())) {
        let lower = name.to_lowercase();
        let names = [format!("mpi_{lower}_"), format!("mpi_{lower}_f08_")];
        missing.extend(names.into_iter().filter(|name| !exports.contains(name)));
    }
    Failure::unless(missing.is_empty(), || format!("not taken in Fortran: {missing:?}"))?;
    // Other spellings are names of C functions of libraries that have nothing to do with MPI.
    let spelled = |name: &&String| {
        let is_upper = name.strip_prefix("MPI_").is_some_and(|name| name == name.to_uppercase());
        is_upper || name.starts_with("mpi_") && (!name.ends_with('_') || name.ends_with("__"))
    };
    let more: Vec<_> = exports.iter().filter(spelled).collect();
    Failure::unless(more.is_empty(), || format!("spellings that no compiler in use produces: {more:?}"))
}

/// A name that no library has is a mistake of the table's; and who takes a call takes its form with large counts.
#[test]
fn calls_are_those_of_the_libraries_in_all_their_forms() -> Outcome {
    let taken = taken()?;
    let of_libraries: BTreeSet<String> = stacks::found()
        .stacks
        .iter()
        .map(|stack| exports(&stack.library))
        .collect::<Outcome<Vec<_>>>()?
        .into_iter()
        .flatten()
        .filter_map(|name| name.strip_prefix("MPI_").map(str::to_owned))
        .collect();
    let unknown: Vec<_> = taken.difference(&of_libraries).collect();
    // Open MPI alone has none of the calls that came later.
    if of_libraries.contains("Send_c") {
        Failure::unless(unknown.is_empty(), || format!("no library has {unknown:?}"))?;
    } else {
        record::not_run("the names of calls against those of libraries", "none here has the calls of MPI-4")?;
    }
    let missing: Vec<_> = of_libraries
        .iter()
        .filter(|name| name.strip_suffix("_c").is_some_and(|small| taken.contains(small)))
        .filter(|name| !taken.contains(*name))
        .collect();
    Failure::unless(missing.is_empty(), || format!("not taken with large counts: {missing:?}"))
}

/// The same of Fortran's names, in the libraries beside those of C.
#[test]
fn names_in_fortran_are_those_of_the_libraries() -> Outcome {
    let taken = taken()?;
    stacks::for_each("fortran_names", Stack::has_fortran, |stack| {
        let program = stack.compile_fortran("mixed", "USE_MPI_F08")?;
        let mut theirs = BTreeSet::new();
        for library in libraries(&program)?.iter().filter(|path| path.contains("mpi")) {
            theirs.extend(exports(Path::new(library))?);
        }
        let of_c: BTreeSet<_> = exports(&stack.library)?.into_iter().collect();
        let unknown: Vec<_> = taken
            .iter()
            .filter(|name| !name.ends_with("_c") && !IN_C_ALONE.contains(&name.as_str()))
            .filter(|name| of_c.contains(&format!("MPI_{name}")))
            .map(|name| format!("mpi_{}_", name.to_lowercase()))
            .filter(|name| !theirs.contains(name))
            .collect();
        Failure::unless(unknown.is_empty(), || format!("no library of {} has {unknown:?}", stack.label()))
    })
}

/// The shared objects that a program loads.
fn libraries(program: &Path) -> Outcome<Vec<String>> {
    let output = Command::new("ldd").arg(program).output().context("ldd")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.split_whitespace().nth(2).map(str::to_owned)).collect())
}
