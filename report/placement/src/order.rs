//! The files by which launchers place ranks.

use std::fmt::Write;

/// The node of each rank, with the names of the nodes.
#[derive(Clone, Copy, Debug)]
pub struct Order<'a> {
    /// The node of each rank.
    pub nodes: &'a [u32],
    /// The names of the nodes.
    pub names: &'a [String],
}

impl Order<'_> {
    fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }

    /// Returns lines `rank R=NODE slot=CORE`, as Open MPI reads them.
    pub fn rankfile(&self) -> String {
        let mut next = vec![0_u32; self.names.len()];
        lines(self.nodes.iter().enumerate().map(|(rank, node)| {
            let core = &mut next[*node as usize];
            *core += 1;
            format!("rank {rank}={} slot={}", self.name(*node), *core - 1)
        }))
    }

    /// Returns a line with the name of the node for each rank.
    pub fn host_list(&self) -> String {
        lines(self.nodes.iter().map(|node| self.name(*node)))
    }

    /// Returns lines `NODE:RANKS` for ranks that follow each other.
    pub fn machine_file(&self) -> String {
        let runs = self.nodes.chunk_by(|one, other| one == other);
        lines(runs.map(|run| format!("{}:{}", self.name(run[0]), run.len())))
    }

    /// Returns a line with the ranks of each node that is used, without its name.
    pub fn rank_order(&self) -> String {
        let mut ranks = vec![Vec::new(); self.names.len()];
        for (rank, node) in self.nodes.iter().enumerate() {
            ranks[*node as usize].push(rank.to_string());
        }
        lines(ranks.iter().filter(|ranks| !ranks.is_empty()).map(|ranks| ranks.join(",")))
    }
}

fn lines(all: impl Iterator<Item = impl std::fmt::Display>) -> String {
    let mut text = String::new();
    for line in all {
        _ = writeln!(text, "{line}");
    }
    text
}
