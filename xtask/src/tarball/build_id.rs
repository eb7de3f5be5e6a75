//! Build IDs that depend on what is loaded only.
//!
//! The linker computes them from debug information as well, which has the paths of zig's own sources, so that they would depend on the checkout's
//! place.

use std::fs;
use std::path::Path;
use std::process::Command;

use mpit_tests::{Context, Failure, Outcome, build};

use crate::install::{binutil, build_id};

/// Replaces the build ID of a library or program by a hash of the file without debug information.
pub(super) fn set_by_content(file: &Path) -> Outcome {
    let id = build_id(file)?.context(format!("a build ID of {}", file.display()))?;
    let bytes = |digits: &str| -> Option<Vec<u8>> {
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok()).collect()
    };
    let id = bytes(&id).context("the digits of a build ID")?;
    let stripped = file.with_extension("stripped");
    build::run(binutil("objcopy", file)?.arg("--strip-all").args([file, &stripped]))?;
    replace(&stripped, &id, &vec![0; id.len()])?;
    let [sum, _] = build::run(Command::new("sha1sum").arg(&stripped))?;
    fs::remove_file(&stripped).context(stripped.display())?;
    let sum = sum.get(..id.len() * 2).and_then(bytes).context("a sum as long as the build ID")?;
    replace(file, &id, &sum)
}

/// Replaces bytes that a file has once.
fn replace(file: &Path, old: &[u8], new: &[u8]) -> Outcome {
    let mut content = fs::read(file).context(file.display())?;
    let places: Vec<usize> = content
        .windows(old.len())
        .enumerate()
        .filter(|(_, window)| *window == old)
        .map(|(at, _)| at)
        .collect();
    Failure::unless(places.len() == 1, || {
        format!("{} has its build ID {} times", file.display(), places.len())
    })?;
    content[places[0]..][..new.len()].copy_from_slice(new);
    fs::write(file, content).context(file.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_information_does_not_matter() -> Outcome {
        let directory = tempfile::tempdir().context("a directory")?;
        let mut ids = Vec::new();
        for (folder, result) in [("one", 3), ("two", 3), ("three", 4)] {
            let (source, program) =
                (directory.path().join(folder).join("main.c"), directory.path().join(folder).join("main"));
            crate::write(&source, &format!("int main(void) {{ return {result}; }}\n"))?;
            build::run(
                Command::new("cc").args(["-g", "-Wl,--build-id=sha1", "-o"]).args([&program, &source]),
            )?;
            let first = build_id(&program)?;
            set_by_content(&program)?;
            assert_eq!(Command::new(&program).status().context("main")?.code(), Some(result));
            ids.push((first, build_id(&program)?));
        }
        assert!(ids[0].0 != ids[1].0 && ids[0].1 == ids[1].1 && ids[0].1 != ids[2].1, "{ids:?}");
        assert!(ids[0].1.as_ref().is_some_and(|id| id.len() == 40));
        Ok(())
    }
}
