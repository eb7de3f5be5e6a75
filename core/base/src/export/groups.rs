//! Export of categories.

use std::ptr::null;

use super::text::{ExportResult, list, optional, text};
use crate::abi;
use crate::desc::CategoryDesc;

/// Returns the C structs of a category: one, and one more for each parent after the first.
pub(super) fn entries(desc: &CategoryDesc) -> ExportResult<Vec<abi::Category>> {
    let mut parents = desc.parents().iter().map(|parent| text(parent.name()));
    let first = abi::Category {
        size: size_of::<abi::Category>(),
        name: text(desc.name())?,
        description: optional(desc.description())?,
        parent: parents.next().transpose()?.unwrap_or(null()),
        contains: list(desc.contains().iter().map(|inner| inner.name()))?,
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
    };
    let rest = parents.map(|parent| Ok(abi::Category { parent: parent?, contains: null(), ..first }));
    std::iter::once(Ok(first)).chain(rest).collect()
}
