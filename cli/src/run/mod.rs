//! `mpit run`: runs a command with the preload library.

mod at_end;
mod files;
pub(crate) mod launchers;
mod missing;
mod missing_files;
pub(crate) mod no_files;
pub(crate) mod output;
mod prepare;
mod processes;
mod program;
mod recover;
mod screen;
pub(crate) mod series;
mod summary;
mod tables;
mod unwritten;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{self, ExitCode, ExitStatus};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use mpit::event::clock;
use mpit_components::store;
use mpit_components::times::{self, Moment};
use mpit_job::directory::OwnedJob;
use mpit_job::launcher::is_inside_a_job;
use mpit_job::names;
use mpit_job::shared::SharedJob;
use output::{Files, Target};
use rustix::process::Pid;

use crate::forwarding::Forwarder;
use crate::settings::{self, Setting};
use crate::why::watch::StuckWatch;
use crate::{Run, forwarding, print};
use at_end::FinishedRun;
use mpit_job::node::this_node;
use prepare::PreparedRun;
use tables::OneOfNode;

/// Runs the command, waits for it, forwards signals to it, and ends as the command did.
pub(crate) fn run(args: &Run) -> Result<ExitCode, String> {
    let mut prepared = PreparedRun::new(args)?;
    let executed = prepared.execute()?;
    let status = executed.status;
    // Also unlocks the names, before a signal may end this process.
    prepared.finish(executed);
    Ok(forwarding::end_as(status))
}

/// A run whose command has ended.
struct ExecutedRun {
    status: ExitStatus,
    /// The time of the command's end.
    end: Moment,
    node: NodeState,
    /// The reason why there is no directory of the job.
    job_error: Option<String>,
    /// The stores that existed before the run, if `monitoring_store=file`.
    stores_before: Option<recover::Before>,
    /// The files of `--output` before the run.
    files_before: Option<Files>,
    /// The diagnosis for which the command was ended (`--stuck --kill`).
    diagnosis: Option<String>,
    /// The samples of `--series`.
    series: Option<series::Samples>,
}

/// The records of the job on this node that are not in the user's files.
struct NodeState {
    job: Option<OwnedJob>,
    shared: Option<SharedJob>,
    /// True if other `mpit run`s of the job on this node had the records as well.
    is_shared: bool,
    one_of_node: Option<OneOfNode>,
}

impl NodeState {
    /// Leaves the other `mpit run`s of the job on this node. The last one has its directory then.
    fn leave(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.job = shared.leave();
        }
    }

    fn end(self) {
        if let Some(one) = self.one_of_node {
            one.end();
        }
        if let Some(job) = self.job {
            // A later `mpit run` removes the rest.
            let _ = job.remove();
        }
    }
}

impl PreparedRun<'_> {
    /// Runs the command to its end.
    fn execute(&mut self) -> Result<ExecutedRun, String> {
        let args = self.args;
        // The command does not run without its thread.
        let forwarder = Forwarder::start().map_err(|error| cannot_run(args, &error))?;
        // The command runs without the directory as well.
        let (job, job_error) = match self.own_name.as_deref().map(OwnedJob::create).transpose() {
            Ok(job) => (job, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let shared = self.shared_name.as_deref().and_then(SharedJob::join);
        if let Some(job) = job.as_ref().or(shared.as_ref().map(SharedJob::job)) {
            describe(job, args, self.stem.as_deref());
        }
        let one_of_node = match &self.output {
            Some(target) if args.tables && is_inside_a_job() => OneOfNode::join(target),
            _ => None,
        };
        let files_before = self.output.as_ref().map(|target| match &self.files {
            Some(files) if files.stem() == Path::new(&target.stem) => files.before().clone(),
            _ => target.files(),
        });
        let stores_before = store::wanted_at().map(|stem| {
            // Large directories are searched once.
            let is_output = self.output.as_ref().is_some_and(|target| Path::new(&target.stem) == stem);
            let known = if is_output { files_before.clone() } else { None };
            let files = known.unwrap_or_else(|| Files::of(&stem));
            recover::Before::new(stem, self.name.as_deref(), files)
        });
        let sampler = series::start(args, job.as_ref(), self.output.as_ref());
        let mut watch = None;
        let result = forwarder.run(&mut self.command, |pid| watch = watch_job(args, job.as_ref(), pid));
        // Processes that were killed were in their last calls until about now.
        let end = now();
        let diagnosis = watch.and_then(StuckWatch::end);
        let series = sampler.and_then(|sampler| sampler.end(end));
        let is_shared = shared.is_some();
        let node = NodeState { job, shared, is_shared, one_of_node };
        match result {
            Ok(status) => Ok(ExecutedRun {
                status,
                end,
                node,
                job_error,
                stores_before,
                files_before,
                diagnosis,
                series,
            }),
            Err(error) => {
                if let Some(files) = &self.files {
                    files.remove_traces();
                }
                let mut node = node;
                node.leave();
                node.end();
                Err(cannot_run(args, &error))
            }
        }
    }

    /// Recovers and reports the records of the run. Its names stay locked until then.
    fn finish(self, executed: ExecutedRun) {
        let ExecutedRun { status, end, mut node, job_error, stores_before, files_before, diagnosis, series } =
            executed;
        node.leave();
        let output = self.output.as_ref().zip(files_before.as_ref());
        let processes = node.job.as_ref().map(|job| processes::of_job(job.directory())).unwrap_or_default();
        let is_of_files = screen::is_of_files(output.is_some(), stores_before.is_some());
        let worlds = if self.args.quiet || is_of_files {
            screen::Worlds::new()
        } else {
            screen::worlds(&processes, end)
        };
        let name = self.name.as_deref();
        at_end::finish(&FinishedRun {
            args: self.args,
            words: &self.words,
            library: &self.library,
            status,
            end,
            name,
            is_part: self.own_name.is_none(),
            job_error: job_error.as_deref(),
            stem: self.stem.as_deref(),
            processes,
            has_processes: node.job.is_some(),
            is_followed: node.is_shared && node.job.is_none(),
            stores_before,
            files: self.files.as_ref(),
            output,
            summary: self.summary.as_ref().map(|target| {
                summary::remove_earlier(target, self.own_name.as_deref(), &self.summaries_before);
                (target, summary::of_run(target, name, &self.summaries_before))
            }),
            worlds,
            diagnosis,
            series,
        });
        node.end();
    }
}

/// Returns the time on the clock that processes use.
fn now() -> Moment {
    Moment { domain: times::machine(), ns: clock::read_both().nanoseconds.cast_unsigned() }
}

fn cannot_run(args: &Run, error: &io::Error) -> String {
    format!("cannot run {}: {error}", args.command[0].display())
}

impl Run {
    /// Returns the files of `--output`.
    pub(crate) fn output_target(&self) -> Result<Option<Target>, String> {
        self.output.as_deref().map(|stem| Target::new("--output", stem, &self.command)).transpose()
    }

    /// Returns the file of `--summary`.
    pub(crate) fn summary_target(&self) -> Result<Option<Target>, String> {
        self.summary.as_deref().map(|stem| Target::new("--summary", stem, &self.command)).transpose()
    }
}

/// Watches the job for `--stuck`.
fn watch_job(args: &Run, job: Option<&OwnedJob>, command: Pid) -> Option<StuckWatch> {
    let limit = Duration::from_secs_f64(args.stuck?);
    let Some(job) = job else {
        print(
            "--stuck has no effect here: this command is a part of a job, or there is no place for its records; put `mpit run` \
             in front of the launcher",
        );
        return None;
    };
    let watch = StuckWatch::start(job.directory(), command, limit, args.kill, forwarding::is_interrupted);
    watch.inspect_err(|error| print(&format!("--stuck has no effect: {error}"))).ok()
}

/// Describes the job to `mpit why`, which works without the description as well. The first `mpit run` does so for those that share it.
fn describe(job: &OwnedJob, args: &Run, stem: Option<&Path>) {
    if job.directory().description("pid").is_some() {
        return;
    }
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (pid, started, command) = (process::id().to_string(), started.to_string(), words.join(" "));
    let host = this_node();
    // A process with mounts of its own may see another one. Behind a launcher, this process has the mounts of its own, but not those of all.
    let seen = stem.filter(|_| !is_inside_a_job());
    let directory = seen.and_then(|stem| fs::metadata(names::directory_of(stem)).ok());
    let directory = directory.map(|of| format!("{} {}", of.dev(), of.ino())).unwrap_or_default();
    let stem = stem.and_then(Path::to_str).unwrap_or_default();
    let lines = [
        ("pid", &*pid),
        ("host", &host),
        ("started", &started),
        ("command", &command),
        ("stem", stem),
        ("directory", &directory),
    ];
    let _ = job.describe(&lines);
}

/// Returns the settings of the command, which this process uses as well.
pub(crate) fn settings(
    args: &Run,
    output: Option<&Target>,
    summary: Option<&Target>,
) -> Result<Vec<Setting>, String> {
    let mut all = output.map(|target| output_settings(&target.stem, args)).unwrap_or_default();
    if let Some(target) = summary {
        all.push(summary::setting(target)?);
    }
    if let Some(time) = &args.time {
        all.push(Setting { name: "monitoring_time".into(), value: time.clone() });
    }
    if args.sites {
        if args.time.as_deref() == Some("off") {
            return Err("--sites needs the times of calls; leave out --time=off".into());
        }
        all.push(Setting { name: "monitoring_sites".into(), value: "1".into() });
    }
    if !args.hide.is_empty() {
        all.push(Setting { name: "hidden_entries".into(), value: args.hide.join(",") });
    }
    all.extend(args.set.iter().cloned());
    settings::apply(&all)?;
    Ok(all)
}

fn output_settings(stem: &str, args: &Run) -> Vec<Setting> {
    let set = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
    let mut all = vec![
        set("pml_monitoring_enable", "2"),
        set("pml_monitoring_enable_output", "3"),
        set("pml_monitoring_filename", stem),
    ];
    if args.one_file {
        all.push(set("monitoring_container", "1"));
    }
    if args.crash_safe || args.kill || series::is_of_process(args) {
        all.push(set("monitoring_store", "file"));
    }
    all
}
