//! The machines of processes, and the traffic inside and between them.

use hashbrown::HashMap;

use crate::sparse::{Cell, Matrix};

/// The machines of the ranks of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The names, in the order of the first rank of each.
    names: Vec<String>,
    /// The ranks whose machines are known, in ascending order, with the indices of the names. Not a list of all ranks: a damaged file
    /// may name any rank.
    of_rank: Vec<(u32, u32)>,
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
    pub(crate) fn new(mut hosts: Vec<(u32, String)>) -> Self {
        // The stable sort keeps the first name of a rank.
        hosts.sort_by_key(|(rank, _)| *rank);
        hosts.dedup_by_key(|(rank, _)| *rank);
        let mut nodes = Self::default();
        let mut indices: HashMap<String, u32> = HashMap::new();
        for (rank, name) in hosts {
            let index = *indices.entry_ref(name.as_str()).or_insert_with(|| {
                nodes.names.push(name.clone());
                nodes.names.len() as u32 - 1
            });
            nodes.of_rank.push((rank, index));
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
        for (_, index) in &self.of_rank {
            ranks[*index as usize] += 1;
        }
        ranks
    }

    /// Returns the machine of a rank, if it is known.
    pub fn of(&self, rank: u32) -> Option<&str> {
        self.names.get(self.index(rank)? as usize).map(String::as_str)
    }

    /// Returns the position in the list of names of a rank's machine, if it is known.
    pub fn index(&self, rank: u32) -> Option<u32> {
        let at = self.of_rank.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
        Some(self.of_rank[at].1)
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
        let mut ranks = self.of_rank.clone();
        // The stable sort keeps the ranks of a machine in their order.
        ranks.sort_by_key(|(_, node)| *node);
        let mut starts = Vec::new();
        let mut last = None;
        for (at, (_, node)) in (0..).zip(&ranks) {
            if last.replace(*node) != Some(*node) {
                starts.push((at, self.names[*node as usize].as_str()));
            }
        }
        let mut positions: Vec<_> = (0..).zip(&ranks).map(|(at, (rank, _))| (*rank, at)).collect();
        positions.sort_unstable();
        Some(NodeOrder { positions, starts })
    }
}

/// The ranks of a job, ordered by machine. Those whose machine is not known follow.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NodeOrder<'a> {
    /// The ranks whose machine is known, in ascending order, with their positions.
    positions: Vec<(u32, u32)>,
    /// The first position and the name of each machine.
    pub(crate) starts: Vec<(u32, &'a str)>,
}

impl NodeOrder<'_> {
    fn position(&self, rank: u32) -> u32 {
        match self.positions.binary_search_by_key(&rank, |(rank, _)| *rank) {
            Ok(at) => self.positions[at].1,
            // Behind the known ranks, in the order of ranks.
            Err(below) => self.positions.len() as u32 - below as u32 + rank,
        }
    }

    /// Returns the ranks below `size` in this order.
    pub(crate) fn ranks(&self, size: u32) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..size).collect();
        ranks.sort_by_key(|rank| self.position(*rank));
        ranks
    }

    /// Returns a matrix with positions in place of ranks.
    pub(crate) fn apply(&self, matrix: &Matrix) -> Matrix {
        let cell = |cell: &Cell| Cell { from: self.position(cell.from), to: self.position(cell.to), ..*cell };
        Matrix::new(matrix.cells().iter().map(cell).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::Nodes;
    use crate::sparse::{Cell, Matrix};

    #[test]
    fn traffic_is_added_up_by_node() {
        let hosts = [(3, "b"), (0, "a"), (1, "b"), (2, "a"), (0, "z")];
        let nodes = Nodes::new(hosts.map(|(rank, host)| (rank, host.to_owned())).into());
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
            (&order.ranks(5)[..], &order.starts[..]),
            (&[0, 2, 1, 3, 4][..], &[(0, "a"), (2, "b")][..])
        );
        let ordered: Vec<_> = order.apply(&matrix).cells().iter().map(|cell| (cell.from, cell.to)).collect();
        assert_eq!(ordered, [(0, 2), (0, 4), (1, 3), (2, 3)]);
        assert_eq!(Nodes::new(vec![(0, "a".into()), (1, "a".into())]).order(), None);
        assert_eq!(Nodes::default().order(), None);
    }
}
