//! Collection of all processes' output at one process at the end of the run.
//!
//! A host that can do so offers a [`Transport`]. It is used during `MPI_Finalize`, if all processes have agreed on it without
//! messages (`agreement`). The collection begins with a barrier without a time limit, as `MPI_Finalize` has. Afterwards no step
//! waits longer than `monitoring_gather_timeout` for a process that does not answer, and output that cannot be brought to rank 0 is
//! written by the process that has it.

mod agreement;
mod bundle;
mod marks;
pub(crate) mod summary;
mod tree;

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use mpit::cvar::Cvar;
use mpit::{category, cvar};
use mpit_format::container::{self, Text};
use mpit_format::names::directory_of;
use mpit_format::store::{Failure, Outcome};
pub use mpit_frameworks::World;
use mpit_frameworks::diagnostics::warn;
use mpit_job::{directory, identity};
use mpit_sync::memory;

use crate::job_store;
use crate::output::{write_apart, write_text};
use crate::output_directory::{failure_of, require_same_place};
use crate::runtime::RUNTIME;
use agreement::{Agreement, Decision};

/// Collection of the records of all processes of a job.
#[category(name = "monitoring_gather")]
#[derive(Debug)]
pub struct MonitoringGather;

/// Number of files at the end of MPI, if pml_monitoring_enable_output selects files. 0: each process writes one. 1: all
/// processes together write one, <pml_monitoring_filename>.prof. Set the same value in all processes.
#[cvar(
    name = "monitoring_container", scope = "ALL_EQ", verbosity = "USER_BASIC", category = MonitoringGather
)]
static CONTAINER: Cvar<i32> = Cvar::new(0).range(0..=1);

/// Seconds, 1 to 86400, that a process waits at the end of MPI for each answer of another process, after all processes have
/// called MPI_Finalize. A process that gets no answer in time writes its records itself. This is also the time in which all
/// processes must show, by files, that they take part; else each writes its own file. The wait for all processes to call
/// MPI_Finalize has no time limit, as MPI_Finalize has none.
#[cvar(
    name = "monitoring_gather_timeout", scope = "ALL_EQ", verbosity = "USER_DETAIL",
    category = MonitoringGather
)]
static TIMEOUT: Cvar<i32> = Cvar::new(10).range(1..=86_400);

/// The memory that the MPI library may need for a communicator and messages of ours. Some libraries crash without it.
const FOR_MESSAGES: usize = 4 << 20;

/// The use of a transfer. Transfers of one use that a process has given up match no later ones of another use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Texts of processes.
    Texts,
    /// Summaries.
    Summaries,
}

/// The time limits of a transfer to or from another process.
#[derive(Clone, Copy, Debug)]
pub struct TimeLimits {
    /// The deadline of the first message.
    pub deadline: Instant,
    /// The time limit of each further message.
    pub per_message: Duration,
}

/// A way to move bytes between the processes of the world during `MPI_Finalize`. After
/// [`synchronize`](Transport::synchronize), no call waits longer than the given time, also if other processes have ended.
/// Errors are texts for the user.
pub trait Transport: Sync {
    /// Waits until all processes of the world have entered `MPI_Finalize`, without a time limit: `MPI_Finalize` waits for
    /// them anyway, and launchers end a job that lost a process. Then prepares the transport, and waits at most `timeout`
    /// for each message. Only the first call does so; later ones return its result.
    ///
    /// # Errors
    ///
    /// Fails if a process does not answer in time.
    fn synchronize(&self, timeout: Duration) -> Result<(), String>;

    /// Sends bytes to a rank, and waits until the rank has received them.
    ///
    /// # Errors
    ///
    /// Fails if the rank does not receive them in time.
    fn send(&self, channel: Channel, to: u32, bytes: Vec<u8>, limits: TimeLimits) -> Result<(), String>;

    /// Receives the bytes that a rank sends.
    ///
    /// # Errors
    ///
    /// Fails if nothing arrives in time.
    fn receive(&self, channel: Channel, from: u32, limits: TimeLimits) -> Result<Vec<u8>, String>;

    /// Waits at most `timeout` until all processes of the world are at this point, if [`synchronize`](Transport::synchronize) succeeded. The
    /// end of the library then begins in all of them at about the same time, and both sides have used each connection of the transport: some
    /// libraries may never end otherwise.
    fn leave(&self, world: World, timeout: Duration);

    /// Returns the name of the machine that this process runs on.
    fn host_name(&self) -> String;
}

static TRANSPORT: OnceLock<&'static dyn Transport> = OnceLock::new();

/// The mark of this process for a common output, or the reason why there is none.
static AGREEMENT: OnceLock<Result<Agreement, String>> = OnceLock::new();

/// Registers the host's transport. Only the first call has an effect.
pub fn register_transport(transport: &'static dyn Transport) {
    let _ = TRANSPORT.set(transport);
}

/// Returns true if the settings of this process request one file for all processes.
#[must_use]
pub fn is_wanted() -> bool {
    CONTAINER.get() == 1
}

fn timeout() -> Duration {
    Duration::from_secs(TIMEOUT.get().cast_unsigned().into())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Output<'a> {
    Stdout,
    Stderr,
    /// Files whose names begin with this.
    Files(&'a Path),
}

enum Gathered {
    /// At rank 0: the texts by ascending rank, and the missing ranks with the reasons.
    All(Vec<Text>, Vec<(u32, String)>),
    /// At other ranks: the texts are on their way to rank 0. The value is the text of this process.
    Delivered(Text),
    /// Not all processes took part. The values are the text of this process and the reason; `None` if another process reports it.
    NotSynchronized(Text, Option<String>),
    /// The parent process did not receive these texts, for this reason.
    Rejected(Vec<Text>, String),
}

/// Returns true if the settings request a common output of all processes.
fn is_common(output: Output<'_>) -> bool {
    is_wanted() || !matches!(output, Output::Files(_))
}

/// Returns the reason why this process does not take part in messages between the processes, if there is one.
fn refusal(is_requested: bool) -> Option<&'static str> {
    if !is_requested {
        Some("its settings have changed")
    } else if memory::is_short() || !memory::is_available_outside(FOR_MESSAGES) {
        Some("its memory is short")
    } else {
        None
    }
}

/// Shows the other processes, if the settings request a common output, that this one will take part. Called when MPI is initialized,
/// because a process can be waited for at the end only if it is known to take part.
pub(crate) fn begin(world: World, output: Output<'_>) {
    if world.size > 1 && TRANSPORT.get().is_some() && is_common(output) {
        AGREEMENT.get_or_init(|| join(world, output));
    }
}

fn join(world: World, output: Output<'_>) -> Result<Agreement, String> {
    let identity = identity::of_process().ok_or("the launcher does not identify the job")?;
    let name = marks::name(identity, "output");
    let directory = match output {
        // Absolute, because the program may change its directory.
        Output::Files(stem) => {
            std::path::absolute(directory_of(stem)).map(|directory| marks::in_directory(&directory, &name))
        }
        // Ranks on other machines do not see it. They cannot write to a stream without mixing either.
        _ => directory::hidden(&name),
    };
    let joined = directory.and_then(|directory: PathBuf| Agreement::join(directory, world));
    joined.map_err(|error| format!("cannot leave a mark for the other ranks: {error}"))
}

/// Waits for the other processes, if this one has exchanged messages with them. Called last before the end of the library.
pub(crate) fn end() {
    if let (Some(transport), Some(world)) = (TRANSPORT.get(), RUNTIME.world()) {
        transport.leave(world, timeout());
    }
}

/// Writes the text of this process at the end of the run. If `monitoring_container` is set, and on standard output and
/// error, rank 0 writes the texts that it can collect. Returns the outcome for the text of this process.
pub(crate) fn write(world: World, text: Vec<u8>, output: Output<'_>) -> Outcome {
    let host = TRANSPORT.get().map_or_else(String::new, |transport| transport.host_name());
    let text = Text { rank: world.rank, host, text };
    // Other processes rely on one that has left a mark.
    if !is_common(output) && AGREEMENT.get().is_none() {
        return outcome_of(write_each([text], output));
    }
    let timeout = timeout();
    let transport = TRANSPORT.get().copied();
    let (gathered, waiting) = gather(transport, world, text, output, timeout);
    let (Some(transport), Output::Files(_)) = (transport, output) else {
        return write_gathered(gathered, world, output);
    };
    // The store of a process may be removed only when another file has all of its content.
    let (mine, outcome) = match gathered {
        Gathered::Delivered(mine) => {
            let is_written = tree::is_written(transport, world, timeout);
            (Some(mine), if is_written { Outcome::HandedOver } else { Outcome::Due })
        }
        gathered => {
            let mine = if let Gathered::All(texts, _) = &gathered { texts.first().cloned() } else { None };
            (mine, write_gathered(gathered, world, output))
        }
    };
    tree::confirm(transport, &waiting, outcome.is_written(), timeout);
    match mine {
        Some(mine) if !outcome.is_written() => outcome_of(write_each([mine], output)),
        _ => outcome,
    }
}

fn outcome_of(result: Result<(), Failure>) -> Outcome {
    result.map_or_else(Outcome::Failed, |()| Outcome::Written)
}

fn gather(
    transport: Option<&dyn Transport>,
    world: World,
    text: Text,
    output: Output<'_>,
    timeout: Duration,
) -> (Gathered, Vec<u32>) {
    // One message is enough for all of them.
    let apart = |text: Text, why: &str| {
        let why = if world.rank == 0 { Some(why.to_owned()) } else { None };
        (Gathered::NotSynchronized(text, why), Vec::new())
    };
    let Some(transport) = transport else {
        return match world.size {
            1 => (Gathered::All(vec![text], Vec::new()), Vec::new()),
            _ => apart(text, "this MPI library has no functions to collect the records"),
        };
    };
    // The settings may have changed since MPI was initialized.
    begin(world, output);
    let agreement = match AGREEMENT.get() {
        None => None,
        Some(Ok(agreement)) => Some(agreement),
        Some(Err(why)) => return apart(text, why),
    };
    if let Some(agreement) = agreement
        && let Decision::Apart(why) = agreement.decide(refusal(is_common(output)), timeout)
    {
        agreement.leave();
        return (Gathered::NotSynchronized(text, why), Vec::new());
    }
    let gathered = tree::gather(transport, world, text, timeout);
    if let Some(agreement) = agreement {
        if matches!(gathered.0, Gathered::NotSynchronized(..)) {
            agreement.leave();
        } else if world.rank == 0 {
            agreement.remove();
        }
    }
    gathered
}

fn write_gathered(gathered: Gathered, world: World, output: Output<'_>) -> Outcome {
    match gathered {
        Gathered::All(texts, missing) => write_all_texts(&texts, &missing, world, output),
        Gathered::Delivered(_) => Outcome::HandedOver,
        Gathered::NotSynchronized(text, why) => {
            if let (Output::Files(stem), Some(why)) = (output, why) {
                warn(format_args!(
                    "monitoring: cannot write one file for the job: {why}; each process writes {}.<rank>.prof",
                    stem.display()
                ));
            }
            outcome_of(write_each([text], output))
        }
        Gathered::Rejected(texts, why) => {
            let ranks: Vec<_> = texts.iter().map(|text| text.rank.to_string()).collect();
            warn(format_args!(
                "monitoring: {why}; rank {} writes the records of ranks {}",
                world.rank,
                ranks.join(", ")
            ));
            outcome_of(write_each(texts, output))
        }
    }
}

fn write_all_texts(texts: &[Text], missing: &[(u32, String)], world: World, output: Output<'_>) -> Outcome {
    for (rank, why) in missing {
        warn(format_args!("monitoring: the records of rank {rank} are missing: {why}"));
    }
    match output {
        Output::Files(stem) => {
            let identity = identity::of_process();
            let first = container::first_line(world.size, identity);
            let write = |file: &File| container::write(file, world.size, identity, texts, missing);
            let result = require_same_place(stem, ".prof", job_store::kept_for(stem))
                .and_then(|()| write_apart(stem, ".prof", first.as_bytes(), write));
            result.map_or_else(|error| Outcome::Failed(failure_of(&error)), |()| Outcome::WrittenForAll)
        }
        _ => outcome_of(write_each(texts.iter().cloned(), output)),
    }
}

/// Writes each text by itself: to a file of its process, or to the output of this process. Reports failures to the user, and returns the
/// first one.
pub(crate) fn write_each(texts: impl IntoIterator<Item = Text>, output: Output<'_>) -> Result<(), Failure> {
    let mut first = Ok(());
    for text in texts {
        let written = match output {
            Output::Files(stem) => write_own_file(stem, &text),
            Output::Stdout => report(in_one_piece(io::stdout().lock(), &text.text)),
            Output::Stderr => report(in_one_piece(io::stderr().lock(), &text.text)),
        };
        first = first.and(written.map_err(|error| failure_of(&error)));
    }
    first
}

fn write_own_file(stem: &Path, text: &Text) -> io::Result<()> {
    let ending = format!(".{}.prof", text.rank);
    require_same_place(stem, &ending, job_store::kept_for(stem))?;
    write_text(stem, &ending, &text.text)
}

fn report(written: io::Result<()>) -> io::Result<()> {
    written.inspect_err(|error| {
        warn(format_args!("pml_monitoring_enable_output: cannot write: {error}"));
    })
}

/// Writes with as few system calls as possible, so that the output of several processes does not mix.
fn in_one_piece(mut to: impl Write, text: &[u8]) -> io::Result<()> {
    to.write_all(text)?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::{Gathered, Output, Text, World, gather, write_gathered};

    fn text(rank: u32) -> Text {
        Text { rank, host: String::new(), text: format!("text of {rank}\n").into_bytes() }
    }

    fn written(rank: u32, gathered: Gathered) -> Vec<(String, String)> {
        let directory = tempfile::tempdir().unwrap();
        let stem = directory.path().join("a/run");
        write_gathered(gathered, World::new(rank, 4), Output::Files(&stem));
        let Ok(entries) = fs::read_dir(directory.path().join("a")) else { return Vec::new() };
        let file = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read_to_string(entry.path()).unwrap())
        };
        let mut files: Vec<_> = entries.map(|entry| file(entry.unwrap())).collect();
        files.sort();
        files
    }

    #[test]
    fn without_a_transport_each_keeps_its_own() {
        let gathered_at =
            |rank, size| gather(None, World::new(rank, size), text(rank), Output::Stdout, Duration::ZERO).0;
        let gathered_alone = |size| gathered_at(0, size);
        assert!(
            matches!(gathered_alone(1), Gathered::All(texts, missing) if texts == [text(0)] && missing.is_empty())
        );
        assert!(matches!(gathered_alone(2), Gathered::NotSynchronized(kept, _) if kept == text(0)));
        assert!(matches!(gathered_at(1, 2), Gathered::NotSynchronized(kept, None) if kept == text(1)));
        let why = |gathered| match gathered {
            Gathered::NotSynchronized(_, Some(why)) => why,
            _ => String::new(),
        };
        // The message does not depend on the number of processes.
        assert!(why(gathered_alone(2)).contains("has no functions to collect the records"));
        assert!(why(gathered_alone(1_000_000)).contains("has no functions to collect the records"));
    }

    #[test]
    fn texts_that_cannot_be_gathered_get_files() {
        let all =
            written(0, Gathered::All(vec![text(0), text(1)], vec![(2, "gone".into()), (3, "gone".into())]));
        assert_eq!(all.len(), 1);
        assert_eq!(all[0].0, "run.prof");
        assert!(all[0].1.contains("text of 1\n# MISSING\t2\tgone\n"), "{all:?}");
        assert_eq!(written(1, Gathered::Delivered(text(1))), []);
        let own = |rank: u32| (format!("run.{rank}.prof"), format!("text of {rank}\n"));
        assert_eq!(written(1, Gathered::NotSynchronized(text(1), Some("late".into()))), [own(1)]);
        assert_eq!(written(2, Gathered::Rejected(vec![text(2), text(3)], "gone".into())), [own(2), own(3)]);
    }
}
