//! Properties of graphs and of their divisions.

use crate::graph::Graph;
use crate::matrix::{Cell, Matrix};
use crate::random::Random;
use crate::{bisection, fits, scotch};

fn cell(from: u32, to: u32, bytes: u64) -> Cell {
    Cell { from, to, count: 1, bytes }
}

#[test]
fn graphs_have_no_traffic_of_all() {
    let pairs = (0..8).flat_map(|from| (0..8).map(move |to| (from, to))).filter(|(from, to)| from != to);
    let all = pairs.map(|(from, to)| cell(from, to, 1000));
    let matrix = Matrix::new(all.chain([cell(1, 2, 5), cell(4, 7, 6)]).collect());
    let graph = Graph::of(&matrix, 8);
    assert_eq!(graph.edge_count(), 4, "the exchange among all is left out");
    assert!(graph.edges(1).eq([(2, 5)]) && graph.edges(7).eq([(4, 6)]));
}

#[test]
fn divisions_keep_capacities() {
    let mut random = Random::new(4);
    let cells = (0..500)
        .flat_map(|from| [from; 6])
        .map(|from| cell(from, random.below(500) as u32, 1 + random.below(100) as u64));
    let matrix = Matrix::new(cells.collect());
    let capacities = [7, 93, 100, 1, 199, 50, 50];
    for seed in 0..5 {
        let parts = bisection::divide(&Graph::of(&matrix, 500), &capacities, 1, seed);
        assert!(fits(&parts, &capacities), "{seed}");
    }
}

#[test]
fn output_of_scotch_is_checked_and_repaired() {
    let matrix = Matrix::new(vec![cell(0, 1, 10), cell(1, 0, 1), cell(1, 2, 4), cell(3, 3, 9)]);
    let graph = Graph::of(&matrix, 4);
    assert_eq!(scotch::graph_text(&graph), "0\n4 4\n0 010\n1 11 1\n2 11 0 4 2\n1 4 1\n0\n");
    assert_eq!(scotch::parse("4\n0 1\n2 0\n1 1\n3 0\n", 4, 2), Some(vec![1, 1, 0, 0]));
    for text in
        ["", "3\n0 1\n", "4\n0 1\n2 0\n1 2\n3 0\n", "4\n0 1\n2 0\n1 1\n", "4\n0 1\n2 0\n1 1\n9 0\n", "x"]
    {
        assert_eq!(scotch::parse(text, 4, 2), None, "{text}");
    }
    let mut nodes = vec![0, 0, 0, 0];
    scotch::repair(&graph, &[2, 2], &mut nodes);
    assert_eq!(nodes, [0, 0, 1, 1]);
}
