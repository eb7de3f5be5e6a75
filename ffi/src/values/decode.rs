//! Values of variables as texts.

use mpit::tool::Datatype;
use mpit_components::values::{MAX_ELEMENTS, ValueKind, ValueRow};

/// Completes a row with a value of so many elements. `names` are those of an enumeration's items.
pub(super) fn value(
    row: ValueRow,
    datatype: Datatype,
    bytes: &[u8],
    names: Option<&[(i32, String)]>,
) -> ValueRow {
    let elements = bytes.chunks_exact(datatype.size());
    match datatype {
        Datatype::Char => {
            let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            let value = String::from_utf8_lossy(&bytes[..end]).into_owned();
            ValueRow { kind: ValueKind::Text, value, ..row }
        }
        Datatype::Double => {
            let all: Vec<f64> = elements.map(|element| f64::from_ne_bytes(word(element))).collect();
            let sum = all.iter().fold(0.0, |sum, element| sum + element);
            numbers(row, all.into_iter().map(decimal), decimal(sum))
        }
        _ => {
            let all: Vec<i128> = elements.map(|element| integer(datatype, element)).collect();
            let Some(names) = names else {
                let sum = all.iter().sum::<i128>().to_string();
                return numbers(row, all.iter().map(i128::to_string), sum);
            };
            let name = |item: &i128| {
                let known = names.iter().find(|(value, _)| i128::from(*value) == *item);
                known.map_or_else(|| item.to_string(), |(_, name)| name.clone())
            };
            let value = all.iter().take(MAX_ELEMENTS).map(name).collect::<Vec<_>>().join(",");
            ValueRow { kind: ValueKind::Text, value, ..row }
        }
    }
}

fn numbers(row: ValueRow, all: impl ExactSizeIterator<Item = String>, sum: String) -> ValueRow {
    let mut first = String::new();
    if all.len() != 1 {
        first = all.take(MAX_ELEMENTS).collect::<Vec<_>>().join(",");
    }
    ValueRow { kind: ValueKind::Number, value: sum, first, ..row }
}

/// Returns a number as a text of a few digits: some have 300 without an exponent.
fn decimal(number: f64) -> String {
    let (all, short) = (number.to_string(), format!("{number:e}"));
    if all.len() <= short.len() + 4 { all } else { short }
}

fn integer(datatype: Datatype, element: &[u8]) -> i128 {
    let is_signed = matches!(datatype, Datatype::Int | Datatype::Int32 | Datatype::Int64 | Datatype::Count);
    match (element.len(), is_signed) {
        (4, true) => i32::from_ne_bytes(word(element)).into(),
        (4, false) => u32::from_ne_bytes(word(element)).into(),
        (_, true) => i64::from_ne_bytes(word(element)).into(),
        (_, false) => u64::from_ne_bytes(word(element)).into(),
    }
}

/// Returns the bytes of an element; 0 for those that it lacks.
fn word<const N: usize>(element: &[u8]) -> [u8; N] {
    let mut word = [0; N];
    for (to, from) in word.iter_mut().zip(element) {
        *to = *from;
    }
    word
}

#[cfg(test)]
mod tests {
    use mpit::tool::Datatype;
    use mpit_components::values::{MAX_ELEMENTS, ValueKind, ValueRow};

    /// Returns the kind, the value and the first elements.
    fn decoded(
        datatype: Datatype,
        bytes: &[u8],
        names: Option<&[(i32, String)]>,
    ) -> (ValueKind, String, String) {
        let ValueRow { kind, value, first, .. } = super::value(row(), datatype, bytes, names);
        (kind, value, first)
    }

    fn row() -> ValueRow {
        super::super::row("a_name".into(), "GENERIC".into(), "")
    }

    fn number(value: &str, first: &str) -> (ValueKind, String, String) {
        (ValueKind::Number, value.into(), first.into())
    }

    #[test]
    fn numbers_are_exact_and_added() {
        assert_eq!(decoded(Datatype::Int, &(-7_i32).to_ne_bytes(), None), number("-7", ""));
        let largest = u64::MAX.to_ne_bytes();
        assert_eq!(decoded(Datatype::UnsignedLongLong, &largest, None), number("18446744073709551615", ""));
        assert_eq!(decoded(Datatype::Count, &largest, None), number("-1", ""));
        let three: Vec<u8> = [1_u32, 2, u32::MAX].into_iter().flat_map(u32::to_ne_bytes).collect();
        assert_eq!(decoded(Datatype::Unsigned, &three, None), number("4294967298", "1,2,4294967295"));
        let halves: Vec<u8> = [0.5_f64, 0.25].into_iter().flat_map(f64::to_ne_bytes).collect();
        assert_eq!(decoded(Datatype::Double, &halves, None), number("0.75", "0.5,0.25"));
        let many = vec![1_u64; 1000].into_iter().flat_map(u64::to_ne_bytes).collect::<Vec<u8>>();
        assert_eq!(
            decoded(Datatype::Uint64, &many, None),
            number("1000", &vec!["1"; MAX_ELEMENTS].join(","))
        );
        assert_eq!(decoded(Datatype::Uint64, &[], None), number("0", ""));
    }

    /// A line with a longer field would be refused, and the file with it.
    #[test]
    fn extreme_numbers_are_short() {
        let numbers = [f64::MAX, -f64::MIN_POSITIVE, f64::INFINITY, f64::NAN];
        for number in numbers {
            let bytes: Vec<u8> = [number; MAX_ELEMENTS].into_iter().flat_map(f64::to_ne_bytes).collect();
            let row = super::value(row(), Datatype::Double, &bytes, None);
            assert!(ValueRow::parse(&row.fields()).is_ok(), "{row:?}");
            assert!(row.first_elements().all(|element| element.to_bits() == number.to_bits()), "{row:?}");
        }
        assert_eq!(decoded(Datatype::Double, &[], None).1, "0");
        assert_eq!(decoded(Datatype::Double, &1e5_f64.to_ne_bytes(), None).1, "100000");
    }

    #[test]
    fn states_and_strings_are_texts() {
        let names = [(3, "open".to_owned()), (4, "shut".to_owned())];
        let two: Vec<u8> = [4_i32, 9].into_iter().flat_map(i32::to_ne_bytes).collect();
        let text = |value: &str| (ValueKind::Text, value.to_owned(), String::new());
        assert_eq!(decoded(Datatype::Int, &two, Some(&names)), text("shut,9"));
        assert_eq!(decoded(Datatype::Char, b"prof/run\0rest", None), text("prof/run"));
        assert_eq!(decoded(Datatype::Char, b"whole", None), text("whole"));
    }
}
