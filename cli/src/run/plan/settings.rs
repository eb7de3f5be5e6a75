//! The settings of a command, which this process uses as well.

use super::output::Target;
use super::{series, summary};
use crate::Run;
use crate::settings::{self, Setting};

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
    if !args.regions.is_empty() && args.time.as_deref() == Some("off") {
        return Err("--regions needs the times of calls; leave out --time=off".into());
    }
    if !args.hide.is_empty() {
        all.push(Setting { name: "hidden_entries".into(), value: args.hide.join(",") });
    }
    if !args.read.is_empty() {
        all.push(Setting { name: "monitoring_read".into(), value: args.read.join(",") });
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
