//! The index of variables by the address of their cells, for tools that name a variable by its static.

use std::collections::HashMap;

use crate::lock::Mutex;

/// The variables of one index space, by the address of their cells. Several variables may share a cell: a level and its watermarks.
///
/// Filled on request, so a program whose tools use names has no memory for it.
#[derive(Debug, Default)]
pub(super) struct CellIndex {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The number of variables that `by_address` has. Index spaces only grow.
    indexed: u32,
    by_address: HashMap<usize, Vec<u32>>,
}

impl CellIndex {
    /// Returns the indices, in ascending order, of the variables whose cells are at an address. First adds the variables up to `count` that it
    /// does not have yet, whose addresses `address_of` returns.
    pub(super) fn find(
        &self,
        address: usize,
        count: u32,
        address_of: impl Fn(u32) -> Option<usize>,
    ) -> Vec<u32> {
        let mut state = self.state.lock();
        for index in state.indexed..count {
            if let Some(address) = address_of(index) {
                state.by_address.entry(address).or_default().push(index);
            }
        }
        state.indexed = state.indexed.max(count);
        state.by_address.get(&address).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::CellIndex;

    #[test]
    fn later_variables_are_found() {
        let index = CellIndex::default();
        // Variable 0 and 1 share a cell; 4 is added to it later.
        let address_of = |index: u32| Some([8, 8, 16, 24, 8][index as usize]);
        assert_eq!(index.find(8, 2, address_of), [0, 1]);
        assert_eq!(index.find(16, 2, address_of), []);
        assert_eq!(index.find(8, 5, address_of), [0, 1, 4]);
        assert_eq!(index.find(16, 5, address_of), [2]);
    }

    #[test]
    fn a_variable_is_looked_at_once() {
        let index = CellIndex::default();
        let looked_at = std::cell::Cell::new(0);
        let address_of = |index: u32| {
            looked_at.set(looked_at.get() + 1);
            Some(index as usize)
        };
        for _ in 0..10 {
            assert_eq!(index.find(7, 100, address_of), [7]);
        }
        assert_eq!(looked_at.get(), 100);
    }
}
