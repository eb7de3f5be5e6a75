//! The check of comments, messages and documents for words that hide who does what.
//!
//! The lists in `words.txt` say what is looked for; `allowed.txt` has the lines that stay, each with its reason.

mod text;

use std::{fs, path::Path, process::Command, process::ExitCode};

use mpit_tests::{Context, Failure, Outcome, paths};

use text::{Kind, Text};

/// The highest share of lines that may stay, in percent of the lines of doc comments.
const LIMIT: f64 = 1.0;

/// The longest name of a function. Longer ones are those of tests that say what a comment could say.
const LONGEST_NAME: usize = 40;

/// Prints the lines that the check finds, and a summary.
pub(crate) fn run() -> Outcome<ExitCode> {
    let words = Words::new(include_str!("words.txt"));
    let mut allowed = Allowed::new(include_str!("allowed.txt"))?;
    let (mut lines, mut found, mut kept) = (0, 0, 0);
    for name in files(paths::workspace())? {
        let Ok(source) = fs::read_to_string(paths::workspace().join(&name)) else { continue };
        let Some(texts) = text::texts(&name, &source) else { continue };
        lines += texts
            .iter()
            .filter(|text| text.kind == Kind::Doc)
            .map(|text| text.content.lines().count())
            .sum::<usize>();
        for (line, why) in words.findings(&source, &texts) {
            let text = source.lines().nth(line - 1).unwrap_or_default().trim();
            if allowed.takes(&name, text) {
                kept += 1;
            } else {
                found += 1;
                println!("{name}:{line}: {text} [{why}]");
            }
        }
    }
    for (file, part) in allowed.unused() {
        eprintln!("prose: remove `{file}: {part}` from xtask/src/prose/allowed.txt: no such line is found");
    }
    let share = f64::from(found + kept) * 100.0 / f64::max(lines as f64, 1.0);
    println!("prose: {lines} lines of doc comments, {found} lines found, {kept} more allowed, {share:.2} %");
    let good = found == 0 && share <= LIMIT && allowed.unused().next().is_none();
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the files under version control, and those that could be added to it.
fn files(root: &Path) -> Outcome<Vec<String>> {
    let listed = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(listed).current_dir(root).output().context("git ls-files")?;
    Failure::unless(output.status.success(), || {
        format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim())
    })?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// The lists of `words.txt`.
struct Words {
    /// Beginnings of summaries, as sequences of words.
    summaries: Vec<Vec<String>>,
    /// Sequences of words.
    banned: Vec<Vec<String>>,
    /// Parts of words.
    british: Vec<String>,
    /// Beginnings of SAFETY comments, as sequences of words.
    excuses: Vec<Vec<String>>,
}

impl Words {
    fn new(lists: &str) -> Self {
        let list = |name: &str| {
            let header = format!("[{name}]");
            let lines = lists.lines().skip_while(|line| *line != header).skip(1);
            let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
            let entries =
                lines.flat_map(|line| line.split(',')).map(str::trim).filter(|entry| !entry.is_empty());
            entries.collect::<Vec<_>>()
        };
        let sequences = |name| {
            list(name).into_iter().map(|entry| entry.split(' ').map(str::to_owned).collect()).collect()
        };
        Self {
            summaries: sequences("summaries"),
            banned: sequences("banned"),
            british: list("british").into_iter().map(str::to_owned).collect(),
            excuses: sequences("excuses"),
        }
    }

    /// Returns the numbers of the lines of a file that need other words, with the reason.
    fn findings(&self, source: &str, texts: &[Text]) -> Vec<(usize, String)> {
        let mut findings = Vec::new();
        for Text { kind, line, content } in texts {
            // All words with the numbers of their lines, so that a sequence is found across lines.
            let words: Vec<(usize, String)> = (*line..)
                .zip(content.lines())
                .flat_map(|(line, text)| tokens(text).map(move |word| (line, word)))
                .collect();
            let begins = |words: &[(usize, String)], list: &[String]| {
                words.len() >= list.len() && words.iter().zip(list).all(|((_, word), wanted)| word == wanted)
            };
            if *kind == Kind::Doc {
                let beginning = self.summaries.iter().find(|list| begins(&words, list));
                findings.extend(
                    beginning.map(|list| (words[0].0, format!("begins with \"{}\"", list.join(" ")))),
                );
            }
            for at in 0..words.len() {
                let banned = self.banned.iter().find(|list| begins(&words[at..], list));
                findings.extend(banned.map(|list| (words[at].0, format!("\"{}\"", list.join(" ")))));
                if words[at].1 == "safety" {
                    let excuse = self.excuses.iter().find(|list| begins(&words[at + 1..], list));
                    findings.extend(excuse.map(|_| (words[at].0, "names no invariant".to_owned())));
                }
            }
        }
        for (line, text) in (1..).zip(source.lines()) {
            let text = text.to_lowercase();
            let british = self.british.iter().find(|part| text.contains(*part));
            findings.extend(british.map(|part| (line, format!("British \"{part}\""))));
            let name = text.split("fn ").nth(1).and_then(|name| name.split(['(', '<']).next());
            let name = name.filter(|name| name.len() > LONGEST_NAME && !name.contains(' '));
            findings.extend(name.map(|_| (line, format!("more than {LONGEST_NAME} characters"))));
        }
        findings.sort();
        findings.dedup_by_key(|(line, _)| *line);
        findings
    }
}

/// Returns the words of a line in small letters, without a genitive's ending. Code in backticks or braces is no word.
fn tokens(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|c: char| !c.is_alphanumeric() && !"_'`{".contains(c));
    let words = words.map(|word| word.trim_matches('\'')).map(|word| word.strip_suffix("'s").unwrap_or(word));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// The list of lines that stay: `FILE: PART OF THE LINE # REASON`.
struct Allowed<'a>(Vec<(&'a str, &'a str, bool)>);

impl<'a> Allowed<'a> {
    fn new(list: &'a str) -> Outcome<Self> {
        let entries = list.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let entry = |line: &'a str| {
            let (entry, reason) = line.rsplit_once(" # ")?;
            let (file, part) = entry.split_once(": ")?;
            (!reason.is_empty()).then_some((file, part, false))
        };
        let entry = |line| {
            entry(line)
                .ok_or_else(|| Failure::new(format!("allowed.txt: `{line}` is not `FILE: PART # REASON`")))
        };
        Ok(Self(entries.map(entry).collect::<Outcome<_>>()?))
    }

    /// Returns true if the line of the file is on the list.
    fn takes(&mut self, file: &str, line: &str) -> bool {
        let entry =
            self.0.iter_mut().find(|(name, part, _)| *name == file && (*part == "*" || line.contains(part)));
        entry.is_some_and(|(_, _, used)| {
            *used = true;
            true
        })
    }

    /// Returns the entries for which no line was found.
    fn unused(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0.iter().filter(|(_, _, used)| !used).map(|(file, part, _)| (*file, *part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of words that occur nowhere else, so that the check does not find its own tests.
    const LISTS: &str = "[summaries]\nzig, the zag\n[banned]\n# comment\nzorp, zip\nzap zep\n[british]\nzouru\n[excuses]\nzed\n";

    fn found(name: &str, source: &str) -> Vec<(usize, String)> {
        Words::new(LISTS).findings(source, &text::texts(name, source).expect("a known ending"))
    }

    fn lines(name: &str, source: &str) -> Vec<usize> {
        found(name, source).into_iter().map(|(line, _)| line).collect()
    }

    #[test]
    fn summaries_are_first_lines() {
        let source =
            "//! Zig is.\n\n/// Returns x.\n/// Zig can.\nfn f() {} // Zig not.\n    /// The\n    /// zag\n";
        assert_eq!(lines("a.rs", source), [1, 6]);
        assert_eq!(lines("a.c", "/* Zig it. */\n    /* Zig x. */\n    /** Zig\n */\n// Zig\n"), [1, 3, 5]);
        assert_eq!(lines("a.py", "def f():\n    \"\"\"Zig one.\"\"\"\n# zig\n"), [2]);
        assert_eq!(lines("a.md", "Zig\n```rust\n/// Zig\nfn f()\n```\n"), [3]);
        assert_eq!(found("a.rs", "/// Zig a\n"), [(1, "begins with \"zig\"".to_owned())]);
    }

    #[test]
    fn words_are_found_in_comments_and_strings() {
        let source =
            "/* zorp\n zip */ fn zorp() { r#\"zorp\"# } // zap\n// zep\nlet x = 'h'; \"\\\"Zorp\";\n";
        assert_eq!(lines("a.rs", source), [1, 2, 4]);
        assert_eq!(lines("a.md", "`zorp` zap\nzep, zip; unzip\nzap.\n"), [1, 2]);
        assert_eq!(lines("a.toml", "name = \"zorp's\" # zip\nzip = 1\n"), [1]);
        assert_eq!(lines("a.F90", "! zip\nzip = 1 ! zorp\n"), [1, 2]);
        assert_eq!(text::texts("a.txt", "zorp"), None);
    }

    #[test]
    fn code_has_other_names() {
        let code = "fn f<'a>(zorp: &'a str) { let zorp = '\"'; zorp('\\'', 'r', r#zorp, br\"\") }";
        assert_eq!(lines("a.rs", code), [0; 0]);
        assert_eq!(lines("a.rs", &format!("{code} // zorp\n")), [1]);
    }

    #[test]
    fn spelling_counts_in_code_too() {
        assert_eq!(lines("a.rs", "let x = Czourud;\nzorued();\n"), [1]);
    }

    #[test]
    fn names_of_functions_are_short() {
        let (short, long) = ("x".repeat(LONGEST_NAME), "x".repeat(LONGEST_NAME + 1));
        assert_eq!(lines("a.rs", &format!("fn {short}() {{}}\nfn {long}() {{}}\n{long};\n")), [2]);
    }

    #[test]
    fn safety_comments_name_an_invariant() {
        let source = "// SAFETY: Zed.\nx();\n// SAFETY:\n// zed\ny(); // SAFETY: null is no zed.\n";
        assert_eq!(lines("a.rs", source), [1, 3]);
    }

    #[test]
    fn the_lists_are_read() {
        let Words { summaries, banned, british, excuses } = Words::new(include_str!("words.txt"));
        assert!([summaries, banned, excuses].iter().all(|list| list.len() > 10) && british.len() > 10);
    }

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
