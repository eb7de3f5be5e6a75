//! Refinement of two parts: the method of Fiduccia and Mattheyses, which moves single vertices and returns to the best state.

use std::collections::BinaryHeap;

use crate::graph::Graph;
use crate::random::Random;

/// The maximum sizes of two parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The maximum number of ranks in each part.
    most: [u64; 2],
    /// The number of ranks above a maximum that is accepted at the end: more than 0 for coarse graphs only.
    tolerance: u64,
    /// The number of ranks above a maximum that is accepted on the way. With exact sizes, borders between parts of regular grids stay
    /// crooked: up to 20 % more traffic than with 3 %.
    slack: u64,
}

impl Limits {
    /// Returns the limits for a division of a graph.
    pub(crate) fn new(graph: &Graph, most: [u64; 2]) -> Self {
        let (largest, total) = (u64::from(graph.max_size()), graph.total_size());
        let tolerance = if largest <= 1 { 0 } else { largest.max(total / 100) };
        Self { most, tolerance, slack: largest.max(total * 3 / 100) }
    }

    /// Returns the limits without a tolerance for sizes at the end.
    pub(crate) fn exact(graph: &Graph, most: [u64; 2]) -> Self {
        Self { tolerance: 0, ..Self::new(graph, most) }
    }

    fn overload(&self, sizes: [u64; 2]) -> u64 {
        (0..2).map(|side| sizes[side].saturating_sub(self.most[side])).max().unwrap_or(0)
    }

    /// Returns the order of states: first the overload that is not tolerated, then the weight of cut edges.
    fn score(&self, sizes: [u64; 2], cut: i64) -> (u64, i64) {
        let overload = self.overload(sizes);
        (if overload <= self.tolerance { 0 } else { overload }, cut)
    }
}

/// Two parts of a graph, and the state of a pass over it.
struct State<'a> {
    graph: &'a Graph,
    sides: &'a mut [u8],
    /// The number of ranks on each side.
    totals: [u64; 2],
    cut: i64,
    /// The decrease of the cut by a move of each vertex.
    gains: Vec<i64>,
    is_moved: Vec<bool>,
    /// The vertices of each side by gain. Elements with an old gain are skipped.
    queues: [BinaryHeap<(i64, u32, u32)>; 2],
    /// Grows with each element: among equal gains, the last one is the first, which keeps moves together.
    stamp: u32,
}

impl<'a> State<'a> {
    fn new(graph: &'a Graph, sides: &'a mut [u8]) -> Self {
        let mut totals = [0; 2];
        for vertex in 0..graph.len() as u32 {
            totals[usize::from(sides[vertex as usize])] += u64::from(graph.size(vertex));
        }
        let cut = graph.cut(sides);
        let gains = vec![0; graph.len()];
        let is_moved = vec![false; graph.len()];
        Self { graph, sides, totals, cut, gains, is_moved, queues: Default::default(), stamp: 0 }
    }

    fn push(&mut self, vertex: u32) {
        let side = usize::from(self.sides[vertex as usize]);
        self.queues[side].push((self.gains[vertex as usize], self.stamp, vertex));
        self.stamp += 1;
    }

    /// Fills the queues with the vertices that have an edge to the other side, or with all.
    fn fill(&mut self, all: bool, random: &mut Random) {
        self.queues.iter_mut().for_each(BinaryHeap::clear);
        self.is_moved.fill(false);
        self.stamp = 0;
        for vertex in random.permutation(self.graph.len()) {
            let side = self.sides[vertex as usize];
            let mut gain = 0;
            let mut is_at_border = all;
            for (target, weight) in self.graph.edges(vertex) {
                if self.sides[target as usize] == side {
                    gain -= weight;
                } else {
                    gain += weight;
                    is_at_border = true;
                }
            }
            self.gains[vertex as usize] = gain;
            if is_at_border {
                self.push(vertex);
            }
        }
    }

    /// Returns the vertex of a side with the highest gain that fits into the other side, and leaves it in the queue.
    fn top(&mut self, side: usize, limits: &Limits) -> Option<(i64, u32)> {
        while let Some((gain, _, vertex)) = self.queues[side].peek().copied() {
            let at = vertex as usize;
            let is_current =
                !self.is_moved[at] && usize::from(self.sides[at]) == side && self.gains[at] == gain;
            let after = self.totals[1 - side] + u64::from(self.graph.size(vertex));
            if is_current && after <= limits.most[1 - side] + limits.slack {
                return Some((gain, vertex));
            }
            self.queues[side].pop();
        }
        None
    }

    fn select(&mut self, limits: &Limits) -> Option<u32> {
        let tops = [self.top(0, limits), self.top(1, limits)];
        for (side, top) in tops.iter().enumerate() {
            let is_over = self.totals[side] > limits.most[side] + limits.slack / 2;
            if is_over && let Some((_, vertex)) = top {
                return Some(*vertex);
            }
        }
        match tops {
            [Some(one), Some(other)] => {
                let share =
                    |side: usize| u128::from(self.totals[side]) * u128::from(limits.most[1 - side].max(1));
                let fuller = share(1) > share(0);
                let second = other.0 > one.0 || other.0 == one.0 && fuller;
                Some(if second { other.1 } else { one.1 })
            }
            [one, other] => one.or(other).map(|(_, vertex)| vertex),
        }
    }

    fn flip(&mut self, vertex: u32) {
        let side = usize::from(self.sides[vertex as usize]);
        let ranks = u64::from(self.graph.size(vertex));
        self.totals[side] -= ranks;
        self.totals[1 - side] += ranks;
        self.cut -= self.gains[vertex as usize];
        self.sides[vertex as usize] = 1 - side as u8;
    }

    fn move_vertex(&mut self, vertex: u32) {
        self.flip(vertex);
        self.is_moved[vertex as usize] = true;
        self.gains[vertex as usize] = -self.gains[vertex as usize];
        let graph = self.graph;
        for (target, weight) in graph.edges(vertex) {
            let at = target as usize;
            let change = if self.sides[at] == self.sides[vertex as usize] { -2 * weight } else { 2 * weight };
            self.gains[at] += change;
            if !self.is_moved[at] {
                self.push(target);
            }
        }
    }

    /// Moves vertices until there is no hope, and returns to the best state. Returns true if that is better than before.
    fn pass(&mut self, limits: &Limits, patience: usize, random: &mut Random) -> bool {
        let is_small = self.graph.len() <= SMALL;
        self.fill(is_small || limits.overload(self.totals) > limits.tolerance, random);
        let before = limits.score(self.totals, self.cut);
        let mut best = before;
        let (mut moves, mut kept) = (Vec::new(), 0);
        while moves.len() - kept <= patience {
            let Some(vertex) = self.select(limits) else { break };
            self.move_vertex(vertex);
            moves.push(vertex);
            let score = limits.score(self.totals, self.cut);
            if score < best {
                (best, kept) = (score, moves.len());
            }
        }
        for vertex in moves[kept..].iter().rev() {
            // The gains of moved vertices are not those of the time of the move, so the cut comes from the score.
            self.flip(*vertex);
        }
        self.cut = best.1;
        best < before
    }
}

/// The number of vertices up to which inner vertices may be moved, too.
const SMALL: usize = 512;

/// The maximum number of passes.
const PASSES: usize = 12;

/// Improves two parts: first their sizes, up to the limits, then the weight of the edges between them, which is returned.
pub(crate) fn refine(graph: &Graph, sides: &mut [u8], limits: &Limits, random: &mut Random) -> (u64, i64) {
    let patience = (graph.len() / 10).clamp(60, 600);
    let mut state = State::new(graph, sides);
    for _ in 0..PASSES {
        if !state.pass(limits, patience, random) {
            break;
        }
    }
    // Passes that end between two sizes are no progress for them, while moves to the smaller side always are.
    let strict = Limits { slack: u64::from(graph.max_size()), ..*limits };
    let mut is_better = true;
    while is_better && limits.score(state.totals, state.cut).0 > 0 {
        is_better = state.pass(&strict, patience, random);
    }
    limits.score(state.totals, state.cut)
}
