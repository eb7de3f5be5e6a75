//! The files by which launchers place ranks.

use std::collections::BTreeMap;

use mpit_placement::{Order, block, bytes_between_nodes, place};
use mpit_tests::patterns;

/// A kind of file.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Rankfile,
    HostList,
    MachineFile,
    RankOrder,
}

const ALL: [Kind; 4] = [Kind::Rankfile, Kind::HostList, Kind::MachineFile, Kind::RankOrder];

fn text(order: Order<'_>, file: Kind) -> String {
    match file {
        Kind::Rankfile => order.rankfile(),
        Kind::HostList => order.host_list(),
        Kind::MachineFile => order.machine_file(),
        Kind::RankOrder => order.rank_order(),
    }
}

/// Returns the name of the node of each rank, by the rules of the file. `counts` has the ranks on each node.
fn parse(file: Kind, text: &str, names: &[String], counts: &[u32]) -> BTreeMap<u32, String> {
    let mut nodes = BTreeMap::new();
    let mut next = 0;
    let mut slots = std::collections::BTreeSet::new();
    match file {
        Kind::Rankfile => {
            for line in text.lines() {
                let (rank, place) = line.strip_prefix("rank ").unwrap().split_once('=').unwrap();
                let (name, slot) = place.split_once(" slot=").unwrap();
                assert!(slots.insert((name, slot.parse::<u32>().unwrap())), "{line}");
                assert_eq!(nodes.insert(rank.parse().unwrap(), name.to_owned()), None);
            }
        }
        Kind::HostList => nodes.extend((0..).zip(text.lines().map(str::to_owned))),
        Kind::MachineFile => {
            for line in text.lines() {
                let (name, count) = line.split_once(':').unwrap();
                for _ in 0..count.parse().unwrap() {
                    nodes.insert(next, name.to_owned());
                    next += 1;
                }
            }
        }
        Kind::RankOrder => {
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
        let present = block(ranks, &cores).unwrap();
        let mut counts = vec![0; cores.len()];
        for node in &present {
            counts[*node as usize] += 1;
        }
        let placed = place(&matrix, &counts, &present);
        let names: Vec<String> = (0..cores.len()).map(|node| format!("n{node:03}")).collect();
        for file in ALL {
            let text = text(Order { nodes: &placed, names: &names }, file);
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
        ALL.map(|file| text(order, file)),
        [
            "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=a slot=1\nrank 3=b slot=1\n",
            "b\na\na\nb\n",
            "b:1\na:2\nb:1\n",
            "1,2\n0,3\n"
        ]
    );
}
