//! The names of the definitions of this crate, so that a second definition of a name is a mistake at compile time.
//!
//! The compiler expands all macros of a crate in one process, so a table of that process has all names of the crate. Registration refuses
//! equal names of different crates, and those that are not seen here: names of items with a `#[cfg(..)]` below the attribute, which may
//! exclude each other.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Span, TokenStream};

use crate::check::GeneratedAttributes;
use crate::parse::At;

/// The places of the names, by kind of definition and name.
static PLACES: Mutex<BTreeMap<(String, String), String>> = Mutex::new(BTreeMap::new());

/// Returns a compile error if a definition of this kind, such as "cvar", has the name already.
pub(crate) fn claim(what: &str, name: &At<String>, attributes: &GeneratedAttributes) -> TokenStream {
    if attributes.has_cfg() {
        return TokenStream::new();
    }
    claim_key((what.to_owned(), name.value.clone()), name.span, |first| {
        format!("`{}` is also the name of the {what} at {first}: rename one of the two", name.value)
    })
}

/// Returns a compile error at a second plug-in of the crate.
pub(crate) fn claim_plugin(span: Span) -> TokenStream {
    claim_key(("plug-in".to_owned(), String::new()), span, |first| {
        format!("a crate is one plug-in, and this is the second one: keep this one or that at {first}")
    })
}

/// Inserts a name. Returns a compile error with a message about the place that it has already.
fn claim_key(key: (String, String), span: Span, message: impl FnOnce(String) -> String) -> TokenStream {
    match place(span).and_then(|place| insert(key, place)) {
        Some(first) => syn::Error::new(span, message(first)).to_compile_error(),
        None => TokenStream::new(),
    }
}

/// Inserts a name, or returns the place that it has already.
fn insert(key: (String, String), place: String) -> Option<String> {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = places.get(&key) {
        return Some(first.clone());
    }
    places.insert(key, place);
    None
}

/// Returns the file and line of a span. There is none in an editor, which expands an item again after each change and would see names twice.
fn place(span: Span) -> Option<String> {
    if !proc_macro::is_available() {
        return None;
    }
    let span = span.unwrap();
    Some(format!("{}:{}", span.local_file()?.display(), span.line()))
}
