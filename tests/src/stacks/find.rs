//! Detection of stacks by running a probe program on each.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::compile::c_file;
use super::{Missing, Origin, Spec, Stack};
use crate::{Context, Failure, Outcome, paths};

impl Spec {
    pub(super) fn find(&'static self) -> Result<Stack, Missing> {
        let missing = |reason: String| Missing { label: self.label, reason: one_line(&reason) };
        let advice = match self.origin {
            Origin::Debian(packages) => format!("Debian packages {}", packages.join(", ")),
            Origin::Wheel("impi-rt") => "PyPI packages impi-rt and, for its compiler wrapper, mpich".into(),
            Origin::Wheel(package) => format!("PyPI package {package}"),
        };
        for program in [self.mpicc(), self.bin(self.mpiexec)] {
            if !is_here(&program) {
                return Err(missing(format!("no {} ({advice}; see `cargo xtask setup`)", program.display())));
            }
        }
        self.probe().map_err(|failure| missing(failure.to_string()))
    }

    fn probe(&'static self) -> Outcome<Stack> {
        let probe = c_file(self, "version", "version", &[])?;
        let run = |command: &mut Command| {
            let output = command.envs(self.environment()).output().context(probe.display())?;
            let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Failure::unless(output.status.success() && !text.is_empty(), || {
                format!("{} failed: {}", probe.display(), String::from_utf8_lossy(&output.stderr))
            })?;
            Ok(text)
        };
        let version = run(&mut Command::new(&probe))?;
        let libraries = run(Command::new("ldd").arg(&probe))?;
        let library = libraries
            .lines()
            .filter(|line| line.trim_start().starts_with(self.soname))
            .find_map(|line| line.split_whitespace().find(|word| word.starts_with('/')))
            .context(format!("{} is not linked with {}", probe.display(), self.soname))?;
        Ok(Stack {
            spec: self,
            version: one_line(version.split(',').next().unwrap_or_default()),
            library: PathBuf::from(library),
        })
    }
}

fn is_here(program: &Path) -> bool {
    if program.is_absolute() {
        program.is_file()
    } else {
        program.to_str().and_then(paths::find_program).is_some()
    }
}

/// Returns the first non-empty line of a text, truncated for a table.
fn one_line(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let words = first.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(160) {
        Some((end, _)) => format!("{}...", &words[..end]),
        None => words,
    }
}
