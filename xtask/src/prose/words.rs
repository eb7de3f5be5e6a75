//! The lists of words, and their search in the texts of a file.

use heck::ToSnakeCase;

use super::text::{Kind, Text};

/// The longest name of a function. Longer ones are those of tests, whose details belong into a comment.
const LONGEST_NAME: usize = 40;

/// The most words that a `*` in an entry stands for.
const LONGEST_GAP: usize = 3;

pub(super) struct Words {
    /// Beginnings of summaries, as sequences of words.
    summaries: Vec<Vec<String>>,
    /// Sequences of words in comments, strings and documents.
    banned: Vec<Vec<String>>,
    /// Words of identifiers and file names, in the singular.
    names: Vec<String>,
    /// Parts of words.
    british: Vec<String>,
    /// Beginnings of SAFETY comments and of reasons of attributes, as sequences of words.
    excuses: Vec<Vec<String>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    pub(super) line: usize,
    pub(super) word: String,
    /// The list that the word is on, or the fault.
    pub(super) why: &'static str,
}

impl Words {
    pub(super) fn new(lists: &str) -> Self {
        let list = |name: &str| {
            let header = format!("[{name}]");
            let lines = lists.lines().skip_while(|line| *line != header).skip(1);
            let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
            let entries =
                lines.flat_map(|line| line.split(',')).map(str::trim).filter(|entry| !entry.is_empty());
            entries.map(str::to_owned).collect::<Vec<_>>()
        };
        let sequences = |name| {
            list(name).into_iter().map(|entry| entry.split(' ').map(str::to_owned).collect()).collect()
        };
        Self {
            summaries: sequences("summaries"),
            banned: sequences("banned"),
            names: list("names"),
            british: list("british"),
            excuses: sequences("excuses"),
        }
    }

    pub(super) fn findings(&self, name: &str, source: &str, texts: &[Text]) -> Vec<Finding> {
        let mut findings = Vec::new();
        for word in identifiers(name).filter(|word| self.is_banned_name(word)) {
            findings.push(Finding { line: 1, word, why: "in the name of the file" });
        }
        for text in texts {
            match text.kind {
                Kind::Code => self.search_code(text, &mut findings),
                Kind::Doc | Kind::Reason | Kind::Other => self.search_prose(text, &mut findings),
            }
        }
        self.search_lines(source, &mut findings);
        findings.sort();
        findings.dedup_by(|a, b| (a.line, &a.word) == (b.line, &b.word));
        findings
    }

    fn search_prose(&self, text: &Text, findings: &mut Vec<Finding>) {
        // All words with the numbers of their lines, so that a sequence is found across lines.
        let words: Vec<(usize, String)> = (text.line..)
            .zip(text.content.lines())
            .flat_map(|(line, text)| tokens(text).map(move |word| (line, word)))
            .collect();
        let mut find = |at: usize, lists: &[Vec<String>], why| {
            if let Some(list) = lists.iter().find(|list| begins(&words[at..], list)) {
                findings.push(Finding { line: words[at].0, word: list.join(" "), why });
            }
        };
        if !words.is_empty() {
            match text.kind {
                Kind::Doc => find(0, &self.summaries, "begins a summary"),
                Kind::Reason => find(0, &self.excuses, "is no reason"),
                Kind::Code | Kind::Other => {}
            }
        }
        for at in 0..words.len() {
            find(at, &self.banned, "banned");
            if words[at].1 == "safety" && at + 1 < words.len() {
                find(at + 1, &self.excuses, "names no invariant");
            }
        }
    }

    fn search_code(&self, text: &Text, findings: &mut Vec<Finding>) {
        for (line, code) in (text.line..).zip(text.content.lines()) {
            for word in identifiers(code).filter(|word| self.is_banned_name(word)) {
                findings.push(Finding { line, word, why: "in a name" });
            }
        }
    }

    fn search_lines(&self, source: &str, findings: &mut Vec<Finding>) {
        for (line, text) in (1..).zip(source.lines()) {
            let text = text.to_lowercase();
            if let Some(part) = self.british.iter().find(|part| text.contains(*part)) {
                findings.push(Finding { line, word: part.clone(), why: "British" });
            }
            let Some((_, function)) = text.split_once("fn ") else { continue };
            let name = function.split(['(', '<']).next().unwrap_or(function);
            if name.len() > LONGEST_NAME && !name.contains(' ') {
                findings.push(Finding { line, word: name.to_owned(), why: "longer than 40 characters" });
            }
        }
    }

    /// Returns true for a banned word or its plural. Longer words, such as `lifetime`, are other words.
    fn is_banned_name(&self, word: &str) -> bool {
        self.names.iter().any(|name| word == name || word.strip_suffix('s') == Some(name))
    }
}

/// Returns true if the words begin with a sequence, in which `*` stands for a few words.
fn begins(words: &[(usize, String)], sequence: &[String]) -> bool {
    let Some((first, rest)) = sequence.split_first() else { return true };
    if first == "*" {
        return (1..=LONGEST_GAP.min(words.len())).any(|gap| begins(&words[gap..], rest));
    }
    match words.split_first() {
        Some(((_, word), words)) => word == first && begins(words, rest),
        None => false,
    }
}

/// Returns the words of a line in small letters, without a genitive's ending. Code in backticks or braces is no word.
fn tokens(line: &str) -> impl Iterator<Item = String> {
    let words = line.split(|c: char| !c.is_alphanumeric() && !"_'`{".contains(c));
    let words = words.map(|word| word.trim_matches('\'')).map(|word| word.strip_suffix("'s").unwrap_or(word));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

/// Returns the words of all identifiers on a line of code, in small letters: `HTTPError` and `http_error` have two.
fn identifiers(code: &str) -> impl Iterator<Item = String> {
    let parts = code.split(|c: char| !c.is_alphabetic()).map(ToSnakeCase::to_snake_case);
    parts.flat_map(|words| words.split_terminator('_').map(str::to_owned).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prose::text;

    /// Lists of words that occur nowhere else, so that the check does not find its own tests.
    const LISTS: &str = "[summaries]\nzig, the zag\n[banned]\n# comment\nzorp, zip\nzap zep, zun * zan\n[names]\nzof, zoft\n\
                         [british]\nzouru\n[excuses]\nzed\n";

    fn found(name: &str, source: &str) -> Vec<(usize, String)> {
        let texts = text::texts(name, source).expect("a known ending");
        let findings = Words::new(LISTS).findings(name, source, &texts);
        findings.into_iter().map(|finding| (finding.line, finding.word)).collect()
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
        assert_eq!(found("a.rs", "/// Zig a\n"), [(1, "zig".to_owned())]);
        assert_eq!(lines("a.rs", "struct S { /// Zig a.\n    a: u8 } /* Zig. */\n"), [1]);
        assert_eq!(lines("a.c", "int a; /* Zig. */\n    /// Zig b.\n    // Zig c.\n"), [2]);
    }

    #[test]
    fn words_are_found_in_comments_and_strings() {
        let source =
            "/* zorp\n zip */ fn zorp() { r#\"zorp\"# } // zap\n// zep\nlet x = 'h'; \"\\\"Zorp\";\n";
        assert_eq!(lines("a.rs", source), [1, 2, 2, 4]);
        assert_eq!(lines("a.md", "`zorp` zap\nzep, zip; unzip\nzap.\n"), [1, 2]);
        assert_eq!(lines("a.toml", "name = \"zorp's\" # zip\nzip = 1\n"), [1, 1]);
        assert_eq!(lines("a.F90", "! zip\nzip = 1 ! zorp\n"), [1, 2]);
        assert_eq!(text::texts("a.txt", "zorp"), None);
    }

    #[test]
    fn gaps_are_a_few_words() {
        assert_eq!(found("a.rs", "f(\"zun `x` zan\");\n"), [(1, "zun * zan".to_owned())]);
        assert_eq!(lines("a.rs", "// Zun a b\n// c zan. Zun a b c d zan. Zun zan.\n"), [1]);
    }

    #[test]
    fn names_have_their_own_list() {
        let code =
            "fn f<'a>(zorp: &'a str) { let zorp = '\"'; zorp('\\'', 'r', r#zorp, br\"\", r##\"\"#\"##) }";
        assert_eq!(lines("a.rs", code), [0; 0]);
        assert_eq!(lines("a.rs", &format!("{code} // zorp\n")), [1]);
        for name in ["zof", "is_zof", "ZofCount", "zofs()", "ZOFS", "a_zoft_b", "HTTPZof"] {
            assert_eq!(lines("a.c", &format!("int a;\n{name} = 1; /* zof */\n")), [2], "{name}");
        }
        for name in ["zoftime", "zofing", "azof", "\"zof\"", "// zof"] {
            assert_eq!(lines("a.rs", &format!("{name}\n")), [0; 0], "{name}");
        }
        assert_eq!(found("src/zof/a.rs", ""), [(1, "zof".to_owned())]);
        assert_eq!(lines("a.toml", "zof = 1\n"), [0; 0]);
    }

    #[test]
    fn code_continues_after_literals() {
        for name in ["a.rs", "a.c"] {
            assert_eq!(lines(name, "/**/ zof();\n/***/ zof(); /* zof */\n"), [1, 2]);
        }
        for hashes in ["", "#", "##", "###", "####"] {
            let source = format!("r{hashes}\"zof\n\\\"{hashes}; zof();\n\"zof\n\"; zof();\n");
            assert_eq!(lines("a.rs", &source), [2, 4], "{source}");
        }
        assert_eq!(lines("a.rs", "r###\"\"## zof\"###; /* zof */ zofs();\n\"zof\"\n"), [1]);
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
        assert_eq!(lines("a.rs", source), [1, 4]);
    }

    #[test]
    fn attributes_have_a_reason() {
        let source = "#[allow(a, reason = \"zed\")]\n#[allow(b, reason = \"no zed\")]\n#[doc = \"zed\"]\n";
        assert_eq!(lines("a.rs", source), [1]);
    }

    #[test]
    fn the_lists_are_read() {
        let Words { summaries, banned, names, british, excuses } = Words::new(include_str!("words.txt"));
        assert!([summaries, banned, excuses].iter().all(|list| list.len() > 10));
        assert!(names.len() > 10 && british.len() > 10);
    }
}
