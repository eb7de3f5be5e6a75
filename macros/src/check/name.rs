//! Names in the tools interface.

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::Path;
use syn::ext::IdentExt as _;

use crate::error::Errors;
use crate::parse::At;

/// The largest length of a name, in bytes.
pub(crate) const LONGEST: usize = 255;

/// The largest length of a description, in bytes, which a descriptor can store.
pub(crate) const LONGEST_DESCRIPTION: usize = 65535;

/// Returns the given name, or the identifier in lower case.
pub(crate) fn or_ident(given: Option<At<String>>, ident: &syn::Ident, errors: &mut Errors) -> At<String> {
    let name =
        given.unwrap_or_else(|| At { value: ident.unraw().to_string().to_lowercase(), span: ident.span() });
    check("name", &name, errors);
    name
}

/// Returns the given name, or the identifier in snake case.
pub(crate) fn or_snake(given: Option<At<String>>, ident: &syn::Ident, errors: &mut Errors) -> At<String> {
    let name = given.unwrap_or_else(|| At { value: snake(ident), span: ident.span() });
    check("name", &name, errors);
    name
}

/// Returns an identifier in snake case: `NotYetSent` as `not_yet_sent`, `HTTPError` as `http_error`, `IDLE` as `idle`.
pub(crate) fn snake(ident: &syn::Ident) -> String {
    let chars: Vec<char> = ident.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (at, c) in chars.iter().enumerate() {
        let after_lower = at > 0 && (chars[at - 1].is_lowercase() || chars[at - 1].is_ascii_digit());
        let before_lower = at > 0
            && chars[at - 1].is_uppercase()
            && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) {
            name.push('_');
        }
        name.extend(c.to_lowercase());
    }
    name
}

/// Reports the faults of a name; `what` is the kind of entry.
pub(crate) fn check(what: &str, name: &At<String>, errors: &mut Errors) {
    if let Some(fault) = fault(&name.value) {
        errors.at(name.span, format!("the {what} {fault}"));
    }
}

fn fault(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty, tools find entries by their names".to_owned());
    }
    if name.contains('\0') {
        return Some("contains a NUL, C tools would take it for the end".to_owned());
    }
    if name.len() > LONGEST {
        return Some(format!("is {} bytes long, at most {LONGEST} fit", name.len()));
    }
    let strange = name.chars().find(|c| c.is_whitespace() || c.is_control() || *c == ',')?;
    let instead: String = name.chars().map(|c| if c == strange { '_' } else { c }).collect();
    Some(format!("`{}` contains {strange:?}, write `{}`", name.escape_debug(), instead.escape_debug()))
}

/// Reports text that is empty, or contains a NUL at which C would cut it off.
pub(crate) fn check_text(what: &str, text: &str, span: Span, errors: &mut Errors) {
    if text.trim().is_empty() {
        errors.at(span, format!("{what} is empty, remove it or write a text"));
    } else if text.contains('\0') {
        errors.at(span, format!("{what} contains a NUL, C tools would take it for the end"));
    }
}

pub(crate) fn check_component(component: Option<&At<String>>, errors: &mut Errors) {
    if let Some(component) = component {
        check("component", component, errors);
    }
}

/// Reports a path that occurs twice in one list.
pub(crate) fn check_once(key: &str, paths: &[Path], errors: &mut Errors) {
    for (at, path) in paths.iter().enumerate() {
        if contains(&paths[..at], path) {
            errors.on(path, format!("`{}` is named twice in `{key}`", path_text(path)));
        }
    }
}

/// Returns true if one of the paths is written like this one.
pub(crate) fn contains(paths: &[Path], path: &Path) -> bool {
    paths.iter().any(|other| path_text(other) == path_text(path))
}

fn path_text(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::{fault, snake};

    #[test]
    fn good_names_have_no_fault() {
        for name in ["pml_monitoring_messages_count", "net.a/b:c-0", "größe"] {
            assert_eq!(fault(name), None, "{name}");
        }
    }

    #[test]
    fn bad_names_have_one() {
        assert_eq!(fault("").as_deref(), Some("is empty, tools find entries by their names"));
        assert_eq!(fault("a b").as_deref(), Some("`a b` contains ' ', write `a_b`"));
        assert_eq!(fault("a,b").as_deref(), Some("`a,b` contains ',', write `a_b`"));
        assert_eq!(fault("a\tb").as_deref(), Some("`a\\tb` contains '\\t', write `a_b`"));
        assert_eq!(fault("a\0").as_deref(), Some("contains a NUL, C tools would take it for the end"));
        assert_eq!(fault(&"x".repeat(256)).as_deref(), Some("is 256 bytes long, at most 255 fit"));
        assert_eq!(fault(&"x".repeat(255)), None);
    }

    #[test]
    fn names_are_in_snake_case() {
        for (ident, name) in [
            ("Idle", "idle"),
            ("NotYetSent", "not_yet_sent"),
            ("HTTPError", "http_error"),
            ("IDLE", "idle"),
            ("Level2Cache", "level2_cache"),
            ("A", "a"),
            ("already_snake", "already_snake"),
        ] {
            assert_eq!(snake(&quote::format_ident!("{ident}")), name);
        }
    }
}
