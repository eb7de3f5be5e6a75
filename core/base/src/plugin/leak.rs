//! Values that are never freed: the registry never drops descriptors.

/// Leaks a value.
pub(super) fn leak<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// Leaks a list.
pub(super) fn leak_list<T>(values: Vec<T>) -> &'static [T] {
    values.leak()
}

/// Leaks a copy of a text.
pub(super) fn leak_copy(text: &str) -> &'static str {
    String::from(text).leak()
}
