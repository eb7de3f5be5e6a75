//! Placement by Scotch: the program `scotch_gmap` of Debian's package `scotch`.

use std::fmt::Write as _;
use std::io;
use std::process::{Command, Stdio};

use thiserror::Error;

use crate::graph::Graph;
use crate::matrix::Matrix;
use crate::{finish, fits, pairs};

/// The number of times that each node is refined with another one after Scotch, on average.
const PAIRS: usize = 60;

/// The reason why Scotch made no placement.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The program cannot be started.
    #[error("cannot run scotch_gmap ({0}); install Debian's package scotch, or use --partitioner own")]
    Start(io::Error),
    /// The program failed.
    #[error("scotch_gmap failed: {0}")]
    Failed(String),
    /// The program printed something else than a mapping.
    #[error("scotch_gmap wrote no mapping of all ranks: {0}")]
    Output(String),
}

/// Places ranks as [`place`](super::place) does, by Scotch.
///
/// Scotch may use more cores than a node has. Ranks above that number are moved to other nodes.
///
/// # Errors
///
/// Fails if `scotch_gmap` is not installed, or does not write a mapping.
pub fn scotch(matrix: &Matrix, cores: &[u32], present: &[u32]) -> Result<Vec<u32>, Error> {
    let graph = Graph::of(matrix, present.len() as u32);
    let mut parts = run(&graph, cores)?;
    repair(&graph, cores, &mut parts);
    if !fits(&parts, cores) {
        return Ok(present.to_vec());
    }
    pairs::refine_pairs(&graph, cores, &mut parts, 0, PAIRS);
    Ok(finish(matrix, cores, present, &parts))
}

/// Returns the placement by Scotch alone, with the ranks above the number of cores moved, for comparisons.
///
/// # Errors
///
/// Those of [`scotch`].
#[doc(hidden)]
pub fn scotch_mapping(matrix: &Matrix, cores: &[u32], ranks: u32) -> Result<Vec<u32>, Error> {
    let graph = Graph::of(matrix, ranks);
    let mut parts = run(&graph, cores)?;
    repair(&graph, cores, &mut parts);
    Ok(parts)
}

/// Returns the node of each rank that Scotch prints.
pub(crate) fn run(graph: &Graph, cores: &[u32]) -> Result<Vec<u32>, Error> {
    let directory = tempfile::tempdir().map_err(Error::Start)?;
    let (source, target) = (directory.path().join("source.grf"), directory.path().join("target.tgt"));
    std::fs::write(&source, graph_text(graph)).map_err(Error::Start)?;
    std::fs::write(&target, target_text(cores)).map_err(Error::Start)?;
    let child = Command::new("scotch_gmap")
        .arg(&source)
        .arg(&target)
        .arg("-")
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .map_err(Error::Start)?;
    let error = String::from_utf8_lossy(&child.stderr);
    if !child.status.success() {
        return Err(Error::Failed(error.trim().into()));
    }
    parse(&String::from_utf8_lossy(&child.stdout), graph.len(), cores.len())
        .ok_or_else(|| Error::Output(error.trim().into()))
}

/// Returns the text of a graph: the format 010 has weights of edges.
pub(crate) fn graph_text(graph: &Graph) -> String {
    // Scotch's numbers have 32 bits on Debian, and it adds weights up.
    let total: i64 =
        (0..graph.len() as u32).flat_map(|vertex| graph.edges(vertex)).map(|(_, weight)| weight).sum();
    let divisor = total / (1 << 29) + 1;
    let mut text = format!("0\n{} {}\n0 010\n", graph.len(), graph.edge_count());
    for vertex in 0..graph.len() as u32 {
        let _ = write!(text, "{}", graph.degree(vertex));
        for (target, weight) in graph.edges(vertex) {
            let _ = write!(text, " {} {target}", (weight / divisor).max(1));
        }
        text.push('\n');
    }
    text
}

fn target_text(cores: &[u32]) -> String {
    let weights: Vec<String> = cores.iter().map(ToString::to_string).collect();
    format!("cmpltw {} {}\n", cores.len(), weights.join(" "))
}

/// Parses the mapping: the number of vertices, and a line with vertex and part for each.
pub(crate) fn parse(text: &str, vertices: usize, parts: usize) -> Option<Vec<u32>> {
    let mut numbers = text.split_ascii_whitespace().map(|word| word.parse::<u32>().ok());
    if numbers.next()?? as usize != vertices {
        return None;
    }
    let mut nodes = vec![u32::MAX; vertices];
    for _ in 0..vertices {
        let (vertex, part) = (numbers.next()??, numbers.next()??);
        *nodes.get_mut(vertex as usize)? = part;
    }
    if nodes.iter().all(|node| (*node as usize) < parts) { Some(nodes) } else { None }
}

/// Moves ranks from nodes that have too many to those with free cores: each time the one that adds the fewest bytes between nodes.
pub(crate) fn repair(graph: &Graph, cores: &[u32], nodes: &mut [u32]) {
    let mut free: Vec<i64> = cores.iter().map(|cores| i64::from(*cores)).collect();
    for node in nodes.iter() {
        free[*node as usize] -= 1;
    }
    while let Some(full) = free.iter().position(|free| *free < 0) {
        let mut best = None;
        let ranks = (0..graph.len() as u32).filter(|rank| nodes[*rank as usize] as usize == full);
        let mut to = vec![0_i64; cores.len()];
        for rank in ranks {
            to.fill(0);
            for (target, weight) in graph.edges(rank) {
                to[nodes[target as usize] as usize] += weight;
            }
            for (node, free) in free.iter().enumerate() {
                let better = best.is_none_or(|(gain, _, _)| to[node] - to[full] > gain);
                if *free > 0 && better {
                    best = Some((to[node] - to[full], rank, node));
                }
            }
        }
        let Some((_, rank, node)) = best else { break };
        nodes[rank as usize] = node as u32;
        free[full] += 1;
        free[node] -= 1;
    }
}
