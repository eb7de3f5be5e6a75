//! Launchers, and the command lines that use a placement.

use std::collections::BTreeSet;
use std::net::IpAddr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use mpit_job::launcher::{LAUNCHERS, NodeNames, Placement, PlacementFile, of_run};
use mpit_placement::{Order, Topology};
use mpit_report::Job;

/// Returns the ways of launchers to place ranks.
fn all() -> impl Iterator<Item = &'static Placement> {
    LAUNCHERS.iter().flat_map(|launcher| launcher.placements)
}

/// Returns the parser of an option.
pub(super) fn parser() -> impl TypedValueParser<Value = &'static Placement> {
    let values = all().map(|placement| PossibleValue::new(placement.name).help(placement.help));
    let find = |name: String| all().find(|placement| placement.name == name).ok_or("no such launcher");
    PossibleValuesParser::new(values).try_map(find)
}

/// Returns the launcher of the run, by the MPI library and the command that its files name.
pub(super) fn of(job: &Job) -> Result<&'static Placement, String> {
    let fact = |key: &str| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.as_str());
    let found = of_run(fact("mpi").unwrap_or_default(), fact("command").unwrap_or_default());
    found.ok_or_else(|| {
        "the files do not name an MPI library whose launcher is known; use --launcher".to_owned()
    })
}

/// Returns true if the file has the ranks on each node, and does not name nodes.
pub(super) fn has_ranks_only(launcher: &Placement) -> bool {
    matches!(launcher.file, PlacementFile::RankOrder(_))
}

/// Returns the names of nodes as the launcher knows them. Names that the user gives (`are_given`) may be taken for these.
pub(super) fn names_of_nodes(launcher: &Placement, names: Vec<String>, are_given: bool) -> Vec<String> {
    match launcher.nodes {
        NodeNames::Short => without_domains(names),
        NodeNames::ShortUnlessGiven if !are_given => without_domains(names),
        NodeNames::ShortUnlessGiven | NodeNames::Full => names,
    }
}

/// Returns the text of the file.
pub(super) fn text(launcher: &Placement, order: Order<'_>) -> String {
    match launcher.file {
        PlacementFile::Rankfile => order.rankfile(),
        PlacementFile::HostList => order.host_list(),
        PlacementFile::MachineFile => order.machine_file(),
        PlacementFile::RankOrder(_) => order.rank_order(),
    }
}

/// Returns the command line for the program of the run, with a file that has the placement.
pub(super) fn command_line(launcher: &Placement, file: &str, job: &Job, topology: &Topology) -> String {
    let program = job.about.iter().find(|fact| fact.key == "program");
    let program = program.map_or("./app", |fact| fact.value.as_str());
    let file = quoted(file);
    let nodes = topology.cores.iter().filter(|cores| **cores > 0).count();
    let most = topology.cores.iter().max().copied().unwrap_or(1);
    let copy = match launcher.file {
        PlacementFile::RankOrder(name) if file != name => format!("cp {file} {name}; "),
        _ => String::new(),
    };
    let line = launcher.line.replace("{ranks}", &topology.present.len().to_string());
    let line = line.replace("{nodes}", &nodes.to_string()).replace("{most}", &most.to_string());
    copy + &line.replace("{file}", &file).replace("{program}", program)
}

/// Cuts the domains off the names of hosts, if the rest is still different for each of them.
fn without_domains(names: Vec<String>) -> Vec<String> {
    let host = |name: &String| match name.split_once('.') {
        Some((host, _)) if name.parse::<IpAddr>().is_err() => host.to_owned(),
        _ => name.clone(),
    };
    let hosts: Vec<String> = names.iter().map(host).collect();
    let distinct = hosts.iter().collect::<BTreeSet<_>>().len();
    if distinct == names.len() && !hosts.iter().any(String::is_empty) { hosts } else { names }
}

/// Quotes a word for the shell, if it needs that.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    if word.chars().all(is_plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::{all, names_of_nodes, quoted};

    #[test]
    fn names_of_nodes_are_those_of_launchers() {
        let of = |launcher: &str, names: &[&str], are_given| {
            let launcher = all().find(|placement| placement.name == launcher).unwrap();
            names_of_nodes(launcher, names.iter().map(ToString::to_string).collect(), are_given)
        };
        let full = ["a.site.example", "b.site.example"];
        for launcher in ["openmpi4", "openmpi5"] {
            assert_eq!(of(launcher, &full, true), ["a", "b"]);
        }
        assert_eq!(of("slurm", &full, false), ["a", "b"]);
        assert_eq!(of("slurm", &full, true), full);
        assert_eq!(of("hydra", &full, false), full);
        for kept in [["a.one", "a.other"], ["10.0.0.1", "10.0.0.2"], ["a", "b"], [".a", "b"]] {
            assert_eq!(of("openmpi5", &kept, false), kept);
        }
        assert_eq!(of("openmpi5", &["10.0.0.1", "b.c"], false), ["10.0.0.1", "b"]);
    }

    #[test]
    fn file_names_are_quoted() {
        assert_eq!(["a/b.c", "a b", "it's"].map(quoted), ["a/b.c", "'a b'", r"'it'\''s'"]);
    }
}
