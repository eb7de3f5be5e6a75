//! Categories: their members, and how they contain each other.

use crate::lock::Mutex;

/// The members of a category. Indices are appended and never removed or moved.
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

/// A category: a named group of variables, events and other categories.
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

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the description; empty if there is none.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Returns the indices of its performance variables.
    pub fn pvars(&self) -> Vec<u32> {
        self.members.lock().pvars.clone()
    }

    /// Returns the indices of its control variables.
    pub fn cvars(&self) -> Vec<u32> {
        self.members.lock().cvars.clone()
    }

    /// Returns the indices of its event types.
    pub fn events(&self) -> Vec<u32> {
        self.members.lock().events.clone()
    }

    /// Returns the indices of the categories in it.
    pub fn categories(&self) -> Vec<u32> {
        self.members.lock().categories.clone()
    }

    /// Passes the present members to a function, which must not use the category.
    #[doc(hidden)]
    pub fn with_members<R>(&self, look: impl FnOnce(&Members) -> R) -> R {
        look(&self.members.lock())
    }

    /// Adds a category, unless it is a member. Returns true if it was added.
    pub(super) fn put_category(&self, index: u32) -> bool {
        let mut members = self.members.lock();
        let new = !members.categories.contains(&index);
        if new {
            members.categories.push(index);
        }
        new
    }

    /// Appends entries, which are no members yet, to one of the lists.
    pub(super) fn put_entries(&self, list: impl FnOnce(&mut Members) -> &mut Vec<u32>, entries: &[u32]) {
        list(&mut self.members.lock()).extend_from_slice(entries);
    }
}

/// Increments the number that changes with the content of categories. It saturates at the largest `int`.
pub(super) fn next_update(number: i32) -> i32 {
    number.saturating_add(1)
}

#[cfg(test)]
mod tests {
    /// Proves R212.
    #[test]
    fn update_number_saturates() {
        assert_eq!(super::next_update(0), 1);
        assert_eq!(super::next_update(i32::MAX - 1), i32::MAX);
        assert_eq!(super::next_update(i32::MAX), i32::MAX);
    }
}
