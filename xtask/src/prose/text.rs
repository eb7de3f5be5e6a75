//! Comments, string literals and code of source files, with their lines.

use std::sync::LazyLock;

use regex::Regex;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A comment that documents an item: its first line is a summary.
    Doc,
    /// The text of `reason = ".."` in an attribute.
    Reason,
    /// The code of a file, with each comment and literal replaced by a space.
    Code,
    /// Any other comment, a string literal, or a page of documentation.
    Other,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) kind: Kind,
    /// The number of the first line.
    pub(super) line: usize,
    /// The text with its comment markers or quotes, as many lines as in the file.
    pub(super) content: String,
}

/// The comments and literals of Rust. The name of a group is the kind of the text in it; characters are none. A comment on lines of
/// its own is one text.
static RUST: LazyLock<Regex> = LazyLock::new(|| {
    pieces(&[
        r"^[ \t]*(?<doc>///.*(?:\n[ \t]*///.*)*|//!.*(?:\n[ \t]*//!.*)*)",
        r"^[ \t]*(?<comment>//.*(?:\n[ \t]*//(?:[^/!\n].*)?$)*)",
        r"(?<inner>/\*\*(?s:.*?)\*/)",
        REASON,
        r###"\b[bc]?r(?<raw>"[^"]*"|#"(?s:.*?)"#|##"(?s:.*?)"##)"###,
        OTHER,
    ])
});

/// Comments and literals of C and C++, where comments at the beginning of a line document an item.
static C: LazyLock<Regex> = LazyLock::new(|| {
    pieces(&[
        r"(?<doc>^//.*(?:\n[ \t]*//.*)*|^/\*(?s:.*?)\*/|/\*\*(?s:.*?)\*/)",
        r"^[ \t]+(?<comment>//.*(?:\n[ \t]*//.*)*)",
        OTHER,
    ])
});

/// Comments and strings of Python, TOML and shell, whose comments begin with `#`; and of Fortran, with `!`.
static HASH: LazyLock<Regex> = LazyLock::new(|| {
    pieces(&[
        r#"(?<doc>"""(?s:.*?)""")"#,
        r"^[ \t]*(?<comment>#.*(?:\n[ \t]*#.*)*|!.*(?:\n[ \t]*!.*)*)|[ \t](?<trailing>[#!].*)",
        REASON,
        r#"(?<other>"(?:[^"\\]|\\(?s:.))*"|'(?:[^'\\]|\\(?s:.))*')"#,
    ])
});

/// The reason of an attribute, or in a file of Clippy.
const REASON: &str = r#"reason =\s*(?<reason>"(?:[^"\\]|\\(?s:.))*")"#;

/// Comments and strings of Rust and C, and characters. A lifetime has no second quote.
const OTHER: &str = r#"(?<other>//.*|/\*(?s:.*?)\*/|"(?:[^"\\]|\\(?s:.))*")|'(?:\\.[^'\n]*|[^'\\\n])'"#;

fn pieces(patterns: &[&str]) -> Regex {
    Regex::new(&format!("(?m:{})", patterns.join("|"))).expect("the patterns are valid")
}

pub(super) fn texts(name: &str, source: &str) -> Option<Vec<Text>> {
    Some(match name.rsplit(['.', '/']).next()? {
        "rs" => scan(&RUST, source),
        "c" | "h" | "cpp" => scan(&C, source),
        "py" | "toml" | "run" | "F90" => {
            let mut texts = scan(&HASH, source);
            texts.retain(|text| text.kind != Kind::Code);
            texts
        }
        "md" => page(source),
        _ => return None,
    })
}

/// Returns a page as one text, with the doc comments of its examples as texts of their own.
fn page(source: &str) -> Vec<Text> {
    let examples = source.lines().map(|line| if line.trim_start().starts_with("//") { line } else { "" });
    let mut texts = scan(&RUST, &examples.collect::<Vec<_>>().join("\n"));
    texts.retain(|text| text.kind == Kind::Doc);
    texts.push(Text { kind: Kind::Other, line: 1, content: source.to_owned() });
    texts
}

fn scan(pieces: &Regex, source: &str) -> Vec<Text> {
    let (mut texts, mut code, mut end) = (Vec::new(), String::new(), 0);
    for found in pieces.captures_iter(source) {
        let names = pieces.capture_names().flatten();
        for (name, text) in names.filter_map(|name| Some((name, found.name(name)?))) {
            let kind = match name {
                "doc" | "inner" => Kind::Doc,
                "reason" => Kind::Reason,
                _ => Kind::Other,
            };
            let line = 1 + source[..text.start()].matches('\n').count();
            texts.push(Text { kind, line, content: text.as_str().to_owned() });
        }
        let whole = found.get_match();
        code.push_str(&source[end..whole.start()]);
        // The code keeps its line numbers.
        code.push(' ');
        code.extend(whole.as_str().matches('\n'));
        end = whole.end();
    }
    code.push_str(&source[end..]);
    texts.push(Text { kind: Kind::Code, line: 1, content: code });
    texts
}
