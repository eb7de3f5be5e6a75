//! The ledger of rules: which tests check what `docs/conformance.md` says.
//!
//! It is read off the tests themselves, so it says of none more than is there.

mod book;
mod c;
mod evidence;
mod id;
mod ledger;
mod rust;

use std::{fs, process::ExitCode};

use mpit_tests::{Context, Outcome, paths};

use ledger::Ledger;

/// How to show the ledger.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Fail unless every rule has a test or a reason why not, and every test names rules that there are
    #[arg(long)]
    check: bool,

    /// Write the ledger as a Markdown table
    #[arg(long)]
    markdown: bool,
}

/// The document with the rules.
fn book() -> Outcome<String> {
    let file = paths::workspace().join("docs/conformance.md");
    fs::read_to_string(&file).context(file.display())
}

/// Prints the ledger.
pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let book = book()?;
    let sections = book::parse(&book).context("docs/conformance.md")?;
    let evidence = evidence::collect(paths::workspace())?;
    let ledger = Ledger::new(&sections, &evidence);
    if arguments.markdown {
        print!("{}", ledger.markdown());
    } else {
        print!("{}", ledger.text());
    }
    for problem in ledger.problems() {
        eprintln!("rules: {problem}");
    }
    let good = ledger.complete() && ledger.problems().is_empty();
    Ok(if good || !arguments.check { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_document_and_the_tests_agree() -> Outcome {
        let book = book()?;
        let sections = book::parse(&book)?;
        let count = |list| {
            let rules = sections.iter().flat_map(|section| &section.rules);
            rules.filter(|rule| rule.id.list == list).count()
        };
        assert_eq!(['R', 'F', 'C'].map(count), [320, 55, 54]);
        assert_eq!(Ledger::new(&sections, &evidence::collect(paths::workspace())?).problems(), [""; 0]);
        Ok(())
    }
}
