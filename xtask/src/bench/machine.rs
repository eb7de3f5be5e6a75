//! The circumstances of a run.

use std::fs;
use std::process::Command;

use mpit_tests::{Outcome, build};

/// Returns the commit, or that of the last one with changes since.
fn commit() -> Outcome<String> {
    first_line(&mut crate::git(&["describe", "--always", "--dirty", "--abbrev=12"]))
}

/// Returns a part of a file's name for the results of this commit on this machine.
pub(crate) fn name() -> Outcome<String> {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = processor(&cpuinfo).split(',').next().unwrap_or_default().to_lowercase();
    let words: Vec<_> =
        processor.split(|byte: char| !byte.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    Ok(format!("{}-{}", commit()?, words.join("-")))
}

/// Returns the commit, the machine, its load and the compilers, as a list in Markdown.
pub(crate) fn describe(rounds: u32) -> Outcome<String> {
    let commit = commit()?;
    let date = first_line(Command::new("date").args(["--utc", "+%Y-%m-%d %H:%M UTC"]))?;
    let system = first_line(Command::new("uname").args(["-srm"]))?;
    let rust = first_line(Command::new("rustc").arg("--version"))?;
    let c = first_line(Command::new("cc").arg("--version"))?;
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<_> = load.split(' ').take(3).collect();
    Ok(format!(
        "- commit {commit}, profiles dist and command, {rounds} rounds, {date}\n\
         - {processors} processors: {}; {system}; load before the run {}\n\
         - {rust}; {c}\n",
        processor(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
        load.join(" "),
    ))
}

fn first_line(command: &mut Command) -> Outcome<String> {
    let [output, _] = build::run(command)?;
    Ok(output.lines().next().unwrap_or_default().to_owned())
}

/// Returns the name and the clock of the first processor.
fn processor(cpuinfo: &str) -> String {
    let value = |name: &str| {
        let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
        line.split_once(": ").map(|(_, value)| value)
    };
    let name = value("model name").unwrap_or("unknown");
    match value("cpu MHz") {
        Some(clock) => format!("{name}, {clock} MHz"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named() {
        let cpuinfo = "processor\t: 0\nmodel name\t: Some 9\ncpu MHz\t\t: 2596.122\n";
        assert_eq!(processor(cpuinfo), "Some 9, 2596.122 MHz");
        assert_eq!(processor(""), "unknown");
    }
}
