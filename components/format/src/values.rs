//! Values of performance variables and counts of events, which `mpit run --read` requests by patterns of names.

use std::borrow::Cow;

use crate::files::{MAX_NAME, cut_off};

/// The class of a row that counts the instances of an event type.
pub const EVENT: &str = "EVENT";

/// The maximum number of elements of an array that a row has one by one. The sum has all of them.
pub const MAX_ELEMENTS: usize = 64;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A number: the value, or the sum of the elements of an array.
    Number,
    /// A text, or the name of a state.
    Text,
    /// The reason why there is no value.
    Error,
}

impl ValueKind {
    const ALL: [Self; 3] = [Self::Number, Self::Text, Self::Error];

    /// Returns the word in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Text => "text",
            Self::Error => "error",
        }
    }

    /// Returns the kind with this word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }
}

/// A variable or event type of a process, with its value at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueRow {
    /// The name.
    pub name: String,
    /// The class of a variable, such as `COUNTER`; [`EVENT`] for an event type.
    pub class: String,
    /// The object that the value is of; empty if the variable is bound to none.
    pub object: String,
    /// The kind of the value.
    pub kind: ValueKind,
    /// The number of elements of the variable.
    pub elements: u64,
    /// The value: a number in decimal notation, a text, or a reason.
    pub value: String,
    /// The first elements of an array of numbers, separated by commas; empty for other values.
    pub first: String,
}

impl ValueRow {
    /// Returns the value; `None` if it is no number.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        if self.kind == ValueKind::Number { self.value.parse().ok() } else { None }
    }

    /// Returns the first elements of an array.
    pub fn first_elements(&self) -> impl Iterator<Item = f64> + '_ {
        self.first.split(',').filter_map(|element| element.parse().ok())
    }

    /// Returns the fields behind the rank of a line `# VALUE`. Control characters become blanks, and long texts are cut off.
    #[must_use]
    pub fn fields(&self) -> String {
        let Self { name, class, object, kind, elements, value, first } = self;
        let [name, class, object, value] = [name, class, object, value].map(|text| in_one_field(text));
        let object = if object.is_empty() { "-" } else { &object };
        format!("{name}\t{class}\t{object}\t{}\t{elements} elements\t{first}\t{value}", kind.as_str())
    }

    /// Parses the fields of a line.
    ///
    /// # Errors
    ///
    /// The field that is expected.
    pub fn parse(fields: &str) -> Result<Self, &'static str> {
        let mut fields = fields.splitn(7, '\t');
        let mut next = |expected| fields.next().filter(|field| field.len() <= MAX_NAME).ok_or(expected);
        let name = next("the name of a variable, and a tab")?;
        let class = next("the class of the variable, and a tab")?;
        let object = next("the object of the variable or -, and a tab")?;
        let kind = ValueKind::of_word(next("the kind of the value, and a tab")?);
        let kind = kind.ok_or("number, text or error")?;
        let elements = next("a number of elements, and a tab")?.strip_suffix(" elements");
        let elements = elements.and_then(|number| number.parse().ok()).ok_or("a number, and `elements`")?;
        let first = next("the first elements, and a tab")?;
        let value = next("a value of at most 4096 bytes")?;
        let row = Self {
            name: in_one_field(name).into(),
            class: in_one_field(class).into(),
            object: if object == "-" { String::new() } else { in_one_field(object).into() },
            kind,
            elements,
            value: in_one_field(value).into(),
            first: first.into(),
        };
        if kind == ValueKind::Number && row.number().is_none() {
            return Err("a number in decimal notation");
        }
        let elements = if first.is_empty() { 0 } else { first.split(',').count() };
        if elements > MAX_ELEMENTS || row.first_elements().count() != elements {
            return Err("at most 64 numbers with commas between");
        }
        Ok(row)
    }
}

fn in_one_field(text: &str) -> Cow<'_, str> {
    let text = cut_off(text, MAX_NAME);
    if text.contains(char::is_control) { text.replace(char::is_control, " ").into() } else { text.into() }
}

/// Returns true if a name matches a pattern, in which `*` stands for any characters and `?` for one.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let [pattern, name] = [pattern, name].map(|text| text.chars().collect::<Vec<_>>());
    let (mut at, mut of_name) = (0, 0);
    // The last `*`, and the first character of the name behind those that it stands for so far.
    let mut star: Option<(usize, usize)> = None;
    while of_name < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, of_name));
                at += 1;
            }
            Some(char) if *char == '?' || *char == name[of_name] => (at, of_name) = (at + 1, of_name + 1),
            _ => {
                let Some((at_star, end)) = star else { return false };
                star = Some((at_star, end + 1));
                (at, of_name) = (at_star + 1, end + 1);
            }
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

#[cfg(test)]
mod tests {
    use super::{MAX_ELEMENTS, ValueKind, ValueRow, matches};

    fn row() -> ValueRow {
        ValueRow {
            name: "petlib_reductions".into(),
            class: "COUNTER".into(),
            object: "MPI_COMM_WORLD".into(),
            kind: ValueKind::Number,
            elements: 2,
            value: "7.5".into(),
            first: "3,4.5".into(),
        }
    }

    #[test]
    fn fields_are_read_as_written() {
        let text = ValueRow { kind: ValueKind::Text, value: "a, b".into(), first: String::new(), ..row() };
        let unbound = ValueRow { object: String::new(), value: "18446744073709551615".into(), ..row() };
        for row in [row(), text, unbound] {
            assert_eq!(ValueRow::parse(&row.fields()), Ok(row));
        }
        assert_eq!(row().first_elements().collect::<Vec<_>>(), [3.0, 4.5]);
        let odd = ValueRow { kind: ValueKind::Error, value: "a\tb\nc".into(), ..row() };
        assert_eq!(ValueRow::parse(&odd.fields()).unwrap().value, "a b c");
    }

    #[test]
    fn wrong_fields_are_refused() {
        let right = row().fields();
        let many = vec!["1"; MAX_ELEMENTS + 1].join(",");
        for (from, to) in [
            ("7.5", "7,5"),
            ("number", "numbers"),
            ("2 elements", "2 element"),
            ("3,4.5", "3,,4"),
            ("3,4.5", &many),
            ("\t3,4.5", ""),
            ("petlib", &"p".repeat(5000)),
        ] {
            assert_ne!(right.replace(from, to), right);
            assert!(ValueRow::parse(&right.replace(from, to)).is_err(), "{from} -> {to}");
        }
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name) in
            [("a*", "a"), ("*", ""), ("*_b*", "a_b_b_c"), ("a?c", "aäc"), ("**c", "abc"), ("a", "a")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "ab"), ("a*c", "acb"), ("?", ""), ("", "a"), ("*_b", "a_b_c")] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }
}
