//! The variables and event types that `mpit run --read` requested.

use std::borrow::Cow;

use crate::columns::{self, rows};
use crate::job::Job;
use crate::variables::{Key, Values, Variables};

/// The number of sums that lines and views show of an array.
const SHOWN: usize = 8;

rows! {
    /// A performance variable that was read at the end of MPI, or an event type whose instances were counted until then. The number of a rank
    /// is the value or, of an array, the sum of its elements.
    #[serde(deny_unknown_fields)]
    pub struct Variable {
        pub(crate) fn of(key: &Key, values: &Values) {
            let (name, class, object) = key;
            let (least, most) = (values.least.unzip(), values.most.unzip());
            let sum = if values.numbers > 0 { Some(values.sum) } else { None };
            let text = most_frequent(&values.texts);
            let error = most_frequent(&values.errors);
            let by_element = |limit: usize| values.by_element.iter().take(limit).map(f64::to_string).collect::<Vec<_>>().join(",");
            let has_elements = !values.by_element.is_empty();
        }
        /// The name.
        pub name: String = name.clone() => (Name "variable"),
        /// The class, such as `COUNTER`; `EVENT` for an event type.
        pub class: String = class.clone() => (Name "class"),
        /// The object that the values are of: `MPI_COMM_WORLD`; null if the variable is bound to none.
        pub object: Option<String> = if object.is_empty() { None } else { Some(object.clone()) } => (Name "of"),
        /// The number of ranks with a value.
        pub ranks: u32 = values.numbers + values.texts.values().sum::<u32>() + values.other_texts => (Plain "ranks"),
        /// The smallest number of a rank; null if the variable has none, as all columns about numbers.
        pub min: Option<f64> = least.0 => (Number "min"),
        /// The rank that has it.
        pub min_rank: Option<u32> = least.1,
        /// The mean of the ranks with a number.
        pub mean: Option<f64> = sum.map(|sum| sum / f64::from(values.numbers)) => (Number "mean"),
        /// The largest number of a rank.
        pub max: Option<f64> = most.0 => (Number "max"),
        /// The rank that has it.
        pub max_rank: Option<u32> = most.1 => (Plain "rank"),
        /// The sum of all ranks.
        pub sum: Option<f64> = sum => (Number "sum"),
        /// The number of elements of the variable, the most of a rank.
        pub elements: u64 = values.elements,
        /// The sums of all ranks for the first 64 elements of an array, separated by commas; null if the variable has one element.
        pub element_sums: Option<String> = if has_elements { Some(by_element(usize::MAX)) } else { None },
        /// The most frequent text; null if the variable is a number.
        pub value: Option<String> = text.map(|(text, _)| text.clone()),
        /// The number of ranks that have it.
        pub value_ranks: Option<u32> = text.map(|(_, ranks)| ranks),
        /// The most frequent reason why ranks have no value; null if all have one.
        pub error: Option<String> = error.map(|(error, _)| error.clone()),
        /// The value that is no number.
        #[serde(skip)]
        pub shown: Option<String> = match (text, error) {
            (Some((text, ranks)), _) => Some(format!("{} ({})", beginning(text), ranks_of(ranks))),
            (None, Some((error, _))) => Some(format!("not read: {}", beginning(error))),
            (None, None) if has_elements => Some(format!("by element: {}", by_element(SHOWN))),
            (None, None) => None,
        } => (shown Name ""),
    }
}

fn most_frequent(texts: &std::collections::BTreeMap<String, u32>) -> Option<(&String, u32)> {
    let (text, ranks) = texts.iter().rev().max_by_key(|(_, ranks)| **ranks)?;
    Some((text, *ranks))
}

/// Returns what lines and views show of a text: values may have thousands of characters.
fn beginning(text: &str) -> Cow<'_, str> {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

fn ranks_of(number: u32) -> String {
    if number == 1 { "1 rank".into() } else { format!("{number} ranks") }
}

impl Variable {
    /// Returns the variables of a job, by name.
    pub(crate) fn all(job: &Job) -> impl Iterator<Item = Self> {
        job.variables().iter().map(|(key, values)| Self::of(key, values))
    }
}

impl Variables {
    /// Returns lines with the values, for the end of a run.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let rows = self.iter().map(|(key, values)| Variable::of(key, values));
        columns::lines(rows, &["name", "class", "ranks", "min", "mean", "max", "max_rank", "shown"])
    }
}

#[cfg(test)]
mod tests {
    use mpit_format::values::{ValueKind, ValueRow};

    use super::{Variable, Variables};

    fn row(name: &str, kind: ValueKind, value: &str, first: &str) -> ValueRow {
        let elements = first.split(',').count() as u64;
        let (class, object) = ("GENERIC".into(), String::new());
        ValueRow {
            name: name.into(),
            class,
            object,
            kind,
            elements,
            value: value.into(),
            first: first.into(),
        }
    }

    #[test]
    fn values_of_ranks_add_up() {
        let mut parts = [Variables::default(), Variables::default()];
        for rank in [2, 0, 1] {
            let part = &mut parts[usize::from(rank == 0)];
            part.add(rank, row("steps", ValueKind::Number, ["4", "2", "2"][rank as usize], ""));
            part.add(rank, row("sizes", ValueKind::Number, "5", ["5", "1,4", "0,2,3"][rank as usize]));
            part.add(rank, row("state", ValueKind::Text, ["shut", "open", "open"][rank as usize], ""));
            part.add(rank, row("broken", ValueKind::Error, "no entry has this index (error 3)", ""));
        }
        let [mut all, other] = parts;
        all.absorb(other);
        let rows: Vec<Variable> = all.iter().map(|(key, values)| Variable::of(key, values)).collect();
        let [broken, sizes, state, steps] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!(
            (steps.ranks, steps.min, steps.min_rank, steps.max, steps.max_rank),
            (3, Some(2.0), Some(1), Some(4.0), Some(0))
        );
        assert_eq!((steps.sum, steps.mean, steps.elements), (Some(8.0), Some(8.0 / 3.0), 1));
        assert_eq!((sizes.elements, sizes.element_sums.as_deref()), (3, Some("6,6,3")));
        assert_eq!((state.value.as_deref(), state.value_ranks, state.mean), (Some("open"), Some(2), None));
        assert_eq!((broken.error.as_deref(), broken.ranks), (Some("no entry has this index (error 3)"), 0));
        assert!(all.has("s*") && !all.has("x*"));
        let lines = all.lines();
        assert_eq!(lines.len(), 5);
        assert!(lines[1].ends_with("not read: no entry has this index (error 3)"), "{lines:?}");
        assert!(lines[2].ends_with("by element: 6,6,3") && lines[3].ends_with("open (2 ranks)"), "{lines:?}");
        assert!(Variables::default().lines().is_empty());
    }
}
