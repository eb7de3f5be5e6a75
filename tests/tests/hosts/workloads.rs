//! Programs of other people, from Debian and PyPI: under mpit they give the same results, and their messages are seen.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use mpit_tests::{
    Context, Failure, Outcome,
    launch::Job,
    paths, record,
    stacks::{self, Origin, Stack, Vendor},
};

use crate::{read_all, written_to};

const RANKS: u32 = 2;

/// A program of others, and what of its results must not change.
struct Workload {
    /// The package it is from.
    package: &'static str,
    /// Where the program is, if it is here.
    program: fn() -> Option<PathBuf>,
    /// Its arguments.
    arguments: &'static [&'static str],
    /// The stacks it runs on.
    applies: fn(&Stack) -> bool,
    /// Puts the input into the directory it is run from.
    prepare: fn(&Path) -> Outcome,
    /// What of the results is the same in every run, from what it printed and the directory.
    results: fn(&str, &Path) -> Outcome<String>,
}

/// Debian builds its programs with its Open MPI.
fn debian_open_mpi(stack: &Stack) -> bool {
    stack.vendor() == Vendor::OpenMpi && matches!(stack.origin(), Origin::Debian(_))
}

/// Runs it bare and under mpit, each in a fresh directory, and compares.
fn compare(workload: &Workload) -> Outcome {
    let package = workload.package;
    let Some(program) = (workload.program)() else {
        return record::not_run(
            package,
            &format!("package {package} is not installed; see `cargo xtask setup`"),
        );
    };
    stacks::for_each(package, workload.applies, |stack| {
        let run = |name: &str, monitored: bool| {
            let dir = stack.scratch(&format!("{package}_{name}"))?;
            (workload.prepare)(&dir)?;
            let mut job = Job::mpi(stack, RANKS).arg(&program).args(workload.arguments).dir(&dir);
            if monitored {
                job = job.under_mpit(&written_to("prof"))?;
            }
            let finished = job.succeed()?;
            let results = (workload.results)(&finished.stdout, &dir)?;
            Failure::unless(!results.is_empty(), || format!("no results:\n{finished}"))?;
            Ok((dir, results))
        };
        let (_, bare) = run("bare", false)?;
        let (dir, monitored) = run("monitored", true)?;
        Failure::unless(bare == monitored, || format!("results differ\n{bare}\nunder mpit\n{monitored}"))?;
        check_traffic(&dir.join("prof"))
    })
}

/// Both processes have sent something to the other.
fn check_traffic(stem: &Path) -> Outcome {
    for (rank, prof) in (0..).zip(read_all(stem, RANKS)?) {
        let sent = prof.rows('E').get(&(1 - rank)).map_or(0, |row| row.messages);
        Failure::unless(sent > 0, || format!("no message of rank {rank} was seen"))?;
    }
    Ok(())
}

fn copy_input(name: &str, dir: &Path) -> Outcome {
    let from = paths::source("hosts/inputs").join(name);
    fs::copy(&from, dir.join(name)).map(drop).context(from.display())
}

/// The table of thermodynamics: step, temperature, energies, pressure. Everything else is timings.
#[test]
fn r319_lammps_melts_the_same_crystal() -> Outcome {
    compare(&Workload {
        package: "lammps",
        program: || paths::find_program("lmp"),
        applies: debian_open_mpi,
        arguments: &["-in", "melt.lmp", "-log", "none"],
        prepare: |dir| copy_input("melt.lmp", dir),
        results: |stdout, _| {
            let table = stdout.lines().skip_while(|line| !line.trim_start().starts_with("Step"));
            let rows = table.take_while(|line| !line.starts_with("Loop time"));
            Ok(rows.collect::<Vec<_>>().join("\n"))
        },
    })
}

/// Norms, residuals and numbers of errors of the parts that compute something. Everything else is timings.
#[test]
fn r319_hpcc_computes_the_same_numbers() -> Outcome {
    const NUMBERS: [&str; 12] = [
        "Success",
        "HPL_N",
        "HPL_AnormI",
        "HPL_BnormI",
        "HPL_RnormI",
        "HPL_XnormI",
        "PTRANS_n",
        "PTRANS_residual",
        "MPIRandomAccess_Errors",
        "MPIRandomAccess_LCG_Errors",
        "MPIFFT_N",
        "MPIFFT_maxErr",
    ];
    compare(&Workload {
        package: "hpcc",
        program: || paths::find_program("hpcc"),
        applies: debian_open_mpi,
        arguments: &[],
        prepare: |dir| copy_input("hpccinf.txt", dir),
        results: |_, dir| {
            let path = dir.join("hpccoutf.txt");
            let text = fs::read_to_string(&path).context(path.display())?;
            let is_number =
                |line: &&str| line.split_once('=').is_some_and(|(name, _)| NUMBERS.contains(&name));
            let numbers: Vec<_> = text.lines().filter(is_number).collect();
            Failure::unless(numbers.len() == NUMBERS.len(), || format!("only {numbers:?} in the results"))?;
            Ok(numbers.join("\n"))
        },
    })
}

/// Which part each vertex went to, of a grid cut in four.
#[test]
fn r319_ptscotch_cuts_the_same_graph_the_same_way() -> Outcome {
    compare(&Workload {
        package: "ptscotch",
        program: || paths::find_program("dgpart"),
        applies: debian_open_mpi,
        arguments: &["4", "grid.grf", "grid.map", "-Cd"],
        prepare: |dir| fs::write(dir.join("grid.grf"), grid(16)?).context("grid.grf"),
        results: |_, dir| fs::read_to_string(dir.join("grid.map")).context("grid.map"),
    })
}

/// A square grid of `side` times `side` vertices, in Scotch's format: for each vertex its degree and its neighbours.
fn grid(side: usize) -> Outcome<String> {
    let mut edges = 0;
    let mut lines = String::new();
    for (row, column) in (0..side).flat_map(|row| (0..side).map(move |column| (row, column))) {
        let around = [
            (row.wrapping_sub(1), column),
            (row, column.wrapping_sub(1)),
            (row, column + 1),
            (row + 1, column),
        ];
        let neighbours: Vec<_> =
            around.into_iter().filter(|(row, column)| *row < side && *column < side).collect();
        edges += neighbours.len();
        write!(lines, "{}", neighbours.len()).context("grid")?;
        for (row, column) in neighbours {
            write!(lines, " {}", row * side + column).context("grid")?;
        }
        lines.push('\n');
    }
    Ok(format!("0\n{} {edges}\n0 000\n{lines}", side * side))
}

/// The tables' sizes and numbers of repetitions; the rest is timings. Intel's benchmarks know MPICH's binary interface.
#[test]
fn r319_intel_s_benchmarks_run_through() -> Outcome {
    compare(&Workload {
        package: "impi-rt",
        program: || Some(paths::wheels().join("impi-rt/bin/IMB-MPI1")).filter(|program| program.is_file()),
        arguments: &[
            "-iter",
            "5",
            "-msglog",
            "0:10",
            "PingPong",
            "Sendrecv",
            "Exchange",
            "Allreduce",
            "Bcast",
        ],
        applies: |stack| stack.vendor() == Vendor::Intel && !stack.is_standard_abi(),
        prepare: |_| Ok(()),
        results: |stdout, _| {
            let rows = stdout.lines().filter(|line| {
                line.starts_with("# Benchmarking")
                    || line.trim_start().starts_with(|first: char| first.is_ascii_digit())
            });
            let words = |line: &str| {
                let count = if line.starts_with('#') { 3 } else { 2 };
                line.split_whitespace().take(count).collect::<Vec<_>>().join(" ")
            };
            Ok(rows.map(words).collect::<Vec<_>>().join("\n"))
        },
    })
}

#[test]
fn r319_mpi4py_says_hello() -> Outcome {
    stacks::for_each(
        "mpi4py_hello",
        |stack| stack.mpi4py().is_some(),
        |stack| {
            let python = stack.mpi4py().context("no mpi4py")?;
            let job = || Job::mpi(stack, RANKS).arg(&python).args(&["-m", "mpi4py.bench", "helloworld"]);
            let bare = job().succeed()?;
            let monitored = job().under_mpit(&[crate::MONITORED])?.succeed()?;
            // Ranks speak in any order.
            let lines = |text: &str| {
                let mut lines: Vec<_> = text.lines().map(str::to_owned).collect();
                lines.sort();
                lines
            };
            Failure::unless(
                lines(&bare.stdout) == lines(&monitored.stdout)
                    && lines(&bare.stdout).len() == RANKS as usize,
                || format!("without:\n{bare}\nwith:\n{monitored}"),
            )
        },
    )
}

/// mpi4py calls the large-count form of a function where the library has it, and finds that out by itself.
#[test]
fn mpi4py_s_messages_are_counted() -> Outcome {
    stacks::for_each(
        "mpi4py_sends",
        |stack| stack.mpi4py().is_some(),
        |stack| {
            let python = stack.mpi4py().context("no mpi4py")?;
            let dir = stack.scratch("mpi4py")?;
            let job =
                Job::mpi(stack, RANKS).arg(&python).arg(paths::source("hosts/python/sends.py")).dir(&dir);
            job.under_mpit(&written_to("prof"))?.succeed()?;
            for (rank, prof) in (0..).zip(read_all(&dir.join("prof"), RANKS)?) {
                let rows: Vec<_> =
                    prof.rows('E').into_iter().map(|(peer, row)| (peer, row.messages, row.bytes)).collect();
                Failure::unless(rows == [(1 - rank, 4, 32)], || {
                    format!("rank {rank}: rows (peer, messages, bytes) are {rows:?}")
                })?;
            }
            Ok(())
        },
    )
}
