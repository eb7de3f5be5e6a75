//! The machines of processes, and the traffic inside and between them.

use hashbrown::HashMap;
use mpit_format::summary::Place;

use mpit_placement::{Cell, CellRange, Matrix};

/// The machines of the ranks of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nodes {
    /// The names, in the order of the first rank of each.
    names: Vec<String>,
    /// The ranks whose machines are known, in ascending order, with the indices of the names. Not a list of all ranks: a damaged file
    /// may name any rank.
    of_rank: Vec<(u32, u32)>,
    /// The ranks of each machine, in ascending order.
    ranks_of: Vec<Vec<u32>>,
    /// The ranks in groups that follow each other on one machine, in ascending order.
    stretches: Vec<Stretch>,
}

/// Ranks from one to another one, all on one machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stretch {
    first: u32,
    last: u32,
    /// The index of its name.
    node: u32,
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
                nodes.ranks_of.push(Vec::new());
                nodes.names.len() as u32 - 1
            });
            nodes.of_rank.push((rank, index));
            nodes.ranks_of[index as usize].push(rank);
            match nodes.stretches.last_mut() {
                Some(stretch) if stretch.node == index && stretch.last + 1 == rank => stretch.last = rank,
                _ => nodes.stretches.push(Stretch { first: rank, last: rank, node: index }),
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
        self.ranks_of.iter().map(|ranks| ranks.len() as u32).collect()
    }

    /// Returns the machine of a rank, if it is known.
    pub fn of(&self, rank: u32) -> Option<&str> {
        self.names.get(self.index(rank)? as usize).map(String::as_str)
    }

    /// Returns the machines of ranks, empty where they are not known.
    pub(crate) fn of_each<'a>(&'a self, ranks: &'a [u32]) -> impl Iterator<Item = &'a str> {
        ranks.iter().map(|rank| self.of(*rank).unwrap_or_default())
    }

    /// Returns the position in the list of names of a rank's machine, if it is known.
    pub fn index(&self, rank: u32) -> Option<u32> {
        let at = self.of_rank.binary_search_by_key(&rank, |(rank, _)| *rank).ok()?;
        Some(self.of_rank[at].1)
    }

    /// Returns how many receivers of a run are on the machine of the sender, on other ones, or where it is not known.
    pub(crate) fn places_of(&self, run: &CellRange) -> [(Place, u64); 3] {
        if run.to == run.last {
            let place = match (self.index(run.from), self.index(run.to)) {
                (Some(one), Some(other)) if one == other => Place::SameNode,
                (Some(_), Some(_)) => Place::OtherNode,
                _ => Place::Unknown,
            };
            return [Place::SameNode, Place::OtherNode, Place::Unknown]
                .map(|one| (one, u64::from(one == place)));
        }
        let below = |ranks: &[u32], end: u64| ranks.partition_point(|rank| u64::from(*rank) < end) as u64;
        let (first, end) = (u64::from(run.to), u64::from(run.last) + 1);
        let (same, other) = self.index(run.from).map_or((0, 0), |own| {
            let own = &self.ranks_of[own as usize];
            let same = below(own, end) - below(own, first);
            let known_below =
                |end: u64| self.of_rank.partition_point(|(rank, _)| u64::from(*rank) < end) as u64;
            (same, known_below(end) - known_below(first) - same)
        });
        let unknown = run.receivers() - same - other;
        [(Place::SameNode, same), (Place::OtherNode, other), (Place::Unknown, unknown)]
    }

    /// Returns the traffic between machines, by sender and receiver. Ranks whose machine is not known are left out.
    pub fn pairs(&self, matrix: &Matrix) -> Vec<NodePair<'_>> {
        let mut sums: HashMap<(u32, u32), (u64, u64)> = HashMap::new();
        let mut add = |nodes: (u32, u32), run: &CellRange, receivers: u64| {
            let (count, bytes) = sums.entry(nodes).or_default();
            *count = count.saturating_add(run.count.saturating_mul(receivers));
            *bytes = bytes.saturating_add(run.bytes.saturating_mul(receivers));
        };
        for run in matrix.ranges() {
            let Some(from) = self.index(run.from) else { continue };
            if run.to == run.last {
                if let Some(to) = self.index(run.to) {
                    add((from, to), &run, 1);
                }
                continue;
            }
            let start = self.stretches.partition_point(|stretch| stretch.last < run.to);
            for stretch in self.stretches[start..].iter().take_while(|stretch| stretch.first <= run.last) {
                let receivers = u64::from(stretch.last.min(run.last) - stretch.first.max(run.to)) + 1;
                add((from, stretch.node), &run, receivers);
            }
        }
        let cell = |((from, to), (count, bytes))| Cell { from, to, count, bytes };
        let sums = Matrix::new(sums.into_iter().map(cell).collect());
        let name = |index: u32| self.names[index as usize].as_str();
        let pair = |cell: Cell| NodePair {
            from: name(cell.from),
            to: name(cell.to),
            count: cell.count,
            bytes: cell.bytes,
        };
        sums.cells().map(pair).collect()
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
    /// Returns the position of a rank.
    pub(crate) fn position(&self, rank: u32) -> u32 {
        match self.positions.binary_search_by_key(&rank, |(rank, _)| *rank) {
            Ok(at) => self.positions[at].1,
            // Behind the known ranks, in the order of ranks.
            Err(below) => self.positions.len() as u32 - below as u32 + rank,
        }
    }

    /// Returns the positions of the ranks below `size`; `None` if so few of their machines are known that a list is not worth it.
    pub(crate) fn positions(&self, size: u32) -> Option<Vec<u32>> {
        let is_worth_it = size as usize <= 2 * self.positions.len();
        is_worth_it.then(|| (0..size).map(|rank| self.position(rank)).collect())
    }

    /// Returns the ranks below `size` in this order.
    pub(crate) fn ranks(&self, size: u32) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..size).collect();
        ranks.sort_by_key(|rank| self.position(*rank));
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::Nodes;
    use mpit_placement::{Cell, CellRange, Matrix};

    #[test]
    fn traffic_is_added_up_by_node() {
        let hosts = [(3, "b"), (0, "a"), (1, "b"), (2, "a"), (0, "z")];
        let nodes = Nodes::new(hosts.map(|(rank, host)| (rank, host.to_owned())).into());
        assert_eq!((nodes.names(), nodes.ranks()), (&["a".to_owned(), "b".to_owned()][..], vec![2, 2]));
        assert_eq!((nodes.of(2), nodes.of(4), nodes.of(9)), (Some("a"), None, None));
        let run = |from, to, last| CellRange { from, to, last, count: 1, bytes: 1 };
        let places = |run| nodes.places_of(&run).map(|(_, receivers)| receivers);
        assert_eq!([run(0, 2, 2), run(0, 1, 1), run(0, 4, 4)].map(places), [[1, 0, 0], [0, 1, 0], [0, 0, 1]]);
        assert_eq!([run(1, 0, 5), run(5, 0, 3)].map(places), [[2, 2, 2], [0, 0, 4]]);
        let cell = |from, to, bytes| Cell { from, to, count: 1, bytes };
        let matrix = Matrix::new(vec![cell(0, 1, 1), cell(2, 3, 2), cell(1, 3, 4), cell(0, 4, 8)]);
        let pairs: Vec<_> =
            nodes.pairs(&matrix).iter().map(|pair| (pair.from, pair.to, pair.count, pair.bytes)).collect();
        assert_eq!(pairs, [("a", "b", 2, 3), ("b", "b", 1, 4)]);
        let matrix = Matrix::with_runs(Vec::new(), vec![run(0, 1, 4), run(3, 0, 3)]);
        let of_run: Vec<_> =
            nodes.pairs(&matrix).iter().map(|pair| (pair.from, pair.to, pair.count)).collect();
        assert_eq!(of_run, [("a", "a", 1), ("a", "b", 2), ("b", "a", 2), ("b", "b", 2)]);
        let order = nodes.order().unwrap();
        assert_eq!(
            (&order.ranks(5)[..], &order.starts[..]),
            (&[0, 2, 1, 3, 4][..], &[(0, "a"), (2, "b")][..])
        );
        assert_eq!([0, 1, 2, 3, 4].map(|rank| order.position(rank)), [0, 2, 1, 3, 4]);
        assert_eq!(Nodes::new(vec![(0, "a".into()), (1, "a".into())]).order(), None);
        assert_eq!(Nodes::default().order(), None);
    }
}
