//! Conversion of control variables' values to text.

use super::CvarDesc;
use crate::object::Object;
use crate::vocabulary::Datatype;

impl CvarDesc {
    /// Returns the present value as text that `--set` accepts, with an enumeration's items by name. For a bound variable, the
    /// default of all objects.
    pub fn value_as_text(&self) -> String {
        let Some(words) = self.words(&Object::NONE) else { return String::new() };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        if self.datatype() == Datatype::Char {
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            return String::from_utf8_lossy(text).into_owned();
        }
        let elements = bytes.chunks_exact(self.datatype().size()).take(self.count());
        elements.map(|element| self.element_as_text(element)).collect::<Vec<_>>().join(",")
    }

    fn element_as_text(&self, bytes: &[u8]) -> String {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        self.word_as_text(u64::from_ne_bytes(word))
    }

    /// Returns the range of a number, if it has one: `0 to 100`.
    pub(super) fn range_as_text(&self) -> Option<String> {
        self.range().map(|ends| ends.map(|end| self.word_as_text(end)).join(" to "))
    }

    fn word_as_text(&self, word: u64) -> String {
        let int = (word as u32).cast_signed();
        if let Some(item) = self.enumeration().and_then(|enumeration| enumeration.item(int)) {
            return item.name().to_owned();
        }
        match self.datatype() {
            Datatype::Int | Datatype::Int32 => int.to_string(),
            Datatype::Int64 | Datatype::Count => word.cast_signed().to_string(),
            Datatype::Double => f64::from_bits(word).to_string(),
            _ => word.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cvar::{Cvar, CvarCell, CvarDesc, Text};
    use crate::desc::{Metadata, SharedMetadata};

    #[test]
    fn text_of_each_kind() {
        static NUMBER: Cvar<i32> = Cvar::new(-7);
        static SHARE: Cvar<f64> = Cvar::new(0.5);
        static SWITCH: Cvar<bool> = Cvar::new(true);
        static NAME: Cvar<Text<8>> = Cvar::new(Text::new("héllo"));
        fn text_of(cell: &'static impl CvarCell) -> String {
            static SHARED: SharedMetadata = SharedMetadata::new("acme", file!());
            CvarDesc::new(Metadata::of("setting", "", &SHARED, line!()), cell).value_as_text()
        }
        assert_eq!(text_of(&NUMBER), "-7");
        assert_eq!(text_of(&SHARE), "0.5");
        assert_eq!(text_of(&SWITCH), "true");
        assert_eq!(text_of(&NAME), "héllo");
    }
}
