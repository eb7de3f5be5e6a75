//! Execution of programs on MPI libraries, one at a time: on a machine with two cores, two sets of ranks would be so slow
//! that tests fail by their time limit rather than by a wrong result.

use std::{
    fmt,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Context, Failure, Outcome, build, paths, stacks::Stack};

/// A lock held while MPI programs are compiled or run; released when dropped. Excludes other processes as well.
#[derive(Debug)]
pub struct MachineLock(#[expect(dead_code, reason = "the lock goes with the file")] File);

/// Waits until no other test runs MPI programs.
///
/// # Errors
/// Fails if the lock file cannot be created.
pub fn lock_machine() -> Outcome<MachineLock> {
    let dir = paths::hosts();
    fs::create_dir_all(&dir).context(dir.display())?;
    let path = dir.join("lock");
    let file = File::create(&path).context(path.display())?;
    file.lock().context(path.display())?;
    Ok(MachineLock(file))
}

/// A command with a time limit.
#[derive(Debug)]
pub struct Job {
    line: Vec<String>,
    seconds: u32,
    dir: Option<PathBuf>,
    environment: Vec<(String, String)>,
}

impl Job {
    /// Creates a command without MPI.
    pub fn plain(line: &[&str]) -> Self {
        let line = line.iter().map(ToString::to_string).collect();
        Self { line, seconds: 60, dir: None, environment: Vec::new() }
    }

    /// Creates a job of `ranks` processes under the launcher of `stack`; the program is added by [`Job::arg`].
    pub fn mpi(stack: &Stack, ranks: u32) -> Self {
        Self { line: stack.mpiexec(ranks), ..Self::alone(stack) }
    }

    /// Creates a job of one process in the environment of `stack`, without its launcher.
    pub fn alone(stack: &Stack) -> Self {
        let environment =
            stack.environment().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { line: Vec::new(), seconds: 60, dir: None, environment }
    }

    /// Adds an argument to the command line.
    #[must_use]
    pub fn arg(mut self, word: impl AsRef<Path>) -> Self {
        self.line.push(word.as_ref().display().to_string());
        self
    }

    /// Adds several arguments to the command line.
    #[must_use]
    pub fn args(mut self, words: &[&str]) -> Self {
        self.line.extend(words.iter().map(ToString::to_string));
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.environment.push((name.to_owned(), value.as_ref().display().to_string()));
        self
    }

    /// Runs in `dir`.
    #[must_use]
    pub fn dir(mut self, dir: &Path) -> Self {
        self.dir = Some(dir.to_owned());
        self
    }

    /// Sets the time limit, by default 60 seconds.
    #[must_use]
    pub fn seconds(mut self, seconds: u32) -> Self {
        self.seconds = seconds;
        self
    }

    /// Passes settings to Open MPI's own monitoring, which reads them from its launcher: `mpiexec --mca name value ...`.
    #[must_use]
    pub fn native_monitoring(mut self, settings: &[(&str, &str)]) -> Self {
        for (name, value) in settings {
            self = self.args(&["--mca", name, value]);
        }
        self
    }

    /// Runs the command under `mpit run`, with these settings: `mpit run --set name=value -- mpiexec ...`.
    ///
    /// # Errors
    /// Fails if `mpit` does not build.
    pub fn under_mpit(mut self, settings: &[(&str, &str)]) -> Outcome<Self> {
        let mut line = vec![build::artifacts()?.mpit.display().to_string(), "run".into()];
        for (name, value) in settings {
            line.extend(["--set".into(), format!("{name}={value}")]);
        }
        line.push("--".into());
        line.append(&mut self.line);
        self.line = line;
        Ok(self)
    }

    /// Runs the command by another one, given by its first arguments.
    #[must_use]
    pub fn within(mut self, words: &[&str]) -> Self {
        self.line.splice(0..0, words.iter().map(ToString::to_string));
        self
    }

    /// Preloads mpit's library into the command itself and all its descendants.
    ///
    /// # Errors
    /// Fails if the library does not build.
    pub fn preloaded(self) -> Outcome<Self> {
        Ok(self.env("LD_PRELOAD", &build::artifacts()?.preload))
    }

    /// Runs the command to its end, successful or not.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn finish(self) -> Outcome<Finished> {
        let _lock = lock_machine()?;
        // Without `-k`, `timeout` leaves ranks behind that ignore the first signal.
        let mut command = Command::new("timeout");
        command.args(["-k", "5", &self.seconds.to_string(), "env"]);
        command.args(self.environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.args(&self.line).stdin(Stdio::null());
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        let output = command.output().context("timeout")?;
        let code = output.status.code();
        Ok(Finished {
            line: self.line.join(" "),
            code,
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs the command, which must succeed.
    ///
    /// # Errors
    /// Fails if the exit code is not 0; the failure shows all output.
    pub fn succeed(self) -> Outcome<Finished> {
        let finished = self.finish()?;
        Failure::unless(finished.code == Some(0), || finished.to_string())?;
        Ok(finished)
    }
}

/// The result of a [`Job`].
#[derive(Debug)]
pub struct Finished {
    /// The command line.
    pub line: String,
    /// The exit code; 124 after the time limit, 137 if the command was killed.
    pub code: Option<i32>,
    /// The signal that ended the command, if one did.
    pub signal: Option<i32>,
    /// The standard output.
    pub stdout: String,
    /// The standard error output.
    pub stderr: String,
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, code, signal, stdout, stderr } = self;
        let ended = match code {
            Some(124) => "ran out of time".to_owned(),
            Some(137) => "was killed: out of memory, or did not end on SIGTERM at its time limit".to_owned(),
            Some(code) => format!("ended with exit code {code}"),
            None => format!("was ended by signal {}", signal.unwrap_or_default()),
        };
        write!(f, "{line}\n{ended}\n[stdout]\n{stdout}[stderr]\n{stderr}")
    }
}
