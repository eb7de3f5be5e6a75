//! The use of an MPI library by programs that were built for another one with the same ABI.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use super::{Stack, Vendor};
use crate::{Context, Outcome, build};

impl Stack {
    /// Returns the `LD_LIBRARY_PATH` with which programs for Intel MPI use MPICH, and those of Debian for Open MPI 4 use Open MPI 5;
    /// `None` if programs find the library without it, as those for the standard's ABI do. The files that they need are written into a new directory `lib` in `dir`.
    pub fn in_place_of_another(&self, dir: &Path) -> Outcome<Option<String>> {
        if self.vendor() == Vendor::Intel || self.is_open_mpi_of_debian() || self.is_standard_abi() {
            return Ok(None);
        }
        let links = dir.join("lib");
        fs::create_dir(&links).context(links.display())?;
        if self.vendor() == Vendor::Mpich {
            symlink(&self.library, links.join("libmpi.so.12")).context(links.display())?;
        } else {
            // Debian's compiler wrapper also links the inner libraries of Open MPI 4. Programs use nothing of them.
            for name in ["libopen-rte.so.40", "libopen-pal.so.40"] {
                let soname = format!("-Wl,-soname,{name}");
                let mut compiler = Command::new("cc");
                compiler.args(["-shared", &soname, "-x", "c", "/dev/null", "-o"]).arg(links.join(name));
                build::run(&mut compiler)?;
            }
        }
        let beside = self.library.parent().context("no directory")?;
        // If the file has that name already, it finds its dependencies in its own directory.
        Ok(Some(format!("{}:{}", beside.display(), links.display())))
    }

    /// Returns the `LD_LIBRARY_PATH` with which programs in Fortran for Debian's MPICH use Intel MPI, whose Fortran library has the same
    /// functions. The files that they need are written into a new directory `lib` in `dir`.
    pub fn in_place_of_debians_mpich(&self, dir: &Path) -> Outcome<String> {
        let links = dir.join("lib");
        fs::create_dir(&links).context(links.display())?;
        let beside = self.library.parent().context("no directory")?;
        for (theirs, ours) in [("libmpich.so.12", "libmpi.so.12"), ("libmpichfort.so.12", "libmpifort.so.12")]
        {
            symlink(beside.join(ours), links.join(theirs)).context(links.display())?;
        }
        Ok(format!("{}:{}", beside.display(), links.display()))
    }
}
