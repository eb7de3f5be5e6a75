//! The traffic between nodes in the placement in order and in that of `mpit map`: `replay DIRECTORY` writes a file for each of some matrices and
//! placements, with lines of sender, receiver and bytes, for a replay on a model of a network. `cargo xtask placement --replay` runs it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use mpit_placement::Matrix;
use mpit_placement::{block, bytes_of_busiest_node, place};
use mpit_tests::patterns::{self, Pattern};

/// The matrices: those with this number of nodes, which the models have.
const NODES: usize = 32;

/// Messages of the matrices are small. A replay that measures bandwidth needs larger ones.
const SCALE: u64 = 100;

fn main() -> ExitCode {
    let Some(directory) = std::env::args().nth(1) else {
        eprintln!("usage: replay DIRECTORY");
        return ExitCode::FAILURE;
    };
    let patterns = patterns::all().into_iter().filter(|pattern| pattern.cores.len() == NODES);
    for (number, pattern) in patterns.enumerate() {
        if let Err(error) = write(Path::new(&directory), number, &pattern) {
            eprintln!("{}: {error}", pattern.name);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Writes the files of a matrix, and prints a line: name, ranks, and the bytes of the busiest node in both placements.
fn write(directory: &Path, number: usize, pattern: &Pattern) -> Result<(), String> {
    let Pattern { name, ranks, cores, matrix } = pattern;
    let present = block(*ranks, cores).ok_or("too few cores")?;
    let placed = place(matrix, cores, &present);
    for (ending, nodes) in [("now", &present), ("after", &placed)] {
        let path = directory.join(format!("{number}.{ending}"));
        fs::write(&path, lines(matrix, nodes)).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    let busiest = [&present, &placed].map(|nodes| bytes_of_busiest_node(matrix, nodes) * u128::from(SCALE));
    println!("{name}\t{ranks}\t{}\t{}", busiest[0], busiest[1]);
    Ok(())
}

/// Returns the bytes between nodes.
fn lines(matrix: &Matrix, nodes: &[u32]) -> String {
    let mut sums: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for cell in matrix.cells() {
        let (from, to) = (nodes[cell.from as usize], nodes[cell.to as usize]);
        if from != to {
            *sums.entry((from, to)).or_default() += cell.bytes * SCALE;
        }
    }
    let mut text = String::new();
    for ((from, to), bytes) in sums {
        let _ = writeln!(text, "{from} {to} {bytes}");
    }
    text
}
