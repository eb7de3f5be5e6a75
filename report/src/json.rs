//! JSON whose strings have no character that changes how a terminal or an editor shows the text: these are escaped.

use std::io::{self, Write};

use mpit_vocabulary::is_deceptive;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// Writes a value in one line.
///
/// # Errors
///
/// The errors of the sink.
pub fn write(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Escaping(CompactFormatter));
    Ok(value.serialize(&mut serializer)?)
}

/// Writes a value with a line for each member.
///
/// # Errors
///
/// The errors of the sink.
pub fn write_pretty(out: impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = Serializer::with_formatter(out, Escaping(PrettyFormatter::new()));
    Ok(value.serialize(&mut serializer)?)
}

/// A format whose strings are escaped.
struct Escaping<F>(F);

/// Forwards functions to the format inside.
macro_rules! forward {
    ($($name:ident($($arg:ident: $type:ty),*);)+) => {$(
        fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $arg: $type)*) -> io::Result<()> {
            self.0.$name(writer $(, $arg)*)
        }
    )+};
}

impl<F: Formatter> Formatter for Escaping<F> {
    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        end_object_key();
        begin_object_value();
        end_object_value();
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_deceptive) {
            writer.write_all(&rest.as_bytes()[..at])?;
            let mut after = rest[at..].chars();
            for unit in after.next().unwrap_or_default().encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = after.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{write, write_pretty};

    #[test]
    fn strings_are_escaped() {
        let names = ["größer", "a\u{7f}\u{9b}31m\x1b\n", "\u{202e}cod.\u{2028}", "\u{e0041}\"\\"];
        let mut text = Vec::new();
        write(&mut text, &names).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, r#"["größer","a\u007f\u009b31m\u001b\n","\u202ecod.\u2028","\udb40\udc41\"\\"]"#);
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), names);
        let mut pretty = Vec::new();
        write_pretty(&mut pretty, &names).unwrap();
        assert_eq!(serde_json::from_slice::<Vec<String>>(&pretty).unwrap(), names);
        assert_eq!(String::from_utf8(pretty).unwrap().matches('\n').count(), 5);
    }
}
