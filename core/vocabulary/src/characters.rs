//! Characters that no output contains as they are.

use std::fmt::{self, Write};

/// Returns true for a control character, and for an invisible one that changes how the text around it is shown: line and paragraph
/// separators, directions of writing, joiners and tags.
#[doc(hidden)]
#[must_use]
pub fn is_deceptive(char: char) -> bool {
    char.is_control()
        || matches!(
            char,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Writes a character that is not shown as it is, as `\x1b` or `\u{202e}`.
///
/// # Errors
///
/// Those of `out`.
#[doc(hidden)]
pub fn write_escaped(out: &mut impl Write, char: char) -> fmt::Result {
    match u32::from(char) {
        code @ ..=0xff => write!(out, "\\x{code:02x}"),
        code => write!(out, "\\u{{{code:x}}}"),
    }
}
