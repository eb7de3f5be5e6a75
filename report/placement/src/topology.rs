//! Nodes, and the present placement on them.

/// The nodes of a run, and the present node of each rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topology {
    /// The number of cores of each node.
    pub cores: Vec<u32>,
    /// The present node of each rank.
    pub present: Vec<u32>,
    /// True if the present nodes are those of a recorded run.
    pub is_recorded: bool,
}

impl Topology {
    /// Returns the nodes with these cores. The present placement is the recorded one if that fits, or else that of [`block`]. `None` if there are
    /// not enough cores.
    pub fn new(ranks: u32, cores: Vec<u32>, recorded: Option<Vec<u32>>) -> Option<Self> {
        let used = recorded.filter(|present| fits(present, &cores));
        let is_recorded = used.is_some();
        let present = used.or_else(|| block(ranks, &cores))?;
        Some(Self { cores, present, is_recorded })
    }

    /// Reduces the cores to those that are used now. Returns true if all nodes but the last have the same number of ranks: launchers that obey
    /// only an order of ranks place them so.
    pub fn use_present_counts(&mut self) -> bool {
        self.cores.fill(0);
        for node in &self.present {
            self.cores[*node as usize] += 1;
        }
        let used: Vec<u32> = self.cores.iter().copied().filter(|cores| *cores > 0).collect();
        let Some((last, others)) = used.split_last() else { return false };
        others.iter().all(|cores| *cores == others[0] && cores >= last)
    }
}

/// Returns true if there are enough cores, and each node has at most as many ranks as `cores`.
pub fn fits(nodes: &[u32], cores: &[u32]) -> bool {
    let mut free = cores.to_vec();
    nodes.iter().all(|node| match free.get_mut(*node as usize) {
        Some(free) if *free > 0 => {
            *free -= 1;
            true
        }
        _ => false,
    })
}

/// Returns the placement of most launchers: ranks in their order, on one node after the other. `None` if there are not enough
/// cores.
pub fn block(ranks: u32, cores: &[u32]) -> Option<Vec<u32>> {
    let slots = (0..).zip(cores).flat_map(|(node, cores)| (0..*cores).map(move |_| node));
    let nodes: Vec<u32> = slots.take(ranks as usize).collect();
    if nodes.len() == ranks as usize { Some(nodes) } else { None }
}
