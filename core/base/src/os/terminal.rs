//! Text for terminals.

use std::borrow::Cow;

use crate::vocabulary::{is_deceptive, write_escaped};

/// Returns a text in which control characters stand as `\x1b` and invisible ones as `\u{202e}`, but line feeds and tabs as they are.
///
/// Names of communicators, texts of plug-ins and paths come from anywhere; as they are, they could move the cursor, change
/// colors, have a terminal type commands, or let a text be read in another order.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_dangerous = |char: char| is_deceptive(char) && !matches!(char, '\n' | '\t');
    if !text.contains(is_dangerous) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_dangerous(char) {
            let _ = write_escaped(&mut out, char);
        } else {
            out.push(char);
        }
    }
    out.into()
}

/// Writes a message to standard error in a single call, since other processes write to the same file.
#[allow(clippy::print_stderr, reason = "there is no caller to return an error to")]
pub(crate) fn print(message: &str) {
    eprint!("{}", printable(&format!("mpit: {message}\n")));
}

/// Writes one line to standard error like [`print()`]. Line breaks in the text are replaced.
pub(crate) fn print_line(line: &str) {
    print(&line.replace(char::is_control, "?"));
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn escape_sequences_do_nothing() {
        assert_eq!(printable("a\tname\n"), "a\tname\n");
        assert_eq!(printable("\x1b[2Jgone\u{9b}31m\r\x07\x7f"), "\\x1b[2Jgone\\x9b31m\\x0d\\x07\\x7f");
        assert_eq!(printable("größer"), "größer");
        assert_eq!(printable("a\u{202e}b\u{2028}c\u{e0041}"), "a\\u{202e}b\\u{2028}c\\u{e0041}");
    }
}
