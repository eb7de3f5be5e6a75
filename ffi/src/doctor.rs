//! The report of a process to `mpit doctor`: its MPI library, its settings, and the location of its files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit::cvar::ValueSource;
use mpit::cvar::unknown::{misspelled, unknown};
use mpit::internal::environment;
use mpit::tool::Registry;
use mpit_components::{host, monitoring};
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::native_monitoring;

/// The environment variable that requests the report: a directory for one file per process.
pub const DIRECTORY: &str = "MPIT_DOCTOR";

/// The report of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Name of the machine.
    pub host: String,
    /// Path of the executable.
    pub program: String,
    /// Version of the preload library.
    pub mpit: String,
    /// The launcher, as its environment variables show, and its number of processes.
    pub launcher: Option<(String, Option<u32>)>,
    /// The MPI library; `None` if there is none.
    pub mpi: Option<Mpi>,
    /// Rank and number of processes, once MPI is initialized.
    pub world: Option<(u32, u32)>,
    /// Settings that differ from the default: name, value, and source.
    pub settings: Vec<(String, String, String)>,
    /// Messages about settings that no variable has.
    pub unknown: Vec<String>,
    /// True if recording is requested.
    pub records: bool,
    /// The common prefix of the file names, if files are to be written.
    pub stem: Option<PathBuf>,
    /// The error if the files cannot be written.
    pub unwritable: Option<String>,
    /// True if Open MPI's own monitoring is enabled as well.
    pub native: bool,
    /// True if the process has reached `MPI_Finalize`.
    pub finalized: bool,
}

/// The MPI library of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mpi {
    /// The version string of the library.
    pub version: String,
    /// The name of its ABI; `None` if it is unknown.
    pub abi: Option<String>,
    /// The path of its file.
    pub file: String,
}

static LAST_REPORT: Mutex<Option<Process>> = Mutex::new(None);

/// Writes the report after the initialization of MPI if it is requested.
pub(crate) fn write_if_requested() {
    if let Some(directory) = directory() {
        store_report(&directory, process());
    }
}

/// Writes the report again in `MPI_Finalize`.
pub(crate) fn finalized() {
    let Some(directory) = directory() else { return };
    let before = LAST_REPORT.lock().ok().and_then(|mut written| written.take());
    if let Some(before) = before {
        store_report(&directory, Process { finalized: true, unknown: unknown_settings(), ..before });
    }
}

/// Writes the report of a process that calls MPI and has no library, or one of an unknown ABI.
pub fn write_without_mpi() {
    if let Some(directory) = directory() {
        store_report(&directory, Process { mpi: library(), ..basic_report() });
    }
}

fn directory() -> Option<PathBuf> {
    environment::var_os(DIRECTORY).map(PathBuf::from)
}

/// Writes the file of the process. Errors are ignored: the directory may be on another machine, and `mpit
/// doctor` reports missing processes.
fn store_report(directory: &Path, process: Process) {
    let path = directory.join(format!("{}-{}.json", process.host, process.pid));
    if let Ok(text) = serde_json::to_vec(&process) {
        let temporary = path.with_extension("new");
        let _ = fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
    }
    if let Ok(mut written) = LAST_REPORT.lock() {
        *written = Some(process);
    }
}

fn basic_report() -> Process {
    let program = fs::read_link("/proc/self/exe").unwrap_or_default();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    Process {
        pid: std::process::id(),
        host: host.trim().replace('/', "_"),
        program: program.display().to_string(),
        mpit: env!("CARGO_PKG_VERSION").into(),
        launcher: launcher(),
        ..Process::default()
    }
}

/// Environment variables with the number of processes, and the launchers that set them. The first one present
/// wins: launchers may run below others.
const LAUNCHERS: [(&str, &str); 4] = [
    ("OMPI_COMM_WORLD_SIZE", "mpiexec of Open MPI"),
    ("PMI_SIZE", "Hydra, the mpiexec of MPICH and Intel MPI"),
    ("SLURM_STEP_NUM_TASKS", "srun"),
    ("PMIX_RANK", "a launcher with PMIx"),
];

fn launcher() -> Option<(String, Option<u32>)> {
    let (name, value) = LAUNCHERS
        .iter()
        .find_map(|(variable, name)| Some((*name, (*variable, environment::var(variable)?))))?;
    let (variable, value) = value;
    let size = if variable == "PMIX_RANK" { None } else { value.parse().ok() };
    Some((name.to_owned(), size))
}

fn process() -> Process {
    let stem = monitoring::named_stem();
    Process {
        mpi: library(),
        world: host::world().map(|world| (world.rank, world.size)),
        settings: settings(),
        unknown: unknown_settings(),
        records: monitoring::records_whole_run(),
        unwritable: stem
            .as_deref()
            .and_then(|stem| check_writable(stem).err())
            .map(|error| error.to_string()),
        stem,
        native: native_monitoring::is_on(),
        ..basic_report()
    }
}

fn library() -> Option<Mpi> {
    let (file, version) = crate::host::foreign::library()?;
    Some(Mpi { version, file, abi: Host::get().map(|host| host.abi().name.to_owned()) })
}

fn settings() -> Vec<(String, String, String)> {
    let registry = Registry::global();
    let of = |index| {
        let (desc, source) = (registry.cvar(index)?, registry.cvar_source(index)?);
        if source == ValueSource::Default {
            return None;
        }
        Some((desc.name().to_owned(), desc.value_as_text(), source.to_string()))
    };
    (0..registry.cvar_count()).filter_map(of).collect()
}

fn unknown_settings() -> Vec<String> {
    let registry = Registry::global();
    [misspelled(registry), unknown(registry)].concat()
}

/// Checks that files can be written: creates one in the directory of the run's files, and removes it.
fn check_writable(stem: &Path) -> std::io::Result<()> {
    let directory = stem.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let test_file = directory.join(format!(".mpit-doctor-{}", std::process::id()));
    File::create_new(&test_file)?;
    fs::remove_file(test_file)
}

/// Reports once that the program calls MPI without an MPI library, which common linker options cause.
#[cold]
pub fn warn_of_missing_library() {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if library().is_none() && !IS_REPORTED.swap(true, Relaxed) {
        print(
            "this program calls MPI, and no MPI library is loaded: the linker dropped it (--as-needed, which many compilers pass); \
             link with -Wl,--no-as-needed in front of -lmpi",
        );
        write_without_mpi();
    }
}

#[allow(clippy::print_stderr, reason = "the program gets an error code that says nothing")]
fn print(message: &str) {
    eprintln!("mpit: {message}");
}
