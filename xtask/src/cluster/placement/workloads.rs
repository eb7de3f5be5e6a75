//! The programs whose gains are measured: the patterns of a program of the tests, programs of others, and one that users would write.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use mpit_tests::cluster::placement::{PATTERNS, Program, number_after};
use mpit_tests::{Context, Outcome, Stack, build, paths};

/// The rate of the links while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Programs that only exchange messages wait for these links.
    Fast,
    /// Programs that also compute wait for these.
    Slow,
}

/// Writes the input of a program into a directory, and returns the program; `None` if it is not installed.
type Prepare = dyn Fn(&Stack, &Path) -> Outcome<Option<Program>>;

/// A program with its input, on an MPI library.
pub(super) struct Workload {
    /// The name in the table.
    pub(super) name: String,
    /// The label of the MPI library.
    pub(super) library: &'static str,
    pub(super) link: Link,
    /// The package that has the program.
    pub(super) package: &'static str,
    pub(super) prepare: Box<Prepare>,
}

const OPEN_MPI: &str = "ompi4.1.4";
const MPICH: &str = "mpich5.0.2";

/// The size of messages of the patterns, and their steps.
const BYTES: u32 = 1 << 20;
const STEPS: u32 = 8;

/// Returns all programs, in the order of the table.
pub(super) fn all() -> Vec<Workload> {
    let patterns =
        PATTERNS.into_iter().flat_map(|pattern| [OPEN_MPI, MPICH].map(|library| exchange(pattern, library)));
    patterns
        .chain(["Exchange", "Sendrecv"].map(benchmark))
        .chain([
            beam(Link::Fast),
            beam(Link::Slow),
            lammps("LAMMPS, block", Link::Slow, [10, 20, 36], [2, 2, 2], 25),
            jacobi("ompi5.0.11"),
            jacobi(MPICH),
        ])
        .collect()
}

fn exchange(pattern: &'static str, library: &'static str) -> Workload {
    Workload {
        name: format!("`{pattern}`"),
        library,
        link: Link::Fast,
        package: "mpit-tests",
        prepare: Box::new(move |stack, _| Program::neighbor_exchange(stack, pattern, BYTES, STEPS).map(Some)),
    }
}

/// Returns one of Intel's benchmarks, in which a chain of processes runs along the rows of a grid whose columns have consecutive ranks.
fn benchmark(name: &'static str) -> Workload {
    const OPTIONS: &str = "-map 2x4 -npmin 8 -iter 8 -iter_policy off -msglog 19:19";
    Workload {
        name: format!("IMB-MPI1 {name}"),
        library: MPICH,
        link: Link::Fast,
        package: "impi-rt",
        prepare: Box::new(move |stack, dir| {
            let program = paths::wheels().join("impi-rt/bin/IMB-MPI1");
            if !program.is_file() {
                return Ok(None);
            }
            let line = [program.display().to_string()].into_iter();
            let line = line.chain(OPTIONS.split(' ').chain([name]).map(str::to_owned));
            let libraries = stack.in_place_of_another(dir)?.into_iter();
            let program = Program::new(line, seconds_of_last_size);
            Ok(Some(libraries.fold(program, |program, value| program.env("LD_LIBRARY_PATH", value))))
        }),
    }
}

/// Returns the time of all repetitions with messages of the largest size: their number times the mean of all processes.
fn seconds_of_last_size(stdout: &str) -> Option<f64> {
    let numbers =
        |line: &str| line.split_whitespace().map(|word| word.parse().ok()).collect::<Option<Vec<f64>>>();
    // Size, repetitions, the least, the largest and the mean time in microseconds, megabytes per second.
    let mut rows = stdout.lines().filter_map(numbers).filter(|row| row.len() == 6);
    rows.next_back().map(|row| row[1] * row[4] / 1e6)
}

fn beam(link: Link) -> Workload {
    lammps("LAMMPS, beam", link, [8, 80, 6], [2, 4, 1], 50)
}

/// Returns a simulation of atoms in a box with these sides, on a grid of processes.
fn lammps(name: &str, link: Link, sides: [u32; 3], grid: [u32; 3], steps: u32) -> Workload {
    Workload {
        name: name.into(),
        library: OPEN_MPI,
        link,
        package: "lammps",
        prepare: Box::new(move |_, dir| {
            let Some(program) = paths::find_program("lmp") else { return Ok(None) };
            let ([x, y, z], [px, py, pz]) = (sides, grid);
            let variables =
                [("x", x), ("y", y), ("z", z), ("px", px), ("py", py), ("pz", pz), ("steps", steps)];
            let variables =
                variables.iter().flat_map(|(name, value)| ["-var".into(), (*name).into(), value.to_string()]);
            copy("hosts/inputs/box.lmp", dir)?;
            let words = [&program.display().to_string(), "-in", "box.lmp", "-log", "none"].map(str::to_owned);
            Ok(Some(Program::new(words.into_iter().chain(variables), |stdout| {
                number_after(stdout, "Loop time of ")
            })))
        }),
    }
}

/// Returns an iteration in Python with mpi4py and NumPy.
fn jacobi(library: &'static str) -> Workload {
    const STEPS: &str = "40";
    Workload {
        name: "Jacobi, mpi4py".into(),
        library,
        link: Link::Slow,
        package: "numpy, which the packages for tables need",
        prepare: Box::new(|stack, dir| {
            let Some(with_numpy) = paths::python_with_tables() else { return Ok(None) };
            link_numpy(&with_numpy, dir)?;
            copy("hosts/python/jacobi.py", dir)?;
            let python = stack.mpi4py().context("no mpi4py")?;
            let line = [&python.display().to_string(), "jacobi.py", STEPS].map(str::to_owned);
            Ok(Some(Program::new(line, |stdout| number_after(stdout, "seconds "))))
        }),
    }
}

/// Puts NumPy beside a script: the environments of MPI libraries do not have it, and launchers differ in the variables that they pass.
fn link_numpy(python: &Path, dir: &Path) -> Outcome {
    let place = "import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))";
    let [packages, _] = build::run(Command::new(python).args(["-c", place]))?;
    for name in ["numpy", "numpy.libs"] {
        let from = Path::new(packages.trim()).join(name);
        if from.exists() {
            symlink(&from, dir.join(name)).context(from.display())?;
        }
    }
    Ok(())
}

fn copy(source: &str, dir: &Path) -> Outcome {
    let from = paths::source(source);
    let name = from.file_name().context(source)?;
    fs::copy(&from, dir.join(name)).map(drop).context(from.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_benchmarks_are_found() {
        let text = "# Benchmarking Exchange\n     0    2    4    6\n\n     1    3    5    7\n\
                    #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n\
                    0            8       466.42      1605.90      1161.39         0.00\n\
                    524288            8    178059.10    184421.31    181000.00        11.37\n\n# All processes\n";
        assert_eq!(seconds_of_last_size(text), Some(1.448));
        assert_eq!(seconds_of_last_size("0 8 1.0\n"), None);
    }

    #[test]
    fn programs_differ_in_their_rows() {
        let mut rows: Vec<_> =
            all().into_iter().map(|one| (one.name, one.library, one.link == Link::Fast)).collect();
        let number = rows.len();
        rows.sort();
        rows.dedup();
        assert_eq!(rows.len(), number);
    }
}
