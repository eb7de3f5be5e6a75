//! The time of building a crate that only publishes a counter, with all that it depends on, beside crates for the same purpose.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Context, Outcome, paths};

use crate::{succeed, write};

use super::Results;
use super::rounds::{Rounds, Timings};
use super::table::Line;
use super::timed::timed;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Crate {
    name: &'static str,
    /// The version on crates.io; `None` for the one of this workspace.
    version: Option<&'static str>,
    source: &'static str,
}

const TRACING: Crate = Crate {
    name: "tracing",
    version: Some("0.1"),
    source: "pub fn send() {\n    tracing::trace!(packets = 1);\n}\n",
};

const CRATES: [Crate; 3] = [
    Crate {
        name: "mpit",
        version: None,
        source: "/// Packets sent so far.\n#[mpit::pvar(class = \"COUNTER\")]\n\
                 pub static PACKETS: mpit::cell::Counter<u64> = mpit::cell::Counter::new();\n",
    },
    Crate {
        name: "metrics",
        version: Some("0.24"),
        source: "pub fn send() {\n    metrics::counter!(\"packets\").increment(1);\n}\n",
    },
    TRACING,
];

impl Crate {
    fn folder(self) -> PathBuf {
        paths::target().join("clean-builds").join(self.name)
    }
}

pub(crate) fn run(rounds: u32, results: &mut Results) -> Outcome {
    for krate in CRATES {
        let Crate { name, version, source } = krate;
        let core = || format!("{{ path = {:?} }}", paths::workspace().join("core").display().to_string());
        let dependency = version.map_or_else(core, |version| format!("{version:?}"));
        let folder = krate.folder();
        let manifest = format!(
            "[workspace]\n\n[package]\nname = \"user-of-{name}\"\nedition = \"2024\"\n\n\
             [dependencies]\n{name} = {dependency}\n"
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        write(&folder.join("src/lib.rs"), source)?;
        succeed(cargo(&folder).arg("fetch"))?;
    }
    results.table.section("A clean debug build of a crate that publishes one counter", "s");
    let rounds = Rounds::run(rounds, &CRATES, |krate| {
        let folder = krate.folder();
        let target = folder.join("target");
        if target.exists() {
            fs::remove_dir_all(&target).context(target.display())?;
        }
        let (processor, elapsed) = timed(cargo(&folder).args(["build", "--quiet", "--offline"]))?;
        Ok(Timings::from([("processor".into(), processor / 1e3), ("elapsed".into(), elapsed / 1e3)]))
    })?;
    for kind in ["processor", "elapsed"] {
        let peer = rounds.samples(TRACING, kind)?;
        for krate in CRATES {
            let samples = rounds.samples(krate, kind)?;
            let what = format!("with {} other crates, {kind} time", dependencies(&krate.folder())?);
            results.table.add(Line::new(krate.name, &what, &samples).beside(&peer, "tracing"));
        }
    }
    Ok(())
}

fn dependencies(folder: &Path) -> Outcome<usize> {
    let mut tree = cargo(folder);
    tree.args(["tree", "--edges", "normal,build", "--prefix", "none", "--no-dedupe", "--offline"]);
    let [text, _] = mpit_tests::build::run(&mut tree)?;
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    lines.sort_unstable();
    lines.dedup();
    Ok(lines.len())
}

fn cargo(folder: &Path) -> Command {
    let mut command = crate::cargo(&[]);
    command.current_dir(folder).env("CARGO_TARGET_DIR", folder.join("target"));
    command
}
