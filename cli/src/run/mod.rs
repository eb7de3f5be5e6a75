//! `mpit run`.

mod recover;
mod wait;

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use mpit::cvar::sources::LAUNCHER_SETTINGS;
use mpit_components::store;

use crate::settings::{self, Setting};
use crate::{Run, preload, tell};

/// Becomes the command, so that signals and the exit status are the command's own. If there may be something to recover
/// at the end, it waits for the command instead, hands signals on, and ends with its exit status.
pub(crate) fn run(args: &Run) -> Result<ExitCode, String> {
    let library = preload::find(args.library.file.as_deref())?;
    let mut all = args.output.as_deref().map(|stem| record_to(stem, args)).unwrap_or_default();
    all.extend(args.set.iter().cloned());
    settings::apply(&all);
    let mut command = Command::new(&args.command[0]);
    command.args(&args.command[1..]);
    let preloaded = preload::add(&mut command, &library);
    let lines = settings::for_environment(&all);
    if !lines.is_empty() {
        command.env(LAUNCHER_SETTINGS, &lines);
    }
    if args.verbose {
        tell(&format!("LD_PRELOAD={}", preloaded.display()));
        for line in lines.lines() {
            tell(&format!("set {line}"));
        }
        let words: Vec<_> = args.command.iter().map(|word| word.to_string_lossy()).collect();
        tell(&format!("run {}", words.join(" ")));
    }
    if let Some(stem) = args.output.as_deref().filter(|_| args.one_file) {
        // Usually nobody of us is there any more at the end.
        tell(&format!("{stem}.prof will have what is sent; look at it with `mpit report {stem}.prof`"));
    }
    let error = match store::wanted_at() {
        Some(stem) => {
            let before = recover::Before::now(&stem);
            match wait::run(&mut command) {
                Ok(code) => {
                    before.recover();
                    return Ok(code);
                }
                Err(error) => error,
            }
        }
        None => command.exec(),
    };
    Err(format!("cannot run {}: {error}", args.command[0].display()))
}

/// What `--output` stands for.
fn record_to(stem: &str, args: &Run) -> Vec<Setting> {
    let set = |name: &str, value: &str| Setting { name: name.into(), value: value.into() };
    let mut all = vec![
        set("pml_monitoring_enable", "2"),
        set("pml_monitoring_enable_output", "3"),
        set("pml_monitoring_filename", stem),
    ];
    if args.one_file {
        all.push(set("monitoring_container", "1"));
    }
    if args.crash_safe {
        all.push(set("monitoring_store", "file"));
    }
    all
}
