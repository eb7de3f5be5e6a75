//! Launchers that do not hand the environment on by themselves: their command lines, changed so that they do.
//!
//! | launcher | hands on by itself | change |
//! |---|---|---|
//! | Open MPI | the environment of processes on this machine only | `-x NAME` for each variable, in each part of the command line |
//! | Hydra: MPICH, Intel MPI | everything, unless an option restricts it | the names are added to that option |
//! | srun | everything, unless `--export` or `SLURM_EXPORT_ENV` restricts it | the names are added to that list |

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::no_files::find;
use super::program::check;
use crate::search_path::candidates;

/// The launcher of Slurm.
const SLURM_LAUNCHER: &str = "srun";

/// The names of launchers of MPI programs, without those of libraries.
const LAUNCHERS: [&str; 5] = ["mpiexec", "mpirun", "orterun", "prterun", SLURM_LAUNCHER];

/// The variable in which Slurm keeps the restriction of `sbatch --export`, which `srun` obeys.
const SLURM_LIST: &str = "SLURM_EXPORT_ENV";

/// Open MPI's setting with names of variables, which excludes `-x`.
const OPEN_MPI_LIST: &str = "mca_base_env_list";
const OPEN_MPI_LIST_VARIABLE: &str = "OMPI_MCA_mca_base_env_list";

/// A command line that hands variables on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandedOn {
    pub(crate) words: Vec<OsString>,
    /// Further variables for the command.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// The changes, for the user.
    pub(crate) changes: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LauncherKind {
    OpenMpi,
    Hydra,
    Slurm,
}

/// Returns the command line that hands the variables with these names on to all processes.
pub(crate) fn hand_on(words: &[OsString], names: &[&str]) -> HandedOn {
    hand_on_in(words, names, &|name| std::env::var(name).ok())
}

fn hand_on_in(words: &[OsString], names: &[&str], environment: &dyn Fn(&str) -> Option<String>) -> HandedOn {
    let mut handed = HandedOn { words: words.to_vec(), environment: Vec::new(), changes: Vec::new() };
    // A script may call srun.
    if let Some(list) = environment(SLURM_LIST).and_then(|list| extended(&list, names)) {
        handed.changes.push(format!("set {SLURM_LIST}={list}, because it restricted what srun hands on"));
        handed.environment.push((SLURM_LIST, list));
    }
    if let Some((at, kind)) = launcher(words) {
        match kind {
            LauncherKind::OpenMpi => handed.add_to_open_mpi(at, names, environment(OPEN_MPI_LIST_VARIABLE)),
            LauncherKind::Hydra => handed.add_to_options(at, &HYDRA, names),
            LauncherKind::Slurm => handed.add_to_options(at, &SLURM, names),
        }
    }
    handed
}

/// Returns the launcher that a command begins with, behind programs that run others.
fn launcher(words: &[OsString]) -> Option<(usize, LauncherKind)> {
    let mut at = 0;
    loop {
        let name = Path::new(words.get(at)?).file_name()?.to_str()?;
        let is_option =
            |at: usize| words.get(at).is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
        match name {
            "env" => {
                at += 1;
                while words.get(at)?.as_encoded_bytes().contains(&b'=') && !is_option(at) {
                    at += 1;
                }
            }
            "timeout" => {
                at += 1;
                while is_option(at) {
                    at += if ["-k", "-s"].iter().any(|option| words[at] == *option) { 2 } else { 1 };
                }
                at += 1;
            }
            "time" | "nohup" => at += 1,
            _ => return Some((at, kind(&words[at], name)?)),
        }
    }
}

/// Returns true for the name of a launcher of MPI programs, which an MPI library or a version may follow: `mpiexec`,
/// `mpirun.openmpi`, `mpiexec-5.0`.
pub(super) fn is_launcher(name: &str) -> bool {
    let is_launcher_of = |suffix: &str| {
        let is_version =
            suffix.trim_start_matches(['.', '-', '_']).starts_with(|first: char| first.is_ascii_digit());
        suffix.is_empty() || is_version || kind_by_name(suffix).is_some()
    };
    LAUNCHERS.iter().filter_map(|launcher| name.strip_prefix(launcher)).any(is_launcher_of)
}

fn kind(word: &OsStr, name: &str) -> Option<LauncherKind> {
    if !is_launcher(name) {
        return None;
    }
    if name == SLURM_LAUNCHER {
        return Some(LauncherKind::Slurm);
    }
    // Installations of several MPI libraries choose by links.
    let file = candidates(word).into_iter().flatten().find(|file| check(file).is_ok());
    let file = file.and_then(|file| file.canonicalize().ok());
    kind_by_name(name).or_else(|| {
        let file = file?;
        let by_name = file.file_name().and_then(OsStr::to_str).and_then(kind_by_name);
        by_name.or_else(|| kind_by_neighbors(file.parent()?))
    })
}

fn kind_by_name(name: &str) -> Option<LauncherKind> {
    let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if has(&["openmpi", "orterun", "prterun", "ompirun"]) {
        Some(LauncherKind::OpenMpi)
    } else if has(&["hydra", "mpich"]) {
        Some(LauncherKind::Hydra)
    } else {
        None
    }
}

/// Recognizes an installation by other programs in its directory.
fn kind_by_neighbors(directory: &Path) -> Option<LauncherKind> {
    let has = |names: &[&str]| names.iter().any(|name| directory.join(name).is_file());
    match (
        has(&["ompi_info", "prterun", "orterun"]),
        has(&["mpiexec.hydra", "hydra_pmi_proxy", "hydra_bstrap_proxy"]),
    ) {
        (true, false) => Some(LauncherKind::OpenMpi),
        (false, true) => Some(LauncherKind::Hydra),
        _ => None,
    }
}

/// An option that restricts the variables that are handed on.
struct Restriction {
    /// The option, without dashes.
    name: &'static str,
    /// The option that takes its place; it is followed by a list.
    becomes: &'static str,
    has_list: bool,
}

const HYDRA: [Restriction; 4] = [
    Restriction { name: "genvlist", becomes: "-genvlist", has_list: true },
    Restriction { name: "envlist", becomes: "-envlist", has_list: true },
    Restriction { name: "genvnone", becomes: "-genvlist", has_list: false },
    Restriction { name: "envnone", becomes: "-envlist", has_list: false },
];

const SLURM: [Restriction; 1] = [Restriction { name: "export", becomes: "--export", has_list: true }];

/// Options of both launchers whose value is a program, which is not the one that they start.
const WITH_PROGRAM: [&str; 8] = [
    "launcher",
    "launcher-exec",
    "bootstrap",
    "bootstrap-exec",
    "prolog",
    "epilog",
    "task-prolog",
    "task-epilog",
];

impl HandedOn {
    fn add_to_open_mpi(&mut self, at: usize, names: &[&str], list: Option<String>) {
        let launcher = self.words[at].to_string_lossy().into_owned();
        let because = "because Open MPI hands no other variables on to other machines";
        let mut parts = parts(&self.words, at + 1);
        // From the last one on, so that the places of the others stay.
        parts.reverse();
        let all = names.join(";");
        if let Some(setting) = self.words.iter().position(|word| word == OPEN_MPI_LIST) {
            if let Some(value) = self.words.get_mut(setting + 1) {
                value.push(format!(";{all}"));
                self.changes.push(format!("added {all} to {OPEN_MPI_LIST} of {launcher}, {because}"));
            }
            return;
        }
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            self.environment.push((OPEN_MPI_LIST_VARIABLE, format!("{list};{all}")));
            self.changes.push(format!("added {all} to {OPEN_MPI_LIST_VARIABLE}, {because}"));
            return;
        }
        let mut added = BTreeSet::new();
        for (from, to) in parts {
            let is_there = |name: &str| {
                self.words[from..to].windows(2).any(|pair| {
                    (pair[0] == "-x" || pair[0] == "--x")
                        && pair[1].to_str().is_some_and(|given| given.split('=').next() == Some(name))
                })
            };
            let missing: Vec<&str> = names.iter().copied().filter(|name| !is_there(name)).collect();
            let words = missing.iter().flat_map(|name| ["-x".into(), OsString::from(name)]);
            self.words.splice(from..from, words);
            added.extend(missing);
        }
        if !added.is_empty() {
            let added: Vec<_> =
                names.iter().filter(|name| added.contains(*name)).map(|name| format!("-x {name}")).collect();
            self.changes.push(format!("added {} to {launcher}, {because}", added.join(" ")));
        }
    }

    fn add_to_options(&mut self, at: usize, restrictions: &[Restriction], names: &[&str]) {
        let launcher = self.words[at].to_string_lossy().into_owned();
        for (from, to) in parts(&self.words, at + 1).into_iter().rev() {
            let mut at = from;
            while at < to && !is_program(&self.words[at]) {
                let word = self.words[at].to_string_lossy().into_owned();
                let option = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).unwrap_or_default();
                let (option, joined) = match option.split_once('=') {
                    Some((option, list)) => (option, Some(list)),
                    None => (option, None),
                };
                at += 1;
                let Some(found) = restrictions.iter().find(|one| one.name == option) else {
                    if joined.is_none() && WITH_PROGRAM.contains(&option) {
                        at += 1;
                    }
                    continue;
                };
                let (end, list) = match joined {
                    Some(list) => (at, list.to_owned()),
                    None if found.has_list && at < to => {
                        (at + 1, self.words[at].to_string_lossy().into_owned())
                    }
                    None => (at, String::new()),
                };
                let Some(list) = extended(&list, names) else { continue };
                let before: Vec<_> =
                    self.words[at - 1..end].iter().map(|word| word.to_string_lossy()).collect();
                let after = match joined {
                    Some(_) => vec![format!("{}={list}", found.becomes)],
                    None => vec![found.becomes.to_owned(), list],
                };
                self.changes.push(format!(
                    "changed {} of {launcher} to {}",
                    before.join(" "),
                    after.join(" ")
                ));
                self.words.splice(at - 1..end, after.into_iter().map(OsString::from));
                // The other parts come before this one, so their places stay.
                break;
            }
        }
    }
}

/// Returns a list of names with these names; `None` if it hands everything on, or has all of them.
fn extended(list: &str, names: &[&str]) -> Option<String> {
    let mut all: Vec<&str> = list.split(',').filter(|name| !["", "NONE", "NIL"].contains(name)).collect();
    if all.contains(&"ALL") {
        return None;
    }
    let missing: Vec<_> =
        names.iter().filter(|name| !all.iter().any(|given| given.split('=').next() == Some(name))).collect();
    if missing.is_empty() {
        return None;
    }
    all.extend(missing);
    Some(all.join(","))
}

/// Returns the parts of a launcher's command line, which colons separate, by their first words and ends.
fn parts(words: &[OsString], from: usize) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    let mut begin = from;
    for at in from..=words.len() {
        if words.get(at).is_none_or(|word| word == ":") {
            all.push((begin, at));
            begin = at + 1;
        }
    }
    all
}

/// Returns true if a word names a program: the options of the launcher end there.
fn is_program(word: &OsStr) -> bool {
    !word.as_encoded_bytes().starts_with(b"-") && find(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["LD_PRELOAD", "MPIT_RUN"];

    fn handed(line: &str, variables: &[(&str, &str)]) -> (String, Vec<(&'static str, String)>) {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        let handed = hand_on_in(&words, &NAMES, &variable);
        let is_same = handed.words == words && handed.environment.is_empty();
        assert_eq!(handed.changes.is_empty(), is_same, "{line}: {handed:?}");
        let words: Vec<_> = handed.words.iter().map(|word| word.to_string_lossy()).collect();
        (words.join(" "), handed.environment)
    }

    fn line(line: &str) -> String {
        handed(line, &[]).0
    }

    fn changes(line: &str) -> Vec<String> {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        hand_on_in(&words, &NAMES, &|_| None).changes
    }

    #[test]
    fn launchers_have_suffixes() {
        for name in ["mpiexec", "srun", "mpirun.mpich", "mpiexec.hydra", "mpirun-openmpi-mp", "orterun-4.1"] {
            assert!(is_launcher(name), "{name}");
        }
        for name in ["mpiexec.log", "my-mpirun", "orterun.txt", "srun_all", "mpirunner", "mpi", ""] {
            assert!(!is_launcher(name), "{name}");
        }
    }

    #[test]
    fn open_mpi_gets_names() {
        let x = "-x LD_PRELOAD -x MPIT_RUN";
        for launcher in
            ["orterun", "prterun", "/a/mpiexec.openmpi", "timeout -k 5 60 mpirun.openmpi", "env A=1 orterun"]
        {
            assert_eq!(line(&format!("{launcher} -n 2 ./app -x")), format!("{launcher} {x} -n 2 ./app -x"));
        }
        assert_eq!(line("orterun -n 1 a : -n 1 b"), format!("orterun {x} -n 1 a : {x} -n 1 b"));
        assert_eq!(line("orterun -x MPIT_RUN a"), "orterun -x LD_PRELOAD -x MPIT_RUN a");
        assert_eq!(
            line("orterun -x LD_PRELOAD=/a.so -x MPIT_RUN a"),
            "orterun -x LD_PRELOAD=/a.so -x MPIT_RUN a"
        );
        // Only the second part is changed, and the change is reported.
        assert_eq!(line(&format!("orterun {x} a : b")), format!("orterun {x} a : {x} b"));
        assert_eq!(
            changes("orterun -x LD_PRELOAD a : -x MPIT_RUN b"),
            [
                "added -x LD_PRELOAD -x MPIT_RUN to orterun, because Open MPI hands no other variables on to other machines"
            ]
        );
    }

    #[test]
    fn lists_of_open_mpi_are_extended() {
        assert_eq!(
            line("orterun --mca mca_base_env_list A=1 ./app"),
            "orterun --mca mca_base_env_list A=1;LD_PRELOAD;MPIT_RUN ./app"
        );
        let (words, variables) = handed("orterun ./app", &[("OMPI_MCA_mca_base_env_list", "A")]);
        assert_eq!(words, "orterun ./app");
        assert_eq!(variables, [("OMPI_MCA_mca_base_env_list", "A;LD_PRELOAD;MPIT_RUN".to_owned())]);
    }

    #[test]
    fn restrictions_are_extended() {
        for (given, wanted) in [
            ("srun --export=NONE ./app", "srun --export=LD_PRELOAD,MPIT_RUN ./app"),
            ("srun --export PATH,A=1 -n 2 ./app", "srun --export PATH,A=1,LD_PRELOAD,MPIT_RUN -n 2 ./app"),
            (
                "srun --export=LD_PRELOAD a : --export=NIL b",
                "srun --export=LD_PRELOAD,MPIT_RUN a : --export=LD_PRELOAD,MPIT_RUN b",
            ),
            (
                "mpiexec.hydra -genvlist PATH -n 2 ./app",
                "mpiexec.hydra -genvlist PATH,LD_PRELOAD,MPIT_RUN -n 2 ./app",
            ),
            ("mpiexec.mpich -genvnone -n 2 ./app", "mpiexec.mpich -genvlist LD_PRELOAD,MPIT_RUN -n 2 ./app"),
            (
                "mpiexec.hydra -launcher sh -n 2 -envlist A a",
                "mpiexec.hydra -launcher sh -n 2 -envlist A,LD_PRELOAD,MPIT_RUN a",
            ),
            ("mpiexec.hydra --envlist=A a", "mpiexec.hydra -envlist=A,LD_PRELOAD,MPIT_RUN a"),
        ] {
            assert_eq!(line(given), wanted);
        }
    }

    #[test]
    fn other_commands_stay() {
        for same in [
            "srun -n 2 ./app",
            "srun --export=ALL,A=1 ./app",
            "srun --export=LD_PRELOAD,MPIT_RUN ./app",
            // Options of the program.
            "srun -n 2 sh --export=NONE",
            "mpiexec.hydra -n 2 sh -genvnone",
            "mpiexec.hydra -n 2 ./app",
            "./app orterun",
            "no-such-dir/mpiexec -n 2 ./app",
            "env -i orterun ./app",
            "timeout",
        ] {
            assert_eq!(line(same), same);
        }
    }

    #[test]
    fn list_of_slurm_is_extended() {
        let of = |list: &str| handed("./script", &[("SLURM_EXPORT_ENV", list)]).1;
        assert_eq!(of("NONE"), [("SLURM_EXPORT_ENV", "LD_PRELOAD,MPIT_RUN".to_owned())]);
        assert_eq!(of("ALL"), []);
    }

    #[test]
    fn installations_are_recognized() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        assert_eq!(kind_by_neighbors(directory.path()), None);
        std::fs::write(at("ompi_info"), "").unwrap();
        assert_eq!(kind_by_neighbors(directory.path()), Some(LauncherKind::OpenMpi));
        std::fs::write(at("mpiexec.hydra"), "").unwrap();
        assert_eq!(kind_by_neighbors(directory.path()), None);
        std::fs::remove_file(at("ompi_info")).unwrap();
        assert_eq!(kind_by_neighbors(directory.path()), Some(LauncherKind::Hydra));
    }
}
