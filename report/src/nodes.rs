//! The machines of processes, and the traffic inside and between them.

use hashbrown::HashMap;

use crate::sparse::{Cell, Matrix};

/// The machine of a rank that is not known.
const UNKNOWN: u32 = u32::MAX;

/// The machines of the ranks of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The names, in the order of the first rank of each.
    names: Vec<String>,
    /// The index of the name of each rank, or [`UNKNOWN`]. Empty if no machine is known.
    of_rank: Vec<u32>,
}

/// The traffic from the ranks of a machine to those of another one, or of the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodePair<'a> {
    /// The machine of the senders.
    pub from: &'a str,
    /// The machine of the receivers.
    pub to: &'a str,
    /// The number of messages or operations.
    pub count: u64,
    /// The sum of bytes.
    pub bytes: u64,
}

impl Nodes {
    pub(crate) fn new(size: u32, mut hosts: Vec<(u32, String)>) -> Self {
        hosts.retain(|(rank, _)| *rank < size);
        if hosts.is_empty() {
            return Self::default();
        }
        // The stable sort keeps the first name of a rank.
        hosts.sort_by_key(|(rank, _)| *rank);
        let mut nodes = Self { names: Vec::new(), of_rank: vec![UNKNOWN; size as usize] };
        let mut indices: HashMap<String, u32> = HashMap::new();
        for (rank, name) in hosts {
            let index = *indices.entry_ref(name.as_str()).or_insert_with(|| {
                nodes.names.push(name.clone());
                nodes.names.len() as u32 - 1
            });
            let own = &mut nodes.of_rank[rank as usize];
            if *own == UNKNOWN {
                *own = index;
            }
        }
        nodes
    }

    /// Returns the names, in the order of the first rank of each.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of ranks on each machine, in the order of the names.
    pub fn ranks(&self) -> Vec<u32> {
        let mut ranks = vec![0; self.names.len()];
        for index in self.of_rank.iter().filter(|index| **index != UNKNOWN) {
            ranks[*index as usize] += 1;
        }
        ranks
    }

    /// Returns the machine of a rank, if it is known.
    pub fn of(&self, rank: u32) -> Option<&str> {
        self.names.get(self.index(rank)? as usize).map(String::as_str)
    }

    fn index(&self, rank: u32) -> Option<u32> {
        self.of_rank.get(rank as usize).copied().filter(|index| *index != UNKNOWN)
    }

    /// Returns true if two ranks are on the same machine; `None` if that is not known.
    pub fn are_together(&self, one: u32, other: u32) -> Option<bool> {
        Some(self.index(one)? == self.index(other)?)
    }

    /// Returns the traffic between machines, by sender and receiver. Ranks whose machine is not known are left out.
    pub fn pairs(&self, matrix: &Matrix) -> Vec<NodePair<'_>> {
        let cell =
            |cell: &Cell| Some(Cell { from: self.index(cell.from)?, to: self.index(cell.to)?, ..*cell });
        let sums = Matrix::new(matrix.cells().iter().filter_map(cell).collect());
        let name = |index: u32| self.names[index as usize].as_str();
        let pair = |cell: &Cell| NodePair {
            from: name(cell.from),
            to: name(cell.to),
            count: cell.count,
            bytes: cell.bytes,
        };
        sums.cells().iter().map(pair).collect()
    }

    /// Returns the order of ranks by machine; `None` unless there are several machines.
    pub(crate) fn order(&self) -> Option<NodeOrder<'_>> {
        if self.names.len() < 2 {
            return None;
        }
        let mut ranks: Vec<u32> = (0..self.of_rank.len() as u32).collect();
        // The stable sort keeps the ranks of a machine in their order. Those without a machine are the last ones.
        ranks.sort_by_key(|rank| self.of_rank[*rank as usize]);
        let mut positions = vec![0; ranks.len()];
        let mut starts = Vec::new();
        for (at, rank) in (0..).zip(&ranks) {
            positions[*rank as usize] = at;
            let node = self.of_rank[*rank as usize];
            if starts.last().is_none_or(|(_, last)| *last != node) {
                starts.push((at, node));
            }
        }
        let name = |node: u32| self.names.get(node as usize).map_or("(unknown)", String::as_str);
        let starts = starts.into_iter().map(|(at, node)| (at, name(node))).collect();
        Some(NodeOrder { ranks, positions, starts })
    }
}

/// The ranks of a job, ordered by machine.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NodeOrder<'a> {
    /// The ranks in this order.
    pub(crate) ranks: Vec<u32>,
    /// The position of each rank.
    positions: Vec<u32>,
    /// The first position and the name of each machine.
    pub(crate) starts: Vec<(u32, &'a str)>,
}

impl NodeOrder<'_> {
    /// Returns a matrix with positions in place of ranks.
    pub(crate) fn apply(&self, matrix: &Matrix) -> Matrix {
        let position = |rank: u32| self.positions[rank as usize];
        let cell = |cell: &Cell| Cell { from: position(cell.from), to: position(cell.to), ..*cell };
        Matrix::new(matrix.cells().iter().map(cell).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Nodes;
    use crate::sparse::{Cell, Matrix};

    #[test]
    fn traffic_is_added_up_by_node() {
        let hosts = [(3, "b"), (0, "a"), (1, "b"), (2, "a"), (9, "c")];
        let nodes = Nodes::new(5, hosts.map(|(rank, host)| (rank, host.to_owned())).into());
        assert_eq!((nodes.names(), nodes.ranks()), (&["a".to_owned(), "b".to_owned()][..], vec![2, 2]));
        assert_eq!((nodes.of(2), nodes.of(4), nodes.of(9)), (Some("a"), None, None));
        assert_eq!(
            [(0, 2), (0, 1)].map(|(one, other)| nodes.are_together(one, other)),
            [Some(true), Some(false)]
        );
        let cell = |from, to, bytes| Cell { from, to, count: 1, bytes };
        let matrix = Matrix::new(vec![cell(0, 1, 1), cell(2, 3, 2), cell(1, 3, 4), cell(0, 4, 8)]);
        let pairs: Vec<_> =
            nodes.pairs(&matrix).iter().map(|pair| (pair.from, pair.to, pair.count, pair.bytes)).collect();
        assert_eq!(pairs, [("a", "b", 2, 3), ("b", "b", 1, 4)]);
        let order = nodes.order().unwrap();
        assert_eq!(
            (&order.ranks[..], &order.starts[..]),
            (&[0, 2, 1, 3, 4][..], &[(0, "a"), (2, "b"), (4, "(unknown)")][..])
        );
        let ordered: Vec<_> = order.apply(&matrix).cells().iter().map(|cell| (cell.from, cell.to)).collect();
        assert_eq!(ordered, [(0, 2), (0, 4), (1, 3), (2, 3)]);
        assert_eq!(Nodes::new(2, vec![(0, "a".into()), (1, "a".into())]).order(), None);
        assert_eq!(Nodes::default().order(), None);
    }
}
