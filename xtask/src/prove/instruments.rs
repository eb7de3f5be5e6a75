//! Tests under instruments of nightly Rust: Miri, ThreadSanitizer and AddressSanitizer.

use std::process::{Command, ExitCode};
use std::time::Instant;

use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::test::{self, TestCounts};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instrument {
    Miri,
    ThreadSanitizer,
    AddressSanitizer,
}

struct Suite {
    package: &'static str,
    /// The options of `cargo test` that select test programs.
    programs: &'static [&'static str],
    /// Parts of the names of the tests; all without.
    only: &'static [&'static str],
    /// Parts of the names of tests that are left out. A test that cannot run under Miri says so itself.
    except: &'static [&'static str],
    options: &'static str,
}

impl Suite {
    const fn of(package: &'static str, programs: &'static [&'static str]) -> Self {
        Self { package, programs, only: &[], except: &[], options: "" }
    }
}

/// Without `mpit-macros`: Miri cannot run tests of procedural macros, which have no unsafe code. The code that they expand to calls
/// functions of `mpit`.
const MIRI: &[Suite] = &[
    Suite {
        // `crossbeam-epoch`, which rayon uses, violates Stacked Borrows (github.com/crossbeam-rs/crossbeam/issues/545).
        options: "-Zmiri-tree-borrows",
        ..Suite::of("mpit-report", &["--lib"])
    },
    // The placements are without unsafe code, and hours of work for Miri.
    Suite { only: &["matrix::"], ..Suite::of("mpit-placement", &["--lib"]) },
    Suite::of("mpit-format", &["--lib"]),
    Suite::of("mpit-sync", &["--lib"]),
    Suite::of("mpit-base", &["--lib"]),
];

const THREAD_SANITIZER: &[Suite] = &[
    Suite {
        // The sanitizer ends a child that was forked by a process with several threads. The example is not built here.
        except: &["no_lock_is_held_in_a_forked_child", "the_first_example_prints_what_it_read"],
        ..Suite::of("mpit", &["--test", "interface"])
    },
    Suite::of("mpit-sync", &["--lib"]),
    Suite { except: &["no_lock_is_held_in_a_forked_child"], ..Suite::of("mpit-base", &["--lib"]) },
    Suite { only: &["thread", "foreign"], ..Suite::of("mpit-components", &["--lib", "--tests"]) },
    Suite { only: &["gather::"], ..Suite::of("mpit-monitoring", &["--lib"]) },
    Suite { only: &["claim::"], ..Suite::of("mpit-job", &["--lib"]) },
    Suite { only: &["a_reading_thread"], ..Suite::of("mpit-local", &["--test", "host"]) },
    // No test starts threads, but all run at once in those of the test program.
    Suite::of("mpit-frameworks", &["--lib"]),
];

const ADDRESS_SANITIZER: &[Suite] = &[
    Suite { only: &["plugin::", "export::", "readable::"], ..Suite::of("mpit-base", &["--lib"]) },
    Suite {
        only: &["plugins::"],
        // Plug-ins in Rust are a workspace of their own, and two tests link programs in C, which have no sanitizer. LeakSanitizer cannot
        // trace a privileged program, and so ends it.
        except: &[
            "rust_plugins::",
            "a_c_program_loads_plugins_last",
            "an_activation_may_load_and_register",
            "privileged_programs_ignore_",
        ],
        ..Suite::of("mpit-tests", &["--test", "programs"])
    },
    Suite { only: &["tables_of_c"], ..Suite::of("mpit-fuzz", &["--tests"]) },
];

impl Instrument {
    fn name(self) -> &'static str {
        match self {
            Self::Miri => "miri",
            Self::ThreadSanitizer => "tsan",
            Self::AddressSanitizer => "asan",
        }
    }

    fn suites(self) -> &'static [Suite] {
        match self {
            Self::Miri => MIRI,
            Self::ThreadSanitizer => THREAD_SANITIZER,
            Self::AddressSanitizer => ADDRESS_SANITIZER,
        }
    }

    /// Returns the components of the toolchain beyond the compiler.
    fn components(self) -> &'static [&'static str] {
        match self {
            Self::Miri => &["miri", "rust-src"],
            // The standard library is built again: without instrumentation, its locks and channels would look like data races.
            Self::ThreadSanitizer => &["rust-src"],
            Self::AddressSanitizer => &[],
        }
    }

    fn command(self, suite: &Suite, host: &str) -> Command {
        let mut command = Command::new("rustup");
        command.args(["run", TOOLCHAIN, "cargo"]);
        // Variables of the cargo that runs this program do not apply to another toolchain.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            command.env_remove(variable);
        }
        command.env("CARGO_TARGET_DIR", paths::target().join(self.name()));
        match self {
            Self::Miri => {
                command.args(["miri", "test"]);
                // Tests use temporary files and the clock. Descriptors of variables are leaked, since the registry keeps them.
                let options = format!("-Zmiri-disable-isolation -Zmiri-ignore-leaks {}", suite.options);
                command.env("MIRIFLAGS", options);
            }
            Self::ThreadSanitizer => {
                command.args(["test", "-Zbuild-std"]).env("RUSTFLAGS", "-Zsanitizer=thread");
                command.env("TSAN_OPTIONS", suite.options);
            }
            Self::AddressSanitizer => {
                // Leaks count as well: what is never freed, such as the definitions of a plug-in, has to stay reachable.
                command.arg("test").env("RUSTFLAGS", "-Zsanitizer=address");
            }
        }
        if self != Self::Miri {
            // With a target, the options do not apply to procedural macros, which the compiler itself loads. In a variable, they
            // apply to what the tests build as well.
            command.env("CARGO_BUILD_TARGET", host).env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
        }
        command.args(["--no-fail-fast", "-p", suite.package]).args(suite.programs).arg("--").args(suite.only);
        for name in suite.except {
            command.args(["--skip", name]);
        }
        command.current_dir(paths::workspace());
        command
    }
}

const TOOLCHAIN: &str = "nightly";

pub(super) fn run(instrument: Instrument, packages: &[String]) -> Outcome<ExitCode> {
    let is_chosen =
        |suite: &&Suite| packages.is_empty() || packages.iter().any(|package| package == suite.package);
    let chosen: Vec<&Suite> = instrument.suites().iter().filter(is_chosen).collect();
    Failure::unless(!chosen.is_empty(), || {
        let known: Vec<&str> = instrument.suites().iter().map(|suite| suite.package).collect();
        format!("no package of these names has tests for {}: choose {}", instrument.name(), known.join(", "))
    })?;
    install(instrument.components())?;
    let mut rustc = Command::new("rustup");
    let [host, _] = build::run(rustc.args(["run", TOOLCHAIN, "rustc", "--print", "host-tuple"]))?;
    let mut rows = Vec::new();
    let mut all_good = true;
    for suite in chosen {
        let start = Instant::now();
        let (counts, is_good) = test::run_and_count(&mut instrument.command(suite, host.trim()))?;
        all_good &= is_good;
        let result = if is_good { "ok" } else { "FAILED" };
        let TestCounts { passed, failed, ignored } = counts;
        rows.push(format!(
            "{} {:16} {result}: {passed} passed, {failed} failed, {ignored} left out, {} seconds",
            instrument.name(),
            suite.package,
            start.elapsed().as_secs()
        ));
    }
    println!("\n{}", rows.join("\n"));
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Installs the toolchain with components, unless it is there.
fn install(components: &[&str]) -> Outcome {
    let failure = |what: String| {
        Failure::new(format!("Miri and the sanitizers need Rust's nightly toolchain by rustup, but {what}"))
    };
    let list = ["component", "list", "--installed", "--toolchain", TOOLCHAIN];
    let listed = Command::new("rustup").args(list).output();
    let listed =
        listed.map_err(|error| failure(format!("`rustup`: {error}. Install it: https://rustup.rs")))?;
    let installed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let is_there = |component: &str| {
        installed.lines().any(|line| line == component || line.starts_with(&format!("{component}-")))
    };
    if listed.status.success() && components.iter().all(|component| is_there(component)) {
        return Ok(());
    }
    let mut command = Command::new("rustup");
    command.args(["toolchain", "install", TOOLCHAIN, "--profile", "minimal", "--no-self-update"]);
    for component in components {
        command.args(["--component", component]);
    }
    let status = command.status().context(format!("{command:?}"))?;
    if status.success() { Ok(()) } else { Err(failure(format!("{command:?} failed: {status}"))) }
}
