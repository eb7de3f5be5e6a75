//! The ranks and the nodes of a job without data.

use std::collections::BTreeSet;
use std::fmt;

use mpit_format::profile::{About, MAX_FACT};
use mpit_job::slurm::{self, is_step_of_srun};
use schemars::JsonSchema;
use serde::Serialize;

use crate::node_list;

/// A range of ranks without data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The first rank.
    pub first: u32,
    /// The last rank.
    pub last: u32,
    /// The reason; null if there is no file.
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

/// Returns the nodes of a job of which no rank has data. `of_parts` are the lists that the parts of tables have, of steps of `srun`.
/// `hosts` are the machines of the ranks with data, empty where they are not known.
///
/// There are none unless the job is a step of Slurm: otherwise the list is that of the allocation, of which the job may use a part. There are
/// none either unless each of these machines is one of the nodes that Slurm names: otherwise the names cannot be compared, or a machine that
/// is not known may be any node.
pub(crate) fn missing_nodes<'a>(
    about: &[About],
    of_parts: &BTreeSet<String>,
    hosts: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let nodes = nodes_of_step(about, of_parts).and_then(node_list::expand).unwrap_or_default();
    let known: BTreeSet<&str> = nodes.iter().map(|node| short(node)).collect();
    let present: BTreeSet<&str> = hosts.map(short).collect();
    if present.is_empty() || !present.is_subset(&known) {
        return Vec::new();
    }
    nodes.iter().filter(|node| !present.contains(short(node))).cloned().collect()
}

/// Returns the list of the nodes of the job's step, if all files that have one agree.
fn nodes_of_step<'a>(about: &'a [About], of_parts: &'a BTreeSet<String>) -> Option<&'a str> {
    let values =
        |key: &'static str| about.iter().filter(move |fact| fact.key == key).map(|fact| fact.value.as_str());
    if !values(slurm::STEP).all(is_step_of_srun) {
        return None;
    }
    let of_facts: Vec<&str> =
        if values(slurm::STEP).next().is_some() { values(slurm::NODES).collect() } else { Vec::new() };
    // One of the maximum length may have been cut off. Parts have it as a whole.
    let (whole, cut): (Vec<&str>, Vec<&str>) = of_facts.into_iter().partition(|list| list.len() < MAX_FACT);
    let lists: BTreeSet<&str> = whole.into_iter().chain(of_parts.iter().map(String::as_str)).collect();
    let mut lists = lists.into_iter();
    let (Some(list), None) = (lists.next(), lists.next()) else { return None };
    if cut.iter().all(|begin| list.starts_with(begin)) { Some(list) } else { None }
}

/// Returns the lines about ranks and nodes without data. At most `limit` of each are named.
pub(crate) fn lines(all: &[Missing], nodes: &[String], limit: usize) -> Vec<String> {
    let mut lines: Vec<String> =
        all.iter().take(limit).map(|missing| format!("missing: {missing}")).collect();
    if all.len() > limit {
        lines.push(format!("missing: {} more ranges of ranks", all.len() - limit));
    }
    let (shown, rest) = nodes.split_at(nodes.len().min(limit));
    if !shown.is_empty() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        lines.push(format!("nodes without data: {}{more}", shown.join(", ")));
    }
    lines
}

/// Returns the name of a machine without its domain.
fn short(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use mpit_format::profile::About;

    use super::{Missing, lines, missing_nodes};

    fn missing(steps: &[&str], lists: &[&str], hosts: &[&str]) -> Vec<String> {
        missing_with(steps, lists, &[], hosts)
    }

    fn missing_with(steps: &[&str], lists: &[&str], of_parts: &[&str], hosts: &[&str]) -> Vec<String> {
        let of_parts = of_parts.iter().map(ToString::to_string).collect();
        let steps = steps.iter().map(|step| About::new("slurm_step", step));
        let lists = lists.iter().map(|list| About::new("slurm_nodes", list));
        let about: Vec<_> = steps.chain(lists).collect();
        missing_nodes(&about, &of_parts, hosts.iter().copied())
    }

    #[test]
    fn lines_name_some_ranges() {
        let all = [2, 4, 6].map(|rank| Missing { first: rank, last: rank, reason: None });
        assert_eq!(lines(&all, &[], 1), ["missing: rank 2 (no file)", "missing: 2 more ranges of ranks"]);
    }

    #[test]
    fn unknown_nodes_are_missing() {
        assert_eq!(missing(&["0"], &["n[1-4]"], &["n1", "n3.site.org", "n1"]), ["n2", "n4"]);
        assert_eq!(missing(&["0"], &["n[1-2]", "n[1-2]"], &["n1", "n2"]), [""; 0]);
        let none: [(&[&str], &[&str]); 6] = [
            (&[], &["n1"]),
            (&["n[1-2]"], &[]),
            (&["n[1-2]"], &["n1", ""]),
            (&["n[1-2]"], &["n1", "host7"]),
            (&["n[1-2]", "n[1-3]"], &["n1"]),
            (&["n[1-2"], &["n1"]),
        ];
        for (lists, hosts) in none {
            assert_eq!(missing(&["0"], lists, hosts), [""; 0], "{lists:?} {hosts:?}");
        }
        let long = (0..2000).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
        assert_eq!(missing(&["0"], &[long.as_str()], &["n1"]), [""; 0]);
    }

    /// Tests that the unused nodes of an allocation are not missing. 4294967290 and 4294967291 are the shell of `salloc` and the script of
    /// `sbatch`.
    #[test]
    fn nodes_of_allocations_are_not_missing() {
        let of_srun: [&[&str]; 3] = [&["0"], &["4294967280"], &["3", "4"]];
        for steps in of_srun {
            assert_eq!(missing(steps, &["n[1-2]"], &["n1"]), ["n2"], "{steps:?}");
        }
        let others: [&[&str]; 6] =
            [&[], &["4294967290"], &["4294967291"], &["0", "4294967291"], &["batch"], &[""]];
        for steps in others {
            assert_eq!(missing(steps, &["n[1-2]"], &["n1"]), [""; 0], "{steps:?}");
        }
    }

    /// Tests that parts of tables name the nodes without rank 0, whose file has the facts.
    #[test]
    fn parts_name_the_nodes_of_the_step() {
        assert_eq!(missing_with(&[], &[], &["n[1-3]"], &["n2", "n3"]), ["n1"]);
        assert_eq!(missing_with(&["0"], &["n[1-3]"], &["n[1-3]"], &["n1"]), ["n2", "n3"]);
        let long = (0..2000).map(|number| format!("n{number}")).collect::<Vec<_>>().join(",");
        assert_eq!(missing_with(&["0"], &[&long], &[&long], &["n1"]).len(), 1999);
        let none: [(&[&str], &[&str], &[&str]); 5] = [
            (&[], &[], &["n[1-3]", "n[1-4]"]),
            (&["0"], &["n[1-4]"], &["n[1-3]"]),
            (&["0"], &[&long], &["n[1-3]"]),
            (&["4294967291"], &["n[1-3]"], &["n[1-3]"]),
            (&[], &[], &["m[1-3]"]),
        ];
        for (steps, lists, of_parts) in none {
            assert_eq!(missing_with(steps, lists, of_parts, &["n1"]), [""; 0], "{steps:?} {of_parts:?}");
        }
    }
}
