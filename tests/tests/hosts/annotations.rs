//! Regions by annotations that programs have for other tools, compared with what is built into the programs, and the times of regions.

use std::collections::BTreeMap;
use std::path::Path;

use mpit_tests::{Failure, Finished, Job, Outcome, Stack, build, stacks};
use serde_json::Value;

use crate::sites::{by_region, number, report_of, rows, text};
use crate::{equal, on_in_dir};

const RANKS: u32 = 2;

/// A library of each vendor.
const LIBRARIES: [&str; 3] = ["ompi5.0.11", "mpich5.0.2", "impi2021.19"];

/// The number of visits of each region and of barriers in it, in one process.
type Wanted<'a> = &'a [(&'a str, u64, u64)];

/// Runs a job with and without mpit, with options of `mpit run`. Checks the regions, and returns the report and the output of `mpit report`.
fn check(job: impl Fn() -> Job, dir: &Path, options: &[&str], wanted: Wanted) -> Outcome<(Value, String)> {
    let without = job().dir(dir).succeed()?;
    let options = [&["--quiet", "--output", "prof/run"], options].concat();
    let with = job().dir(dir).under_mpit_with(&options)?.succeed()?;
    let output = |finished: &Finished| finished.stdout.clone() + &finished.stderr;
    equal("output", &output(&with), &output(&without))?;
    let (report, output) = report_of(dir)?;
    let of_all = |of_one: u64| u64::from(RANKS) * of_one;
    let barriers: BTreeMap<_, _> = wanted
        .iter()
        .filter(|(_, _, barriers)| *barriers > 0)
        .map(|(name, _, count)| ((*name).into(), of_all(*count)))
        .collect();
    equal("barriers", &by_region(&report, "MPI_Barrier"), &barriers)?;
    let visits: BTreeMap<&str, u64> =
        rows(&report, "region_times").map(|row| (text(row, "region"), number(row, "visits"))).collect();
    let wanted = wanted.iter().map(|(name, visits, _)| (*name, of_all(*visits))).collect();
    equal("visits", &visits, &wanted)?;
    Ok((report, output))
}

fn program(stack: &Stack) -> Outcome<std::path::PathBuf> {
    stacks::c_variant(Some(stack), "annotations", "annotations", &[&build::include()])
}

fn check_annotations(
    (stack, dir): (&Stack, &Path),
    which: &str,
    options: &[&str],
    wanted: Wanted,
) -> Outcome<(Value, String)> {
    let program = program(stack)?;
    check(|| Job::mpi(stack, RANKS).arg(&program).arg(which), dir, options, wanted)
}

#[test]
fn pcontrol_names_regions() -> Outcome {
    on_in_dir(&LIBRARIES, "annotations_pcontrol", |stack, dir| {
        let wanted = [
            ("solver", 1, 6),
            ("inner", 1, 3),
            // Without a name that can be read.
            ("MPI_Pcontrol 9093", 4, 13),
            ("MPI_Pcontrol 9094", 1, 8),
            ("(outside)", 0, 5),
        ];
        let (_, output) = check_annotations((stack, dir), "pcontrol", &[], &wanted)?;
        let note = "2 ends of regions do not fit to the last begin: never begun;";
        Failure::unless(output.matches(note).count() == 1, || output)
    })
}

#[test]
fn kokkos_has_regions_and_kernels() -> Outcome {
    on_in_dir(&LIBRARIES, "annotations_kokkos", |stack, dir| {
        let wanted = [
            ("step", 1, 3),
            ("update", 1, 2),
            ("norm", 1, 4),
            ("offsets", 1, 5),
            ("output", 1, 6),
            ("first", 1, 0),
            ("second", 1, 7),
            ("(outside)", 0, 9),
        ];
        check_annotations((stack, dir), "kokkos", &["--regions", "kokkos"], &wanted).map(drop)
    })
}

#[test]
fn nvtx_has_ranges_and_domains() -> Outcome {
    on_in_dir(&LIBRARIES, "annotations_nvtx", |stack, dir| {
        let wanted = [
            ("pushed", 1, 9),
            ("started", 1, 3),
            ("größer", 1, 9),
            ("of attributes", 1, 6),
            ("library:registered", 1, 17),
            ("NVTX", 1, 10),
            ("(outside)", 0, 12),
        ];
        check_annotations((stack, dir), "nvtx", &["--regions", "nvtx,kokkos,caliper"], &wanted).map(drop)
    })
}

/// Tests a program that is linked with Caliper's library, and one that opens a plug-in with a scope of its own.
#[test]
fn caliper_has_regions() -> Outcome {
    let wanted = [
        ("region", 1, 10),
        ("phase", 1, 6),
        ("halo", 1, 5),
        ("phase one", 1, 6),
        ("setup", 1, 7),
        ("second", 1, 8),
        ("(outside)", 0, 10),
    ];
    on_in_dir(&LIBRARIES, "annotations_caliper", |stack, dir| {
        let linked = stack.compile_over_library("caliper_calls")?;
        let caliper =
            format!("-Wl,--no-as-needed,{}", linked.with_file_name("libcaliper_calls.so").display());
        let plugin = ["-DPLUGIN", "-shared", "-fPIC", &caliper];
        let plugin = stacks::c_variant(Some(stack), "caliper_calls", "caliper_plugin.so", &plugin)?;
        let opening = stacks::c_variant(Some(stack), "caliper_calls", "caliper_opening", &["-DOPENS"])?;
        let options = ["--regions", "caliper"];
        let is_forwarded = || Job::mpi(stack, RANKS).arg(&linked).dir(dir).succeed().map(|done| done.stdout);
        equal("calls", &*is_forwarded()?, "14 calls\n")?;
        check(|| Job::mpi(stack, RANKS).arg(&linked), dir, &options, &wanted)?;
        check(|| Job::mpi(stack, RANKS).arg(&opening).arg(&plugin), dir, &options, &wanted).map(drop)
    })
}

/// Returns the seconds of all calls in a region.
fn by_seconds(report: &Value, region: &str) -> f64 {
    let of_region = rows(report, "regions").filter(|row| text(row, "region") == region);
    of_region.filter_map(|row| row["seconds"].as_f64()).sum()
}

#[test]
fn regions_have_times() -> Outcome {
    on_in_dir(&LIBRARIES, "annotations_times", |stack, dir| {
        let wanted = [
            ("compute", 2, 0),
            ("exchange", 1, 1),
            // Rank 0 alone.
            ("alone", 1, 0),
            ("to the end", 1, 0),
            ("inside", 1, 0),
            // Begin before MPI is initialized.
            ("early", 1, 0),
            ("started", 1, 0),
            ("(outside)", 0, 1),
        ];
        let program = program(stack)?;
        let job = || Job::mpi(stack, RANKS).arg(&program).arg("times").dir(dir);
        job().under_mpit_with(&["--quiet", "--output", "prof/run"])?.succeed()?;
        let (report, _) = report_of(dir)?;
        let of = |region: &str, key: &str| {
            let mut rows = rows(&report, "region_times").filter(|row| text(row, "region") == region);
            rows.next().and_then(|row| row[key].as_f64()).unwrap_or(-1.0)
        };
        for (name, visits, _) in wanted {
            let ranks = if name == "alone" { 1 } else { RANKS };
            equal(name, &of(name, "visits"), &f64::from(ranks * visits))?;
            equal(name, &of(name, "ranks"), &f64::from(ranks))?;
        }
        // A busy machine wakes processes late, never early.
        for (region, key, least) in [
            ("compute", "elapsed", 0.2),
            ("compute", "useful_max", 0.2),
            ("compute", "useful_mean", 0.15),
            ("exchange", "elapsed", 0.2),
            ("exchange", "useful_max", 0.2),
            ("exchange", "useful_mean", 0.1),
            ("alone", "elapsed", 0.05),
            ("alone", "useful_mean", 0.025),
            ("to the end", "elapsed", 0.1),
        ] {
            let got = of(region, key);
            Failure::unless(got >= least, || {
                format!("{region} {key}: {got}, should be at least {least}: {report:#}")
            })?;
        }
        // The barrier has what is not useful.
        let in_barrier = by_seconds(&report, "exchange");
        let useful = f64::from(RANKS) * of("exchange", "useful_mean");
        let is_rest = (of("exchange", "seconds") - useful - in_barrier).abs() < 1e-6;
        Failure::unless(is_rest, || format!("exchange: {in_barrier} in MPI: {report:#}"))?;
        for (region, ..) in wanted {
            let is_product = |key: &str, of_others: f64| {
                let got = of(region, key);
                Failure::unless((got - of_others).abs() < 1e-6, || {
                    format!("{region} {key}: {got}, should be {of_others}: {report:#}")
                })
            };
            let (mean, most) = (of(region, "useful_mean"), of(region, "useful_max"));
            is_product("load_balance", mean / most)?;
            is_product("communication_efficiency", most / of(region, "elapsed"))?;
            is_product("parallel_efficiency", mean / of(region, "elapsed"))?;
        }
        Ok(())
    })
}
