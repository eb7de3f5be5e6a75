//! The programs that show whether a library keeps a rule: C files of at most 40 lines, each with the headers that it includes.

/// The most lines of a program with its headers: few enough for a bug report.
#[cfg(test)]
const MOST_LINES: usize = 40;

/// The most characters of a line.
#[cfg(test)]
const WIDEST: usize = 125;

/// The files of `rules/` with their texts, in the order of rules: programs, named by the rule and, if a rule has several programs, a suffix; and
/// their headers.
const FILES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/rules.rs"));

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
    FILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}

/// Returns all programs.
pub(super) fn all() -> Vec<Program> {
    sources().filter_map(|(name, source)| Program::parse(name, source)).collect()
}

fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().filter_map(|(name, source)| Some((name.strip_suffix(".c")?, *source)))
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
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn programs_are_short_and_complete() {
        let programs = all();
        assert_eq!(programs.len(), sources().count(), "a first comment is not `/* RULE: Requirement. */`");
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
        assert_eq!(names(&[]).unwrap().len(), sources().count());
        assert!(names(&["R13", "R9999"]).unwrap_err().contains("R9999"));
    }
}
