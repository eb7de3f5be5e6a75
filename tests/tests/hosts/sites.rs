//! The places in a program that call MPI, and its regions, compared with what is built into the programs: comments in their lines name
//! the places.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Failure, Job, Outcome, Stack, build, paths, stacks};
use serde_json::Value;

use crate::fortran::INTERFACES;
use crate::{equal, on_each_family_in_dir, on_each_in_dir, report, written_with};

const RANKS: u32 = 2;

const SITED: (&str, &str) = ("monitoring_sites", "1");

/// The calls at a place: their name, number and bytes.
type Calls = BTreeMap<String, (String, u64, u64)>;

/// Returns the lines of a source that have a comment `site: NAME`, by name.
fn marked_lines(source: &str) -> Outcome<BTreeMap<u64, String>> {
    let path = paths::source(source);
    let text = fs::read_to_string(&path).context(path.display())?;
    let name = |line: &str| Some(line.split_once("site: ")?.1.trim_end_matches("*/").trim().to_owned());
    let lines = (1..).zip(text.lines()).filter_map(|(number, line)| Some((number, name(line)?)));
    // The comment at the begin of the file explains them.
    Ok(lines.filter(|(_, name)| !name.starts_with("NAME")).collect())
}

/// Runs a job with places, which must succeed, and returns its report and the output of `mpit report`.
pub(crate) fn reported(job: Job, dir: &Path, settings: &[(&str, &str)]) -> Outcome<(Value, String)> {
    job.dir(dir).under_mpit(&written_with("prof/run", settings))?.succeed()?;
    report_of(dir)
}

pub(crate) fn report_of(dir: &Path) -> Outcome<(Value, String)> {
    let finished = report(dir, &["prof/run", "--format", "json", "--top", "100"])?;
    finished.expect(finished.code == Some(0))?;
    let json = fs::read(dir.join("run.json")).context("run.json")?;
    Ok((serde_json::from_slice(&json).context("run.json")?, finished.stdout + &finished.stderr))
}

pub(crate) fn rows<'a>(report: &'a Value, table: &str) -> impl Iterator<Item = &'a Value> {
    report[table].as_array().into_iter().flatten()
}

pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_default()
}

/// Returns the calls at the places that comments name.
fn named_calls(report: &Value, source: &str) -> Outcome<Calls> {
    let lines = marked_lines(source)?;
    let file = Path::new(source).file_name().context(source)?;
    let mut all = Calls::new();
    for site in rows(report, "sites") {
        let code = &site["code"][0];
        let is_in_source = Path::new(text(code, "file")).file_name() == Some(file);
        if is_in_source && let Some(name) = lines.get(&number(code, "line")) {
            let calls = all.entry(name.clone()).or_default();
            *calls =
                (text(site, "call").into(), calls.1 + number(site, "calls"), calls.2 + number(site, "bytes"));
        }
    }
    Ok(all)
}

fn calls(wanted: &[(&str, &str, u64, u64)]) -> Calls {
    wanted
        .iter()
        .map(|(name, call, count, bytes)| ((*name).into(), ((*call).into(), *count, *bytes)))
        .collect()
}

/// The calls of `call_sites.c` in two processes.
const WANTED: [(&str, &str, u64, u64); 5] = [
    ("late send", "MPI_Send", 10, 40),
    ("late receive", "MPI_Recv", 10, 0),
    ("even", "MPI_Sendrecv_replace", 8, 64),
    ("odd", "MPI_Sendrecv_replace", 6, 72),
    ("inlined", "MPI_Barrier", 4, 0),
];

/// Compiles `call_sites.c` into a file, with further options.
fn program(stack: &Stack, file: &str, options: &[&str]) -> Outcome<PathBuf> {
    stacks::c_variant(Some(stack), "call_sites", file, options)
}

fn job(stack: &Stack, program: &Path) -> Job {
    Job::mpi(stack, RANKS).arg(program)
}

const SOURCE: &str = "hosts/c/call_sites.c";

#[test]
fn sites_are_lines_of_the_program() -> Outcome {
    let check = |stack: &Stack, dir: &Path, file: &str, options: &[&str], settings: &[(&str, &str)]| {
        let (report, _) = reported(job(stack, &program(stack, file, options)?), dir, settings)?;
        equal(file, &named_calls(&report, SOURCE)?, &calls(&WANTED))?;
        check_properties(&report)
    };
    let (file, movable) = ("call_sites", ["-fPIE", "-pie"]);
    on_each_in_dir("sites", |stack, dir| check(stack, dir, file, &movable, &[SITED]))?;
    on_each_family_in_dir("sites_variants", |stack, dir| {
        // With and without listeners, calls reach the measurement by different ways.
        let listened = [SITED, ("monitoring_time", "all")];
        check(stack, dir, file, &movable, &listened)?;
        let (file, fixed) = ("call_sites_fixed", ["-fno-pie", "-no-pie"]);
        check(stack, dir, file, &fixed, &[SITED])?;
        check(stack, dir, file, &fixed, &listened)
    })
}

/// Checks the names of functions, inlined ones, and the imbalance of a call that one of two ranks makes.
fn check_properties(report: &Value) -> Outcome {
    let of = |call: &str| rows(report, "sites").filter(|site| text(site, "call") == call).collect::<Vec<_>>();
    let receive = &of("MPI_Recv")[..];
    let is_right = |site: &&Value| {
        text(&site["code"][0], "function") == "wait_for_late"
            && site["imbalance"] == 0.5
            && number(site, "max_rank") == 1
            && site["seconds"].as_f64() > Some(0.0)
    };
    Failure::unless(receive.len() == 1 && receive.iter().all(is_right), || format!("{receive:?}"))?;
    let barriers = of("MPI_Barrier");
    let names = |site: &Value| {
        let code = site["code"].as_array().into_iter().flatten();
        code.map(|one| text(one, "function").to_owned()).collect::<Vec<_>>()
    };
    let are_inlined = barriers.iter().all(|site| names(site) == ["inlined_barrier", "main"]);
    Failure::unless(barriers.len() == 2 && are_inlined, || format!("{barriers:?}"))
}

/// Tests calls by a library of the program, by libraries that are closed, in another namespace, by generated code, and a program whose
/// symbols were removed.
#[test]
fn sites_are_in_every_module() -> Outcome {
    on_each_family_in_dir("sites_modules", |stack, dir| {
        let library = program(stack, "libcall_sites.so", &["-DLIBRARY", "-shared", "-fPIC"])?;
        let link = format!("-Wl,--no-as-needed,{}", library.display());
        let over_library = program(stack, "call_sites_over_library", &["-DOVER_LIBRARY", "-s", &link])?;
        let turn = |file: &str| program(stack, file, &["-DTURN", "-shared", "-fPIC"]);
        let apart = ["-DWITHOUT_MPI", "-shared", "-fPIC", "-Wl,--build-id=none"];
        let apart = stacks::c_variant(None, "call_sites", "libcall_sites_apart.so", &apart)?;
        let turns = [turn("libcall_sites_a.so")?, turn("libcall_sites_b.so")?, apart];
        let job = job(stack, &over_library).arg("turns").args(turns);
        let (report, _) = reported(job, dir, &[SITED])?;
        let found = named_calls(&report, SOURCE)?;
        let wanted = [("library", "MPI_Send", 1, 4), ("in turn", "MPI_Barrier", 2 * 78, 0)];
        equal("library", &found, &calls(&wanted))?;
        let modules = ["libcall_sites_a.so", "libcall_sites_b.so", "libcall_sites_apart.so", ""];
        let by_module = modules.map(|module| {
            let is_there =
                |site: &&Value| Path::new(text(site, "module")).file_name().unwrap_or_default() == module;
            rows(&report, "sites").filter(is_there).map(|site| number(site, "calls")).sum::<u64>()
        });
        equal("barriers by module", &by_module, &[2 * 60, 2 * 18, 2 * (5 + 6), 2 * 4])?;
        let stripped: Vec<_> =
            rows(&report, "sites").filter(|site| text(site, "module").ends_with("over_library")).collect();
        let is_right = |site: &&Value| {
            let offset = number(site, "offset");
            site["code"].as_array().is_some_and(Vec::is_empty)
                && text(site, "problem") == "the module has no symbols"
                && text(site, "site") == format!("call_sites_over_library+{offset:#x}")
        };
        let count = stripped.iter().map(|site| number(site, "calls")).sum::<u64>();
        equal("calls of the stripped program", &count, &(10 + 10 + 1 + 8 + 6 + 4))?;
        Failure::unless(stripped.iter().all(is_right), || format!("{stripped:?}"))
    })
}

/// Tests a program that is another one, or missing, when its report is written.
#[test]
fn changed_programs_have_offsets() -> Outcome {
    on_each_family_in_dir("sites_changed", |stack, dir| {
        let (first, second) =
            (program(stack, "call_sites", &["-fPIE", "-pie"])?, program(stack, "call_sites_o2", &["-O2"])?);
        let copy = dir.join("program");
        fs::copy(first, &copy).context("copy")?;
        let (report, output) = reported(job(stack, &copy), dir, &[SITED])?;
        equal("before", &named_calls(&report, SOURCE)?, &calls(&WANTED))?;
        Failure::unless(!output.contains("offsets"), || output)?;
        fs::copy(second, &copy).context("copy")?;
        let (report, output) = report_of(dir)?;
        equal("changed", &named_calls(&report, SOURCE)?, &Calls::new())?;
        Failure::unless(output.contains("it has changed since the run"), || output)?;
        fs::remove_file(&copy).context("remove")?;
        let (report, output) = report_of(dir)?;
        let is_offset = |site: &Value| text(site, "site").starts_with("program+0x");
        Failure::unless(output.contains("cannot read") && rows(&report, "sites").all(is_offset), || output)
    })
}

#[test]
fn killed_processes_keep_their_sites() -> Outcome {
    on_each_family_in_dir("sites_killed", |stack, dir| {
        let program = program(stack, "call_sites", &["-fPIE", "-pie"])?;
        let job = job(stack, &program).arg("kill").dir(dir);
        let killed =
            job.under_mpit(&written_with("prof/run", &[SITED, ("monitoring_store", "file")]))?.finish()?;
        killed.expect(killed.code != Some(0))?;
        let (report, _) = report_of(dir)?;
        let mut found = named_calls(&report, SOURCE)?;
        let killed = found.remove("killed");
        equal("before the end", &found, &calls(&WANTED))?;
        // Rank 1 was in its call when the launcher ended it, or had not begun it.
        Failure::unless(killed.is_none_or(|of| of == ("MPI_Barrier".into(), 1, 0)), || "killed".into())
    })
}

#[test]
fn many_sites_are_bounded() -> Outcome {
    on_each_family_in_dir("sites_many", |stack, dir| {
        let program = program(stack, "call_sites", &["-fPIE", "-pie"])?;
        let (report, output) = reported(job(stack, &program).arg("many"), dir, &[SITED])?;
        let of = |is_other: bool| {
            let is_wanted = |site: &&Value| {
                text(site, "call") == "MPI_Barrier" && (text(site, "site") == "(other sites)") == is_other
            };
            rows(&report, "sites").filter(is_wanted).map(|site| number(site, "calls")).sum::<u64>()
        };
        equal("barriers", &(of(false) + of(true)), &(4 + 2 * 5000))?;
        Failure::unless(of(true) > 0 && output.contains("from more places than"), || output)
    })
}

#[test]
fn sites_are_off_by_default() -> Outcome {
    on_each_family_in_dir("sites_off", |stack, dir| {
        let program = program(stack, "call_sites", &["-fPIE", "-pie"])?;
        let (report, output) = reported(job(stack, &program), dir, &[])?;
        let is_empty = rows(&report, "sites").next().is_none() && rows(&report, "regions").next().is_none();
        Failure::unless(is_empty && !output.contains("Sites"), || output)
    })
}

/// Returns the calls of a name by region.
pub(crate) fn by_region(report: &Value, call: &str) -> BTreeMap<String, u64> {
    let rows = rows(report, "regions").filter(|row| text(row, "call") == call);
    rows.map(|row| (text(row, "region").to_owned(), number(row, "calls"))).collect()
}

pub(crate) fn counts(wanted: &[(&str, u64)]) -> BTreeMap<String, u64> {
    wanted.iter().map(|(name, count)| ((*name).into(), u64::from(RANKS) * count)).collect()
}

#[test]
fn regions_split_calls() -> Outcome {
    on_each_family_in_dir("regions", |stack, dir| {
        let include = build::include();
        for (file, options) in [
            ("regions", &["-fPIE", "-pie", &include][..]),
            ("regions_fixed", &["-fno-pie", "-no-pie", &include]),
        ] {
            let program = stacks::c_variant(Some(stack), "regions", file, options)?;
            job(stack, &program).dir(dir).succeed().context("without mpit")?;
            for settings in [&[][..], &[SITED]] {
                let (report, output) = reported(job(stack, &program), dir, settings)?;
                let wanted = counts(&[
                    ("begun before MPI", 12),
                    ("(outside)", 1 + 5 + 9 + 11),
                    ("outer", 2 + 4 + 7),
                    ("inner", 3),
                    ("MPI_Pcontrol 7", 6),
                    ("MPI_Pcontrol -3", 8),
                    ("inside", 10),
                ]);
                equal(file, &by_region(&report, "MPI_Barrier"), &wanted)?;
                let note = "4 ends of regions do not fit to the last begin: left, never begun;";
                Failure::unless(output.matches(note).count() == 1, || output)?;
            }
        }
        Ok(())
    })
}

#[test]
fn regions_of_a_library_opened_later() -> Outcome {
    on_each_family_in_dir("regions_opened", |stack, dir| {
        let (library, options) = (build::plugin("region")?, ["-fPIE", "-pie", &build::include()]);
        let program = stacks::c_variant(Some(stack), "regions", "regions", &options)?;
        let run = || job(stack, &program).arg(&library);
        run().dir(dir).succeed().context("without mpit")?;
        let (report, _) = reported(run(), dir, &[])?;
        let wanted = counts(&[("begun before MPI", 12), ("of a library", 3), ("(outside)", 1)]);
        equal("opened", &by_region(&report, "MPI_Barrier"), &wanted)
    })
}

#[test]
fn regions_are_those_of_a_thread() -> Outcome {
    on_each_family_in_dir("regions_threads", |stack, dir| {
        let options = ["-fPIE", "-pie", &build::include()];
        let program = stacks::c_variant(Some(stack), "regions", "regions", &options)?;
        let finished = job(stack, &program).arg("threads").dir(dir).succeed()?;
        if finished.stdout.contains("no threads") {
            return Ok(());
        }
        let (report, _) = reported(job(stack, &program).arg("threads"), dir, &[SITED])?;
        let wanted = counts(&[("begun before MPI", 12), ("first", 10), ("second", 15), ("(outside)", 10)]);
        equal("threads", &by_region(&report, "MPI_Barrier"), &wanted)
    })
}

#[test]
fn fortran_has_sites_and_regions() -> Outcome {
    stacks::with_fortran("sites_fortran", |stack| {
        for interface in INTERFACES {
            let dir = stack.scratch(&format!("sites_{interface}"))?;
            let program = stack.compile_fortran("call_sites", interface)?;
            let (report, _) = reported(job(stack, &program), &dir, &[SITED])?;
            let wanted = [
                ("send", "MPI_Send", 5, 80),
                ("receive", "MPI_Recv", 5, 0),
                ("in solver", "MPI_Barrier", 6, 0),
                ("outside", "MPI_Barrier", 2, 0),
            ];
            equal(interface, &named_calls(&report, "hosts/fortran/call_sites.F90")?, &calls(&wanted))?;
            equal(
                interface,
                &by_region(&report, "MPI_Barrier"),
                &counts(&[("solver", 3), ("(outside)", 1)]),
            )?;
        }
        Ok(())
    })
}

#[test]
fn python_has_sites_and_regions() -> Outcome {
    stacks::with_mpi4py("sites_python", |stack, python| {
        let (script, dir) = (paths::source("hosts/python/call_sites.py"), stack.scratch("sites_python")?);
        let package = paths::workspace().join("python");
        let job = || {
            let job = Job::mpi(stack, RANKS).env("MPI4PY_LIBMPI", &stack.library).env("PYTHONPATH", &package);
            job.arg(python).arg(&script).dir(&dir)
        };
        job().succeed().context("without mpit")?;
        let (report, _) = reported(job(), &dir, &[SITED])?;
        let source = "hosts/python/call_sites.py";
        let wanted = [
            ("send", "MPI_Send", 6, 72),
            ("other send", "MPI_Send", 6, 24),
            ("receive", "MPI_Recv", 6, 0),
            ("other receive", "MPI_Recv", 6, 0),
            ("barrier", "MPI_Barrier", 6, 0),
        ];
        equal("lines", &named_calls(&report, source)?, &calls(&wanted))?;
        let sends: Vec<_> = rows(&report, "sites").filter(|site| text(site, "call") == "MPI_Send").collect();
        let is_right = |site: &&Value| {
            text(&site["code"][0], "function") == "Exchange.größte"
                && text(site, "module").ends_with("call_sites.py")
                && site["build_id"].is_null()
                && site["offset"].is_null()
        };
        Failure::unless(sends.len() == 2 && sends.iter().all(is_right), || format!("{sends:?}"))?;
        let barriers = rows(&report, "sites").filter(|site| text(site, "call") == "MPI_Barrier");
        let generated: Vec<_> =
            barriers.map(|site| text(site, "site")).filter(|site| site.contains('<')).collect();
        for line in ["<string>:1", "first:2", "second:2"] {
            let line = format!("{line} (<module>)");
            Failure::unless(generated.contains(&&*line), || format!("{generated:?}"))?;
        }
        let mut of_threads = rows(&report, "sites")
            .filter(|site| text(site, "call") == "MPI_Barrier" && text(site, "module").contains("MPI."));
        Failure::unless(of_threads.next().is_some(), || format!("{report:#}"))?;
        equal("sends", &by_region(&report, "MPI_Send"), &BTreeMap::from([("exchange".into(), 12)]))?;
        equal("barriers", &by_region(&report, "MPI_Barrier").get("(outside)"), &Some(&14))
    })
}
