//! Coarsening: a smaller graph, each vertex of which stands for one or two vertices with much traffic between them.

use crate::graph::Graph;
use crate::random::Random;

/// Returns a smaller graph, and its vertex for each vertex of `graph`. No vertex becomes larger than `max_size`, and none contains
/// vertices of different parts; `parts` is empty if there are none.
pub(crate) fn coarsen<P: PartialEq>(
    graph: &Graph,
    max_size: u32,
    parts: &[P],
    random: &mut Random,
) -> (Graph, Vec<u32>) {
    let mates = matching(graph, max_size, parts, random);
    let mut coarse_of = vec![u32::MAX; graph.len()];
    let mut members = Vec::with_capacity(graph.len());
    for vertex in 0..graph.len() as u32 {
        let mate = mates[vertex as usize];
        if vertex <= mate {
            coarse_of[vertex as usize] = members.len() as u32;
            coarse_of[mate as usize] = members.len() as u32;
            members.push((vertex, mate));
        }
    }
    let mut coarse = Graph::with_capacity(members.len(), graph.edge_count());
    // The weights of a row by target, without a search for each edge.
    let mut sums = vec![0_i64; members.len()];
    let mut row = Vec::new();
    for (number, (one, other)) in (0..).zip(&members) {
        let pair = [*one, *other];
        let pair = if one == other { &pair[..1] } else { &pair[..] };
        for (target, weight) in pair.iter().flat_map(|vertex| graph.edges(*vertex)) {
            let target = coarse_of[target as usize];
            if target != number {
                if sums[target as usize] == 0 {
                    row.push(target);
                }
                sums[target as usize] += weight;
            }
        }
        for target in row.drain(..) {
            coarse.add_edge_to_last(target, sums[target as usize]);
            sums[target as usize] = 0;
        }
        coarse.end_vertex(pair.iter().map(|vertex| graph.size(*vertex)).sum());
    }
    (coarse, coarse_of)
}

/// Returns the partner of each vertex; a vertex without one is its own.
fn matching<P: PartialEq>(graph: &Graph, max_size: u32, parts: &[P], random: &mut Random) -> Vec<u32> {
    let is_same_part = |one: u32, other: u32| parts.get(one as usize) == parts.get(other as usize);
    let mut mates: Vec<u32> = (0..graph.len() as u32).collect();
    let order = random.permutation(graph.len());
    // Heavy edges between small vertices first, so that sizes stay similar.
    let rating = |vertex: u32, target: u32, weight: i64| {
        weight as f64 / (f64::from(graph.size(vertex)) * f64::from(graph.size(target)))
    };
    for vertex in &order {
        let vertex = *vertex;
        if mates[vertex as usize] != vertex {
            continue;
        }
        let mut best = None;
        let mut best_rating = (0.0, 0);
        for (target, weight) in graph.edges(vertex) {
            if mates[target as usize] == target
                && is_same_part(vertex, target)
                && graph.size(vertex).saturating_add(graph.size(target)) <= max_size
            {
                let rated = (rating(vertex, target, weight), random.next_number());
                if rated > best_rating {
                    (best, best_rating) = (Some(target), rated);
                }
            }
        }
        if let Some(target) = best {
            mates[vertex as usize] = target;
            mates[target as usize] = vertex;
        }
    }
    match_siblings(graph, max_size, &order, &mut mates, &is_same_part);
    mates
}

/// Matches vertices whose heaviest edge leads to the same vertex. Otherwise the leaves of a star stay alone.
fn match_siblings(
    graph: &Graph,
    max_size: u32,
    order: &[u32],
    mates: &mut [u32],
    is_same_part: &dyn Fn(u32, u32) -> bool,
) {
    // The last element is for vertices without edges.
    let mut waiting = vec![u32::MAX; graph.len() + 1];
    for vertex in order {
        let vertex = *vertex;
        if mates[vertex as usize] != vertex || graph.size(vertex) > max_size / 2 {
            continue;
        }
        let heaviest = graph.edges(vertex).max_by_key(|(target, weight)| (*weight, *target));
        let hub = heaviest.map_or(graph.len(), |(target, _)| target as usize);
        let other = waiting[hub];
        if other == u32::MAX || !is_same_part(vertex, other) {
            waiting[hub] = vertex;
        } else {
            mates[vertex as usize] = other;
            mates[other as usize] = vertex;
            waiting[hub] = u32::MAX;
        }
    }
}
