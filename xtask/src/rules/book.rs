//! Reads `docs/conformance.md`.
//!
//! A rule is a line of a table with four columns: number, kind, what it says, why no test checks it. Whatever else is
//! in the document is for people.

use mpit_tests::{Failure, Outcome};

use super::id::RuleId;

/// How binding a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The standard says it.
    Stated,
    /// It follows from what the standard says.
    Derived,
    /// The standard is silent, and this is what mpit does.
    Own,
}

impl Kind {
    /// The letter that stands for it in the document.
    pub(crate) fn letter(self) -> char {
        match self {
            Self::Stated => 'N',
            Self::Derived => 'D',
            Self::Own => 'P',
        }
    }

    fn parse(cell: &str) -> Option<Self> {
        let kinds = [Self::Stated, Self::Derived, Self::Own];
        kinds.into_iter().find(|kind| cell.chars().eq([kind.letter()]))
    }
}

/// A rule.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rule<'a> {
    /// Its number.
    pub(crate) id: RuleId,
    /// How binding it is.
    pub(crate) kind: Kind,
    /// What it says.
    pub(crate) text: &'a str,
    /// Why no test checks it, where none does on purpose.
    pub(crate) reason: Option<&'a str>,
}

/// The rules below one heading.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Section<'a> {
    /// The heading.
    pub(crate) title: &'a str,
    /// At least one.
    pub(crate) rules: Vec<Rule<'a>>,
}

/// Reads the document. Every list must count from 1 without a gap, so that no rule gets lost.
pub(crate) fn parse(text: &str) -> Outcome<Vec<Section<'_>>> {
    let mut sections: Vec<Section> = Vec::new();
    let mut title = "";
    let mut last: Vec<RuleId> = Vec::new();
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix('#') {
            title = heading.trim_start_matches('#').trim();
            continue;
        }
        let Some(rule) = row(line)? else { continue };
        let before = last.iter_mut().find(|before| before.list == rule.id.list);
        let expected = before.as_ref().map_or(1, |before| before.number + 1);
        Failure::unless(rule.id.number == expected, || format!("{}: {expected} comes next", rule.id))?;
        match before {
            Some(before) => *before = rule.id,
            None => last.push(rule.id),
        }
        match sections.last_mut().filter(|section| section.title == title) {
            Some(section) => section.rules.push(rule),
            None => sections.push(Section { title, rules: vec![rule] }),
        }
    }
    Failure::unless(!sections.is_empty(), || "no rules are in it".to_owned())?;
    Ok(sections)
}

/// Reads a line; nothing if it is not a rule.
fn row(line: &str) -> Outcome<Option<Rule<'_>>> {
    let Some(cells) = line.trim().strip_prefix('|') else { return Ok(None) };
    let cells: Vec<&str> = cells.strip_suffix('|').unwrap_or(cells).split('|').map(str::trim).collect();
    let Some(id) = cells.first().and_then(|cell| RuleId::parse(cell)) else { return Ok(None) };
    let rule = match cells[1..] {
        [kind, text, reason] if !text.is_empty() => {
            let reason = Some(reason).filter(|reason| !reason.is_empty());
            Kind::parse(kind).map(|kind| Rule { id, kind, text, reason })
        }
        _ => None,
    };
    Failure::unless(rule.is_some(), || format!("{id}: not a row of number, kind (N, D, P), rule, reason"))?;
    Ok(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = "\
# Rules
| rule | kind | what | not tested because |
|---|---|---|---|
## Strings
| R1 | N | whole | |
| R2 | P | short | nobody asks |
## Functions
| F1 | D | init | |
";

    #[test]
    fn rules_are_read_by_section() {
        let sections = parse(BOOK).expect("a document");
        let summary: Vec<_> = sections
            .iter()
            .flat_map(|section| section.rules.iter().map(move |rule| (section.title, rule)))
            .map(|(title, rule)| (title, rule.id.to_string(), rule.kind, rule.text, rule.reason))
            .collect();
        let wanted = [
            ("Strings", "R1".to_owned(), Kind::Stated, "whole", None),
            ("Strings", "R2".to_owned(), Kind::Own, "short", Some("nobody asks")),
            ("Functions", "F1".to_owned(), Kind::Derived, "init", None),
        ];
        assert_eq!(summary, wanted);
    }

    #[test]
    fn mistakes_in_the_document_are_errors() {
        let lines =
            ["| R3 | X | a | |", "| R3 | N | a |", "| R3 | N | | |", "| R4 | N | a | |", "| R2 | N | a | |"];
        for line in lines {
            assert!(parse(&format!("{BOOK}{line}\n")).is_err(), "{line}");
        }
        assert!(parse("# Rules\n").is_err());
        assert!(parse(&format!("{BOOK}| R3 | N | a | |\n")).is_ok());
    }
}
