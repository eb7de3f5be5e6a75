//! The times of a command.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use mpit_tests::{Context, Outcome};

/// Runs a command; returns its processor time, with that of its children, and its elapsed time in milliseconds.
pub(super) fn timed(command: &mut Command) -> Outcome<(f64, f64)> {
    // A shell reports the time of its children.
    let mut shell = Command::new("sh");
    shell.args(["-c", "\"$@\" && times", "sh"]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().unwrap_or(Path::new(".")));
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let start = Instant::now();
    let [printed, _] = mpit_tests::build::run(&mut shell)?;
    let elapsed = start.elapsed().as_secs_f64() * 1e3;
    let processor = children(&printed).context(format!("`times` printed `{printed}`"))?;
    Ok((processor, elapsed))
}

/// Returns the milliseconds of the second line that `times` prints, such as `0m1.250s 0m0.500s`.
fn children(printed: &str) -> Option<f64> {
    let milliseconds = |time: &str| {
        let (minutes, seconds) = time.strip_suffix('s')?.split_once('m')?;
        Some(minutes.parse::<f64>().ok()? * 60e3 + seconds.parse::<f64>().ok()? * 1e3)
    };
    printed.lines().nth(1)?.split_whitespace().map(milliseconds).sum()
}

#[cfg(test)]
mod tests {
    use super::children;

    #[test]
    fn the_time_of_children_is_read() {
        assert_eq!(children("0m0.00s 0m0.00s\n1m1.250s 0m0.500s\n"), Some(61_750.0));
        assert_eq!(children("0m0.00s 0m0.00s\nnothing\n"), None);
    }
}
