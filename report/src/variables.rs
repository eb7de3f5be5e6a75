//! The values of variables, and the counts of events, of all processes.

use std::collections::BTreeMap;

use mpit_format::profile::Profile;
use mpit_format::values::{ValueKind, ValueRow, matches};

/// The maximum number of different texts and reasons of a variable that are kept: those of many ranks may all differ.
const MAX_TEXTS: usize = 1000;

/// A variable or an event type of a job: name, class and object.
pub(crate) type Key = (String, String, String);

/// The values of one variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    /// The number of ranks with a number, and the sum of their numbers.
    pub(crate) numbers: u32,
    pub(crate) sum: f64,
    /// The number of a rank, and the rank.
    pub(crate) least: Option<(f64, u32)>,
    pub(crate) most: Option<(f64, u32)>,
    /// The maximum number of elements of a rank.
    pub(crate) elements: u64,
    /// The sums of ranks, by element.
    pub(crate) by_element: Vec<f64>,
    /// The number of ranks by text, and by the reason for no value.
    pub(crate) texts: BTreeMap<String, u32>,
    pub(crate) errors: BTreeMap<String, u32>,
    /// The number of ranks with further texts.
    pub(crate) other_texts: u32,
}

/// The variables and event types that `mpit run --read` requested, with their values in the processes of a job.
#[derive(Clone, Debug, Default)]
pub struct Variables(BTreeMap<Key, Values>);

impl Variables {
    /// Adds the values of a process.
    pub fn add_profile(&mut self, profile: &Profile) {
        for row in &profile.values {
            self.add(profile.me, row.clone());
        }
    }

    pub(crate) fn add(&mut self, rank: u32, row: ValueRow) {
        let number = row.number();
        let elements = row.first_elements().collect();
        let ValueRow { name, class, object, kind, value, .. } = row;
        let one = || BTreeMap::from([(value, 1)]);
        let mut values = Values { elements: row.elements, by_element: elements, ..Values::default() };
        match (kind, number) {
            (ValueKind::Text, _) => values.texts = one(),
            (ValueKind::Number, Some(number)) => {
                (values.numbers, values.sum) = (1, number);
                (values.least, values.most) = (Some((number, rank)), Some((number, rank)));
            }
            _ => values.errors = one(),
        }
        self.0.entry((name, class, object)).or_default().merge(values);
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        for (key, values) in other.0 {
            self.0.entry(key).or_default().merge(values);
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Key, &Values)> {
        self.0.iter()
    }

    /// Returns true if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if a name matches a pattern.
    #[must_use]
    pub fn has(&self, pattern: &str) -> bool {
        self.0.keys().any(|(name, ..)| matches(pattern, name))
    }
}

impl Values {
    fn merge(&mut self, other: Self) {
        self.numbers += other.numbers;
        self.sum += other.sum;
        let of_two = |one: Option<(f64, u32)>, two: Option<(f64, u32)>, is_most: bool| match (one, two) {
            (Some(one), Some(two)) => {
                let by_value = if is_most { two.0.total_cmp(&one.0) } else { one.0.total_cmp(&two.0) };
                // Of equal numbers, that of the first rank.
                Some(if by_value.then(one.1.cmp(&two.1)).is_le() { one } else { two })
            }
            (one, two) => one.or(two),
        };
        self.least = of_two(self.least, other.least, false);
        self.most = of_two(self.most, other.most, true);
        self.elements = self.elements.max(other.elements);
        if self.by_element.len() < other.by_element.len() {
            self.by_element.resize(other.by_element.len(), 0.0);
        }
        for (sum, element) in self.by_element.iter_mut().zip(other.by_element) {
            *sum += element;
        }
        self.other_texts += other.other_texts + count(&mut self.texts, other.texts);
        let _ = count(&mut self.errors, other.errors);
    }
}

/// Adds numbers of ranks by text. Returns the number of those whose text is beyond [`MAX_TEXTS`].
fn count(all: &mut BTreeMap<String, u32>, more: BTreeMap<String, u32>) -> u32 {
    let mut others = 0;
    for (text, ranks) in more {
        if all.len() < MAX_TEXTS || all.contains_key(&text) {
            *all.entry(text).or_default() += ranks;
        } else {
            others += ranks;
        }
    }
    others
}
