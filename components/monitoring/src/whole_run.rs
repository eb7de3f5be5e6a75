//! Output of the records, and its destinations.

use std::io;
use std::path::Path;

use mpit_format::container::Text;
use mpit_format::names::stem_of;
use mpit_format::profile::{About, NOT_RECORDED, Profile};
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::store::{Failure, Outcome, live, path_of};
use mpit_frameworks::diagnostics::warn;
use mpit_frameworks::{Subscription, World};
use mpit_job::identity;
use mpit_sync::lock::Mutex;
use mpit_sync::memory;

use crate::gather::{self, Output};
use crate::output::write_text;
use crate::phase::{Phase, subscriptions};
use crate::runtime::RUNTIME;
use crate::settings::{self, stem_of_stores};
use crate::{about, job_store, output_directory, store, times, values};

/// The error number of a lack of memory, which is the same on all systems.
const NO_MEMORY: i32 = 12;

/// The output for the whole run; `None` if there is none.
static WHOLE_RUN: Mutex<Option<WholeRun>> = Mutex::new(None);

/// The run after its end. Without its readers of communicators, the words of those that MPI frees at its end would be cleared in the
/// store, which `mpit run` reads afterwards.
static ENDED_RUN: Mutex<Option<WholeRun>> = Mutex::new(None);

struct WholeRun {
    /// False if the records only stay in the store. The phases then keep the records of communicators that are freed.
    is_written: bool,
    all: Phase,
    /// The phase of the next numbered file.
    phase: Phase,
    /// The number of files of phases.
    written: u32,
}

impl WholeRun {
    fn begin(is_written: bool) -> Self {
        Self { is_written, all: Phase::whole_run(), phase: Phase::whole_run(), written: 0 }
    }

    /// Writes the traffic since the last numbered file to the next one. If that fails, the phase continues.
    fn write_phase(&mut self, me: u32, lines: Vec<(String, Vec<String>)>) {
        // Before the file is written: operations meanwhile belong to the next phase, also if their communicator is freed.
        let next = Phase::after(&self.phase.begin);
        let mut profile = self.phase.until(&next.begin, me);
        profile.lines = lines;
        let ending = format!("_{}.{me}.prof", self.written + 1);
        // `file` has reported the failure to the user.
        if file(&profile, Path::new(settings::FILENAME.get().as_str()), &ending).is_ok() {
            self.written += 1;
            self.phase = next;
        }
    }
}

/// Stores the records in a file from the start, if the settings request it, or if `mpit run` started the job. Called before
/// anything is recorded.
pub(crate) fn create_store(world: World) {
    let is_created = create_requested_store(world) || job_store::create(world);
    if is_created && let Some(identity) = identity::of_process() {
        let fields = Encoded::default().name(&identity.fields());
        let _ = store::OF_PROCESS.add(BlockKind::Run, 0, 0, fields.words());
    }
    // Late ranks are found by the numbers of collective operations, which calls have that are described.
    if settings::has_summary_file() && !crate::live::is_active() {
        crate::live::begin();
    }
}

fn create_requested_store(world: World) -> bool {
    let Some(stem) = stem_of_stores() else {
        if settings::STORE.get() == settings::StoreLocation::File && world.rank == 0 {
            warn(
                "monitoring_store=file has no effect: set pml_monitoring_enable, pml_monitoring_enable_output=3 and \
                 pml_monitoring_filename as well",
            );
        }
        return false;
    };
    let path = path_of(&stem_of(&stem, identity::number()), world.rank);
    let created =
        output_directory::create_for(&path).and_then(|()| store::OF_PROCESS.attach_file(&path, world)).inspect_err(
            |error| {
                warn(format_args!(
                    "monitoring_store: cannot create {}: {error}; records stay in memory and are lost if the process is killed",
                    path.display()
                ));
            },
        );
    if created.is_ok() {
        job_store::link(&path, world);
    }
    created.is_ok()
}

/// Stores the beginning of the run, if a component records it and the settings request output at its end.
pub(crate) fn begin() {
    let is_recorded = subscriptions().into_iter().any(Subscription::is_active);
    if is_recorded && settings::is_recorded() {
        output_directory::remember_root();
        let is_written = settings::is_enabled() && settings::ENABLE_OUTPUT.get() > 0;
        *WHOLE_RUN.lock() = Some(WholeRun::begin(is_written));
        if is_written && let Some(world) = RUNTIME.world() {
            // From here on, this process writes at the end, whatever happens to its settings.
            let stem = settings::FILENAME.get();
            let output = output_to(stem.as_str());
            gather::begin(world, output);
            if let Output::Files(stem) = output {
                announce(stem);
            }
        }
        if settings::has_summary_file()
            && let Some(world) = RUNTIME.world()
        {
            gather::summary::begin(world, settings::SUMMARY_FILE.get().as_str());
        }
    } else if settings::has_summary_file() && RUNTIME.world().is_some_and(|world| world.rank == 0) {
        warn("monitoring_summary_file has no effect: no component records the run");
    }
}

/// Notes in the store that a file is due, and its path: `mpit run` writes it if this process cannot.
fn announce(stem: &Path) {
    // Absolute, because the program may change its directory.
    let stem = std::path::absolute(stem_of(stem, identity::number())).ok();
    if let Some(stem) = stem.as_deref().and_then(Path::to_str) {
        let name = Encoded::default().name(stem);
        let _ = store::OF_PROCESS.add(BlockKind::Description, live::OUTPUT, 0, name.words());
    }
    store::OF_PROCESS.set_outcome(Outcome::Due);
}

pub(crate) fn end() {
    store::OF_PROCESS.finalizing();
    write();
    job_store::end();
    gather::end();
}

fn write() {
    // Runs functions of components, so it comes before the lock.
    let lines = lines_of_components();
    let run = WHOLE_RUN.lock().take();
    let (Some(mut run), Some(world)) = (run, RUNTIME.world()) else { return };
    let is_summarized = settings::has_summary_file();
    if is_summarized || run.is_written {
        let part = Part::that_fits();
        part.declare();
        if run.is_written && part != Part::All {
            store::OF_PROCESS.set_outcome(Outcome::Failed(Failure::Errno(NO_MEMORY)));
        }
        let profile = if part == Part::Nothing { Profile::default() } else { until_now(&run, world, part) };
        if is_summarized {
            gather::summary::write(world, settings::SUMMARY_FILE.get().as_str(), &profile);
        }
        // The other processes wait for a text, also if it is empty.
        if run.is_written && (part != Part::Nothing || gather::is_wanted()) {
            let lines = if part == Part::All { lines } else { Vec::new() };
            // A store that has no more than the file is not needed.
            let is_complete = part == Part::All || store::OF_PROCESS.path().is_none();
            write_run(&mut run, world, &Profile { me: world.rank, lines, ..profile }, is_complete);
        }
    }
    *ENDED_RUN.lock() = Some(run);
}

/// The part of the records for which there is memory as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All,
    WithoutTimes,
    Nothing,
}

/// Returns true if there is memory for the traffic as a text; reports if not.
pub(crate) fn has_memory_for_traffic() -> bool {
    let has_memory = Part::that_fits() != Part::Nothing;
    if !has_memory {
        warn("monitoring: memory is short: a file of a phase is not written");
    }
    has_memory
}

impl Part {
    fn that_fits() -> Self {
        /// The size of the rows and the text, in relation to that of the records.
        const FACTOR: usize = 4;
        const LEAST: usize = 128 << 10;
        let fits = |bytes: usize| memory::is_available(bytes.saturating_mul(FACTOR).saturating_add(LEAST));
        let [traffic, times] = store::OF_PROCESS.bytes();
        if fits(traffic + times) {
            Self::All
        } else if fits(traffic) {
            Self::WithoutTimes
        } else {
            Self::Nothing
        }
    }

    /// Reports what is missing in the output at the end.
    fn declare(self) {
        if let dropped @ 1.. = memory::dropped() {
            warn(format_args!("monitoring: memory was short: {dropped} operations are not recorded"));
        }
        let what = match self {
            Self::All => return,
            Self::WithoutTimes => "the times of this process are",
            Self::Nothing => "the records of this process are",
        };
        let path = store::OF_PROCESS.path();
        let place = path.map_or_else(String::new, |path| format!("; all records are in {}", path.display()));
        warn(format_args!("monitoring: memory is short: {what} not written{place}"));
    }
}

/// Returns the records of the run so far, with times and facts about the job.
fn until_now(run: &WholeRun, world: World, part: Part) -> Profile {
    let mut profile = run.all.until_now(world.rank);
    profile.about = about::get();
    profile.values = values::get();
    if let dropped @ 1.. = memory::dropped() {
        let value = format!("{dropped} operations of rank {}, because memory was short", world.rank);
        profile.about.push(About::new(NOT_RECORDED, &value));
    }
    if part != Part::All {
        profile.about.push(About::new(NOT_RECORDED, &format!("times of rank {}", world.rank)));
        return profile;
    }
    times::add_to(&mut profile);
    profile
}

/// Writes the records of the run. The store is kept unless they are complete.
fn write_run(run: &mut WholeRun, world: World, profile: &Profile, is_complete: bool) {
    let stem = settings::FILENAME.get();
    let output = output_to(stem.as_str());
    if run.written > 0 && is_complete && matches!(output, Output::Files(_)) {
        run.write_phase(world.rank, profile.lines.clone());
    }
    let text = match output {
        Output::Files(_) if gather::is_wanted() => profile.text_for_container(identity::of_process()),
        Output::Files(_) => profile.text(identity::of_process()),
        _ => profile.text(None),
    };
    // Records that could not be written can still be read from the store.
    let outcome = gather::write(world, text, output);
    // Otherwise the outcome is the lack of memory, and `mpit run` makes a complete file of the store.
    if is_complete && matches!(output, Output::Files(_)) {
        store::OF_PROCESS.set_outcome(outcome);
    }
    if outcome.is_written() && is_complete {
        store::OF_PROCESS.end();
        if !job_store::is_used() {
            store::OF_PROCESS.remove_file();
        }
        // A store of an earlier run would otherwise count as newer than the file written now.
        if let Output::Files(stem) = output {
            store::discard(&path_of(&stem_of(stem, identity::number()), world.rank));
        }
    }
}

/// Returns the output at the end according to the settings; `stem` is the beginning of the names of files.
fn output_to(stem: &str) -> Output<'_> {
    match settings::ENABLE_OUTPUT.get() {
        1 => Output::Stdout,
        2 => Output::Stderr,
        _ => Output::Files(Path::new(stem)),
    }
}

/// Writes the records so far, if they are to be written at the end; alone, as other ranks may be anywhere.
pub(crate) fn write_now() {
    if WHOLE_RUN.lock().as_ref().is_none_or(|run| !run.is_written) || !has_memory_for_traffic() {
        return;
    }
    let lines = lines_of_components();
    let mut run = WHOLE_RUN.lock();
    let (Some(run), Some(world)) = (&mut *run, RUNTIME.world()) else { return };
    if settings::ENABLE_OUTPUT.get() > 2 {
        return run.write_phase(world.rank, lines);
    }
    let mut profile = run.all.until_now(world.rank);
    profile.lines = lines;
    let text = Text { rank: world.rank, host: String::new(), text: profile.text(None) };
    // Reported by the function itself.
    let _ = gather::write_each([text], output_to(""));
}

fn lines_of_components() -> Vec<(String, Vec<String>)> {
    let all = RUNTIME.report().into_iter();
    all.map(|(name, lines)| (name, lines.iter().map(Into::into).collect())).collect()
}

/// Writes `<stem><ending>`. Errors are also reported to the user.
pub(crate) fn file(profile: &Profile, stem: &Path, ending: &str) -> io::Result<()> {
    write_text(stem, ending, &profile.text(identity::of_process()))
}
