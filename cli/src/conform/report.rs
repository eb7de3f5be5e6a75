//! The report about an MPI library, as text, JSON or a table for other programs.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::library::MpiLibrary;
use super::programs::Program;
use crate::text_table;

/// The most reasons in the line with the score.
const MOST_REASONS: usize = 3;

/// The result of a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "result", content = "evidence", rename_all = "snake_case")]
pub(super) enum Outcome {
    /// The library breaks the rule; the evidence in one line.
    Fails(String),
    /// The library breaks no rule, but makes an item useless for its purpose; the evidence in one line.
    Advice(String),
    /// The rule cannot be checked, for this reason.
    NotChecked(String),
    Holds,
}

impl Outcome {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Fails(_) => "fails",
            Self::Advice(_) => "advice",
            Self::NotChecked(_) => "not checked",
            Self::Holds => "holds",
        }
    }

    /// Returns the evidence or the reason.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Fails(text) | Self::Advice(text) | Self::NotChecked(text) => text,
            Self::Holds => "",
        }
    }
}

/// A program with its result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Checked {
    pub(super) rule: String,
    /// The name for `mpit conform --show`.
    pub(super) program: String,
    pub(super) requirement: String,
    #[serde(flatten)]
    pub(super) outcome: Outcome,
}

impl Checked {
    pub(super) fn new(program: &Program, outcome: Outcome) -> Self {
        let Program { name, rule, requirement, is_advice, .. } = *program;
        let outcome = match outcome {
            Outcome::Fails(evidence) if is_advice => Outcome::Advice(evidence),
            outcome => outcome,
        };
        Self { rule: rule.into(), program: name.into(), requirement: requirement.into(), outcome }
    }
}

/// The numbers of rules by result. A rule with several programs holds if none of them fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Score {
    pub(super) hold: usize,
    pub(super) fail: usize,
    /// Rules of which a library breaks no more than the advice that follows from them.
    #[serde(default)]
    pub(super) advice: usize,
    pub(super) not_checked: usize,
}

impl Score {
    fn of(checks: &[Checked]) -> Self {
        let mut rules: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
        for check in checks {
            rules.entry(&check.rule).or_default().push(&check.outcome);
        }
        let mut score = Self::default();
        for outcomes in rules.values() {
            if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Fails(_))) {
                score.fail += 1;
            } else if outcomes.iter().any(|outcome| matches!(outcome, Outcome::Advice(_))) {
                score.advice += 1;
            } else if outcomes.contains(&&Outcome::Holds) {
                score.hold += 1;
            } else {
                score.not_checked += 1;
            }
        }
        score
    }

    pub(super) fn checked(&self) -> usize {
        self.hold + self.fail
    }
}

/// The report about an MPI library.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub(super) library: MpiLibrary,
    /// True for the interface of mpit over the library.
    pub(super) through_mpit: bool,
    compiler: String,
    launcher: String,
    pub(super) rules: Score,
    pub(super) checks: Vec<Checked>,
}

impl Report {
    pub(super) fn new(
        library: MpiLibrary,
        through_mpit: bool,
        compiler: String,
        launcher: String,
        mut checks: Vec<Checked>,
    ) -> Self {
        for check in &mut checks {
            if let Outcome::Fails(evidence) | Outcome::Advice(evidence) = &mut check.outcome {
                *evidence = library.with_names_of_codes(evidence);
            }
        }
        Self { library, through_mpit, compiler, launcher, rules: Score::of(&checks), checks }
    }

    pub(super) fn name(&self) -> String {
        format!("{}{}", if self.through_mpit { "mpit over " } else { "" }, self.library.name())
    }

    /// Returns the report for people: failures first.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let entries: Vec<_> =
            self.library.entries.iter().map(|(name, number)| format!("{number} {name}")).collect();
        let _ = writeln!(out, "{}: MPI {}, {}", self.name(), self.library.mpi, entries.join(", "));
        let launcher = if self.launcher.is_empty() { "without a launcher" } else { &self.launcher };
        let _ = writeln!(out, "compiled by {}, run by {launcher}\n", self.compiler);
        let mut checks: Vec<_> = self.checks.iter().collect();
        let order = |outcome: &Outcome| match outcome {
            Outcome::Fails(_) => 0,
            Outcome::Advice(_) => 1,
            Outcome::NotChecked(_) => 2,
            Outcome::Holds => 3,
        };
        checks.sort_by_key(|check| order(&check.outcome));
        let mut table = text_table::new(&["program", "result", "requirement", "evidence"]);
        for check in checks {
            table.add_row([&check.program, check.outcome.as_str(), &check.requirement, check.outcome.text()]);
        }
        text_table::write(&mut out, &mut table, &[]);
        let _ = writeln!(out, "\n{}", self.verdict());
        if let Some(failed) = self.checks.iter().find(|check| matches!(check.outcome, Outcome::Fails(_))) {
            let _ = writeln!(
                out,
                "A program that fails is printed by its name: mpit conform --show {}",
                failed.program
            );
        }
        out
    }

    /// Returns the score in a line, with the most frequent reasons why rules were not checked.
    pub(super) fn verdict(&self) -> String {
        let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
        for check in &self.checks {
            if let Outcome::NotChecked(reason) = &check.outcome {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(reason, number)| (Reverse(*number), *reason));
        let more: usize = reasons.iter().skip(MOST_REASONS).map(|(_, number)| number).sum();
        let shown = reasons.iter().take(MOST_REASONS).map(|(reason, number)| format!("{number}: {reason}"));
        let other = if more > 0 { Some(format!("{more}: other reasons")) } else { None };
        let shown: Vec<_> = shown.chain(other).collect();
        let mut text = format!("{} of {} checked rules hold", self.rules.hold, self.rules.checked());
        if self.rules.advice > 0 {
            let _ = write!(text, ", {} only against advice", self.rules.advice);
        }
        if !shown.is_empty() {
            let _ = write!(
                text,
                ", {} could not be checked; programs without a result: {}",
                self.rules.not_checked,
                shown.join("; ")
            );
        }
        text
    }

    /// Returns a line for each program, with fields separated by tabs.
    pub(super) fn tsv(&self) -> String {
        let mut out = String::from("rule\tprogram\tresult\trequirement\tevidence\n");
        for check in &self.checks {
            let Checked { rule, program, requirement, outcome } = check;
            let evidence = outcome.text().replace('\t', " ");
            let _ = writeln!(out, "{rule}\t{program}\t{}\t{requirement}\t{evidence}", outcome.as_str());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(program: &str, outcome: Outcome) -> Checked {
        let rule = program.split('-').next().unwrap().into();
        Checked { rule, program: program.into(), requirement: "Holds.".into(), outcome }
    }

    pub(in crate::conform) fn report() -> Report {
        let checks = vec![
            check("R1", Outcome::Holds),
            check("R13-cvars", Outcome::Holds),
            check("R13-pvars", Outcome::Fails("code 74".into())),
            check("R107", Outcome::NotChecked("the library has no STATE".into())),
            check("R163", Outcome::Holds),
            check("R163-all", Outcome::NotChecked("the library has no pvars".into())),
        ];
        let lines = "library\tX 1\nmpi\t4.0\nprocesses\t2\nMPI_T_ERR_INVALID\t74\nperformance variables\t7\n";
        Report::new(MpiLibrary::parse(lines).unwrap(), false, "mpicc".into(), "mpiexec".into(), checks)
    }

    #[test]
    fn rules_are_counted_once() {
        let report = report();
        assert_eq!(report.rules, Score { hold: 2, fail: 1, advice: 0, not_checked: 1 });
        assert_eq!(
            report.verdict(),
            "2 of 3 checked rules hold, 1 could not be checked; programs without a result: 1: the library has no STATE; \
             1: the library has no pvars"
        );
    }

    /// A bad choice among those that the standard leaves breaks no rule.
    #[test]
    fn advice_is_no_broken_rule() {
        let programs = crate::conform::programs::selected(&["R211".into()]).unwrap();
        let outcome = || Outcome::Fails("grows, code 74".into());
        let checks = programs.iter().map(|program| Checked::new(program, outcome())).collect();
        let lines = "mpi\t4.0\nprocesses\t2\nMPI_T_ERR_INVALID\t74\n";
        let library = MpiLibrary::parse(lines).unwrap();
        let report = Report::new(library, false, "mpicc".into(), "mpiexec".into(), checks);
        assert_eq!(report.rules, Score { advice: 1, ..Score::default() });
        assert_eq!(report.verdict(), "0 of 0 checked rules hold, 1 only against advice");
        assert!(report.tsv().contains("\tadvice\t") && report.tsv().contains("grows, MPI_T_ERR_INVALID"));
    }

    #[test]
    fn failures_come_first() {
        let text = report().text();
        assert!(
            text.starts_with("X 1: MPI 4.0, 7 performance variables\ncompiled by mpicc, run by mpiexec\n"),
            "{text}"
        );
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
        assert!(at("MPI_T_ERR_INVALID") < at("R107") && at("R107") < at("R1 "));
        assert!(text.ends_with("mpit conform --show R13-pvars\n"));
    }

    #[test]
    fn json_is_read_again() {
        let report = report();
        let text = serde_json::to_string(&report).unwrap();
        assert!(text.contains(r#""program":"R13-pvars","requirement":"Holds.","result":"fails","evidence":"MPI_T_ERR_INVALID""#), "{text}");
        let again: Report = serde_json::from_str(&text).unwrap();
        assert_eq!((again.text(), again.tsv()), (report.text(), report.tsv()));
    }

    #[test]
    fn tables_have_a_line_for_each_program() {
        let tsv = report().tsv();
        assert_eq!(tsv.lines().count(), 7);
        assert!(tsv.contains("R13\tR13-pvars\tfails\tHolds.\tMPI_T_ERR_INVALID\n"), "{tsv}");
    }
}
