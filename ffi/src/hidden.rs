//! Entries that tools are not shown.

use mpit::cvar::{Cvar, Text};
use mpit::desc::CategoryDesc;

/// Entries that are left out of all lists, for tools that fall over them: names of variables, events, sources and categories,
/// separated by commas, `*` at the end for any ending. With a category of mpit's go the variables and events in it. Looked at when an
/// entry is about to be listed, so set it before the program starts.
#[mpit::cvar(name = "hidden_entries", scope = "LOCAL", verbosity = "USER_DETAIL", component = "mpit")]
pub static HIDDEN: Cvar<Text<4096>> = Cvar::new(Text::new(""));

/// Returns true if a list of patterns has one for the name.
pub(crate) fn matches(list: &str, name: &str) -> bool {
    list.split(',').map(str::trim).filter(|pattern| !pattern.is_empty()).any(|pattern| {
        match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        }
    })
}

/// Returns true if an entry of this name, in these categories, is not shown.
#[must_use]
pub fn holds(name: &str, categories: &[&CategoryDesc]) -> bool {
    let list = HIDDEN.get();
    let list = list.as_str();
    !list.is_empty()
        && (matches(list, name) || categories.iter().any(|category| matches(list, category.name())))
}
