//! The nodes of the next run.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use mpit_components::files;
use mpit_report::Job;
use mpit_report::placement::{block, fits};
use roxmltree::{Document, Node, ParsingOptions};

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

/// Nodes, and the present node of each rank.
#[derive(Debug)]
pub(super) struct Topology {
    /// The number of cores of each node.
    pub(super) cores: Vec<u32>,
    /// The present node of each rank.
    pub(super) present: Vec<u32>,
    /// The names, if they are known.
    names: Option<Vec<String>>,
    /// True if the present nodes are those of the run.
    is_recorded: bool,
}

impl Topology {
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
        let used =
            recorded.filter(|present| (known_names.len() > 1 || cores.len() == 1) && fits(present, &cores));
        let is_recorded = used.is_some();
        let present = used.or_else(|| block(job.size, &cores)).ok_or("the nodes have too few cores")?;
        Ok(Self { cores, present, names, is_recorded })
    }

    /// Reduces the cores to those that are used now. A file for Cray MPICH changes the order of ranks only: its launchers put the
    /// same number of ranks on each node, and the rest on the last one.
    pub(super) fn use_present_counts(&mut self) -> Result<(), String> {
        self.cores.fill(0);
        for node in &self.present {
            self.cores[*node as usize] += 1;
        }
        let used: Vec<u32> = self.cores.iter().copied().filter(|cores| *cores > 0).collect();
        let (last, others) = used.split_last().ok_or("the run has no processes")?;
        if others.iter().all(|cores| *cores == others[0] && cores >= last) {
            Ok(())
        } else {
            Err("cray needs the same number of processes on each node but the last; use --nodes NODESxCORES"
                .into())
        }
    }

    /// Returns true if the names of nodes are made up.
    pub(super) fn has_placeholders(&self) -> bool {
        self.names.is_none()
    }

    /// Returns the names of the nodes.
    pub(super) fn names(&self) -> Vec<String> {
        let placeholder = |node: usize| format!("node{node}");
        self.names.clone().unwrap_or_else(|| (0..self.cores.len()).map(placeholder).collect())
    }
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let now = if self.is_recorded { "as in the run" } else { "in the order of ranks, node by node" };
        let (ranks, nodes) = (self.present.len(), self.cores.len());
        write!(f, "{ranks} processes, {nodes} nodes; now: {now}")
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
        machines.extend(parse(&text).map_err(|error| format!("{}: {error}", path.display()))?);
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

/// A node in a file of hwloc.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Machine {
    name: Option<String>,
    cores: u32,
}

/// The maximum number of bytes of a file. A node with thousands of cores has fewer.
const MAX_BYTES: u64 = 64 << 20;

/// The maximum number of attributes of an element; hwloc writes about 20. The parser's time is quadratic in it.
const MAX_ATTRIBUTES: usize = 1000;

/// Fails if a text has what files of hwloc have not, and on which the parser's time or memory would be quadratic.
fn check_limits(text: &str) -> Result<(), String> {
    for word in ["<!ENTITY", "xmlns"] {
        if text.contains(word) {
            return Err(format!("no XML of hwloc: it has `{word}`"));
        }
    }
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once('<') {
        // Comments and sections of plain text, which elements cannot begin in.
        let others = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((_, end)) = others.iter().find(|(begin, _)| tag.starts_with(begin)) {
            rest = tag.split_once(end).map_or("", |(_, rest)| rest);
            continue;
        }
        let (mut quote, mut attributes, mut length) = (None, 0, tag.len());
        for (at, byte) in tag.bytes().enumerate() {
            match (quote, byte) {
                (Some(begin), _) if byte == begin => quote = None,
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    length = at;
                    break;
                }
                _ => {}
            }
        }
        if attributes > MAX_ATTRIBUTES {
            return Err(format!("no XML of hwloc: an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        rest = &tag[length..];
    }
    Ok(())
}

/// Parses the XML of hwloc: objects `Machine` with objects `Core` in them, or `PU` where cores are unknown.
fn parse(text: &str) -> Result<Vec<Machine>, String> {
    check_limits(text)?;
    let options = ParsingOptions { allow_dtd: true, nodes_limit: 10_000_000, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| format!("no XML of hwloc: {error}"))?;
    let is_of_kind =
        |node: &Node<'_, '_>, kind: &str| node.has_tag_name("object") && node.attribute("type") == Some(kind);
    // No machine is in another one. Nodes have numbers in the order of the text.
    let mut end = None;
    let machines = document.descendants().filter(|node| {
        let is_outermost = is_of_kind(node, "Machine") && end.is_none_or(|end| node.id().get() > end);
        if is_outermost {
            end = node.descendants().next_back().map(|last| last.id().get());
        }
        is_outermost
    });
    let machines: Result<Vec<Machine>, String> = machines
        .map(|machine| {
            let count =
                |kind: &str| machine.descendants().filter(|node| is_of_kind(node, kind)).count() as u32;
            let info =
                |node: &Node<'_, '_>| node.has_tag_name("info") && node.attribute("name") == Some("HostName");
            let name = machine.children().find(info).and_then(|info| info.attribute("value"));
            let cores = if count("Core") > 0 { count("Core") } else { count("PU") };
            match cores {
                0 => Err("a machine without cores".to_owned()),
                _ => Ok(Machine { name: name.map(str::to_owned), cores }),
            }
        })
        .collect();
    match machines? {
        machines if machines.is_empty() => {
            Err("no object Machine; write the file by `lstopo node.xml`".into())
        }
        machines => Ok(machines),
    }
}

#[cfg(test)]
mod tests {
    use super::{Machine, NodeCount, check_names, from_files, parse};

    /// The begin of a file of lstopo 2.9, with two cores of two threads each.
    const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" gp_index="1">
    <info name="Backend" value="Linux"/>
    <info name="HostName" value="n07"/>
    <object type="Package" os_index="0" gp_index="3">
      <object type="Core" os_index="0" gp_index="4">
        <object type="PU" os_index="0" gp_index="5"/><object type="PU" os_index="2" gp_index="6"/>
      </object>
      <object type="Core" os_index="1" gp_index="7">
        <object type="PU" os_index="1" gp_index="8"/><object type="PU" os_index="3" gp_index="9"/>
      </object>
    </object>
  </object>
</topology>
"#;

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
        assert_eq!(parse(XML), Ok(vec![Machine { name: Some("n07".into()), cores: 2 }]));
        for text in ["", "<topology/>", "{}", r#"<topology><object type="Machine"/></topology>"#] {
            assert!(parse(text).is_err(), "{text}");
        }
        // Each would take minutes, or all memory.
        let attributes = " a='='".repeat(100_000);
        let nested = |begin: &str| begin.repeat(100_000);
        for (text, why) in [
            (XML.replace("<topology ", &format!("<topology{attributes} ")), "more than 1000 attributes"),
            (XML.replace("\"hwloc2.dtd\"", "[<!ENTITY a \"b\">]"), "<!ENTITY"),
            (nested("<a xmlns:b='c'>"), "xmlns"),
        ] {
            let found = parse(&text).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
        let comment = format!("<!--{attributes}--><topology ");
        assert!(parse(&XML.replace("<topology ", &comment)).is_ok());
        // A machine in another one is not counted twice.
        let machine = "<object type='Machine'><object type='Core'/>";
        let inner = format!("<t>{machine}{machine}</object></object>{machine}</object></t>");
        let machines: Vec<u32> = parse(&inner).unwrap().into_iter().map(|machine| machine.cores).collect();
        assert_eq!(machines, [2, 1]);
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
