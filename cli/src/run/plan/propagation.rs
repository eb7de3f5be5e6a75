//! Launchers that do not hand the environment on by themselves: their command lines, changed so that they do, by the rules of
//! [`Propagation`].

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::process::Command;

use mpit_job::launcher::{LAUNCHERS, Propagation, Restriction, of_command};

use super::program::{check, find};
use crate::search_path::candidates;
use crate::shown;

/// A command line that hands variables on.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HandedOn {
    pub(crate) words: Vec<OsString>,
    /// Further variables for the command.
    pub(crate) environment: Vec<(&'static str, String)>,
    /// The changes, for the user.
    pub(crate) changes: Vec<String>,
}

/// Returns the command line that hands the variables with these names on to all processes.
pub(crate) fn hand_on(words: &[OsString], names: &[&str]) -> HandedOn {
    hand_on_in(words, names, &|name| std::env::var(name).ok())
}

fn hand_on_in(words: &[OsString], names: &[&str], environment: &dyn Fn(&str) -> Option<String>) -> HandedOn {
    let mut handed = HandedOn { words: words.to_vec(), environment: Vec::new(), changes: Vec::new() };
    // A script may call a launcher that obeys a list.
    for launcher in &LAUNCHERS {
        if let Some(Propagation::Unrestricted { variable: Some(variable), .. }) = launcher.propagation
            && let Some(list) = environment(variable).and_then(|list| extended(&list, names))
        {
            let launcher = launcher.name;
            handed
                .changes
                .push(format!("set {variable}={list}, because it restricted what {launcher} hands on"));
            handed.environment.push((variable, list));
        }
    }
    let executable = |word: &OsStr| candidates(word)?.into_iter().find(|file| check(file).is_ok());
    if let Some((at, launcher)) = of_command(words, executable) {
        match &launcher.propagation {
            Some(Propagation::Named { option, setting, variable, because }) => {
                let list = environment(variable);
                handed.add_names(at, names, option, (setting, variable, list), because);
            }
            Some(Propagation::Unrestricted { restrictions, .. }) => {
                handed.add_to_options(at, restrictions, names);
            }
            None => {}
        }
    }
    handed
}

/// Options of both launchers whose value is a program, which is not the one that they start.
pub(crate) const WITH_PROGRAM: [&str; 8] = [
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
    /// Returns the command with its further variables.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Adds an option for each name. `setting` has names instead of the option, on the command line or in a variable.
    fn add_names(
        &mut self,
        at: usize,
        names: &[&str],
        option: &str,
        (setting, variable, list): (&str, &'static str, Option<String>),
        because: &str,
    ) {
        let launcher = self.words[at].to_string_lossy().into_owned();
        let mut parts = parts(&self.words, at + 1);
        // From the last one on, so that the places of the others stay.
        parts.reverse();
        let all = names.join(";");
        if let Some(place) = self.words.iter().position(|word| word == setting) {
            if let Some(value) = self.words.get_mut(place + 1) {
                value.push(format!(";{all}"));
                self.changes.push(format!("added {all} to {setting} of {launcher}, {because}"));
            }
            return;
        }
        if let Some(list) = list.filter(|list| !list.is_empty()) {
            self.environment.push((variable, format!("{list};{all}")));
            self.changes.push(format!("added {all} to {variable}, {because}"));
            return;
        }
        let (mut added, with_dash) = (BTreeSet::new(), format!("-{option}"));
        for (from, to) in parts {
            let is_there = |name: &str| {
                self.words[from..to].windows(2).any(|pair| {
                    (pair[0] == option || pair[0] == with_dash.as_str())
                        && pair[1].to_str().is_some_and(|given| given.split('=').next() == Some(name))
                })
            };
            let missing: Vec<&str> = names.iter().copied().filter(|name| !is_there(name)).collect();
            let words = missing.iter().flat_map(|name| [option.into(), OsString::from(name)]);
            self.words.splice(from..from, words);
            added.extend(missing);
        }
        if !added.is_empty() {
            let added: Vec<_> = names
                .iter()
                .filter(|name| added.contains(*name))
                .map(|name| format!("{option} {name}"))
                .collect();
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
                let after: Vec<OsString> = match joined {
                    Some(_) => vec![format!("{}={list}", found.becomes).into()],
                    None => vec![found.becomes.into(), list.into()],
                };
                let before = shown(&self.words[at - 1..end]);
                self.changes.push(format!("changed {before} of {launcher} to {}", shown(&after)));
                self.words.splice(at - 1..end, after);
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
pub(crate) fn is_program(word: &OsStr) -> bool {
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
        (shown(&handed.words), handed.environment)
    }

    fn line(line: &str) -> String {
        handed(line, &[]).0
    }

    fn changes(line: &str) -> Vec<String> {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        hand_on_in(&words, &NAMES, &|_| None).changes
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
}
