//! The comparison of `mpit map` with Scotch, and the times that its placements take on models of networks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mpit_tests::{Context, Failure, Outcome, build, paths};

use crate::{cargo, document, setup};

/// The page to write into.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Replay the traffic between nodes on models of networks by SimGrid instead
    #[arg(long)]
    replay: bool,
    /// Write the tables into this page
    #[arg(long, value_name = "PAGE")]
    document: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    for problem in setup::placement() {
        println!("placement: could not get {problem}");
    }
    let (name, tables) = if arguments.replay {
        ("replay", replay()?)
    } else {
        let [tables, _] = build::run(&mut example("placement"))?;
        ("placement", tables)
    };
    println!("{tables}");
    match &arguments.document {
        Some(page) => document::write_part(page, name, &tables),
        None => Ok(()),
    }
}

fn example(name: &str) -> Command {
    cargo(&["run", "--release", "--quiet", "-p", "mpit-placement", "--example", name, "--"])
}

/// The models of `xtask/python/replay.py`.
const MODELS: [&str; 2] = ["fat tree", "dragonfly"];

/// Returns the times of placements on models of networks.
fn replay() -> Outcome<String> {
    let dir = paths::scratch("reports", "replay")?;
    let [lines, _] = build::run(example("replay").arg(&dir))?;
    let mut columns = vec!["matrix".to_owned(), "ranks".into(), "busiest node, predicted gain".into()];
    columns.extend(MODELS.iter().flat_map(|model| [format!("{model}, ms"), "gain".into()]));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let mut table = document::head(&columns);
    for (number, line) in lines.lines().enumerate() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, ranks, now, after] = fields[..] else { return Err(Failure::new(line)) };
        let [now, after] = [now, after].map(|bytes| bytes.parse::<f64>().context(bytes));
        let mut cells = vec![name.to_owned(), ranks.into(), gain(now?, after?)];
        for (now, after) in seconds(&dir.join(format!("{number}.now")))?
            .into_iter()
            .zip(seconds(&dir.join(format!("{number}.after")))?)
        {
            cells.extend([format!("{:.2} → {:.2}", 1e3 * now, 1e3 * after), gain(now, after)]);
        }
        table += &document::row(&cells);
    }
    fs::remove_dir_all(&dir).context(dir.display())?;
    Ok(table)
}

/// Returns the factor by which a number decreases.
fn gain(now: f64, after: f64) -> String {
    if after > 0.0 {
        format!("{:.2}", now / after)
    } else if now > 0.0 {
        "all".into()
    } else {
        "1.00".into()
    }
}

/// Returns the seconds that the traffic of a file takes on each model.
fn seconds(file: &Path) -> Outcome<Vec<f64>> {
    // Debian's package is for Debian's Python.
    let mut python = Command::new("/usr/bin/python3");
    let script = paths::workspace().join("xtask/python/replay.py");
    let [line, _] = build::run(python.arg(script).arg(file))?;
    let numbers: Vec<f64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    Failure::unless(numbers.len() == MODELS.len(), || format!("the replay printed {line}"))?;
    Ok(numbers)
}
