//! The placement of `mpit map` beside that of Scotch on 30 matrices, and the time and memory for large ones, as tables in
//! Markdown. `cargo xtask placement` writes them into docs/map.md. Needs `scotch_gmap` of Debian's package `scotch`.

use std::process::ExitCode;
use std::time::Instant;

use mpit_placement::{block, bytes_between_nodes, place, scotch_mapping};
use mpit_tests::patterns::{self, Pattern};

/// The number of runs of Scotch, whose result depends on its threads. The best one counts.
const RUNS: usize = 3;

fn main() -> ExitCode {
    println!(
        "| matrix | ranks | nodes | in order | mpit | Scotch | mpit / Scotch | mpit, s | Scotch, s |\n|{}",
        "---|".repeat(9)
    );
    let mut worst: f64 = 0.0;
    for pattern in patterns::all() {
        match compare(&pattern) {
            Ok((row, ratio)) => {
                println!("{row}");
                worst = worst.max(ratio);
            }
            Err(error) => {
                eprintln!("{}: {error}", pattern.name);
                return ExitCode::FAILURE;
            }
        }
    }
    println!("\nThe largest ratio is {worst:.3}.\n");
    println!(
        "| 3D, 27 points, shuffled | ranks | peers, mean | in order | mpit | seconds | peak memory, MiB |"
    );
    println!("|{}", "---|".repeat(7));
    [16, 47].into_iter().for_each(large);
    ExitCode::SUCCESS
}

/// Returns the row of a matrix, and the bytes between nodes relative to those of Scotch.
fn compare(pattern: &Pattern) -> Result<(String, f64), String> {
    let Pattern { name, ranks, cores, matrix } = pattern;
    let present = block(*ranks, cores).ok_or("too few cores")?;
    let total = matrix.cells().map(|cell| u128::from(cell.bytes)).sum::<u128>() as f64;
    let share = |nodes: &[u32]| 100.0 * bytes_between_nodes(matrix, nodes) as f64 / total;
    let begin = Instant::now();
    let own = share(&place(matrix, cores, &present));
    let own_seconds = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    let mut scotch = f64::INFINITY;
    for _ in 0..RUNS {
        let nodes = scotch_mapping(matrix, cores, *ranks).map_err(|error| error.to_string())?;
        scotch = scotch.min(share(&nodes));
    }
    let scotch_seconds = begin.elapsed().as_secs_f64() / RUNS as f64;
    let ratio = if scotch > 0.0 { own / scotch } else { 1.0 + own };
    let row = format!(
        "| {name} | {ranks} | {} | {:.1} % | {own:.1} % | {scotch:.1} % | {ratio:.3} | {own_seconds:.2} | {scotch_seconds:.2} |",
        cores.len(),
        share(&present)
    );
    Ok((row, ratio))
}

/// Prints the row of a grid of ranks with up to 26 neighbors each on nodes with 64 cores.
fn large(side: u32) {
    let ranks = side.pow(3);
    let matrix = patterns::shuffled(&patterns::stencil([side; 3], 3, [1000; 3], false), ranks, 1);
    let cores = vec![64; ranks.div_ceil(64) as usize];
    let Some(present) = block(ranks, &cores) else { return };
    let total = matrix.cells().map(|cell| u128::from(cell.bytes)).sum::<u128>() as f64;
    let share = |nodes: &[u32]| 100.0 * bytes_between_nodes(&matrix, nodes) as f64 / total;
    let begin = Instant::now();
    let placed = place(&matrix, &cores, &present);
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "| {side} x {side} x {side} | {ranks} | {:.1} | {:.1} % | {:.1} % | {seconds:.2} | {} |",
        matrix.pairs() as f64 / f64::from(ranks),
        share(&present),
        share(&placed),
        peak_memory().map_or("-".into(), |kib| (kib / 1024).to_string())
    );
}

/// Returns the largest memory of this process so far, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok())
}
