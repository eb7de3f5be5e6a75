//! Control variables that all three components obey. Names, defaults, scopes and verbosities are Open MPI's.

use std::path::PathBuf;

use mpit::cvar::{Cvar, Text};
use mpit::internal::registry::Registry;
use mpit::{MpitEnum, cvar};

use mpit_format::times::Mode;
use mpit_job::name;

use crate::categories::PmlMonitoring;
use crate::runtime::RUNTIME;

/// Records messages, one-sided accesses and collective operations from the initialization of MPI to its end. 0: no.
/// 1: yes; messages that the library sends for its own purposes (negative tag) count as the program's. 2: yes; both kinds
/// of messages are counted separately. With any value, each of the three is recorded while a handle of one of its
/// monitoring variables is started. MPI_Pcontrol(0) pauses recording, and MPI_Pcontrol(1) resumes it.
#[cvar(
    name = "pml_monitoring_enable", scope = "READONLY", verbosity = "TUNER_BASIC", category = PmlMonitoring,
    env = "OMPI_MCA_pml_monitoring_enable"
)]
pub(crate) static ENABLE: Cvar<i32> = Cvar::new(0).range(0..=2);

/// Output of the records of the whole run at the end of MPI, if pml_monitoring_enable is not 0. 0: none. 1: standard
/// output. 2: standard error. 3 or more: one file for each process, see pml_monitoring_filename. Handles of
/// pml_monitoring_flush do not change this output. MPI_Pcontrol(2) writes the records since the last such call to files
/// <filename>_1.<rank>.prof, <filename>_2.<rank>.prof and so on, and the end of MPI writes the last of these files; to a
/// stream, MPI_Pcontrol(2) writes all records so far.
#[cvar(
    name = "pml_monitoring_enable_output", scope = "READONLY", verbosity = "MPIDEV_ALL",
    category = PmlMonitoring, env = "OMPI_MCA_pml_monitoring_enable_output"
)]
pub(crate) static ENABLE_OUTPUT: Cvar<i32> = Cvar::new(0).range(0..=i32::MAX);

/// First part of the names of files: rank r in the world writes <filename>.<r>.prof. Missing directories are created.
/// This is also the initial value of each handle of pml_monitoring_flush.
#[cvar(
    name = "pml_monitoring_filename", scope = "READONLY", verbosity = "MPIDEV_ALL", category = PmlMonitoring,
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
    name = "monitoring_store", scope = "LOCAL", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static STORE: Cvar<StoreLocation> = Cvar::new(StoreLocation::Memory);

/// A choice of the calls that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, MpitEnum)]
#[mpit(name = "monitoring_time")]
#[repr(i32)]
pub(crate) enum TimeSetting {
    /// Blocking under `mpit run`, else off.
    Auto,
    /// No calls.
    Off,
    /// Calls that may wait always, others by sampling.
    Blocking,
    /// All calls.
    All,
}

/// Calls whose time is measured from the initialization of MPI to its end, by name and communicator, with exact counts. off:
/// none. blocking: calls that may wait are measured always, others by sampling. all: each call. auto: blocking if `mpit run`
/// started the process, or if monitoring_summary_file is set, else off. The rows are in the store of the process and in the
/// files of pml_monitoring_enable_output.
#[cvar(
    name = "monitoring_time", scope = "LOCAL", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static TIME: Cvar<TimeSetting> = Cvar::new(TimeSetting::Auto);

/// Distinction of the places in the program that make calls, where monitoring_time measures them: counts and times are separate for
/// each return address, which `mpit report` resolves to functions and lines. 0: no. 1: yes.
#[cvar(
    name = "monitoring_sites", scope = "LOCAL", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static SITES: Cvar<i32> = Cvar::new(0).range(0..=1);

/// A choice of recording without files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, MpitEnum)]
#[mpit(name = "monitoring_summary")]
#[repr(i32)]
pub(crate) enum SummarySetting {
    /// On under `mpit run`, else off.
    Auto,
    /// Nothing is recorded unless pml_monitoring_enable requests it.
    Off,
    /// Records are kept in the store of the job.
    On,
}

/// Recording of messages, accesses and collective operations for the summary of `mpit run`, without files. on: from the
/// initialization of MPI to its end, as with pml_monitoring_enable=2. off: only as other settings request. auto: on if `mpit run`
/// started the process, else off.
#[cvar(
    name = "monitoring_summary", scope = "LOCAL", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static SUMMARY: Cvar<SummarySetting> = Cvar::new(SummarySetting::Auto);

/// Beginning of the name of a file for the summary of the job, which rank 0 writes at the end of MPI: <name>.summary has time in MPI,
/// efficiency, traffic, calls and late ranks of all processes in at most 64 KiB, whatever their number. Empty: none. In the name, %j
/// stands for the job of the batch system, %s for its step, %u for the user, and %x for the program. The processes are recorded as
/// with monitoring_summary=on, and their summaries are merged along a tree. All processes must see the file's directory.
#[cvar(
    name = "monitoring_summary_file", scope = "ALL_EQ", settable = "before_init", verbosity = "USER_BASIC",
    category = PmlMonitoring
)]
pub(crate) static SUMMARY_FILE: Cvar<Text<2048>> = Cvar::new(Text::new(""));

/// Returns the calls that are measured.
pub(crate) fn time() -> Mode {
    // The first use of the registry gives settings their values.
    let _ = Registry::global();
    match TIME.get() {
        TimeSetting::Auto if name::job_of_environment().is_some() || has_summary_file() => Mode::Blocking,
        TimeSetting::Auto | TimeSetting::Off => Mode::Off,
        TimeSetting::Blocking => Mode::Blocking,
        TimeSetting::All => Mode::All,
    }
}

/// Returns true if the run is recorded, for files or for the summary of `mpit run`.
pub(crate) fn is_recorded() -> bool {
    let is_summarized = match SUMMARY.get() {
        SummarySetting::Auto => name::job_of_environment().is_some(),
        SummarySetting::Off => false,
        SummarySetting::On => true,
    };
    is_summarized || has_summary_file() || is_enabled()
}

/// Returns true if a file for the summary of the job is wanted.
pub(crate) fn has_summary_file() -> bool {
    // The first use of the registry gives settings their values.
    let _ = Registry::global();
    !SUMMARY_FILE.get().as_str().is_empty()
}

pub(crate) fn is_enabled() -> bool {
    ENABLE.get() > 0
}

/// Returns the beginning of file names according to the settings, even if they request no file at the end.
#[must_use]
pub fn named_stem() -> Option<PathBuf> {
    let stem = FILENAME.get();
    if stem.as_str().is_empty() { None } else { Some(stem.as_str().into()) }
}

/// Returns the beginning of the names of stores, if the settings of this process enable stores. Also used by the process that
/// starts a job with its environment.
#[must_use]
pub fn stem_of_stores() -> Option<PathBuf> {
    if STORE.get() != StoreLocation::File {
        return None;
    }
    stem_of_files().filter(|stem| !stem.as_os_str().is_empty())
}

/// Returns the beginning of the names of files at the end, if the settings enable files.
#[must_use]
pub fn stem_of_files() -> Option<PathBuf> {
    if !is_enabled() || ENABLE_OUTPUT.get() <= 2 {
        return None;
    }
    Some(FILENAME.get().as_str().into())
}

/// Returns true if the settings make this process record its whole run: recording is enabled, and at least one of the three
/// frameworks admits its component `monitoring`. Open MPI's own component must then be disabled, since it reads the same
/// settings and writes the same files.
#[must_use]
pub fn records_whole_run() -> bool {
    RUNTIME.is_selected("monitoring") && is_enabled()
}
