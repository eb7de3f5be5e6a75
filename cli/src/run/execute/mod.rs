//! The command of a run, from its start to its end.

pub(crate) mod ending;
pub(crate) mod one_of_node;
pub(crate) mod series;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{self, ExitStatus};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use mpit_components::store;
use mpit_components::times::Moment;
use mpit_job::directory::OwnedJob;
use mpit_job::launcher::is_inside_a_job;
use mpit_job::names;
use mpit_job::node::this_node;
use mpit_job::shared::SharedJob;
use rustix::process::Pid;

use super::plan::output::Files;
use super::plan::{Before, PreparedRun, cannot_run};
use crate::forwarding::Forwarder;
use crate::why::watch::StuckWatch;
use crate::{Run, forwarding, print, shown};
use ending::now;
use one_of_node::OneOfNode;
use series::Samples;

/// A run whose command has ended.
pub(crate) struct ExecutedRun {
    /// The end of the command, or the reason why it did not start.
    pub(crate) result: io::Result<ExitStatus>,
    /// The time of the command's end.
    pub(crate) end: Moment,
    pub(crate) node: NodeState,
    /// The reason why there is no directory of the job.
    pub(crate) job_error: Option<String>,
    /// The stores that existed before the run, if `monitoring_store=file`.
    pub(crate) stores_before: Option<Before>,
    /// The files of `--output` before the run.
    pub(crate) files_before: Option<Files>,
    /// The diagnosis for which the command was ended (`--stuck --kill`).
    pub(crate) diagnosis: Option<String>,
    /// The samples of `--series`.
    pub(crate) series: Option<Samples>,
}

/// The records of the job on this node that are not in the user's files.
pub(crate) struct NodeState {
    pub(crate) job: Option<OwnedJob>,
    pub(crate) shared: Option<SharedJob>,
    /// True if other `mpit run`s of the job on this node had the records as well.
    pub(crate) is_shared: bool,
    pub(crate) one_of_node: Option<OneOfNode>,
}

impl NodeState {
    /// Returns true if another `mpit run` of this machine, which has not ended yet, has the processes.
    pub(crate) fn is_followed(&self) -> bool {
        self.is_shared && self.job.is_none()
    }

    /// Leaves the other `mpit run`s of the job on this node. The last one has its directory then.
    pub(crate) fn leave(&mut self) {
        if let Some(shared) = self.shared.take() {
            self.job = shared.leave();
        }
    }
}

/// Runs the command to its end.
pub(super) fn execute(plan: &mut PreparedRun<'_>) -> Result<ExecutedRun, String> {
    let args = plan.args;
    // The command does not run without its thread.
    let forwarder = Forwarder::start().map_err(|error| cannot_run(args, &error))?;
    // The command runs without the directory as well.
    let (job, job_error) = match plan.own_name.as_deref().map(OwnedJob::create).transpose() {
        Ok(job) => (job, None),
        Err(error) => (None, Some(error.to_string())),
    };
    let shared = plan.shared_name.as_deref().and_then(SharedJob::join);
    if let Some(job) = job.as_ref().or(shared.as_ref().map(SharedJob::job)) {
        describe(job, args, plan.stem.as_deref());
    }
    let one_of_node = match &plan.output {
        Some(target) if args.tables && is_inside_a_job() => OneOfNode::join(target),
        _ => None,
    };
    let files_before = plan.output.as_ref().map(|target| match &plan.files {
        Some(files) if files.stem() == Path::new(&target.stem) => files.before().clone(),
        _ => target.files(),
    });
    let stores_before = store::wanted_at().map(|stem| {
        // Large directories are searched once.
        let is_output = plan.output.as_ref().is_some_and(|target| Path::new(&target.stem) == stem);
        let known = if is_output { files_before.clone() } else { None };
        let files = known.unwrap_or_else(|| Files::of(&stem));
        Before::new(stem, plan.name.as_deref(), files)
    });
    let sampler = series::start(args, job.as_ref(), plan.output.as_ref());
    let mut watch = None;
    let result = forwarder.run(&mut plan.command, |pid| watch = watch_job(args, job.as_ref(), pid));
    // Processes that were killed were in their last calls until about now.
    let end = now();
    let diagnosis = watch.and_then(StuckWatch::end);
    let series = sampler.and_then(|sampler| sampler.end(end));
    let is_shared = shared.is_some();
    let node = NodeState { job, shared, is_shared, one_of_node };
    Ok(ExecutedRun { result, end, node, job_error, stores_before, files_before, diagnosis, series })
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
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (pid, started, command) = (process::id().to_string(), started.to_string(), shown(&args.command));
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
