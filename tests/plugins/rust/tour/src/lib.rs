//! What tools see of the definitions of `every`, as text: who has them makes no difference.

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

/// Whether a name is one of the definitions that are looked at.
fn is_ours(name: &str) -> bool {
    name.contains("every") || name.starts_with("short_")
}
