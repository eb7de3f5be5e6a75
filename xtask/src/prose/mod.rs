//! The check of comments, names, messages and documents for words that hide who does what.
//!
//! The lists in `words.txt` are searched for; `allowed.txt` has the lines that stay, each with its reason. Also finds pages that the site
//! of the documentation lacks.

mod text;
mod words;

use std::process::ExitCode;

use mpit_tests::{Failure, Outcome};

use text::Kind;
use words::Words;

/// The highest share of lines that may stay, in percent of the lines of doc comments.
const LIMIT: f64 = 1.0;

pub(crate) fn run() -> Outcome<ExitCode> {
    let words = Words::new(include_str!("words.txt"));
    let mut allowed = Allowed::new(include_str!("allowed.txt"))?;
    let (mut doc_lines, mut found, mut kept) = (0, 0, 0);
    let files = crate::files(&[])?;
    for (name, source) in &files {
        let Some(texts) = text::texts(name, source) else { continue };
        for text in texts.iter().filter(|text| text.kind == Kind::Doc) {
            doc_lines += text.content.lines().count();
        }
        for finding in words.findings(name, source, &texts) {
            let line = source.lines().nth(finding.line - 1).unwrap_or_default().trim();
            if allowed.takes(name, line) {
                kept += 1;
            } else {
                found += 1;
                println!("{name}:{}:{}: {} [{}]", finding.line, finding.word, line, finding.why);
            }
        }
    }
    for (file, part) in allowed.unused() {
        eprintln!("prose: remove `{file}: {part}` from xtask/src/prose/allowed.txt: no such line is found");
    }
    let missing = crate::book::missing_pages(&files);
    for page in &missing {
        eprintln!("prose: add {page} to docs/SUMMARY.md, the contents of the site");
    }
    let share = f64::from(found + kept) * 100.0 / f64::max(doc_lines as f64, 1.0);
    println!(
        "prose: {doc_lines} lines of doc comments, {found} words found, {kept} more allowed, {share:.2} %"
    );
    let good = found == 0 && share <= LIMIT && allowed.unused().next().is_none() && missing.is_empty();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The list of lines that stay: `FILE: PART OF THE LINE # REASON`.
struct Allowed<'a>(Vec<Entry<'a>>);

struct Entry<'a> {
    file: &'a str,
    part: &'a str,
    is_used: bool,
}

impl<'a> Allowed<'a> {
    fn new(list: &'a str) -> Outcome<Self> {
        let mut entries = Vec::new();
        for line in list.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
            let expected = || Failure::new(format!("allowed.txt: `{line}` is not `FILE: PART # REASON`"));
            let (entry, reason) = line.rsplit_once(" # ").ok_or_else(expected)?;
            let (file, part) = entry.split_once(": ").ok_or_else(expected)?;
            if reason.is_empty() {
                return Err(expected());
            }
            entries.push(Entry { file, part, is_used: false });
        }
        Ok(Self(entries))
    }

    fn takes(&mut self, file: &str, line: &str) -> bool {
        for entry in &mut self.0 {
            if entry.file == file && (entry.part == "*" || line.contains(entry.part)) {
                entry.is_used = true;
                return true;
            }
        }
        false
    }

    fn unused(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().filter(|entry| !entry.is_used).map(|entry| (entry.file, entry.part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_for_a_reason() -> Outcome {
        assert!(Allowed::new("a.rs: zorp").is_err());
        let mut allowed = Allowed::new("# comment\n\na.rs: a zorp # a quotation\nb.rs: * # its data\n")?;
        assert!(allowed.takes("a.rs", "once a zorp"));
        assert!(!allowed.takes("a.rs", "zorp") && !allowed.takes("c.rs", "a zorp"));
        assert_eq!(allowed.unused().collect::<Vec<_>>(), [("b.rs", "*")]);
        Ok(())
    }
}
