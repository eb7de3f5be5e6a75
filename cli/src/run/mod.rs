//! `mpit run`: runs a command with the preload library.

mod at_end;
mod files;
pub(crate) mod launchers;
mod members;
mod missing;
pub(crate) mod no_files;
pub(crate) mod output;
mod recover;
mod screen;
mod summary;
mod tables;
mod template;

use std::path::Path;
use std::process::{self, Command, ExitCode};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit::event::clock;
use mpit_components::run::job::OwnedJob;
use mpit_components::times::{self, Moment};
use mpit_components::{run, store};
use output::Target;
pub(crate) use recover::ranks;
use rustix::process::Pid;

use crate::forwarding::Forwarder;
use crate::node::this_node;
use crate::settings::{self, Setting};
use crate::why::watch::StuckWatch;
use crate::{Run, forwarding, preload, print, require_program};
use at_end::Ended;
use files::RunFiles;
use tables::OneOfNode;

/// Runs the command, waits for it, forwards signals to it, and ends as the command did.
pub(crate) fn run(args: &Run) -> Result<ExitCode, String> {
    require_program(&args.command)?;
    let library = preload::find(args.library.file.as_deref())?;
    let (target, summary) = (args.output_target()?, args.summary_target()?);
    let all = settings(args, target.as_ref(), summary.as_ref())?;
    target.as_ref().map(Target::prepare).transpose()?;
    let lines = settings::for_environment(&all);
    let own_stem = all.iter().any(|setting| setting.name.ends_with("pml_monitoring_filename"));
    let stem = store::files_at();
    let name = files::name_of_run(stem.is_some(), own_stem);
    // The name that the processes write to their files.
    let run_name = name.clone().or_else(run::of_environment);
    let handed = launchers::hand_on(&args.command, &variables(!lines.is_empty(), run_name.is_some()));
    let mut command = Command::new(&handed.words[0]);
    command.args(&handed.words[1..]).envs(handed.environment.iter().map(|(name, value)| (name, value)));
    let preloaded = preload::add(&mut command, &library);
    if !lines.is_empty() {
        command.env(LAUNCHER_SETTINGS, &lines);
    }
    if args.verbose {
        print(&format!("LD_PRELOAD={}", preloaded.display()));
        for line in lines.lines() {
            print(&format!("set {line}"));
        }
        for change in &handed.changes {
            print(change);
        }
        let words: Vec<_> = handed.words.iter().map(|word| word.to_string_lossy()).collect();
        print(&format!("run {}", words.join(" ")));
    }
    let files = match (&name, &stem) {
        (Some(name), Some(stem)) => Some(RunFiles::begin(stem, name.clone(), args.tables)?),
        _ => None,
    };
    let one_of_node = match &target {
        Some(target) if args.tables && files::is_inside_a_job() => OneOfNode::join(target),
        _ => None,
    };
    let summary_lock = match (&summary, &name) {
        (Some(summary), Some(_)) => summary::prepare(summary, stem.as_deref())?,
        // Inside of a job, other processes may have ended already.
        _ => None,
    };
    // The command runs without the directory as well.
    let job = name.as_deref().and_then(|name| OwnedJob::create(name).ok());
    if let Some(name) = &name {
        command.env(run::RUN, name);
    }
    if let Some(job) = &job {
        describe(job, args, stem.as_deref());
    }
    let stores_before = store::wanted_at().map(|stem| recover::Before::new(&stem, run_name.as_deref()));
    let files_before = target.as_ref().map(Target::files);
    let mut watch = None;
    let started = |pid: Pid| watch = watch_job(args, job.as_ref(), pid);
    let result = Forwarder::start().and_then(|forwarder| forwarder.run(&mut command, started));
    // Processes that were killed were in their last calls until about now.
    let end = Moment { domain: times::machine(), ns: clock::read_both().nanoseconds.cast_unsigned() };
    let diagnosis = watch.and_then(StuckWatch::end);
    if let Ok(status) = result {
        let output = target.as_ref().zip(files_before.as_ref());
        let worlds = match &job {
            Some(job) if !args.quiet && !screen::is_of_files(output.is_some(), stores_before.is_some()) => {
                screen::worlds(job.directory(), end)
            }
            _ => screen::Worlds::new(),
        };
        at_end::finish(&Ended {
            args,
            words: &handed.words,
            library: &library,
            status,
            end,
            name: run_name.as_deref(),
            job: job.as_ref().map(OwnedJob::directory),
            stores_before,
            files,
            output,
            summary: summary.as_ref().map(|target| (target, summary::of_run(target, run_name.as_deref()))),
            worlds,
            diagnosis,
        });
    } else if let Some(files) = &files {
        files.remove_traces();
        files.unlock();
    }
    if let Some(one) = one_of_node {
        one.end();
    }
    if let Some(lock) = summary_lock {
        lock.remove();
    }
    if let Some(job) = job {
        // A later `mpit run` removes the rest.
        let _ = job.remove();
    }
    result
        .map(forwarding::end_as)
        .map_err(|error| format!("cannot run {}: {error}", args.command[0].display()))
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

/// Returns the names of the variables that the processes of the command need.
fn variables(has_settings: bool, has_name: bool) -> Vec<&'static str> {
    let mut names = preload::VARIABLES.to_vec();
    if has_settings {
        names.push(LAUNCHER_SETTINGS);
    }
    if has_name {
        names.push(run::RUN);
    }
    names
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

/// Describes the job to `mpit why`, which works without the description as well.
fn describe(job: &OwnedJob, args: &Run, stem: Option<&Path>) {
    let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (pid, started, command) = (process::id().to_string(), started.to_string(), words.join(" "));
    let host = this_node();
    let stem = stem.and_then(Path::to_str).unwrap_or_default();
    let lines =
        [("pid", &*pid), ("host", &host), ("started", &started), ("command", &command), ("stem", stem)];
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
        all.push(Setting { name: "monitoring_summary_file".into(), value: target.stem.clone() });
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
    if args.crash_safe || args.kill {
        all.push(set("monitoring_store", "file"));
    }
    all
}
