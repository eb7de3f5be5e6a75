//! Launchers, and the command lines that use a placement.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use mpit_job::launcher::{LAUNCHERS, NodeNames, Placement, PlacementFile, of_run};
use mpit_placement::{Order, Topology};
use mpit_report::Job;

/// A way of a launcher to place ranks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launcher(&'static Placement);

static ALL: LazyLock<Vec<Launcher>> =
    LazyLock::new(|| LAUNCHERS.iter().flat_map(|launcher| launcher.placements).map(Launcher).collect());

impl ValueEnum for Launcher {
    fn value_variants<'a>() -> &'a [Self] {
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name).help(self.help))
    }
}

impl Deref for Launcher {
    type Target = Placement;

    fn deref(&self) -> &Placement {
        self.0
    }
}

impl Launcher {
    /// Returns the launcher of the run, by the MPI library and the command that its files name.
    pub(super) fn of(job: &Job) -> Result<Self, String> {
        let fact = |key: &str| job.about.iter().find(|fact| fact.key == key).map(|fact| fact.value.as_str());
        let found = of_run(fact("mpi").unwrap_or_default(), fact("command").unwrap_or_default());
        found.map(Self).ok_or_else(|| {
            "the files do not name an MPI library whose launcher is known; use --launcher".to_owned()
        })
    }

    /// Returns true if the file has the ranks on each node, and does not name nodes.
    pub(super) fn has_ranks_only(self) -> bool {
        matches!(self.file, PlacementFile::RankOrder(_))
    }

    /// Returns the names of nodes as the launcher knows them. Names that the user gives (`are_given`) may be taken for these.
    pub(super) fn names_of_nodes(self, names: Vec<String>, are_given: bool) -> Vec<String> {
        match self.nodes {
            NodeNames::Short => without_domains(names),
            NodeNames::ShortUnlessGiven if !are_given => without_domains(names),
            NodeNames::ShortUnlessGiven | NodeNames::Full => names,
        }
    }

    /// Returns the text of the file.
    pub(super) fn text(self, order: Order<'_>) -> String {
        match self.file {
            PlacementFile::Rankfile => order.rankfile(),
            PlacementFile::HostList => order.host_list(),
            PlacementFile::MachineFile => order.machine_file(),
            PlacementFile::RankOrder(_) => order.rank_order(),
        }
    }

    /// Returns the command line for the program of the run, with a file that has the placement.
    pub(super) fn command_line(self, file: &str, job: &Job, topology: &Topology) -> String {
        let program = job.about.iter().find(|fact| fact.key == "program");
        let program = program.map_or("./app", |fact| fact.value.as_str());
        let file = quoted(file);
        let nodes = topology.cores.iter().filter(|cores| **cores > 0).count();
        let most = topology.cores.iter().max().copied().unwrap_or(1);
        let copy = match self.file {
            PlacementFile::RankOrder(name) if file != name => format!("cp {file} {name}; "),
            _ => String::new(),
        };
        let line = self.line.replace("{ranks}", &topology.present.len().to_string());
        let line = line.replace("{nodes}", &nodes.to_string()).replace("{most}", &most.to_string());
        copy + &line.replace("{file}", &file).replace("{program}", program)
    }
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
    use clap::ValueEnum;

    use super::{Launcher, quoted};

    #[test]
    fn names_of_nodes_are_those_of_launchers() {
        let of = |launcher: &str, names: &[&str], are_given| {
            let launcher = Launcher::from_str(launcher, false).unwrap();
            launcher.names_of_nodes(names.iter().map(ToString::to_string).collect(), are_given)
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
