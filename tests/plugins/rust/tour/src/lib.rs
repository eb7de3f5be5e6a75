//! The definitions of `every` as tools see them, as text: equal for a plug-in and a program that has them.

mod events;
mod lists;
mod values;

/// Prints everything.
///
/// # Panics
///
/// When something that should be there is not.
pub fn show() {
    lists::show();
    values::show();
    events::show();
}

/// Returns true if a name is of a definition to show.
fn is_ours(name: &str) -> bool {
    name.contains("every") || name.starts_with("short_")
}
