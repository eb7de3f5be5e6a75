//! The nodes of the next run.

use std::collections::BTreeSet;
use std::path::Path;
use std::str::FromStr;

use mpit_components::files;
use mpit_placement::{Topology, hwloc};
use mpit_report::Job;

use super::Map;

/// The maximum number of nodes.
const MOST_NODES: u32 = 1_000_000;

/// The value of `--nodes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeCount {
    nodes: u32,
    /// The cores of each.
    cores: Option<u32>,
}

impl FromStr for NodeCount {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| match text.parse::<u32>() {
            Ok(number) if (1..=MOST_NODES).contains(&number) => Ok(number),
            _ => Err(format!("expected NODESxCORES, such as 64x48, with numbers from 1 to {MOST_NODES}")),
        };
        match text.split_once('x') {
            Some((nodes, cores)) => Ok(Self { nodes: number(nodes)?, cores: Some(number(cores)?) }),
            None => Ok(Self { nodes: number(text)?, cores: None }),
        }
    }
}

/// The nodes of the next run.
#[derive(Debug)]
pub(super) struct Nodes {
    pub(super) topology: Topology,
    /// The names, if they are known.
    names: Option<Vec<String>>,
}

impl Nodes {
    /// Returns the nodes of the options, or else those of the run.
    pub(super) fn of(args: &Map, job: &Job) -> Result<Self, String> {
        if job.size == 0 {
            return Err("the run has no processes".into());
        }
        let recorded = recorded(job);
        let known_names = job.nodes.names();
        let (cores, mut names) = match (args.nodes, &args.topology[..]) {
            (None, []) => {
                recorded.as_ref().ok_or(
                    "the files do not name the node of each process; use --nodes NODESxCORES, such as --nodes 64x48",
                )?;
                (job.nodes.ranks(), None)
            }
            (Some(NodeCount { nodes, cores: Some(cores) }), []) => (vec![cores; nodes as usize], None),
            (Some(NodeCount { cores: None, .. }), []) => {
                return Err(
                    "--nodes needs the cores of a node, too, such as --nodes 64x48, or --topology".into()
                );
            }
            (Some(NodeCount { cores: Some(_), .. }), _) => {
                return Err("--topology has the cores of a node; give --nodes only their number".into());
            }
            (count, files) => from_files(files, count, job.size, known_names.len())?,
        };
        if !args.hosts.is_empty() {
            names = Some(args.hosts.clone());
        } else if names.is_none() && known_names.len() == cores.len() {
            names = Some(known_names.to_vec());
        }
        if let Some(names) = &names {
            check_names(names, cores.len())?;
        }
        let total: u64 = cores.iter().map(|cores| u64::from(*cores)).sum();
        if total < u64::from(job.size) {
            return Err(format!("{} processes need more than the {total} cores of these nodes", job.size));
        }
        // A run on one node says nothing about several.
        let recorded = recorded.filter(|_| known_names.len() > 1 || cores.len() == 1);
        let topology = Topology::new(job.size, cores, recorded).ok_or("the nodes have too few cores")?;
        Ok(Self { topology, names })
    }

    /// Reduces the cores to those that are used now. A file for Cray MPICH changes the order of ranks only.
    pub(super) fn use_present_counts(&mut self) -> Result<(), String> {
        if self.topology.use_present_counts() {
            return Ok(());
        }
        Err("cray needs the same number of processes on each node but the last; use --nodes NODESxCORES"
            .into())
    }

    /// Returns true if the names of nodes are made up.
    pub(super) fn has_placeholders(&self) -> bool {
        self.names.is_none()
    }

    /// Returns the names of the nodes.
    pub(super) fn names(&self) -> Vec<String> {
        let placeholder = |node: usize| format!("node{node}");
        self.names.clone().unwrap_or_else(|| (0..self.topology.cores.len()).map(placeholder).collect())
    }
}

/// Returns the node of each rank in the run, if all are known.
fn recorded(job: &Job) -> Option<Vec<u32>> {
    (0..job.size).map(|rank| job.nodes.index(rank)).collect()
}

/// Fails unless there is a name for each node, which can be written to the files of launchers.
fn check_names(names: &[String], nodes: usize) -> Result<(), String> {
    if names.len() != nodes {
        return Err(format!("there are {} names for {nodes} nodes", names.len()));
    }
    let is_usual = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if let Some(name) = names.iter().find(|name| name.is_empty() || !name.chars().all(is_usual)) {
        return Err(format!("{name:?} is not the name of a node; use --hosts"));
    }
    match names.iter().collect::<BTreeSet<_>>().len() {
        distinct if distinct < nodes => Err("a node is named twice; use --hosts".into()),
        _ => Ok(()),
    }
}

/// The maximum number of bytes of a file. A node with thousands of cores has fewer.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the cores and names of the nodes in files of hwloc. A single node stands for `count` nodes, or else for as many as
/// the ranks need and the run had.
fn from_files(
    files: &[impl AsRef<Path>],
    count: Option<NodeCount>,
    ranks: u32,
    recorded: usize,
) -> Result<(Vec<u32>, Option<Vec<String>>), String> {
    let mut machines = Vec::new();
    for file in files {
        let path = file.as_ref();
        let text = files::read_text(path, MAX_BYTES)
            .map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        machines.extend(hwloc::parse(&text).map_err(|error| format!("{}: {error}", path.display()))?);
    }
    match (&machines[..], count) {
        ([machine], count) => {
            let needed = ranks.div_ceil(machine.cores).max(recorded as u32);
            let nodes = count.map_or(needed, |count| count.nodes);
            Ok((vec![machine.cores; nodes.min(MOST_NODES) as usize], None))
        }
        (machines, Some(count)) if machines.len() != count.nodes as usize => {
            Err(format!("the files of --topology have {} nodes, not {}", machines.len(), count.nodes))
        }
        (machines, _) => {
            let names: Option<Vec<String>> = machines.iter().map(|machine| machine.name.clone()).collect();
            Ok((machines.iter().map(|machine| machine.cores).collect(), names))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeCount, check_names, from_files};

    /// A file of hwloc with two cores.
    const XML: &str = "<topology><object type='Machine'><info name='HostName' value='n07'/>\
                       <object type='Core'/><object type='Core'/></object></topology>";

    #[test]
    fn numbers_of_nodes_are_parsed() {
        assert_eq!("64x48".parse(), Ok(NodeCount { nodes: 64, cores: Some(48) }));
        assert_eq!("3".parse(), Ok(NodeCount { nodes: 3, cores: None }));
        for text in ["", "x", "0x4", "4x0", "4x", "-1x2", "1000001", "4x4x4", "4 x 4"] {
            assert!(text.parse::<NodeCount>().is_err(), "{text}");
        }
    }

    #[test]
    fn files_of_hwloc_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let files = [directory.path().join("one.xml"), directory.path().join("other.xml")];
        std::fs::write(&files[0], XML).unwrap();
        std::fs::write(&files[1], XML.replace("n07", "n08")).unwrap();
        let names = vec!["n07".to_owned(), "n08".to_owned()];
        assert_eq!(from_files(&files, None, 3, 1), Ok((vec![2, 2], Some(names))));
        assert!(from_files(&files, "3".parse().ok(), 3, 1).is_err());
        assert_eq!(from_files(&files[..1], None, 5, 1), Ok((vec![2; 3], None)));
        assert_eq!(from_files(&files[..1], "7".parse().ok(), 5, 1), Ok((vec![2; 7], None)));
    }

    #[test]
    fn names_are_checked() {
        let check = |names: &[&str], nodes| {
            check_names(&names.iter().map(ToString::to_string).collect::<Vec<_>>(), nodes)
        };
        assert_eq!(check(&["n-1.a", "n_2"], 2), Ok(()));
        for names in [&["a"][..], &["a", "a"], &["a", "b c"], &["a", ""], &["a", "b:2"]] {
            assert!(check(names, 2).is_err(), "{names:?}");
        }
    }
}
