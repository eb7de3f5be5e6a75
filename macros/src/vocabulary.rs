//! The vocabularies of the standard, and suggestions for misspelled values.

use std::fmt::Write as _;

/// A value of a vocabulary, spelled in attributes as in the standard, without the prefix.
pub(crate) trait Vocabulary: Copy + PartialEq + 'static {
    /// The kind of value, for messages: "pvar class".
    const WHAT: &'static str;
    /// The standard's prefix, which attributes omit.
    const PREFIX: &'static str;
    /// All values.
    const ALL: &'static [Self];

    /// Returns the spelling.
    fn as_str(self) -> &'static str;

    /// Returns the name of the variant, here and in `mpit`.
    fn variant(self) -> &'static str;
}

/// Declares a vocabulary with the variants of `mpit::vocabulary`.
macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident, $what:literal, $prefix:literal, [$($variant:ident = $word:literal),+ $(,)?]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($variant),+ }

        impl Vocabulary for $name {
            const WHAT: &'static str = $what;
            const PREFIX: &'static str = $prefix;
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            fn variant(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant)),+ }
            }
        }
    };
}

vocabulary! {
    /// The classes of performance variables.
    Class, "pvar class", "MPI_T_PVAR_CLASS_", [
        State = "STATE", Level = "LEVEL", Size = "SIZE", Percentage = "PERCENTAGE",
        HighWatermark = "HIGHWATERMARK", LowWatermark = "LOWWATERMARK", Counter = "COUNTER",
        Aggregate = "AGGREGATE", Timer = "TIMER", Generic = "GENERIC",
    ]
}

vocabulary! {
    /// The datatypes of variables.
    Datatype, "datatype", "MPI_", [
        Int = "INT", Int32 = "INT32_T", Int64 = "INT64_T", Unsigned = "UNSIGNED",
        UnsignedLong = "UNSIGNED_LONG", UnsignedLongLong = "UNSIGNED_LONG_LONG", Uint32 = "UINT32_T",
        Uint64 = "UINT64_T", Count = "COUNT", Char = "CHAR", Double = "DOUBLE",
    ]
}

vocabulary! {
    /// The kinds of objects that variables are bound to.
    Bind, "bind kind", "MPI_T_BIND_", [
        NoObject = "NO_OBJECT", Comm = "COMM", Datatype = "DATATYPE", Errhandler = "ERRHANDLER",
        File = "FILE", Group = "GROUP", Op = "OP", Request = "REQUEST", Win = "WIN",
        Message = "MESSAGE", Info = "INFO", Session = "SESSION",
    ]
}

vocabulary! {
    /// The sets of processes that must write a control variable together.
    Scope, "scope", "MPI_T_SCOPE_", [
        Constant = "CONSTANT", ReadOnly = "READONLY", Local = "LOCAL", Group = "GROUP",
        GroupEq = "GROUP_EQ", All = "ALL", AllEq = "ALL_EQ",
    ]
}

vocabulary! {
    /// The audiences of variables.
    Verbosity, "verbosity", "MPI_T_VERBOSITY_", [
        UserBasic = "USER_BASIC", UserDetail = "USER_DETAIL", UserAll = "USER_ALL",
        TunerBasic = "TUNER_BASIC", TunerDetail = "TUNER_DETAIL", TunerAll = "TUNER_ALL",
        MpidevBasic = "MPIDEV_BASIC", MpidevDetail = "MPIDEV_DETAIL", MpidevAll = "MPIDEV_ALL",
    ]
}

vocabulary! {
    /// The times until which a control variable can be set.
    Settable, "deadline", "", [Always = "always", BeforeInit = "before_init"]
}

/// Returns the value with a spelling, or a message with suggestions.
pub(crate) fn find<W: Vocabulary>(text: &str) -> Result<W, String> {
    if let Some(word) = W::ALL.iter().copied().find(|word| word.as_str() == text) {
        return Ok(word);
    }
    let words: Vec<&str> = W::ALL.iter().map(|word| word.as_str()).collect();
    // `MPI_T_BIND_MPI_COMM` is the only name in the standard with two prefixes.
    let bare = text.strip_prefix(W::PREFIX).unwrap_or(text);
    let bare = bare.strip_prefix("MPI_").unwrap_or(bare);
    Err(unknown(W::WHAT, text, bare, &words))
}

/// Returns a message such as "unknown pvar class `SIZES`, did you mean `SIZE`?", with the list of all values.
pub(crate) fn unknown(what: &str, text: &str, bare: &str, words: &[&str]) -> String {
    let mut message = format!("unknown {what} `{text}`");
    if let Some(near) = nearest(bare, words) {
        _ = write!(message, ", did you mean `{near}`?");
    }
    _ = write!(message, "\nexpected one of {}", listed(words));
    message
}

/// Returns the values between backticks, with commas.
pub(crate) fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the value that is most similar to a text, if one is similar enough.
pub(crate) fn nearest<'a>(text: &str, words: &[&'a str]) -> Option<&'a str> {
    let folded = text.to_lowercase().replace('-', "_");
    let tolerated = 1 + folded.chars().count() / 3;
    words
        .iter()
        .map(|word| (distance(&folded, &word.to_lowercase()), *word))
        .filter(|(distance, _)| *distance <= tolerated)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Returns the number of insertions, deletions, substitutions and swaps of neighbors that convert one text to the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut least = changed.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::{Bind, Class, Scope, find};

    fn message<W: super::Vocabulary + std::fmt::Debug>(text: &str) -> String {
        find::<W>(text).unwrap_err().lines().next().unwrap().to_owned()
    }

    #[test]
    fn known_words_are_found() {
        assert_eq!(find::<Class>("HIGHWATERMARK"), Ok(Class::HighWatermark));
        assert_eq!(find::<Bind>("NO_OBJECT"), Ok(Bind::NoObject));
    }

    #[test]
    fn the_nearest_word_is_suggested() {
        assert_eq!(message::<Class>("SIZES"), "unknown pvar class `SIZES`, did you mean `SIZE`?");
        assert_eq!(message::<Class>("counter"), "unknown pvar class `counter`, did you mean `COUNTER`?");
        assert_eq!(message::<Class>("COUTNER"), "unknown pvar class `COUTNER`, did you mean `COUNTER`?");
        assert_eq!(
            message::<Class>("HIGH_WATERMARK"),
            "unknown pvar class `HIGH_WATERMARK`, did you mean `HIGHWATERMARK`?"
        );
        assert_eq!(message::<Scope>("GROUP-EQ"), "unknown scope `GROUP-EQ`, did you mean `GROUP_EQ`?");
    }

    #[test]
    fn prefixes_of_the_standard_are_understood() {
        assert_eq!(
            message::<Bind>("MPI_T_BIND_MPI_COMM"),
            "unknown bind kind `MPI_T_BIND_MPI_COMM`, did you mean `COMM`?"
        );
    }

    #[test]
    fn nothing_is_suggested_for_something_else() {
        assert_eq!(message::<Class>("temperature"), "unknown pvar class `temperature`");
    }

    #[test]
    fn all_words_are_listed() {
        let message = find::<Scope>("SOME").unwrap_err();
        let list = "expected one of `CONSTANT`, `READONLY`, `LOCAL`, `GROUP`, `GROUP_EQ`, `ALL`, `ALL_EQ`";
        assert_eq!(message.lines().last(), Some(list));
    }
}
