//! The ranks and the nodes of a job without data.

use std::collections::BTreeSet;
use std::fmt;

use mpit_format::profile::{About, MAX_FACT};

use crate::node_list;

/// The kind of the fact that names the nodes of a job.
const NODES: &str = "slurm_nodes";

/// A range of ranks without data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The first rank.
    pub first: u32,
    /// The last rank.
    pub last: u32,
    /// The reason, if a file names it.
    pub reason: Option<String>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = self.reason.as_deref().unwrap_or("no file");
        if self.first == self.last {
            write!(f, "rank {} ({reason})", self.first)
        } else {
            write!(f, "ranks {} to {} ({reason})", self.first, self.last)
        }
    }
}

/// Returns the ranges between the ranks that are present. A rank with a reason has a range of its own.
pub(crate) fn missing(size: u32, present: &[u32], mut reasons: Vec<(u32, String)>) -> Vec<Missing> {
    reasons.sort();
    reasons.dedup_by_key(|(rank, _)| *rank);
    reasons.retain(|(rank, _)| present.binary_search(rank).is_err());
    let mut known: Vec<(u32, Option<String>)> = present.iter().map(|rank| (*rank, None)).collect();
    known.extend(reasons.into_iter().map(|(rank, reason)| (rank, Some(reason))));
    known.sort();
    let mut all = Vec::new();
    let mut next = 0;
    for (rank, reason) in known {
        if next < rank {
            all.push(Missing { first: next, last: rank - 1, reason: None });
        }
        if reason.is_some() {
            all.push(Missing { first: rank, last: rank, reason });
        }
        next = rank + 1;
    }
    if next < size {
        all.push(Missing { first: next, last: size - 1, reason: None });
    }
    all
}

/// Returns the nodes of a job of which no rank has data. `hosts` are the machines of the ranks with data, empty where they are not known.
///
/// There are none unless each of these machines is one of the nodes that Slurm names. Otherwise the names cannot be compared, or a machine
/// that is not known may be any node.
pub(crate) fn missing_nodes<'a>(about: &[About], hosts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lists: BTreeSet<&str> =
        about.iter().filter(|fact| fact.key == NODES).map(|fact| fact.value.as_str()).collect();
    let mut lists = lists.into_iter();
    let (Some(list), None) = (lists.next(), lists.next()) else { return Vec::new() };
    // One of the maximum length may have been cut off.
    let nodes = if list.len() < MAX_FACT { node_list::expand(list) } else { None };
    let nodes = nodes.unwrap_or_default();
    let known: BTreeSet<&str> = nodes.iter().map(|node| short(node)).collect();
    let present: BTreeSet<&str> = hosts.map(short).collect();
    if present.is_empty() || !present.is_subset(&known) {
        return Vec::new();
    }
    nodes.iter().filter(|node| !present.contains(short(node))).cloned().collect()
}

/// Returns the name of a machine without its domain.
fn short(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use mpit_format::profile::About;

    use super::missing_nodes;

    #[test]
    fn unknown_nodes_are_missing() {
        let missing = |lists: &[&str], hosts: &[&str]| {
            let about: Vec<_> = lists.iter().map(|list| About::new("slurm_nodes", list)).collect();
            missing_nodes(&about, hosts.iter().copied())
        };
        assert_eq!(missing(&["n[1-4]"], &["n1", "n3.site.org", "n1"]), ["n2", "n4"]);
        assert_eq!(missing(&["n[1-2]", "n[1-2]"], &["n1", "n2"]), [""; 0]);
        let none: [(&[&str], &[&str]); 6] = [
            (&[], &["n1"]),
            (&["n[1-2]"], &[]),
            (&["n[1-2]"], &["n1", ""]),
            (&["n[1-2]"], &["n1", "host7"]),
            (&["n[1-2]", "n[1-3]"], &["n1"]),
            (&["n[1-2"], &["n1"]),
        ];
        for (lists, hosts) in none {
            assert_eq!(missing(lists, hosts), [""; 0], "{lists:?} {hosts:?}");
        }
        let long = (0..2000).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
        assert_eq!(missing(&[long.as_str()], &["n1"]), [""; 0]);
    }
}
