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
    let mut is_used = [false; ALLOWED.len()];
    let files = crate::files(&[])?;
    for (name, source) in &files {
        let Some(texts) = text::texts(name, source) else { continue };
        for finding in words.findings(name, source, &texts) {
            let line = source.lines().nth(finding.line - 1).unwrap_or_default().trim();
            if let Some(at) = ALLOWED.iter().position(|(file, part)| name == file && line.contains(part)) {
                is_used[at] = true;
                kept += 1;
            } else {
                found += 1;
                println!("{name}:{}:{}: {} [{}]", finding.line, finding.word, line, finding.why);
            }
        }
    }
    for ((file, part), _) in ALLOWED.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
        eprintln!("prose: remove `{file}: {part}` from xtask/src/prose/mod.rs: no such line is found");
    }
    let missing = crate::book::missing_pages(&files);
    for page in &missing {
        eprintln!("prose: add {page} to docs/SUMMARY.md, the contents of the site");
    }
    println!("prose: {found} words found, {kept} more allowed");
    let good = found == 0 && !is_used.contains(&false) && missing.is_empty();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
