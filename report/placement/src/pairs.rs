//! Refinement of many parts, two at a time.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::graph::Graph;
use crate::random::Random;
use crate::two_way::{Limits, refine};

/// The maximum number of rounds over all pairs of parts.
const ROUNDS: usize = 12;

/// The maximum number of pairs in a round, for each part: among random peers, each part has traffic with all others.
const PAIRS_PER_PART: usize = 32;

/// Improves parts with at most these sizes by moves between two of them at a time. `effort` is the number of pairs for each part.
pub(crate) fn refine_pairs(graph: &Graph, capacities: &[u32], parts: &mut [u32], seed: u64, effort: usize) {
    let mut random = Random::new(seed);
    let mut left = effort * capacities.len();
    let mut is_active = vec![true; capacities.len()];
    let mut members = Members::of(parts, capacities.len());
    for _ in 0..ROUNDS {
        let mut pairs = pairs(graph, parts, &is_active);
        pairs.truncate(left);
        left -= pairs.len();
        is_active.fill(false);
        for batch in batches(pairs, capacities.len()) {
            let seeds: Vec<u64> = batch.iter().map(|_| random.next_number()).collect();
            let refined = batch
                .par_iter()
                .zip(&seeds)
                .map(|(pair, seed)| refine_pair(graph, capacities, *pair, parts, &members, *seed));
            let changes: Vec<Vec<(u32, u32)>> = refined.collect();
            for ((one, other), changes) in batch.into_iter().zip(changes) {
                if changes.is_empty() {
                    continue;
                }
                for (vertex, part) in changes {
                    parts[vertex as usize] = part;
                }
                is_active[one as usize] = true;
                is_active[other as usize] = true;
                members.exchange(one, other, parts);
            }
        }
        if !is_active.contains(&true) {
            break;
        }
    }
}

/// The vertices of each part.
struct Members {
    of_part: Vec<Vec<u32>>,
    /// The position of each vertex in the list of its part.
    positions: Vec<u32>,
}

impl Members {
    fn of(parts: &[u32], count: usize) -> Self {
        let mut members = Self { of_part: vec![Vec::new(); count], positions: vec![0; parts.len()] };
        for (vertex, part) in (0..).zip(parts) {
            members.add(vertex, *part);
        }
        members
    }

    fn add(&mut self, vertex: u32, part: u32) {
        let list = &mut self.of_part[part as usize];
        self.positions[vertex as usize] = list.len() as u32;
        list.push(vertex);
    }

    /// Updates two parts between which vertices moved.
    fn exchange(&mut self, one: u32, other: u32, parts: &[u32]) {
        let lists = [one, other].map(|part| std::mem::take(&mut self.of_part[part as usize]));
        for vertex in lists.into_iter().flatten() {
            self.add(vertex, parts[vertex as usize]);
        }
    }
}

/// Returns pairs of parts with traffic between them of which one changed, those with the most traffic first.
fn pairs(graph: &Graph, parts: &[u32], is_active: &[bool]) -> Vec<(u32, u32)> {
    let mut weights: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for vertex in 0..graph.len() as u32 {
        let part = parts[vertex as usize];
        for (target, weight) in graph.edges(vertex) {
            let other = parts[target as usize];
            if part < other && (is_active[part as usize] || is_active[other as usize]) {
                *weights.entry((part, other)).or_default() += weight;
            }
        }
    }
    let mut pairs: Vec<_> = weights.into_iter().map(|(pair, weight)| (weight, pair)).collect();
    pairs.sort_by_key(|(weight, pair)| (std::cmp::Reverse(*weight), *pair));
    pairs.into_iter().take(PAIRS_PER_PART * is_active.len()).map(|(_, pair)| pair).collect()
}

/// Distributes pairs to batches in which each part occurs once.
fn batches(mut pairs: Vec<(u32, u32)>, parts: usize) -> Vec<Vec<(u32, u32)>> {
    let mut batches = Vec::new();
    while !pairs.is_empty() {
        let mut is_used = vec![false; parts];
        let (mut batch, mut later) = (Vec::new(), Vec::new());
        for (one, other) in pairs {
            if is_used[one as usize] || is_used[other as usize] {
                later.push((one, other));
            } else {
                is_used[one as usize] = true;
                is_used[other as usize] = true;
                batch.push((one, other));
            }
        }
        batches.push(batch);
        pairs = later;
    }
    batches
}

/// Returns the vertices that change between two parts, with their new parts.
fn refine_pair(
    graph: &Graph,
    capacities: &[u32],
    (one, other): (u32, u32),
    parts: &[u32],
    members: &Members,
    seed: u64,
) -> Vec<(u32, u32)> {
    let [first, second] = [one, other].map(|part| &members.of_part[part as usize]);
    let vertices: Vec<u32> = first.iter().chain(second).copied().collect();
    let induced = graph.induced(&vertices, |vertex| {
        let position = members.positions[vertex as usize];
        match parts[vertex as usize] {
            part if part == one => Some(position),
            part if part == other => Some(first.len() as u32 + position),
            _ => None,
        }
    });
    let side_of = |at: usize| u8::from(at >= first.len());
    let mut sides: Vec<u8> = (0..vertices.len()).map(side_of).collect();
    let most = [one, other].map(|part| u64::from(capacities[part as usize]));
    let limits = Limits::exact(&induced, most);
    let before = induced.cut(&sides);
    let (overload, after) = refine(&induced, &mut sides, &limits, &mut Random::new(seed));
    if overload > 0 || after >= before {
        return Vec::new();
    }
    let changed = sides.iter().enumerate().filter(|(at, side)| **side != side_of(*at));
    changed.map(|(at, side)| (vertices[at], if *side == 0 { one } else { other })).collect()
}
