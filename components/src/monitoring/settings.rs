//! Control variables that all three components obey. Names, defaults, scopes and verbosities are Open MPI's.

use mpit::cvar::{Cvar, Text};
use mpit::{MpitEnum, cvar};

use crate::pml::monitoring::PmlMonitoring;

/// Messages, one-sided accesses and collective operations are recorded from the start of MPI to its end: 0 no; 1
/// yes, messages of the library's own (with a negative tag) counting as the user's; 2 yes, the two kinds apart.
/// Whatever the value, each of the three is recorded while a handle of one of its monitoring variables is started.
/// MPI_Pcontrol(0) turns recording off, MPI_Pcontrol(1) on again.
#[cvar(
    name = "pml_monitoring_enable",
    scope = "READONLY",
    verbosity = "TUNER_BASIC",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_enable"
)]
pub(crate) static ENABLE: Cvar<i32> = Cvar::new(0).range(0..=2);

/// Output at the end of MPI of what was recorded during the whole run, if pml_monitoring_enable is not 0: 0 none;
/// 1 standard output; 2 standard error; 3 and more a file of each process, see pml_monitoring_filename. Handles of
/// pml_monitoring_flush have no influence on it. MPI_Pcontrol(2) writes to files <filename>_1.<rank>.prof and so on what
/// was recorded since the one before, the end of MPI the last of them as well; to streams, all that was recorded so far.
#[cvar(
    name = "pml_monitoring_enable_output",
    scope = "READONLY",
    verbosity = "MPIDEV_ALL",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_enable_output"
)]
pub(crate) static ENABLE_OUTPUT: Cvar<i32> = Cvar::new(0).range(0..=i32::MAX);

/// The beginning of the names of files: the process of rank r in the world writes <filename>.<r>.prof. Directories
/// that are missing are made. Also the first value of each handle of pml_monitoring_flush.
#[cvar(
    name = "pml_monitoring_filename",
    scope = "READONLY",
    verbosity = "MPIDEV_ALL",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_filename"
)]
pub(crate) static FILENAME: Cvar<Text<2048>> = Cvar::new(Text::new(""));

/// The place of the records until the end of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, MpitEnum)]
#[mpit(name = "monitoring_store")]
#[repr(i32)]
pub(crate) enum StoreLocation {
    /// Memory: a process that does not reach MPI_Finalize leaves nothing.
    Memory,
    /// A file.
    File,
}

/// Place of what is recorded until the end of MPI, if it is to be written to files then: memory; or a file
/// <pml_monitoring_filename>.<rank in the world>.store that is there while the process runs, so that what it recorded is not
/// lost when the process is killed. `mpit run` and `mpit report` read such files; when the process has written all it has, the
/// file goes.
#[cvar(
    name = "monitoring_store",
    scope = "LOCAL",
    settable = "before_init",
    verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static STORE: Cvar<StoreLocation> = Cvar::new(StoreLocation::Memory);

/// Parses a part of the version, which Cargo provides as text.
pub(crate) const fn number(text: &str) -> i32 {
    match i32::from_str_radix(text, 10) {
        Ok(number) => number,
        Err(_) => panic!("Cargo's version numbers are numbers"),
    }
}
