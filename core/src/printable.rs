//! Text for terminals.

use std::borrow::Cow;
use std::fmt::Write;

/// Returns a text in which control characters stand as `\x1b`, but line feeds and tabs as they are.
///
/// Names of communicators, texts of plug-ins and paths come from anywhere; as they are, they could move the cursor, change
/// colors, or have a terminal type commands.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_dangerous = |char: char| char.is_control() && !matches!(char, '\n' | '\t');
    if !text.contains(is_dangerous) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        if is_dangerous(char) {
            let _ = write!(out, "\\x{:02x}", u32::from(char));
        } else {
            out.push(char);
        }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn escape_sequences_do_nothing() {
        assert_eq!(printable("a\tname\n"), "a\tname\n");
        assert_eq!(printable("\x1b[2Jgone\u{9b}31m\r\x07\x7f"), "\\x1b[2Jgone\\x9b31m\\x0d\\x07\\x7f");
        assert_eq!(printable("größer"), "größer");
    }
}
