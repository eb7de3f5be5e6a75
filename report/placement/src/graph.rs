//! Undirected graphs in compressed rows: a vertex is a rank, or several of them after coarsening.

use crate::matrix::Matrix;

/// An undirected graph without loops. Each edge is stored for both ends, with equal weights.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// The first edge of each vertex, and the number of all edges.
    starts: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<i64>,
    /// The number of ranks in each vertex.
    sizes: Vec<u32>,
}

impl Graph {
    /// Creates the graph of the bytes between the first `size` ranks in both directions.
    ///
    /// Weights are divided by a power of two if their sum would overflow.
    pub(crate) fn of(matrix: &Matrix, size: u32) -> Self {
        let cells = || {
            matrix
                .cells()
                .filter(|cell| cell.from != cell.to && cell.from < size && cell.to < size && cell.bytes > 0)
        };
        let total: u128 = cells().map(|cell| u128::from(cell.bytes)).sum();
        let shift = (128 - total.leading_zeros()).saturating_sub(60);
        let mut starts = vec![0; size as usize + 1];
        for cell in cells() {
            starts[cell.from as usize + 1] += 1;
            starts[cell.to as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut edges = vec![(0_u32, 0_i64); starts[size as usize]];
        for cell in cells() {
            let weight = (cell.bytes >> shift).max(1).cast_signed();
            for (one, other) in [(cell.from, cell.to), (cell.to, cell.from)] {
                edges[next[one as usize]] = (other, weight);
                next[one as usize] += 1;
            }
        }
        let mut graph = Self::with_capacity(size as usize, edges.len());
        for vertex in 0..size as usize {
            let row = &mut edges[starts[vertex]..starts[vertex + 1]];
            row.sort_unstable_by_key(|(target, _)| *target);
            for (target, weight) in row {
                graph.add_edge_to_last(*target, *weight);
            }
            graph.end_vertex(1);
        }
        graph.without_background()
    }

    /// Creates a graph without vertices.
    pub(crate) fn with_capacity(vertices: usize, edges: usize) -> Self {
        let mut starts = Vec::with_capacity(vertices + 1);
        starts.push(0);
        Self {
            starts,
            targets: Vec::with_capacity(edges),
            weights: Vec::with_capacity(edges),
            sizes: Vec::with_capacity(vertices),
        }
    }

    /// Adds an edge to the vertex that ends next. Edges to the same vertex that follow each other become one.
    pub(crate) fn add_edge_to_last(&mut self, target: u32, weight: i64) {
        let begin = self.starts[self.starts.len() - 1];
        match self.targets[begin..].last() {
            Some(last) if *last == target => {
                let at = self.weights.len() - 1;
                self.weights[at] += weight;
            }
            _ => {
                self.targets.push(target);
                self.weights.push(weight);
            }
        }
    }

    /// Ends a vertex after all of its edges were added.
    pub(crate) fn end_vertex(&mut self, size: u32) {
        self.starts.push(self.targets.len());
        self.sizes.push(size);
    }

    /// Removes the traffic that all pairs have. A collective operation of all ranks has it: it is the same for each placement with
    /// the same number of ranks on each node, and makes the graph dense.
    fn without_background(self) -> Self {
        let vertices = self.len();
        if vertices < 3 || self.targets.len() != vertices * (vertices - 1) {
            return self;
        }
        let least = self.weights.iter().copied().min().unwrap_or(0);
        let mut graph = Self::with_capacity(vertices, 0);
        for vertex in 0..vertices as u32 {
            for (target, weight) in self.edges(vertex) {
                if weight > least {
                    graph.add_edge_to_last(target, weight - least);
                }
            }
            graph.end_vertex(self.size(vertex));
        }
        graph
    }

    /// Returns the number of vertices.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns the number of edges, each counted for both ends.
    pub(crate) fn edge_count(&self) -> usize {
        self.targets.len()
    }

    /// Returns the neighbors of a vertex, with the weights of the edges.
    pub(crate) fn edges(&self, vertex: u32) -> impl Iterator<Item = (u32, i64)> + '_ {
        let range = self.starts[vertex as usize]..self.starts[vertex as usize + 1];
        self.targets[range.clone()].iter().copied().zip(self.weights[range].iter().copied())
    }

    /// Returns the number of neighbors of a vertex.
    pub(crate) fn degree(&self, vertex: u32) -> usize {
        self.starts[vertex as usize + 1] - self.starts[vertex as usize]
    }

    /// Returns the number of ranks in a vertex.
    pub(crate) fn size(&self, vertex: u32) -> u32 {
        self.sizes[vertex as usize]
    }

    /// Returns the number of ranks in all vertices.
    pub(crate) fn total_size(&self) -> u64 {
        self.sizes.iter().map(|size| u64::from(*size)).sum()
    }

    /// Returns the size of the largest vertex.
    pub(crate) fn max_size(&self) -> u32 {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// Returns the graph of some vertices. `number` returns the position in the list of a vertex that is in it.
    pub(crate) fn induced(&self, vertices: &[u32], number: impl Fn(u32) -> Option<u32>) -> Self {
        let mut graph =
            Self::with_capacity(vertices.len(), vertices.iter().map(|vertex| self.degree(*vertex)).sum());
        for vertex in vertices {
            for (target, weight) in self.edges(*vertex) {
                if let Some(target) = number(target) {
                    graph.add_edge_to_last(target, weight);
                }
            }
            graph.end_vertex(self.size(*vertex));
        }
        graph
    }

    /// Returns the sum of the weights of edges between different parts.
    pub(crate) fn cut<P: PartialEq>(&self, parts: &[P]) -> i64 {
        let mut cut = 0;
        for vertex in 0..self.len() as u32 {
            for (target, weight) in self.edges(vertex) {
                if vertex < target && parts[vertex as usize] != parts[target as usize] {
                    cut += weight;
                }
            }
        }
        cut
    }
}
