//! The check of code, comments, messages and documents for words that hide who does what.
//!
//! The lists in `words.txt` say what is looked for.

use std::{fs, process::Command, process::ExitCode};

use mpit_tests::{Context, Failure, Outcome, paths};

/// The longest name of a function. Longer ones are those of tests that say what a comment could say.
const LONGEST_NAME: usize = 40;

/// Prints the lines that the check finds, and their number.
pub(crate) fn run() -> Outcome<ExitCode> {
    let words = Words::new(include_str!("words.txt"));
    let mut found = 0;
    for name in files()? {
        // A file that was removed is still listed.
        let Ok(source) = fs::read_to_string(paths::workspace().join(&name)) else { continue };
        for (line, why) in words.findings(&name, &source) {
            let text = source.lines().nth(line - 1).unwrap_or_default().trim();
            println!("{name}:{line}: {text} [{why}]");
            found += 1;
        }
    }
    println!("prose: {found} lines found");
    Ok(if found == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the files under version control, and those that could be added to it, as far as they have prose.
fn files() -> Outcome<Vec<String>> {
    let listed = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let output = Command::new("git").args(listed).current_dir(paths::workspace()).output();
    let output = output.context("git ls-files")?;
    Failure::unless(output.status.success(), || {
        format!("git ls-files: {}", String::from_utf8_lossy(&output.stderr).trim())
    })?;
    let endings = ["rs", "c", "h", "cpp", "py", "toml", "run", "F90", "md"];
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(names.lines().filter(|name| endings.contains(&ending(name))).map(str::to_owned).collect())
}

fn ending(name: &str) -> &str {
    name.rsplit(['.', '/']).next().unwrap_or_default()
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
    fn findings(&self, name: &str, source: &str) -> Vec<(usize, String)> {
        // All words with the numbers of their lines, so that a sequence is found across lines.
        let words: Vec<(usize, String)> = (1..)
            .zip(source.lines())
            .flat_map(|(line, text)| tokens(text).map(move |word| (line, word)))
            .collect();
        let begins = |at: usize, list: &[String]| {
            words[at..].len() >= list.len()
                && std::iter::zip(&words[at..], list).all(|((_, word), wanted)| word == wanted)
        };
        let mut findings = Vec::new();
        for line in summaries(ending(name), source) {
            let at = words.partition_point(|(other, _)| *other < line);
            let beginning = self.summaries.iter().find(|list| begins(at, list));
            findings.extend(beginning.map(|list| (line, format!("begins with \"{}\"", list.join(" ")))));
        }
        for (at, (line, word)) in words.iter().enumerate() {
            let banned = self.banned.iter().find(|list| begins(at, list));
            findings.extend(banned.map(|list| (*line, format!("\"{}\"", list.join(" ")))));
            if word == "safety" && self.excuses.iter().any(|list| begins(at + 1, list)) {
                findings.push((words[at + 1].0, "names no invariant".to_owned()));
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

/// Returns the numbers of the lines that begin a comment that documents an item or a file.
fn summaries(ending: &str, source: &str) -> Vec<usize> {
    let (mut lines, mut before, mut is_open) = (Vec::new(), "", false);
    for (number, line) in (1..).zip(source.lines()) {
        let text = line.trim_start();
        let begins = |marker| text.starts_with(marker) && !before.starts_with(marker);
        let is_summary = match ending {
            "rs" | "md" => begins("///") || begins("//!"),
            "c" | "h" | "cpp" => {
                text.starts_with("/**") || line.starts_with("/*") || line.starts_with("//") && begins("//")
            }
            _ => !is_open && text.starts_with("\"\"\""),
        };
        if is_summary {
            lines.push(number);
        }
        is_open ^= text.matches("\"\"\"").count() == 1;
        before = text;
    }
    lines
}

/// Returns the words of a line in small letters, without a genitive's ending. Code in backticks or braces is no word.
fn tokens(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|c: char| !c.is_alphanumeric() && !"_'`{".contains(c));
    let words = words.map(|word| word.trim_matches('\'')).map(|word| word.strip_suffix("'s").unwrap_or(word));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of words that occur nowhere else, so that the check does not find its own tests.
    const LISTS: &str = "[summaries]\nzig, the zag\n[banned]\n# comment\nzorp, zip\nzap zep\n[british]\nzouru\n[excuses]\nzed\n";

    fn found(name: &str, source: &str) -> Vec<(usize, String)> {
        Words::new(LISTS).findings(name, source)
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
        assert_eq!(
            lines("a.py", "def f():\n    \"\"\"Zig one.\n    \"\"\"\nzig\n\"\"\"\nZig\n\"\"\"\n"),
            [2, 5]
        );
        assert_eq!(lines("a.md", "Zig\n```rust\n/// Zig\nfn f()\n```\n"), [3]);
        assert_eq!(found("a.rs", "/// Zig a\n"), [(1, "begins with \"zig\"".to_owned())]);
    }

    #[test]
    fn words_are_found_everywhere() {
        let source =
            "/* zorp\n zip */ fn f() { r#\"a\"# } // zap\n// zep\nlet x = 'h'; \"\\\"Zorp\";\nzorp();\n";
        assert_eq!(lines("a.rs", source), [1, 2, 4, 5]);
        assert_eq!(lines("a.md", "`zorp` zap\nzep, zip; unzip\nzap.\n"), [1, 2]);
        assert_eq!(lines("a.toml", "name = \"zorp's\" # zip\nzips = 1\n"), [1]);
        assert_eq!(lines("a.F90", "! zip\nzips = 1 ! zorp\n"), [1, 2]);
    }

    #[test]
    fn spelling_counts_in_names() {
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
        assert_eq!(lines("a.rs", source), [1, 4]);
    }

    #[test]
    fn the_lists_are_read() {
        let Words { summaries, banned, british, excuses } = Words::new(include_str!("words.txt"));
        assert!([summaries, banned, excuses].iter().all(|list| list.len() > 10) && british.len() > 10);
    }
}
