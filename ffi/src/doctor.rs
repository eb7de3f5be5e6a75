//! The report of a process to `mpit doctor`: its MPI library, its settings, and the location of its files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mpit::cvar::ValueSource;
use mpit::internal::os::environment;
use mpit::internal::os::own_process;
use mpit::internal::registry::{misspelled, unknown};
use mpit::tool::Registry;
use mpit_components::{host, monitoring, run};
use mpit_sync::lock::Mutex;

use crate::host::Host;
use crate::json::Object;
use crate::native_monitoring;

/// The environment variable that requests the report: a directory for one file per process.
pub const DIRECTORY: &str = "MPIT_DOCTOR";

struct Report {
    file: PathBuf,
    /// The members that never change.
    members: Object,
    /// Messages about settings that no variable has.
    unknown: Vec<String>,
}

static LAST_REPORT: Mutex<Option<Report>> = Mutex::new(None);

/// Writes the report after the initialization of MPI if it is requested.
pub(crate) fn write_if_requested() {
    if let Some(directory) = directory() {
        let report = initialized(basic_report(&directory));
        store_report(report, false);
    }
}

/// Writes the report again in `MPI_Finalize`.
pub(crate) fn finalized() {
    let before = LAST_REPORT.lock().take();
    if let Some(before) = before {
        store_report(Report { unknown: unknown_settings(), ..before }, true);
    }
}

/// Writes the report of a process that calls MPI and has no library, or one of an unknown ABI.
pub fn write_without_mpi() {
    if let Some(directory) = directory() {
        store_report(basic_report(&directory), false);
    }
}

fn directory() -> Option<PathBuf> {
    environment::var_os(DIRECTORY).map(PathBuf::from)
}

/// Writes the file of the process. Errors are ignored: the directory may be on another machine, and `mpit
/// doctor` reports missing processes.
fn store_report(report: Report, is_finalized: bool) {
    let members = report.members.clone().with("unknown", &report.unknown).with("finalized", is_finalized);
    let temporary = report.file.with_extension("new");
    let _ = fs::write(&temporary, members.into_text()).and_then(|()| fs::rename(&temporary, &report.file));
    *LAST_REPORT.lock() = Some(report);
}

fn basic_report(directory: &Path) -> Report {
    let program = fs::read_link("/proc/self/exe").unwrap_or_default();
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let machine = machine.trim().replace('/', "_");
    let members = Object::default()
        .with("pid", std::process::id())
        .with("pid_namespace", own_process::namespace())
        .with("host", &machine)
        .with("program", program.display().to_string())
        .with("mpit", env!("CARGO_PKG_VERSION"))
        .with("launcher", launcher())
        .with("mpi", library());
    Report {
        file: directory.join(format!("{machine}-{}.json", own_process::name())),
        members,
        unknown: Vec::new(),
    }
}

/// Returns the launcher of this process, and the number of processes.
fn launcher() -> Option<(&'static str, Option<u32>)> {
    let (name, size) = run::launcher(|variable| environment::var(variable).is_some())?;
    Some((name, size.and_then(environment::var).and_then(|size| size.parse().ok())))
}

/// Adds what is known after the initialization of MPI.
fn initialized(report: Report) -> Report {
    let stem = monitoring::named_stem();
    let error = stem.as_deref().and_then(|stem| check_writable(stem).err());
    let members = report
        .members
        .with("world", host::world().map(|world| (world.rank, world.size)))
        .with("settings", settings())
        .with("records", monitoring::records_whole_run())
        .with("stem", stem.map(|stem| stem.display().to_string()))
        .with("unwritable", error.map(|error| error.to_string()))
        .with("native", native_monitoring::is_on());
    Report { members, unknown: unknown_settings(), ..report }
}

/// Returns the MPI library. The ABI is missing if it is unknown.
fn library() -> Option<Object> {
    let (file, version) = crate::host::foreign::library()?;
    let abi = Host::get().map(|host| host.abi().name);
    Some(Object::default().with("version", version).with("abi", abi).with("file", file))
}

/// Returns the settings that differ from the default: name, value and source.
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
    let test_file = directory.join(format!(".mpit-doctor-{}", own_process::name()));
    File::create_new(&test_file)?;
    fs::remove_file(test_file)
}

/// Reports once that the program calls MPI without an MPI library, which common linker options cause.
#[cold]
pub fn warn_of_missing_library() {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    if library().is_none() && !IS_REPORTED.swap(true, Relaxed) {
        crate::warn(
            "this program calls MPI, and no MPI library is loaded: the linker dropped it (--as-needed, which many compilers pass); \
             link with -Wl,--no-as-needed in front of -lmpi",
        );
        write_without_mpi();
    }
}
