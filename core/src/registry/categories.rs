//! Categories: what is in them, and how they contain each other.

use crate::lock::Mutex;

/// What a category holds. Indices are appended and never removed or moved.
#[derive(Clone, Debug, Default)]
pub struct Members {
    /// Control variables.
    pub cvars: Vec<u32>,
    /// Performance variables.
    pub pvars: Vec<u32>,
    /// Event types.
    pub events: Vec<u32>,
    /// Categories.
    pub categories: Vec<u32>,
}

/// One category of the registry.
#[derive(Debug)]
pub struct Category {
    name: &'static str,
    description: &'static str,
    members: Mutex<Members>,
}

impl Category {
    pub(super) fn new(name: &'static str, description: &'static str) -> Self {
        Self { name, description, members: Mutex::default() }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What it groups; empty when nobody said.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Looks at what it holds now.
    pub fn with_members<R>(&self, look: impl FnOnce(&Members) -> R) -> R {
        look(&self.members.lock())
    }

    /// Puts in a category, unless it is there; whether it was new.
    pub(super) fn put_category(&self, index: u32) -> bool {
        let mut members = self.members.lock();
        let new = !members.categories.contains(&index);
        if new {
            members.categories.push(index);
        }
        new
    }

    /// Puts in what has just got its index in one of the lists, unless it was put in already; whether it was not. So a
    /// list is only looked at where it ends, and thousands of variables of one category cost no more each than the first.
    pub(super) fn put_newest(&self, list: impl FnOnce(&mut Members) -> &mut Vec<u32>, index: u32) -> bool {
        let mut members = self.members.lock();
        let list = list(&mut members);
        let new = list.last() != Some(&index);
        if new {
            list.push(index);
        }
        new
    }
}

/// The number that grows when a category does. It stays at the largest `int` rather than wrap.
#[must_use]
pub(super) fn next_update(number: i32) -> i32 {
    number.saturating_add(1)
}

#[cfg(test)]
mod tests {
    #[test]
    fn r212_update_number_saturates() {
        assert_eq!(super::next_update(0), 1);
        assert_eq!(super::next_update(i32::MAX - 1), i32::MAX);
        assert_eq!(super::next_update(i32::MAX), i32::MAX);
    }
}
