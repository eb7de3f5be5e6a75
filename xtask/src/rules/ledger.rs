//! Rules beside the tests that check them.

use std::{collections::BTreeMap, fmt::Write as _, ops::AddAssign};

use super::{
    book::{Rule, Section},
    evidence::Evidence,
    id::RuleId,
};

/// The ledger.
pub(crate) struct Ledger<'a> {
    sections: &'a [Section<'a>],
    /// Where each rule is checked.
    places: BTreeMap<RuleId, Vec<&'a str>>,
    problems: Vec<String>,
}

/// How many rules there are of each sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    covered: usize,
    reasoned: usize,
    open: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.covered += other.covered;
        self.reasoned += other.reasoned;
        self.open += other.open;
    }
}

impl<'a> Ledger<'a> {
    /// Puts rules and tests together.
    pub(crate) fn new(sections: &'a [Section<'a>], evidence: &'a Evidence) -> Self {
        let mut places: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for test in &evidence.tests {
            for &rule in &test.rules {
                places.entry(rule).or_default().push(test.place.as_str());
            }
        }
        let mut problems = evidence.problems.clone();
        let rules = || sections.iter().flat_map(|section| &section.rules);
        for (id, places) in &places {
            if !rules().any(|rule| rule.id == *id) {
                problems.push(format!("{}: there is no rule {id}", places.join(", ")));
            }
        }
        for rule in rules().filter(|rule| rule.reason.is_some()) {
            if let Some(places) = places.get(&rule.id) {
                let places = places.join(", ");
                problems.push(format!("{} is said not to be tested, but is in {places}", rule.id));
            }
        }
        Self { sections, places, problems }
    }

    /// What is wrong with the tests or the document.
    pub(crate) fn problems(&self) -> &[String] {
        &self.problems
    }

    /// Whether every rule has a test or a reason.
    pub(crate) fn complete(&self) -> bool {
        self.sections.iter().all(|section| self.count(section).open == 0)
    }

    /// For a terminal: a line for each rule and, below it, one for each test; sums at the end.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let mut sums = String::new();
        let mut total = Counts::default();
        for section in self.sections {
            let _ = writeln!(out, "{}\n", section.title);
            for rule in &section.rules {
                let _ = writeln!(out, "  {:5}{}  {}", rule.id, rule.kind.letter(), rule.text);
                for place in self.places(rule) {
                    let _ = writeln!(out, "            {place}");
                }
            }
            out.push('\n');
            let counts = self.count(section);
            sums.push_str(&row(section.title, counts));
            total += counts;
        }
        let _ = writeln!(out, "{:36}{:>10}{:>12}{:>8}", "", "covered", "not tested", "open");
        out + &sums + &row("all", total)
    }

    /// For a document.
    pub(crate) fn markdown(&self) -> String {
        let mut out = String::from("| rule | kind | what | tests |\n|---|---|---|---|\n");
        for rule in self.sections.iter().flat_map(|section| &section.rules) {
            let places = self.places(rule).join("<br>");
            let _ = writeln!(out, "| {} | {} | {} | {places} |", rule.id, rule.kind.letter(), rule.text);
        }
        out
    }

    /// Where a rule is checked, or why it is not.
    fn places(&self, rule: &Rule) -> Vec<String> {
        match (self.places.get(&rule.id), rule.reason) {
            (Some(places), _) => places.iter().map(|&place| place.to_owned()).collect(),
            (None, Some(reason)) => vec![format!("not tested: {reason}")],
            (None, None) => vec!["open".to_owned()],
        }
    }

    fn count(&self, section: &Section) -> Counts {
        let mut counts = Counts::default();
        for rule in &section.rules {
            match (self.places.contains_key(&rule.id), rule.reason) {
                (true, _) => counts.covered += 1,
                (false, Some(_)) => counts.reasoned += 1,
                (false, None) => counts.open += 1,
            }
        }
        counts
    }
}

fn row(title: &str, counts: Counts) -> String {
    format!("{title:36}{:>10}{:>12}{:>8}\n", counts.covered, counts.reasoned, counts.open)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{book, evidence::Test};

    const BOOK: &str = "\
## Strings
| R1 | N | whole | |
| R2 | P | short | nobody asks |
| R3 | D | none | |
";

    fn evidence(names: &[&str]) -> Evidence {
        let test = |name: &&str| Test { rules: RuleId::of_name(name), place: format!("a.rs: {name}") };
        Evidence { tests: names.iter().map(test).collect(), problems: Vec::new() }
    }

    #[test]
    fn rules_without_test_and_reason_are_open() {
        let (sections, evidence) =
            (book::parse(BOOK).expect("a document"), evidence(&["r1_whole", "r1_again"]));
        let ledger = Ledger::new(&sections, &evidence);
        assert!(!ledger.complete());
        assert_eq!(ledger.problems(), [""; 0]);
        assert_eq!(ledger.count(&sections[0]), Counts { covered: 1, reasoned: 1, open: 1 });
        let wanted = "\
| rule | kind | what | tests |
|---|---|---|---|
| R1 | N | whole | a.rs: r1_whole<br>a.rs: r1_again |
| R2 | P | short | not tested: nobody asks |
| R3 | D | none | open |
";
        assert_eq!(ledger.markdown(), wanted);
    }

    #[test]
    fn with_a_test_or_a_reason_for_each_it_is_complete() {
        let (sections, evidence) = (book::parse(BOOK).expect("a document"), evidence(&["r1_r3_whole"]));
        let ledger = Ledger::new(&sections, &evidence);
        assert!(ledger.complete());
        assert_eq!(ledger.problems(), [""; 0]);
        let text = ledger.text();
        let wanted = "\
Strings

  R1   N  whole
            a.rs: r1_r3_whole
  R2   P  short
            not tested: nobody asks
  R3   D  none
            a.rs: r1_r3_whole

";
        assert!(text.starts_with(wanted), "{text}");
        assert!(
            text.ends_with("all                                          2           1       0\n"),
            "{text}"
        );
    }

    #[test]
    fn tests_of_no_rule_and_needless_reasons_are_problems() {
        let (sections, evidence) =
            (book::parse(BOOK).expect("a document"), evidence(&["r2_short", "r4_more"]));
        let ledger = Ledger::new(&sections, &evidence);
        let wanted =
            ["a.rs: r4_more: there is no rule R4", "R2 is said not to be tested, but is in a.rs: r2_short"];
        assert_eq!(ledger.problems(), wanted);
    }
}
