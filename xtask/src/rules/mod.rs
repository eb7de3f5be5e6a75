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

/// Prints the ledger.
pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    let book = paths::workspace().join("docs/conformance.md");
    let text = fs::read_to_string(&book).context(book.display())?;
    let sections = book::parse(&text).context("docs/conformance.md")?;
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
