//! Division of ranks by recursive multilevel bisection.

use crate::coarsening::coarsen;
use crate::graph::Graph;
use crate::random::Random;
use crate::two_way::{Limits, refine};

/// The number of vertices at which coarsening ends.
const COARSEST: usize = 48;

/// The number of cycles without improvement after which a bisection is final.
const FAILURES: usize = 3;

/// The number of initial divisions of the coarsest graph.
const STARTS: usize = 8;

/// Divides a graph into parts with at most these sizes, whose sum is at least that of the graph. Returns the part of each vertex.
///
/// `attempts` is the number of bisections of which the best is used at each level of the recursion.
pub(crate) fn divide(graph: &Graph, capacities: &[u32], attempts: usize, seed: u64) -> Vec<u32> {
    let mut parts = vec![0; graph.len()];
    if capacities.len() < 2 || graph.len() == 0 {
        return parts;
    }
    let (left, right) = capacities.split_at(capacities.len() / 2);
    let sum = |capacities: &[u32]| capacities.iter().map(|capacity| u64::from(*capacity)).sum::<u64>();
    let mut random = Random::new(seed);
    let sides = bisect(graph, [sum(left), sum(right)], attempts, &mut random);
    // Each vertex's position among those of its side.
    let mut numbers = vec![0; graph.len()];
    let mut lists = [Vec::new(), Vec::new()];
    for vertex in 0..graph.len() as u32 {
        let list = &mut lists[usize::from(sides[vertex as usize])];
        numbers[vertex as usize] = list.len() as u32;
        list.push(vertex);
    }
    let half = |side: u8| {
        let number = |vertex: u32| (sides[vertex as usize] == side).then_some(numbers[vertex as usize]);
        graph.induced(&lists[usize::from(side)], number)
    };
    let (halves, seeds) = ([half(0), half(1)], [random.next_number(), random.next_number()]);
    let (one, other) = rayon::join(
        || divide(&halves[0], left, attempts, seeds[0]),
        || divide(&halves[1], right, attempts, seeds[1]),
    );
    for (vertex, part) in lists[0].iter().zip(one) {
        parts[*vertex as usize] = part;
    }
    for (vertex, part) in lists[1].iter().zip(other) {
        parts[*vertex as usize] = part + left.len() as u32;
    }
    parts
}

/// Returns the side of each vertex in the best of several bisections.
fn bisect(graph: &Graph, most: [u64; 2], attempts: usize, random: &mut Random) -> Vec<u8> {
    let mut best = multilevel(graph, most, Vec::new(), random);
    for _ in 1..attempts {
        let next = multilevel(graph, most, Vec::new(), random);
        if next.0 < best.0 {
            best = next;
        }
    }
    let mut failures = 0;
    while failures < FAILURES && best.0.1 > 0 {
        let next = multilevel(graph, most, best.1.clone(), random);
        failures = if next.0 < best.0 { 0 } else { failures + 1 };
        if next.0 <= best.0 {
            best = next;
        }
    }
    best.1
}

/// Coarsens a graph, bisects the coarsest one, and refines the bisection of each finer one. Without `sides`, the coarsest graph is
/// bisected anew; otherwise their bisection is improved.
fn multilevel(graph: &Graph, most: [u64; 2], sides: Vec<u8>, random: &mut Random) -> ((u64, i64), Vec<u8>) {
    let is_new = sides.is_empty();
    let mut sides = sides;
    let mut levels: Vec<(Graph, Vec<u32>)> = Vec::new();
    let total = graph.total_size();
    let max_size = (total * 3 / 2 / COARSEST as u64).max(u64::from(graph.max_size())) as u32;
    loop {
        let last = levels.last().map_or(graph, |(coarse, _)| coarse);
        if last.len() <= COARSEST {
            break;
        }
        let level = coarsen(last, max_size.max(2), &sides, random);
        if level.0.len() * 20 > last.len() * 19 {
            break;
        }
        if !is_new {
            sides = project(&level, &sides);
        }
        levels.push(level);
    }
    let coarsest = levels.last().map_or(graph, |(coarse, _)| coarse);
    let mut score;
    if is_new {
        (score, sides) = initial(coarsest, most, random);
    } else {
        score = refine(coarsest, &mut sides, &Limits::new(coarsest, most), random);
    }
    while let Some((_, coarse_of)) = levels.pop() {
        sides = coarse_of.iter().map(|coarse| sides[*coarse as usize]).collect();
        let finer = levels.last().map_or(graph, |(coarse, _)| coarse);
        score = refine(finer, &mut sides, &Limits::new(finer, most), random);
    }
    (score, sides)
}

/// Returns the parts of the vertices of a coarser graph, each of which has vertices of one part.
pub(crate) fn project<P: Copy + Default>((coarse, coarse_of): &(Graph, Vec<u32>), parts: &[P]) -> Vec<P> {
    let mut coarse_parts = vec![P::default(); coarse.len()];
    for (coarse, part) in coarse_of.iter().zip(parts) {
        coarse_parts[*coarse as usize] = *part;
    }
    coarse_parts
}

/// Returns the best of several divisions of a small graph, each of which grows from a random vertex.
fn initial(graph: &Graph, most: [u64; 2], random: &mut Random) -> ((u64, i64), Vec<u8>) {
    let limits = Limits::new(graph, most);
    let grown = (0..STARTS).map(|_| {
        let mut sides = grow(graph, most, random);
        (refine(graph, &mut sides, &limits, random), sides)
    });
    grown.min_by_key(|(score, _)| *score).unwrap_or_default()
}

/// Grows the first side from a random vertex, by the vertex with the most traffic to it, up to its share of all ranks.
fn grow(graph: &Graph, most: [u64; 2], random: &mut Random) -> Vec<u8> {
    let total = graph.total_size();
    let share = (u128::from(total) * u128::from(most[0]) / u128::from((most[0] + most[1]).max(1))) as u64;
    let share = share.max(total.saturating_sub(most[1]));
    let mut sides = vec![1_u8; graph.len()];
    // Edges to the first side count, and those to the rest count against.
    let alone = |vertex: u32| -graph.edges(vertex).map(|(_, weight)| weight).sum::<i64>();
    let mut gains: Vec<i64> = (0..graph.len() as u32).map(alone).collect();
    let (mut queue, mut size) = (std::collections::BinaryHeap::new(), 0);
    let mut seeds = random.permutation(graph.len()).into_iter();
    while size < share {
        let vertex = loop {
            match queue.pop() {
                Some((gain, _, vertex)) if sides[vertex as usize] == 1 && gains[vertex as usize] == gain => {
                    break Some(vertex);
                }
                Some(_) => {}
                None => break seeds.find(|vertex| sides[*vertex as usize] == 1),
            }
        };
        let Some(vertex) = vertex else { break };
        sides[vertex as usize] = 0;
        size += u64::from(graph.size(vertex));
        for (target, weight) in graph.edges(vertex) {
            if sides[target as usize] == 1 {
                gains[target as usize] += 2 * weight;
                queue.push((gains[target as usize], random.next_number() as u32, target));
            }
        }
    }
    sides
}
