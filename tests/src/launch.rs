//! Execution of programs on MPI libraries, as many at a time as [`machine_lock`] permits.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fmt, os::unix::process::ExitStatusExt};

use crate::machine_lock::{self, MachineLock};
use crate::{Context, Failure, Outcome, build, stacks::Stack};

/// Returns the command line of `mpit` with these arguments.
pub fn mpit_line(words: &[&str]) -> Outcome<Vec<String>> {
    Ok(Job::mpit(words)?.line)
}

/// The lock of the machine that a job takes.
#[derive(Clone, Copy, Debug)]
enum Lock {
    Part,
    Whole,
    /// None, because the caller has one.
    OfCaller,
}

/// Returns the factor for time limits on slow machines, from the environment variable `MPIT_TEST_SLOWNESS`.
pub fn slowness() -> u32 {
    env::var("MPIT_TEST_SLOWNESS").ok().and_then(|factor| factor.parse().ok()).unwrap_or(1)
}

/// A command with a time limit.
#[derive(Debug)]
pub struct Job {
    line: Vec<String>,
    seconds: u32,
    dir: Option<PathBuf>,
    environment: Vec<(String, String)>,
    lock: Lock,
}

impl Job {
    /// Creates a command without MPI.
    pub fn plain(line: &[&str]) -> Self {
        let line = line.iter().map(ToString::to_string).collect();
        Self { line, seconds: 60, dir: None, environment: Vec::new(), lock: Lock::Part }
    }

    /// Creates a call of the command `mpit`.
    pub fn mpit(words: &[&str]) -> Outcome<Self> {
        Ok(Self::plain(&[]).arg(&build::artifacts()?.mpit).args(words))
    }

    /// Creates a job of `ranks` processes under the launcher of `stack`; the program is added by [`Job::arg`].
    pub fn mpi(stack: &Stack, ranks: u32) -> Self {
        Self { line: stack.mpiexec(ranks), ..Self::alone(stack) }
    }

    /// Creates a job of one process in the environment of `stack`, without its launcher.
    pub fn alone(stack: &Stack) -> Self {
        Self::plain(&[]).on(stack)
    }

    /// Runs in the environment of `stack`.
    #[must_use]
    pub fn on(mut self, stack: &Stack) -> Self {
        self.environment
            .extend(stack.environment().into_iter().map(|(name, value)| (name.to_owned(), value)));
        self
    }

    /// Adds an argument to the command line.
    #[must_use]
    pub fn arg(mut self, word: impl AsRef<Path>) -> Self {
        self.line.push(word.as_ref().display().to_string());
        self
    }

    /// Adds several arguments to the command line.
    #[must_use]
    pub fn args(self, words: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        words.into_iter().fold(self, Self::arg)
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

    /// Runs while no other job does, because a test compares the times in it.
    #[must_use]
    pub fn without_others(mut self) -> Self {
        self.lock = Lock::Whole;
        self
    }

    /// Runs within a lock that the caller has: processors are idle while a test waits for the whole machine, so it does that once for all of its
    /// jobs.
    #[must_use]
    pub fn within_lock(mut self, _lock: &MachineLock) -> Self {
        self.lock = Lock::OfCaller;
        self
    }

    /// Passes settings to Open MPI's own monitoring, which reads them from its launcher: `mpiexec --mca name value ...`.
    #[must_use]
    pub fn native_monitoring(mut self, settings: &[(&str, &str)]) -> Self {
        for &(name, value) in settings {
            self = self.args(["--mca", name, value]);
        }
        self
    }

    /// Runs the command under `mpit run`, with these settings and without a summary: `mpit run --quiet --set name=value -- mpiexec ...`.
    pub fn under_mpit(mut self, settings: &[(&str, &str)]) -> Outcome<Self> {
        let mut run = Self::mpit(&["run", "--quiet"])?;
        for (name, value) in settings {
            run = run.arg("--set").arg(format!("{name}={value}"));
        }
        run.line.push("--".into());
        self.line.splice(0..0, run.line);
        Ok(self)
    }

    /// Runs the command under `mpit run` with these options.
    pub fn under_mpit_with(mut self, options: &[&str]) -> Outcome<Self> {
        self.line.splice(0..0, mpit_line(&[&["run"], options, &["--"]].concat())?);
        Ok(self)
    }

    /// Returns the command line.
    pub fn line(&self) -> Vec<String> {
        self.line.clone()
    }

    /// Runs the command by another one, given by its first arguments.
    #[must_use]
    pub fn within(mut self, words: &[impl AsRef<str>]) -> Self {
        self.line.splice(0..0, words.iter().map(|word| word.as_ref().to_owned()));
        self
    }

    /// Preloads mpit's library into the command itself and all its descendants.
    pub fn preloaded(self) -> Outcome<Self> {
        Ok(self.env("LD_PRELOAD", &build::artifacts()?.preload))
    }

    /// Returns the value of a variable that the job sets.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    /// Preloads mpit's library as [`Job::preloaded`] does, with settings in the environment (`MPIT_SET`).
    pub fn preloaded_with(self, settings: &[(&str, &str)]) -> Outcome<Self> {
        let lines: Vec<_> = settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.env("MPIT_SET", lines.join("\n")).preloaded()
    }

    /// Returns the command, for tests that look at it while it runs. They hold a lock of the machine meanwhile.
    pub fn command(&self) -> Command {
        // Without `-k`, `timeout` leaves ranks behind that ignore the first signal.
        let mut command = Command::new("timeout");
        command.args(["-k", "5", &(self.seconds * slowness()).to_string(), "env"]);
        command.args(self.environment.iter().map(|(name, value)| format!("{name}={value}")));
        command.args(&self.line);
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    fn lock(&self) -> Outcome<Option<MachineLock>> {
        match self.lock {
            Lock::Part => machine_lock::part().map(Some),
            Lock::Whole => machine_lock::whole().map(Some),
            Lock::OfCaller => Ok(None),
        }
    }

    /// Runs the command to its end, successful or not.
    pub fn finish(self) -> Outcome<Finished> {
        let _lock = self.lock()?;
        let mut command = self.command();
        command.stdin(Stdio::null());
        let output = command.output().context("timeout")?;
        Ok(Finished {
            line: self.line.join(" "),
            code: output.status.code(),
            signal: output.status.signal(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Runs the command to its end with its output in files: launchers may leave processes that keep a pipe open.
    /// `meanwhile` runs after its start.
    pub fn finish_with_files(self, dir: &Path, meanwhile: impl FnOnce() -> Outcome) -> Outcome<Finished> {
        let paths = ["stdout.txt", "stderr.txt"].map(|name| dir.join(name));
        let [out, err] = &paths;
        let create = |path: &Path| File::create(path).context(path.display());
        let read = |path: &Path| fs::read(path).context(path.display());
        let _lock = self.lock()?;
        let mut command = self.command();
        let child = command.stdin(Stdio::null()).stdout(create(out)?).stderr(create(err)?).spawn();
        let mut child = child.context("timeout")?;
        let done = meanwhile();
        let status = child.wait().context("timeout")?;
        done?;
        Ok(Finished {
            line: self.line.join(" "),
            code: status.code(),
            signal: status.signal(),
            stdout: String::from_utf8_lossy(&read(out)?).into_owned(),
            stderr: String::from_utf8_lossy(&read(err)?).into_owned(),
        })
    }

    /// Runs the command, which must succeed. A failure shows all of its output.
    pub fn succeed(self) -> Outcome<Finished> {
        let finished = self.finish()?;
        finished.expect(finished.code == Some(0))?;
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

impl Finished {
    /// Fails with all output unless `is_right` is true.
    pub fn expect(&self, is_right: bool) -> Outcome {
        Failure::unless(is_right, || self.to_string())
    }

    /// Fails unless the standard output contains `text`.
    pub fn expect_printed(&self, text: &str) -> Outcome {
        self.expect(self.stdout.contains(text))
    }
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
