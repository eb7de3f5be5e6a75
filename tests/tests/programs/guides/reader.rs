//! A reader, simulated by a shell in an empty directory: does what a guide says, and nothing else.

use std::path::{Path, PathBuf};
use std::{env, ffi::OsString, fmt::Write as _, fs, process::Command};

use mpit_tests::{Context, Failure, Outcome, build, machine_lock};

use super::{expected_output::is_shown, page::Step};

/// The names that the guides use for the installation directory and the source directory.
const NAMES: [&str; 2] = ["/opt/mpit", "/src/mpit"];

/// Prefixes of environment variables that cargo and testers set, and readers have not set.
const UNSET: [&str; 6] = ["CARGO_MANIFEST_", "CARGO_PKG_", "CARGO_TARGET_", "LD_", "MPIT_", "OMPI_MCA_"];

#[derive(Debug)]
pub(crate) struct Reader {
    /// The installation directory and the source directory.
    pub(crate) places: [PathBuf; 2],
    /// Directories at the beginning of the search path for commands.
    pub(crate) path: Vec<PathBuf>,
    pub(crate) environment: Vec<(String, OsString)>,
    /// The beginning of a command line that runs the rest on another host.
    pub(crate) within: Vec<String>,
}

impl Reader {
    /// Performs the steps, and stops at the first one whose result differs from the guide.
    pub(crate) fn follow(&self, steps: &[Step]) -> Outcome {
        let stage = tempfile::tempdir().context("a directory for the steps")?;
        let work_dir = tempfile::tempdir().context("a directory for the reader")?;
        let script = self.script(steps, stage.path())?;
        // Also until the end: a shared object has one name there, and a build on another stack would replace it while it is in use.
        let _directory =
            if steps.iter().any(Step::is_build) { Some(build::shared_directory()?) } else { None };
        let _lock = machine_lock::part()?;
        let output = self.shell(&script, work_dir.path()).output().context("timeout")?;
        let printed = self.as_in_the_guide(&output.stdout);
        let mut fields = printed.split('\x1e');
        for (number, step) in steps.iter().enumerate() {
            let errors = fs::read(stage.path().join(format!("{number}.errors"))).unwrap_or_default();
            let (out, status) = (fields.next().unwrap_or_default(), fields.next());
            compare(step, status, [out, &self.as_in_the_guide(&errors)])?;
        }
        Ok(())
    }

    /// Writes the script of the steps. It prints the exit status of each step between two separators. The error output of each
    /// step is in a file.
    fn script(&self, steps: &[Step], stage: &Path) -> Outcome<PathBuf> {
        let mut script = String::from("exec </dev/null\numask 022\n");
        for (number, step) in steps.iter().enumerate() {
            let staged = stage.join(number.to_string());
            let text = match step {
                Step::File { path, text, .. } => {
                    let staged = staged.display();
                    _ = writeln!(script, "mkdir -p \"$(dirname '{path}')\" && cp '{staged}' '{path}'");
                    text
                }
                Step::Command { command, .. } => {
                    _ = writeln!(script, ". '{0}' 2>'{0}.errors'", staged.display());
                    command
                }
            };
            script.push_str("status=$?; printf '\\036%d\\036' $status\n");
            if !matches!(step, Step::Command { fails: true, .. }) {
                script.push_str("[ $status = 0 ] || exit 0\n");
            }
            fs::write(&staged, self.as_here(text)).context(staged.display())?;
        }
        let file = stage.join("script");
        fs::write(&file, script).context(file.display())?;
        Ok(file)
    }

    fn shell(&self, script: &Path, work_dir: &Path) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "600"]).args(&self.within).arg("bash").arg(script).current_dir(work_dir);
        for (name, _) in env::vars_os() {
            if UNSET.iter().any(|beginning| name.to_string_lossy().starts_with(beginning)) {
                command.env_remove(name);
            }
        }
        let found = env::var_os("PATH").unwrap_or_default();
        let path = self.path.iter().cloned().chain(env::split_paths(&found));
        command.env("PATH", env::join_paths(path).unwrap_or(found.clone()));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    fn as_here(&self, text: &str) -> String {
        std::iter::zip(NAMES, &self.places)
            .fold(text.to_owned(), |text, (name, place)| text.replace(name, &place.display().to_string()))
    }

    fn as_in_the_guide(&self, text: &[u8]) -> String {
        let text = String::from_utf8_lossy(text).into_owned();
        std::iter::zip(NAMES, &self.places)
            .fold(text, |text, (name, place)| text.replace(&place.display().to_string(), name))
    }
}

fn compare(step: &Step, status: Option<&str>, printed: [&str; 2]) -> Outcome {
    let (line, what, is_right, expected) = match step {
        Step::File { line, path, .. } => (line, path, status == Some("0"), String::new()),
        Step::Command { line, command, shown, fails } => {
            let ended = status.is_some_and(|status| (status != "0") == *fails);
            let end = if *fails { "an error" } else { "0" };
            let expected = format!("the guide says it ends with {end} and prints:\n{}\n", shown.join("\n"));
            (line, command, ended && is_shown(shown, printed), expected)
        }
    };
    Failure::unless(is_right, || {
        let ended = status.map_or("did not end".into(), |status| format!("ended with {status}"));
        format!("line {line}: `{what}` {ended}. It printed:\n{}\n{expected}", printed.join("\n"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::page::steps;
    use super::*;

    fn follow(page: &str) -> Outcome {
        let places = ["/etc", "/usr"].map(PathBuf::from);
        Reader { places, path: Vec::new(), environment: Vec::new(), within: Vec::new() }
            .follow(&steps(page, "")?)
    }

    #[test]
    fn files_stay_between_commands() -> Outcome {
        follow(
            "```console\n$ ls\n$ export NAME=here\n$ mkdir inner && cd inner\n```\n\
             ```text file=below/a.txt\n/opt/mpit\n```\n\
             ```console\n$ cat below/a.txt; echo $NAME\n/opt/mpit\nhere\n$ test -d /opt/mpit && test -d /src/mpit\n```\n\
             ```console fails\n$ grep -q not-in-it below/a.txt\n```\n\
             ```console\n$ ls\nbelow\n```\n",
        )
    }

    #[test]
    fn a_wrong_page_fails_at_its_line() {
        for (page, reported) in [
            ("```console\n$ echo a\nb\n```\n", "line 2: `echo a` ended with 0"),
            ("```console\n$ echo a\n```\n", "line 2: `echo a` ended with 0"),
            ("```console\n$ true\n$ false\n```\n", "line 3: `false` ended with 1"),
            ("```console fails\n$ true\n```\n", "line 2: `true` ended with 0"),
            ("```console\n$ exit 3\n```\n", "line 2: `exit 3` did not end"),
            ("```console\n$ echo 'a\n```\n", "line 2: `echo 'a` ended with"),
            ("```console\n$ cat /opt/mpit/no-such-file >/dev/null\n```\n", "line 2: `cat /opt/mpit/no-such"),
        ] {
            let failure = follow(page).expect_err(page).to_string();
            assert!(failure.starts_with(reported), "{page}: {failure}");
        }
    }
}
