//! The check of comments, names, messages and documents for words that hide who does what.
//!
//! The lists in `words.txt` are searched for. Also finds pages that the site of the documentation lacks.

mod text;
mod words;

use std::process::ExitCode;

use mpit_tests::Outcome;

use words::Words;

/// The lines that stay, by file and part.
const ALLOWED: [(&str, &str); 1] =
    // The name of a user of the system.
    [("cli/tests/command/why.rs", "\"--user\", \"nob")];

pub(crate) fn run() -> Outcome<ExitCode> {
    let words = Words::new(include_str!("words.txt"));
    let (mut found, mut kept) = (0, 0);
    let files = crate::files(&[])?;
    for (name, source) in &files {
        let Some(texts) = text::texts(name, source) else { continue };
        for finding in words.findings(name, source, &texts) {
            let line = source.lines().nth(finding.line - 1).unwrap_or_default().trim();
            if ALLOWED.iter().any(|(file, part)| name == file && line.contains(part)) {
                kept += 1;
            } else {
                found += 1;
                println!("{name}:{}:{}: {} [{}]", finding.line, finding.word, line, finding.why);
            }
        }
    }
    if kept != ALLOWED.len() {
        eprintln!("prose: {kept} lines are found of those in xtask/src/prose/mod.rs that stay");
    }
    let missing = crate::book::missing_pages(&files);
    for page in &missing {
        eprintln!("prose: add {page} to docs/SUMMARY.md, the contents of the site");
    }
    println!("prose: {found} words found, {kept} more allowed");
    let good = found == 0 && kept == ALLOWED.len() && missing.is_empty();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
