//! The similarity of words, for suggestions of what a misspelled one means.

/// Returns the number of letters to add, to leave out, to change, or to swap with the next one, that make one word of the other. Swapped
/// letters are not changed again (optimal string alignment).
#[doc(hidden)]
#[must_use]
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut above_upper: Vec<usize> = Vec::new();
    let mut upper: Vec<usize> = (0..=other.len()).collect();
    let mut previous = None;
    for (at, letter) in one.chars().enumerate() {
        let mut row = vec![at + 1];
        for (column, &counterpart) in other.iter().enumerate() {
            let changed = upper[column] + usize::from(letter != counterpart);
            let mut least = changed.min(upper[column + 1] + 1).min(row[column] + 1);
            if column > 0
                && previous == Some(counterpart)
                && other[column - 1] == letter
                && letter != counterpart
            {
                least = least.min(above_upper[column - 1] + 1);
            }
            row.push(least);
        }
        above_upper = std::mem::replace(&mut upper, row);
        previous = Some(letter);
    }
    upper[other.len()]
}

/// Returns the similarity of Jaro and Winkler, from 0 to 1: the share of letters that both words have at similar places, and more for
/// words that begin alike.
#[doc(hidden)]
#[must_use]
pub fn similarity(one: &str, other: &str) -> f64 {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let jaro = jaro(&one, &other);
    let prefix = one.iter().zip(&other).take(4).take_while(|(one, other)| one == other).count();
    // Only words that are similar anyway gain by a common beginning.
    if jaro > 0.7 { jaro + 0.1 * prefix as f64 * (1.0 - jaro) } else { jaro }
}

fn jaro(one: &[char], other: &[char]) -> f64 {
    if one.is_empty() || other.is_empty() {
        return f64::from(u8::from(one.is_empty() && other.is_empty()));
    }
    let reach = (one.len().max(other.len()) / 2).saturating_sub(1);
    let mut taken = vec![false; other.len()];
    let mut common = Vec::new();
    for (at, letter) in one.iter().enumerate() {
        let last = other.len().min(at + reach + 1);
        let found = (at.saturating_sub(reach)..last).find(|&place| !taken[place] && other[place] == *letter);
        if let Some(place) = found {
            taken[place] = true;
            common.push(letter);
        }
    }
    if common.is_empty() {
        return 0.0;
    }
    let counterparts = other.iter().zip(&taken).filter(|(_, taken)| **taken).map(|(letter, _)| letter);
    let displaced = common.iter().zip(counterparts).filter(|(one, other)| **one != *other).count();
    let common = common.len() as f64;
    let in_order = common - (displaced / 2) as f64;
    (common / one.len() as f64 + common / other.len() as f64 + in_order / common) / 3.0
}

#[cfg(test)]
mod tests {
    use super::{distance, similarity};

    #[test]
    fn distances_count_changes() {
        for (one, other, expected) in [
            ("", "", 0),
            ("counter", "counter", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("coutner", "counter", 1),
            ("kitten", "sitting", 3),
            ("größe", "grösse", 2),
            // The swapped letters are not changed again.
            ("ca", "abc", 3),
        ] {
            assert_eq!(distance(one, other), expected, "{one}, {other}");
            assert_eq!(distance(other, one), expected, "{other}, {one}");
        }
    }

    #[test]
    fn similarities_are_those_of_the_literature() {
        for (one, other, expected) in [
            ("", "", 1.0),
            ("a", "", 0.0),
            ("same", "same", 1.0),
            ("abc", "xyz", 0.0),
            ("martha", "marhta", 0.961),
            ("dixon", "dicksonx", 0.813),
            ("dwayne", "duane", 0.84),
        ] {
            let found = similarity(one, other);
            assert!((found - expected).abs() < 0.001, "{one}, {other}: {found}");
        }
    }
}
