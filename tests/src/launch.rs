//! Runs programs on MPI libraries, one at a time: a machine with two cores has no room for two sets of ranks, and results
//! would come late rather than wrong.

use std::{
    fmt,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::{Context, Failure, Outcome, build, paths, stacks::Stack};

/// Held by whoever compiles or runs MPI programs; released when dropped. Holds against other processes as well.
#[derive(Debug)]
pub struct Alone(#[expect(dead_code, reason = "the lock goes with the file")] File);

/// Waits until nobody else runs MPI programs.
///
/// # Errors
/// If the lock file cannot be made.
pub fn one_at_a_time() -> Outcome<Alone> {
    let dir = paths::hosts();
    fs::create_dir_all(&dir).context(dir.display())?;
    let path = dir.join("lock");
    let file = File::create(&path).context(path.display())?;
    file.lock().context(path.display())?;
    Ok(Alone(file))
}

/// A command to be run with a time limit.
#[derive(Debug)]
pub struct Job {
    line: Vec<String>,
    seconds: u32,
    dir: Option<PathBuf>,
    environment: Vec<(String, String)>,
}

impl Job {
    /// Any command, without MPI.
    pub fn plain(line: &[&str]) -> Self {
        let line = line.iter().map(ToString::to_string).collect();
        Self { line, seconds: 60, dir: None, environment: Vec::new() }
    }

    /// `ranks` processes under the launcher of `stack`; the program is still to be told by [`Job::arg`].
    pub fn mpi(stack: &Stack, ranks: u32) -> Self {
        Self { line: stack.mpiexec(ranks), ..Self::alone(stack) }
    }

    /// One process in the environment of `stack`, without its launcher.
    pub fn alone(stack: &Stack) -> Self {
        let environment =
            stack.environment().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { line: Vec::new(), seconds: 60, dir: None, environment }
    }

    /// Adds a word to the command line.
    #[must_use]
    pub fn arg(mut self, word: impl AsRef<Path>) -> Self {
        self.line.push(word.as_ref().display().to_string());
        self
    }

    /// Adds several words to the command line.
    #[must_use]
    pub fn args(mut self, words: &[&str]) -> Self {
        self.line.extend(words.iter().map(ToString::to_string));
        self
    }

    /// Sets a variable of the environment.
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

    /// Ends the command after so many seconds instead of 60.
    #[must_use]
    pub fn seconds(mut self, seconds: u32) -> Self {
        self.seconds = seconds;
        self
    }

    /// Passes settings to Open MPI's own monitoring, which takes them from its launcher: `mpiexec --mca name value ...`.
    #[must_use]
    pub fn native_monitoring(mut self, settings: &[(&str, &str)]) -> Self {
        for (name, value) in settings {
            self = self.args(&["--mca", name, value]);
        }
        self
    }

    /// Puts the whole under `mpit run`, with these settings: `mpit run --set name=value -- mpiexec ...`.
    ///
    /// # Errors
    /// If `mpit` does not build.
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

    /// Puts the whole behind another command, which runs it.
    #[must_use]
    pub fn within(mut self, words: &[&str]) -> Self {
        self.line.splice(0..0, words.iter().map(ToString::to_string));
        self
    }

    /// Preloads mpit's library into the command itself and all it starts.
    ///
    /// # Errors
    /// If the library does not build.
    pub fn preloaded(self) -> Outcome<Self> {
        Ok(self.env("LD_PRELOAD", &build::artifacts()?.preload))
    }

    /// Runs it to its end, whatever that is.
    ///
    /// # Errors
    /// If it cannot be started at all.
    pub fn finish(self) -> Outcome<Finished> {
        let _alone = one_at_a_time()?;
        // A plain timeout leaves ranks behind that ignore the first signal; `-k` ends those too.
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

    /// Runs it and expects it to end well.
    ///
    /// # Errors
    /// If it ends with another code than 0; the failure shows all that it printed.
    pub fn succeed(self) -> Outcome<Finished> {
        let finished = self.finish()?;
        Failure::unless(finished.code == Some(0), || finished.to_string())?;
        Ok(finished)
    }
}

/// What a [`Job`] left behind.
#[derive(Debug)]
pub struct Finished {
    /// The command line.
    pub line: String,
    /// The exit code; 124 says that its time was up, 137 that it was killed.
    pub code: Option<i32>,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// What it wrote to standard output.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
}

impl fmt::Display for Finished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, code, signal, stdout, stderr } = self;
        let ended = match code {
            Some(124) => "ran out of time".to_owned(),
            Some(137) => "was killed: out of memory, or deaf when its time was up".to_owned(),
            Some(code) => format!("ended with exit code {code}"),
            None => format!("was ended by signal {}", signal.unwrap_or_default()),
        };
        write!(f, "{line}\n{ended}\n[stdout]\n{stdout}[stderr]\n{stderr}")
    }
}
