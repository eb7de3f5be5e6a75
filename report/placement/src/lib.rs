//! Placement of ranks on nodes with few bytes between nodes.
//!
//! The ranks are divided into as many parts as there are nodes. Recursive bisection gives first divisions, each on a graph that was
//! coarsened before; two parts at a time are then refined. The result depends on the input only, and is never worse than the
//! present placement.
//!
//! # API boundary
//!
//! For the commands `mpit map` and `mpit report`, and for tests. Knows [matrices](Matrix) of traffic, the [nodes](Topology) of a run and the
//! [orders](Order) of launchers, and neither the files of runs nor the command line.
//!
//! # Invariants
//!
//! No input causes a panic, except ranks of a placement that is not one of the nodes.

#![forbid(unsafe_code)]

mod bisection;
mod coarsening;
mod gain;
mod graph;
pub mod hwloc;
mod matrix;
mod order;
mod pairs;
mod random;
mod scotch;
#[cfg(test)]
mod tests;
mod topology;
mod two_way;

use std::cmp::Reverse;

use graph::Graph;

pub use gain::Gain;
pub use matrix::{Cell, CellRange, Matrix, added_up};
pub use order::Order;
#[doc(hidden)]
pub use random::Random;
#[doc(hidden)]
pub use scotch::scotch_mapping;
pub use scotch::{Error as ScotchError, scotch};
pub use topology::{Topology, block, fits};

/// Returns the bytes between ranks on different nodes. `nodes` has the node of each rank; ranks without one are left out.
pub fn bytes_between_nodes(matrix: &Matrix, nodes: &[u32]) -> u128 {
    let node = |rank: u32| nodes.get(rank as usize);
    let is_between =
        |from: u32, to: u32| matches!((node(from), node(to)), (Some(one), Some(other)) if one != other);
    matrix.cells().filter(|cell| is_between(cell.from, cell.to)).map(|cell| u128::from(cell.bytes)).sum()
}

/// Returns the bytes that the busiest node exchanges with the others: of each node, the larger one of the bytes that it sends and of those that
/// it receives, because a link carries both directions at once. Where all processes wait for the network, the busiest node determines the time.
pub fn bytes_of_busiest_node(matrix: &Matrix, nodes: &[u32]) -> u128 {
    let mut links = vec![[0_u128; 2]; nodes.iter().max().map_or(0, |last| *last as usize + 1)];
    for cell in matrix.cells() {
        let node = |rank: u32| nodes.get(rank as usize).map(|node| *node as usize);
        if let (Some(from), Some(to)) = (node(cell.from), node(cell.to))
            && from != to
        {
            links[from][0] += u128::from(cell.bytes);
            links[to][1] += u128::from(cell.bytes);
        }
    }
    links.into_iter().flatten().max().unwrap_or(0)
}

/// Returns a placement with at most `cores` ranks on each node, and at most as many bytes between nodes as in `present`, which
/// fits.
///
/// Nodes with equal numbers of cores are used in the order of their first ranks.
pub fn place(matrix: &Matrix, cores: &[u32], present: &[u32]) -> Vec<u32> {
    debug_assert!(fits(present, cores), "the present placement fits");
    let graph = Graph::of(matrix, present.len() as u32);
    let effort = Effort::of(&graph, cores.len());
    let mut best = present.to_vec();
    if effort.refines_present {
        pairs::refine_pairs(&graph, cores, &mut best, 0, effort.pairs);
    }
    let mut least = graph.cut(&best);
    let usable = [fewest(cores, present.len()), cores.to_vec()];
    let distinct = if usable[0] == usable[1] { &usable[..1] } else { &usable[..] };
    for capacities in distinct {
        for trial in 1..=effort.trials {
            if least == 0 {
                break;
            }
            let mut parts = bisection::divide(&graph, capacities, effort.attempts, trial);
            if !fits(&parts, capacities) {
                continue;
            }
            pairs::refine_pairs(&graph, capacities, &mut parts, trial, effort.pairs);
            let cut = graph.cut(&parts);
            if cut < least {
                (best, least) = (parts, cut);
            }
        }
    }
    finish(matrix, cores, present, &best)
}

/// Returns a placement with the nodes in order, or the present one if that is not worse.
fn finish(matrix: &Matrix, cores: &[u32], present: &[u32], placed: &[u32]) -> Vec<u32> {
    let placed = in_order(placed, cores);
    // The graph has rounded weights.
    if fits(&placed, cores) && bytes_between_nodes(matrix, &placed) < bytes_between_nodes(matrix, present) {
        placed
    } else {
        present.to_vec()
    }
}

/// The number of repetitions with other random numbers: small problems have time for many.
struct Effort {
    trials: u64,
    attempts: usize,
    /// The number of times that each node is refined with another one, on average.
    pairs: usize,
    /// False if the refinement of a bad placement would take longer than a new one.
    refines_present: bool,
}

impl Effort {
    fn of(graph: &Graph, parts: usize) -> Self {
        let levels = u64::from(parts.max(2).ilog2());
        let (trials, attempts, pairs, refines_present) =
            match (graph.len() + graph.edge_count()) as u64 * levels {
                0..=20_000 => (8, 4, 400, true),
                20_001..=200_000 => (6, 4, 400, true),
                200_001..=2_000_000 => (2, 3, 60, true),
                _ => (1, 2, 24, false),
            };
        Self { trials, attempts, pairs, refines_present }
    }
}

/// Returns the cores of the fewest nodes that have enough of them, and 0 for the other nodes.
fn fewest(cores: &[u32], ranks: usize) -> Vec<u32> {
    let mut order: Vec<usize> = (0..cores.len()).collect();
    order.sort_by_key(|node| Reverse(cores[*node]));
    let mut used = vec![0; cores.len()];
    let mut sum = 0;
    for node in order {
        if sum >= ranks {
            break;
        }
        used[node] = cores[node];
        sum += cores[node] as usize;
    }
    used
}

/// Exchanges nodes with equal numbers of cores, so that their first ranks ascend.
fn in_order(nodes: &[u32], cores: &[u32]) -> Vec<u32> {
    let mut first = vec![u32::MAX; cores.len()];
    for (rank, node) in (0..).zip(nodes) {
        let first = &mut first[*node as usize];
        *first = rank.min(*first);
    }
    let mut sources: Vec<usize> = (0..cores.len()).collect();
    let mut targets = sources.clone();
    sources.sort_by_key(|node| (cores[*node], first[*node], *node));
    targets.sort_by_key(|node| (cores[*node], *node));
    let mut renamed = vec![0; cores.len()];
    for (source, target) in sources.into_iter().zip(targets) {
        renamed[source] = target as u32;
    }
    nodes.iter().map(|node| renamed[*node as usize]).collect()
}
