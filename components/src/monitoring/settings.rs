//! Control variables that all three components obey. Names, defaults, scopes and verbosities are Open MPI's.

use mpit::cvar::{Cvar, Text};
use mpit::{MpitEnum, cvar};

use crate::pml::monitoring::PmlMonitoring;

/// Records messages, one-sided accesses and collective operations from the initialization of MPI to its end. 0: no.
/// 1: yes; messages that the library sends for its own purposes (negative tag) count as the program's. 2: yes; both kinds
/// of messages are counted separately. With any value, each of the three is recorded while a handle of one of its
/// monitoring variables is started. MPI_Pcontrol(0) pauses recording, and MPI_Pcontrol(1) resumes it.
#[cvar(
    name = "pml_monitoring_enable",
    scope = "READONLY",
    verbosity = "TUNER_BASIC",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_enable"
)]
pub(crate) static ENABLE: Cvar<i32> = Cvar::new(0).range(0..=2);

/// Output of the records of the whole run at the end of MPI, if pml_monitoring_enable is not 0. 0: none. 1: standard
/// output. 2: standard error. 3 or more: one file for each process, see pml_monitoring_filename. Handles of
/// pml_monitoring_flush do not change this output. MPI_Pcontrol(2) writes the records since the last such call to files
/// <filename>_1.<rank>.prof, <filename>_2.<rank>.prof and so on, and the end of MPI writes the last of these files; to a
/// stream, MPI_Pcontrol(2) writes all records so far.
#[cvar(
    name = "pml_monitoring_enable_output",
    scope = "READONLY",
    verbosity = "MPIDEV_ALL",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_enable_output"
)]
pub(crate) static ENABLE_OUTPUT: Cvar<i32> = Cvar::new(0).range(0..=i32::MAX);

/// First part of the names of files: rank r in the world writes <filename>.<r>.prof. Missing directories are created.
/// This is also the initial value of each handle of pml_monitoring_flush.
#[cvar(
    name = "pml_monitoring_filename",
    scope = "READONLY",
    verbosity = "MPIDEV_ALL",
    category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_filename"
)]
pub(crate) static FILENAME: Cvar<Text<2048>> = Cvar::new(Text::new(""));

/// The location of the records until the end of MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, MpitEnum)]
#[mpit(name = "monitoring_store")]
#[repr(i32)]
pub(crate) enum StoreLocation {
    /// Memory: a process that does not reach MPI_Finalize loses its records.
    Memory,
    /// A file that survives the process.
    File,
}

/// Location of the records until the end of MPI, if they are then written to files. memory: a process that is killed loses
/// its records. file: the records are in <pml_monitoring_filename>.<rank in the world>.store, which remains if the process
/// is killed. `mpit run` and `mpit report` read such files. A process that has written all its records removes the file.
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
