//! Comments, string literals and code of source files, with their lines.

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
    /// The text without comment markers, as many lines as in the file.
    pub(super) content: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Rust,
    C,
    /// Python, TOML and shell, whose comments begin with `#`; and Fortran, with `!`.
    Hash,
    /// Pages, and tables with text.
    Markdown,
}

impl Syntax {
    fn of(name: &str) -> Option<Self> {
        match name.rsplit(['.', '/']).next()? {
            "rs" => Some(Self::Rust),
            "c" | "h" | "cpp" => Some(Self::C),
            "py" | "toml" | "run" | "F90" => Some(Self::Hash),
            "md" | "tsv" => Some(Self::Markdown),
            _ => None,
        }
    }
}

pub(super) fn texts(name: &str, source: &str) -> Option<Vec<Text>> {
    Some(match Syntax::of(name)? {
        Syntax::Markdown => page(source),
        syntax => Scanner::new(syntax, source).scan(),
    })
}

/// Returns a page as one text, with the doc comments of its examples as texts of their own.
fn page(source: &str) -> Vec<Text> {
    let examples = source.lines().map(|line| if line.trim_start().starts_with("//") { line } else { "" });
    let examples = examples.collect::<Vec<_>>().join("\n");
    let mut texts = Scanner::new(Syntax::Rust, &examples).scan();
    texts.retain(|text| text.kind == Kind::Doc);
    texts.push(Text { kind: Kind::Other, line: 1, content: source.to_owned() });
    texts
}

struct Scanner<'a> {
    syntax: Syntax,
    source: &'a str,
    texts: Vec<Text>,
    code: String,
    /// The end of the last line comment, which the next line may continue.
    end: usize,
}

impl<'a> Scanner<'a> {
    fn new(syntax: Syntax, source: &'a str) -> Self {
        Self { syntax, source, texts: Vec::new(), code: String::new(), end: 0 }
    }

    fn scan(mut self) -> Vec<Text> {
        let mut at = 0;
        while let Some(found) = self.source[at..].find(['/', '"', '\'', '#', '!', 'r']) {
            self.code.push_str(&self.source[at..at + found]);
            at += found;
            if let Some(length) = self.piece(at) {
                // The code keeps its line numbers.
                self.code.push(' ');
                self.code.extend(self.source[at..at + length].matches('\n'));
                at += length;
            } else {
                self.code.push_str(&self.source[at..=at]);
                at += 1;
            }
        }
        self.code.push_str(&self.source[at..]);
        if matches!(self.syntax, Syntax::Rust | Syntax::C) {
            self.texts.push(Text { kind: Kind::Code, line: 1, content: self.code });
        }
        self.texts
    }

    /// Reads the comment or literal that begins at an offset, and returns its length; `None` if code begins there.
    fn piece(&mut self, at: usize) -> Option<usize> {
        let hash = self.syntax == Syntax::Hash;
        let (before, rest) = self.source.split_at(at);
        let after_space = before.ends_with(char::is_whitespace) || before.is_empty();
        if hash && rest.starts_with("\"\"\"") {
            let end = rest[3..].find("\"\"\"").map_or(rest.len(), |end| end + 3);
            self.push(Kind::Doc, at, &rest[3..end]);
            Some((end + 3).min(rest.len()))
        } else if !hash && rest.starts_with("//") || hash && after_space && rest.starts_with(['#', '!']) {
            Some(self.line_comment(at))
        } else if !hash && rest.starts_with("/*") {
            let end = rest[2..].find("*/").map_or(rest.len(), |end| end + 2);
            let doc = rest.starts_with("/**")
                || self.syntax == Syntax::C && (before.is_empty() || before.ends_with('\n'));
            let text = rest[2..end]
                .lines()
                .map(|line| line.trim().trim_start_matches('*'))
                .collect::<Vec<_>>()
                .join("\n");
            self.push(if doc { Kind::Doc } else { Kind::Other }, at, &text);
            Some((end + 2).min(rest.len()))
        } else if rest.starts_with('"') || hash && rest.starts_with('\'') {
            let length = quoted(rest);
            let is_reason = before.trim_end().ends_with("reason =");
            self.push(if is_reason { Kind::Reason } else { Kind::Other }, at, &rest[1..length]);
            Some(length)
        } else if let Some(character) = rest.strip_prefix('\'') {
            // A character, unless it is a lifetime.
            let mut next = character.chars();
            let escaped = next.next() == Some('\\');
            if escaped || next.next() == Some('\'') { Some(quoted(rest)) } else { None }
        } else if self.syntax == Syntax::Rust
            && rest.starts_with('r')
            && !before.ends_with(|c: char| c.is_alphanumeric() && c != 'b' && c != 'c')
        {
            let hashes = rest[1..].len() - rest[1..].trim_start_matches('#').len();
            if !rest[1 + hashes..].starts_with('"') {
                return None;
            }
            let body = &rest[hashes + 2..];
            let close = format!("\"{}", "#".repeat(hashes));
            let end = body.find(&close).unwrap_or(body.len());
            self.push(Kind::Other, at, &body[..end]);
            Some((hashes + 2 + end + close.len()).min(rest.len()))
        } else {
            None
        }
    }

    /// Reads a line comment, which may continue the one of the line before.
    fn line_comment(&mut self, at: usize) -> usize {
        let (before, rest) = self.source.split_at(at);
        let comment = rest.lines().next().unwrap_or_default();
        let marker = ["///", "//!", "//", "#", "!"]
            .into_iter()
            .find(|marker| comment.starts_with(marker))
            .unwrap_or_default();
        let text = &comment[marker.len()..];
        let first = self.source[..self.end].lines().last().unwrap_or_default().trim_start();
        let same = first.starts_with(marker)
            && (marker.len() > 2 || !first.starts_with("///") && !first.starts_with("//!"));
        let between = &self.source[self.end..at];
        let head = self.syntax == Syntax::C && (before.is_empty() || before.ends_with('\n'));
        if self.end > 0 && same && between.trim().is_empty() && between.matches('\n').count() == 1 {
            let last = self.texts.last_mut().expect("the comment of the line before");
            last.content.push('\n');
            last.content.push_str(text);
        } else {
            self.push(if marker.len() == 3 || head { Kind::Doc } else { Kind::Other }, at, text);
        }
        self.end = at + comment.len();
        comment.len()
    }

    fn push(&mut self, kind: Kind, at: usize, text: &str) {
        let line = 1 + self.source[..at].matches('\n').count();
        self.texts.push(Text { kind, line, content: text.to_owned() });
    }
}

/// Returns the length of the literal at the beginning of the text, with its quotes.
fn quoted(text: &str) -> usize {
    let mut chars = text.char_indices();
    let quote = chars.next().map(|(_, quote)| quote);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            _ if Some(char) == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}
