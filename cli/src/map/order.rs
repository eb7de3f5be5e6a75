//! The files by which launchers place ranks.

use std::fmt::Write;

use mpit_job::launcher::PlacementFile;

/// The node of each rank, with the names of the nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order<'a> {
    pub(super) nodes: &'a [u32],
    pub(super) names: &'a [String],
}

impl Order<'_> {
    /// Returns the text of the file.
    pub(super) fn text(&self, file: PlacementFile) -> String {
        let mut text = String::new();
        let written = match file {
            PlacementFile::Rankfile => self.write_rankfile(&mut text),
            PlacementFile::HostList => self.write_host_list(&mut text),
            PlacementFile::MachineFile => self.write_machine_file(&mut text),
            PlacementFile::RankOrder(_) => self.write_rank_order(&mut text),
        };
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
        text
    }

    fn name(&self, node: u32) -> &str {
        &self.names[node as usize]
    }

    fn write_rankfile(&self, text: &mut String) -> std::fmt::Result {
        let mut next = vec![0_u32; self.names.len()];
        for (rank, node) in self.nodes.iter().enumerate() {
            let core = &mut next[*node as usize];
            writeln!(text, "rank {rank}={} slot={core}", self.name(*node))?;
            *core += 1;
        }
        Ok(())
    }

    fn write_host_list(&self, text: &mut String) -> std::fmt::Result {
        self.nodes.iter().try_for_each(|node| writeln!(text, "{}", self.name(*node)))
    }

    fn write_machine_file(&self, text: &mut String) -> std::fmt::Result {
        let runs = self.nodes.chunk_by(|one, other| one == other);
        runs.map(|run| (run[0], run.len()))
            .try_for_each(|(node, ranks)| writeln!(text, "{}:{ranks}", self.name(node)))
    }

    fn write_rank_order(&self, text: &mut String) -> std::fmt::Result {
        let mut ranks = vec![Vec::new(); self.names.len()];
        for (rank, node) in self.nodes.iter().enumerate() {
            ranks[*node as usize].push(rank.to_string());
        }
        let used = ranks.iter().filter(|ranks| !ranks.is_empty());
        used.map(|ranks| ranks.join(",")).try_for_each(|line| writeln!(text, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use mpit_report::placement::{bytes_between_nodes, patterns, place};

    use super::{Order, PlacementFile};

    const ALL: [PlacementFile; 4] = [
        PlacementFile::Rankfile,
        PlacementFile::HostList,
        PlacementFile::MachineFile,
        PlacementFile::RankOrder(""),
    ];

    /// Returns the name of the node of each rank, by the rules of the file. `counts` has the ranks on each node.
    fn parse(file: PlacementFile, text: &str, names: &[String], counts: &[u32]) -> BTreeMap<u32, String> {
        let mut nodes = BTreeMap::new();
        let mut next = 0;
        let mut slots = std::collections::BTreeSet::new();
        match file {
            PlacementFile::Rankfile => {
                for line in text.lines() {
                    let (rank, place) = line.strip_prefix("rank ").unwrap().split_once('=').unwrap();
                    let (name, slot) = place.split_once(" slot=").unwrap();
                    assert!(slots.insert((name, slot.parse::<u32>().unwrap())), "{line}");
                    assert_eq!(nodes.insert(rank.parse().unwrap(), name.to_owned()), None);
                }
            }
            PlacementFile::HostList => nodes.extend((0..).zip(text.lines().map(str::to_owned))),
            PlacementFile::MachineFile => {
                for line in text.lines() {
                    let (name, count) = line.split_once(':').unwrap();
                    for _ in 0..count.parse().unwrap() {
                        nodes.insert(next, name.to_owned());
                        next += 1;
                    }
                }
            }
            PlacementFile::RankOrder(_) => {
                let ranks: Vec<u32> = text
                    .split(|c: char| c == ',' || c.is_whitespace())
                    .filter(|word| !word.is_empty())
                    .map(|word| word.parse().unwrap())
                    .collect();
                // The launcher fills nodes in order.
                let slots = names.iter().zip(counts).flat_map(|(name, count)| vec![name; *count as usize]);
                for (rank, name) in ranks.into_iter().zip(slots) {
                    assert_eq!(nodes.insert(rank, name.clone()), None);
                }
            }
        }
        nodes
    }

    #[test]
    fn files_have_the_placement() {
        for (name, cores) in [("equal", vec![4; 6]), ("unequal", vec![7, 1, 9, 3, 5]), ("free", vec![9; 3])] {
            let (ranks, matrix) = (24, patterns::stencil([4, 3, 2], 3, [100; 3], true));
            let present = mpit_report::placement::block(ranks, &cores).unwrap();
            let mut counts = vec![0; cores.len()];
            for node in &present {
                counts[*node as usize] += 1;
            }
            let placed = place(&matrix, &counts, &present);
            let names: Vec<String> = (0..cores.len()).map(|node| format!("n{node:03}")).collect();
            for file in ALL {
                let text = Order { nodes: &placed, names: &names }.text(file);
                let parsed = parse(file, &text, &names, &counts);
                assert!(parsed.keys().copied().eq(0..ranks), "{name}, {file:?}");
                let nodes: Vec<u32> =
                    parsed.values().map(|name| names.binary_search(name).unwrap() as u32).collect();
                assert_eq!(nodes, placed, "{name}, {file:?}");
                assert_eq!(
                    bytes_between_nodes(&matrix, &nodes),
                    bytes_between_nodes(&matrix, &placed),
                    "{name}, {file:?}"
                );
            }
        }
    }

    #[test]
    fn files_are_as_launchers_expect() {
        let names = ["a".to_owned(), "b".to_owned()];
        let order = Order { nodes: &[1, 0, 0, 1], names: &names };
        assert_eq!(
            ALL.map(|file| order.text(file)),
            [
                "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\nrank 3=b slot=1\n",
                "b\na\na\nb\n",
                "b:1\na:2\nb:1\n",
                "1,2\n0,3\n"
            ]
        );
    }
}
