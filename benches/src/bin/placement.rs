//! The placement of `mpit map` beside that of Scotch, on 30 matrices: bytes between nodes and seconds.
//!
//! `placement` prints the table. `placement RANKS` places a stencil of 27 points with so many ranks, without Scotch.

use std::time::Instant;

use mpit_report::placement::{block, bytes_between_nodes, patterns, place, scotch_mapping};

fn main() {
    if let Some(ranks) = std::env::args().nth(1).and_then(|word| word.parse().ok()) {
        large(ranks);
        return;
    }
    println!("| matrix | ranks | nodes | now | own | Scotch | own / Scotch | own, s | Scotch, s |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut worst: f64 = 0.0;
    for pattern in patterns::all() {
        let patterns::Pattern { name, ranks, cores, matrix } = pattern;
        let Some(present) = block(ranks, &cores) else { continue };
        let total = matrix.cells().iter().map(|cell| u128::from(cell.bytes)).sum::<u128>() as f64;
        let share = |nodes: &[u32]| 100.0 * bytes_between_nodes(&matrix, nodes) as f64 / total;
        let begin = Instant::now();
        let own = place(&matrix, &cores, &present);
        let own_seconds = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let scotch = scotch_mapping(&matrix, &cores, ranks);
        let scotch_seconds = begin.elapsed().as_secs_f64();
        let scotch = match scotch {
            Ok(nodes) => nodes,
            Err(error) => {
                println!("{name}: {error}");
                continue;
            }
        };
        let ratio = if share(&scotch) > 0.0 { share(&own) / share(&scotch) } else { 1.0 + share(&own) };
        worst = worst.max(ratio);
        println!(
            "| {name} | {ranks} | {} | {:.1} % | {:.1} % | {:.1} % | {ratio:.3} | {own_seconds:.2} | {scotch_seconds:.2} |",
            cores.len(),
            share(&present),
            share(&own),
            share(&scotch)
        );
    }
    println!("\nThe largest ratio is {worst:.3}.");
}

/// Places a grid of ranks with 26 neighbors each on nodes with 64 cores, in the order of ranks.
fn large(ranks: u32) {
    let side = f64::from(ranks).cbrt().ceil() as u32;
    let ranks = side.pow(3);
    let matrix = patterns::shuffled(&patterns::stencil([side; 3], 3, [1000; 3], false), ranks, 1);
    let cores = vec![64; ranks.div_ceil(64) as usize];
    let Some(present) = block(ranks, &cores) else { return };
    let begin = Instant::now();
    let placed = place(&matrix, &cores, &present);
    println!(
        "{ranks} ranks, {} cells: {} to {} bytes between nodes in {:.2} s",
        matrix.cells().len(),
        bytes_between_nodes(&matrix, &present),
        bytes_between_nodes(&matrix, &placed),
        begin.elapsed().as_secs_f64()
    );
}
