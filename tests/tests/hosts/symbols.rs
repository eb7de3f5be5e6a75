//! The symbols that the two libraries export.

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, path::Path, process::Command};

use mpit_tests::{Context, Failure, Outcome, Stack, build, landing_pads, paths, record, stacks};

/// Returns the functions of MPI_T, from the table that `bad_calls` uses.
fn functions() -> Outcome<Vec<String>> {
    let table = paths::source("hosts/c/bad_calls_table.h");
    let text = fs::read_to_string(&table).context(table.display())?;
    let lines = text.lines().skip_while(|line| !line.contains("functions[] = {"));
    let names = lines.filter_map(|line| line.trim_start().strip_prefix("{\"")?.split('"').next());
    Ok(names.map(str::to_owned).collect())
}

fn exports(library: &Path) -> Outcome<Vec<String>> {
    let [text, _] = build::run(Command::new("nm").args(["-D", "--defined-only"]).arg(library))?;
    Ok(text.lines().filter_map(|line| line.split_whitespace().last().map(str::to_owned)).collect())
}

const PLUGIN: [&str; 7] = [
    "mpit_comm_number",
    "mpit_image_loaded",
    "mpit_plugin_deactivate",
    "mpit_plugin_load",
    "mpit_register",
    "mpit_sum_add",
    "mpit_sum_add_double",
];

/// Proves R1, C52.
#[test]
fn functions_are_exported_definitions_not() -> Outcome {
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
        // MPI functions by their names in C and Fortran, those of mpit_plugin.h, and the one that images call.
        let known = ["MPI_", "MPIX_", "PMPI_", "PMPIX_", "mpi_", "pmpi_", "mpit_region_"];
        let is_preload = *library == artifacts.preload;
        let more: Vec<_> = others
            .iter()
            .filter(|name| !is_preload || *name != "dlclose")
            .filter(|name| !known.iter().any(|start| name.starts_with(start)))
            .filter(|name| !PLUGIN.contains(&name.as_str()))
            .collect();
        Failure::unless(more.is_empty(), || format!("{} exports {more:?}", library.display()))?;
    }
    Ok(())
}

/// Tests that the library for regions of other libraries exports their names only, as each symbol is in front of others once it is preloaded.
#[test]
fn regions_have_names_of_other_libraries() -> Outcome {
    let known = ["kokkosp_", "cali_", "InitializeInjectionNvtx2"];
    let exports = exports(&build::artifacts()?.regions)?;
    let is_there = |start: &&str| exports.iter().any(|name| name.starts_with(start));
    let is_known = |name: &String| known.iter().any(|start| name.starts_with(start));
    Failure::unless(known.iter().all(is_there) && exports.iter().all(is_known), || format!("{exports:?}"))
}

/// Tests that the preload library needs no library that a program in C lacks: every program loads it as well.
#[test]
fn preload_library_needs_only_the_c_library() -> Outcome {
    let library = &build::artifacts()?.preload;
    let [text, _] = build::run(Command::new("readelf").args(["--wide", "--dynamic"]).arg(library))?;
    let needed: Vec<_> = text.lines().filter(|line| line.contains("(NEEDED)")).collect();
    let of_c = ["[libc.so", "[ld-linux", "[libm.so", "[libdl.so", "[libpthread.so"];
    let more: Vec<_> = needed.iter().filter(|line| !of_c.iter().any(|name| line.contains(name))).collect();
    Failure::unless(!needed.is_empty() && more.is_empty(), || format!("needs {needed:?}"))
}

/// Tests that exceptions and ends of threads may leave calls that are forwarded, by any unwinder.
#[test]
fn forwarded_calls_pass_no_landing_pads() -> Outcome {
    landing_pads::check(&build::artifacts()?.preload)
}

/// MPI calls that are interposed in C only: in Fortran, the lengths of strings follow the other arguments;
/// tools that query error codes of MPI_T are written in C.
const ONLY_IN_C: &str = "Comm_accept Comm_connect Comm_create_from_group Comm_set_name Comm_spawn Comm_spawn_multiple \
    Error_class Error_string File_delete File_get_view File_open File_set_view Intercomm_create_from_groups";

/// Returns true for a call that is interposed in Fortran as well. Its form with large counts is another name in C only.
fn is_in_fortran(name: &str) -> bool {
    !name.ends_with("_c") && ONLY_IN_C.split(' ').all(|only| only != name)
}

/// Returns the MPI calls that the preload library interposes in C, without `MPI_`.
fn interposed() -> Outcome<BTreeSet<String>> {
    functions_in_c(&build::artifacts()?.preload)
}

/// Returns the functions that a library exports for C, except those of MPI_T, without `MPI_`.
fn functions_in_c(library: &Path) -> Outcome<BTreeSet<String>> {
    let exports = exports(library)?;
    let names = exports.iter().filter_map(|name| name.strip_prefix("MPI_"));
    let is_c =
        |name: &&str| !name.starts_with("T_") && name[1..].contains(|letter: char| letter.is_lowercase());
    Ok(names.filter(is_c).map(str::to_owned).collect())
}

fn small(name: &str) -> &str {
    name.strip_suffix("_c").unwrap_or(name)
}

/// Returns the reviewed list of functions: names by the treatment of their calls.
fn listed_functions() -> Outcome<BTreeMap<String, BTreeSet<String>>> {
    let path = paths::source("hosts/functions.txt");
    let text = fs::read_to_string(&path).context(path.display())?;
    let mut groups = BTreeMap::<String, BTreeSet<String>>::new();
    let mut what = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(heading) = line.strip_prefix('[') {
            what = heading.split(':').next().unwrap_or_default();
        } else {
            let names = line.split_whitespace().map(str::to_owned);
            groups.entry(what.to_owned()).or_default().extend(names);
        }
    }
    Ok(groups)
}

/// Tests that each function is in the list once, and interposed if the list says so.
#[test]
fn all_library_functions_are_listed() -> Outcome {
    let groups = listed_functions()?;
    let listed = |whether_passed: bool| {
        let groups = groups.iter().filter(move |(what, _)| (*what == "passed") == whether_passed);
        groups.flat_map(|(_, names)| names.iter().cloned())
    };
    let all: BTreeSet<String> = listed(true).chain(listed(false)).collect();
    Failure::unless(all.len() == groups.values().map(BTreeSet::len).sum::<usize>(), || {
        "a function is in two groups of functions.txt".into()
    })?;
    let interposed: BTreeSet<String> = interposed()?.iter().map(|name| small(name).to_owned()).collect();
    let to_interpose: BTreeSet<String> = listed(false).collect();
    let differ: Vec<_> = interposed.symmetric_difference(&to_interpose).collect();
    Failure::unless(differ.is_empty(), || {
        format!("interposed, but listed as passed, or the reverse: {differ:?}")
    })?;
    stacks::on_each("functions", |stack| {
        let mut unknown = functions_in_c(&stack.library)?;
        unknown.retain(|name| !all.contains(small(name)));
        Failure::unless(unknown.is_empty(), || format!("in no group of functions.txt: {unknown:?}"))
    })
}

#[test]
fn calls_are_interposed_by_all_names() -> Outcome {
    let exports: BTreeSet<_> = exports(&build::artifacts()?.preload)?.into_iter().collect();
    let interposed = interposed()?;
    let mut missing = Vec::new();
    for name in interposed.iter().filter(|name| is_in_fortran(name)) {
        let lower = name.to_lowercase();
        let mut names = vec![format!("mpi_{lower}_"), format!("mpi_{lower}_f08_")];
        // Functions without buffers, which have separate lines for Fortran in the table.
        if !["Init", "Init_thread", "Pcontrol", "Session_init"].contains(&name.as_str()) {
            names.push(format!("mpi_{lower}_f08ts_"));
        }
        if interposed.contains(&format!("{name}_c")) {
            names.extend([format!("mpi_{lower}_c_f08_"), format!("mpi_{lower}_c_f08ts_")]);
        }
        missing.extend(names.into_iter().filter(|name| !exports.contains(name)));
    }
    Failure::unless(missing.is_empty(), || format!("not interposed in Fortran: {missing:?}"))?;
    // Other spellings are names of C functions in libraries that have nothing to do with MPI.
    let spelled = |name: &&String| {
        let is_upper = name.strip_prefix("MPI_").is_some_and(|name| name == name.to_uppercase());
        is_upper || name.starts_with("mpi_") && (!name.ends_with('_') || name.ends_with("__"))
    };
    let more: Vec<_> = exports.iter().filter(spelled).collect();
    Failure::unless(more.is_empty(), || format!("spellings that no compiler in use produces: {more:?}"))
}

/// Tests that the table has no name that no library has, and that a call is interposed in its form with large
/// counts, too.
#[test]
fn calls_have_all_forms_of_the_libraries() -> Outcome {
    let interposed = interposed()?;
    let mut of_libraries = BTreeSet::new();
    for stack in &stacks::found().stacks {
        let names = exports(&stack.library)?;
        of_libraries.extend(names.iter().filter_map(|name| name.strip_prefix("MPI_")).map(str::to_owned));
    }
    let unknown: Vec<_> = interposed.difference(&of_libraries).collect();
    // Each version of a library adds calls, so a part of the libraries does not have them all.
    if stacks::found().missing.is_empty() {
        Failure::unless(unknown.is_empty(), || format!("no library has {unknown:?}"))?;
    } else {
        record::not_run(
            "the names of calls against those of libraries",
            "some of the libraries are missing, and each has other calls",
        )?;
    }
    let missing: Vec<_> = of_libraries
        .iter()
        .filter(|name| name.strip_suffix("_c").is_some_and(|small| interposed.contains(small)))
        .filter(|name| !interposed.contains(*name))
        .collect();
    Failure::unless(missing.is_empty(), || format!("not interposed with large counts: {missing:?}"))
}

/// Tests the Fortran names, in the Fortran libraries.
#[test]
fn fortran_names_are_the_libraries() -> Outcome {
    let interposed = interposed()?;
    stacks::for_each("fortran_names", Stack::has_fortran, |stack| {
        let program = stack.compile_fortran("mixed", "USE_MPI_F08")?;
        let mut theirs = BTreeSet::new();
        for library in libraries(&program)?.iter().filter(|path| path.contains("mpi")) {
            theirs.extend(exports(Path::new(library))?);
        }
        let of_c: BTreeSet<_> = exports(&stack.library)?.into_iter().collect();
        let unknown: Vec<_> = interposed
            .iter()
            .filter(|name| is_in_fortran(name))
            .filter(|name| of_c.contains(&format!("MPI_{name}")))
            .map(|name| format!("mpi_{}_", name.to_lowercase()))
            .filter(|name| !theirs.contains(name))
            .collect();
        Failure::unless(unknown.is_empty(), || format!("no library of {} has {unknown:?}", stack.label()))
    })
}

fn libraries(program: &Path) -> Outcome<Vec<String>> {
    let [text, _] = build::run(Command::new("ldd").arg(program))?;
    Ok(text.lines().filter_map(|line| line.split_whitespace().nth(2).map(str::to_owned)).collect())
}
