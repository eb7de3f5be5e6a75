//! Runs models, each in a process of its own, and prints a table.

use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, thread};

use crate::execution::{self, Mode};

/// A model: a function that loom runs once for each order of its steps.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    name: &'static str,
    run: fn(),
    preemptions: usize,
    mode: Mode,
}

impl Model {
    /// A model of all orders with at most three preemptions.
    #[must_use]
    pub const fn new(name: &'static str, run: fn()) -> Self {
        Self { name, run, preemptions: 3, mode: Mode::Wide }
    }

    /// Sets the number of preemptions.
    #[must_use]
    pub const fn preemptions(mut self, preemptions: usize) -> Self {
        self.preemptions = preemptions;
        self
    }

    /// Sets what is explored.
    #[must_use]
    pub const fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Explores the model in this process, and prints the result. Panics if an execution does.
    fn explore(&self) {
        let start = Instant::now();
        let seconds =
            env::var(SECONDS).ok().and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
        let executions = execution::explore(Some(self.preemptions), self.mode, seconds, self.run);
        let end = match seconds {
            Some(seconds) if start.elapsed() >= seconds => "out of time",
            _ => "all",
        };
        let values = if self.mode == Mode::Latest { "latest values" } else { "weak memory" };
        let seconds = start.elapsed().as_secs_f64();
        println!("{executions:>10} {seconds:>8.1}  {end}, {} preemptions, {values}", self.preemptions);
    }
}

/// The environment variable with the most seconds for a model. A model that needs more ends early, and does not fail.
const SECONDS: &str = "MPIT_MODEL_SECONDS";

/// The option of a process that runs one model.
const ONE: &str = "--one";

/// Runs the models whose names begin with an argument, or all without arguments.
///
/// # Panics
///
/// Panics if this program cannot be started once more for each model.
pub fn main(models: &[Model]) -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [option, name] = &arguments[..]
        && option == ONE
    {
        let model = models.iter().find(|model| model.name == name).expect("a model of this name");
        model.explore();
        return ExitCode::SUCCESS;
    }
    let is_chosen = |model: &&Model| {
        arguments.is_empty() || arguments.iter().any(|argument| model.name.starts_with(argument.as_str()))
    };
    let chosen: Vec<Model> = models.iter().filter(is_chosen).copied().collect();
    println!("{:44} {:>10} {:>8}", "model", "executions", "seconds");
    let start = Instant::now();
    let waiting = Mutex::new(chosen.iter());
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(model) = next() {
                    if !run(model) {
                        failed.lock().unwrap_or_else(PoisonError::into_inner).push(model.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    let count = chosen.len();
    println!("{count} models, {} failed, {:.0} seconds", failed.len(), start.elapsed().as_secs_f64());
    if !failed.is_empty() {
        println!("FAILED: {}", failed.join(", "));
    }
    if failed.is_empty() && !chosen.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a model in a process, and prints its row. Returns true if it holds.
fn run(model: &Model) -> bool {
    let mut command = Command::new(env::current_exe().expect("the program has a path"));
    // The stacks of a model's threads are too small for backtraces.
    command.args([ONE, model.name]).env("RUST_BACKTRACE", "0").stdin(Stdio::null());
    let output = command.output().expect("the program runs");
    let row = String::from_utf8_lossy(&output.stdout);
    let mut stdout = std::io::stdout().lock();
    if output.status.success() {
        let _ = writeln!(stdout, "{:44} {}", model.name, row.trim_end());
    } else {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let _ = writeln!(stdout, "{:44} FAILED ({})\n{complaint}", model.name, output.status);
    }
    output.status.success()
}
