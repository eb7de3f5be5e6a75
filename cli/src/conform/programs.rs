//! The programs that show whether a library keeps a rule: C files of at most 40 lines, each with the headers that it includes.

/// The most lines of a program with its headers: few enough for a bug report.
#[cfg(test)]
const MOST_LINES: usize = 40;

/// The most characters of a line.
#[cfg(test)]
const WIDEST: usize = 125;

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("rules/", $name, ".c")))),*]
    };
}

macro_rules! headers {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("rules/", $name)))),*]
    };
}

/// The programs by name: the rule and, if a rule has several programs, a suffix. In the order of rules.
#[rustfmt::skip]
const SOURCES: &[(&str, &str)] = sources![
    "R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R8-within-mpi", "R13-categories", "R13-category-events",
    "R13-cvar-handles", "R13-cvars", "R13-early", "R13-events", "R13-members", "R13-pvar-handles", "R13-pvars",
    "R13-sources", "R14", "R15", "R19", "R20", "R21", "R22", "R24", "R25", "R29-IFif", "R29-IFifif",
    "R29-IiFf", "R29-IifF", "R29-IififF", "R29-iIFf", "R29-iIfF", "R29-ifIF", "R29-ififIF", "R29-iiIfFf",
    "R30", "R37", "R38", "R39", "R40", "R41", "R42", "R43", "R45", "R46", "R47", "R48", "R51-enums",
    "R51-items", "R52", "R53", "R54", "R55", "R56", "R59", "R61-cvars", "R61-pvars", "R62", "R63", "R65",
    "R66", "R67", "R68", "R70", "R71", "R73", "R75", "R80", "R81", "R82", "R83", "R84", "R85", "R85-pvars",
    "R87", "R89", "R89-pvars", "R90", "R91", "R93", "R95", "R96", "R97", "R100", "R103", "R104", "R105",
    "R106", "R107", "R109", "R110", "R111", "R111-values", "R112", "R113", "R120", "R120-reset", "R129",
    "R130", "R131", "R132", "R133", "R134", "R135", "R137", "R138", "R139", "R140", "R141", "R142", "R143",
    "R146", "R147", "R150", "R153", "R156", "R158", "R159", "R160", "R163", "R163-all", "R166", "R166-all",
    "R167", "R168", "R171", "R174", "R175", "R178", "R179", "R179-all", "R181", "R183", "R184", "R193",
    "R195", "R196", "R197", "R197-unknown", "R198", "R200", "R201", "R202", "R203", "R205", "R208", "R209",
    "R210", "R211", "R211-again", "R215", "R218", "R220", "R221", "R222", "R225", "R229", "R230", "R230-unknown", "R233",
    "R236", "R239", "R243", "R257", "R259", "R303", "R304", "R307", "R313", "F10", "F17",
];

const HEADERS: &[(&str, &str)] = headers![
    "conform.h",
    "cvar.h",
    "enum.h",
    "members.h",
    "order.h",
    "pvar.h",
    "snapshot.h",
    "sums.h",
    "texts.h"
];

/// A program about a rule. Its first comment has the rule, what it requires and, in brackets, the program's own requirements:
/// `/* R105: Requirement. [2 processes] */`, `[MPI 4.0]`; `[advice]` if the standard only allows the conclusion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) rule: &'static str,
    pub(super) requirement: &'static str,
    /// The program must be run by the launcher.
    pub(super) needs_peers: bool,
    /// The program uses functions of MPI 4.0.
    pub(super) needs_mpi_4: bool,
    /// The requirement follows from the purpose of an item, and not from a rule: a library that does not keep it breaks none.
    pub(super) is_advice: bool,
    source: &'static str,
}

impl Program {
    /// Returns the program of a source with a first comment; `None` without such a comment.
    fn parse(name: &'static str, source: &'static str) -> Option<Self> {
        let (comment, _) = source.strip_prefix("/* ")?.split_once(" */")?;
        let (rule, rest) = comment.split_once(": ")?;
        let (requirement, needs) = rest.rsplit_once(" [").unwrap_or((rest, ""));
        let [needs_peers, needs_mpi_4, is_advice] =
            ["2 processes]", "MPI 4.0]", "advice]"].map(|known| needs == known);
        let is_known = needs.is_empty() || needs_peers || needs_mpi_4 || is_advice;
        if rule != name.split('-').next()? || !is_known {
            return None;
        }
        Some(Self { name, rule, requirement, needs_peers, needs_mpi_4, is_advice, source })
    }

    /// Returns the text that a compiler needs, with the headers of this directory in it.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in self.source.lines() {
            if let Some(header) = header(line) {
                text.push_str(header);
            } else {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }
}

fn header(line: &str) -> Option<&'static str> {
    let name = line.strip_prefix("#include \"")?.strip_suffix('"')?;
    HEADERS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns all programs.
pub(super) fn all() -> Vec<Program> {
    SOURCES.iter().filter_map(|(name, source)| Program::parse(name, source)).collect()
}

/// Returns the programs of these rules, or with these names; all if there are no names.
pub(super) fn selected(names: &[String]) -> Result<Vec<Program>, String> {
    let mut programs = all();
    let is_named = |program: &Program, name: &str| program.name == name || program.rule == name;
    if let Some(unknown) = names.iter().find(|name| !programs.iter().any(|program| is_named(program, name))) {
        return Err(format!("no program is about a rule `{unknown}`; `mpit conform --list` lists the rules"));
    }
    if !names.is_empty() {
        programs.retain(|program| names.iter().any(|name| is_named(program, name)));
    }
    Ok(programs)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn programs_are_short_and_complete() {
        let programs = all();
        assert_eq!(programs.len(), SOURCES.len(), "a first comment is not `/* RULE: Requirement. */`");
        for program in programs {
            let text = program.text();
            assert!(
                text.lines().count() <= MOST_LINES,
                "{} has {} lines",
                program.name,
                text.lines().count()
            );
            let wide = text.lines().find(|line| line.chars().count() > WIDEST);
            assert_eq!(wide, None, "{}", program.name);
            assert!(!text.contains("#include \""), "{}", program.name);
            assert!(program.requirement.ends_with('.'), "{}", program.name);
        }
    }

    #[test]
    fn every_file_is_listed() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/conform/rules");
        let files: BTreeSet<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let programs = SOURCES.iter().map(|(name, _)| format!("{name}.c"));
        let listed: BTreeSet<_> =
            programs.chain(HEADERS.iter().map(|(name, _)| (*name).to_owned())).collect();
        assert_eq!(files, listed);
    }

    /// Choices of mpit, kind P, are no requirements on other libraries.
    #[test]
    fn rules_are_those_of_the_standard() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/internal/conformance.tsv");
        let text = fs::read_to_string(path).unwrap();
        let kinds: BTreeMap<_, _> =
            text.lines().filter_map(|line| line.split('\t').zip(line.split('\t').skip(1)).next()).collect();
        for program in all() {
            assert!(matches!(kinds.get(program.rule), Some(&("N" | "D"))), "{}", program.name);
        }
    }

    #[test]
    fn programs_are_selected_by_rule_or_name() {
        let names = |names: &[&str]| {
            let names: Vec<_> = names.iter().map(|name| (*name).to_owned()).collect();
            selected(&names).map(|programs| programs.iter().map(|program| program.name).collect::<Vec<_>>())
        };
        assert_eq!(names(&["R183"]), Ok(vec!["R183"]));
        assert_eq!(names(&["R13-pvars"]), Ok(vec!["R13-pvars"]));
        assert!(names(&["R13"]).unwrap().len() > 4);
        assert_eq!(names(&[]).unwrap().len(), SOURCES.len());
        assert!(names(&["R13", "R9999"]).unwrap_err().contains("R9999"));
    }
}
