//! Names and texts that tools see.

use syn::Ident;
use syn::ext::IdentExt as _;

use crate::error::Errors;
use crate::parse::At;

/// The largest length of a name.
pub(crate) const MAX_NAME_BYTES: usize = 255;

/// The largest length of a description, which a descriptor stores in 16 bits.
pub(crate) const MAX_DESCRIPTION_BYTES: usize = 65535;

/// Returns the name in the attribute, or the default made from the name of the item.
pub(crate) fn given_or(
    default: fn(&Ident) -> String,
    given: Option<&At<String>>,
    ident: &Ident,
    errors: &mut Errors,
) -> At<String> {
    let name = given.cloned().unwrap_or_else(|| At { value: default(ident), span: ident.span() });
    check("name", &name, errors);
    name
}

/// Returns the identifier of a `static` or `fn` in lower case.
pub(crate) fn lower_case(ident: &Ident) -> String {
    ident.unraw().to_string().to_lowercase()
}

/// Returns an identifier in snake case: `NotYetSent` as `not_yet_sent`, `HTTPError` as `http_error`, `IDLE` as `idle`.
pub(crate) fn snake_case(ident: &Ident) -> String {
    let chars: Vec<char> = ident.unraw().to_string().chars().collect();
    let mut name = String::new();
    for (at, c) in chars.iter().enumerate() {
        if at > 0 && c.is_uppercase() {
            let before = chars[at - 1];
            let ends_word = before.is_lowercase() || before.is_ascii_digit();
            // The `E` of `HTTPError`: the last letter of a sequence of capitals begins the next word.
            let ends_acronym =
                before.is_uppercase() && chars.get(at + 1).is_some_and(|next| next.is_lowercase());
            if ends_word || ends_acronym {
                name.push('_');
            }
        }
        name.extend(c.to_lowercase());
    }
    name
}

/// Reports a name that tools could not use. `what` says in the message what the name is: "name", "alias", "component".
pub(crate) fn check(what: &str, name: &At<String>, errors: &mut Errors) {
    if let Some(fault) = fault_of(&name.value) {
        errors.at(name.span, format!("the {what} {fault}"));
    }
}

pub(crate) fn check_component(component: Option<&At<String>>, errors: &mut Errors) {
    if let Some(component) = component {
        check("component", component, errors);
    }
}

/// Returns the predicate of a message whose subject is the name: "is empty, ..".
fn fault_of(name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("is empty, tools find entries by their names".to_owned());
    }
    if name.contains('\0') {
        return Some("contains a NUL, C tools would take it for the end".to_owned());
    }
    if name.len() > MAX_NAME_BYTES {
        return Some(format!("is {} bytes long, at most {MAX_NAME_BYTES} fit", name.len()));
    }
    // Tools and settings write lists of names, separated by blanks or commas.
    let separator = name.chars().find(|c| c.is_whitespace() || c.is_control() || *c == ',')?;
    let (shown, instead) = (name.escape_debug(), name.replace(separator, "_"));
    Some(format!("`{shown}` contains {separator:?}, write `{}`", instead.escape_debug()))
}

/// Reports a text that is empty, or that C tools would cut off at a NUL. `what` is its key: "`unit`".
pub(crate) fn check_text(what: &str, text: &At<String>, errors: &mut Errors) {
    if text.value.trim().is_empty() {
        errors.at(text.span, format!("{what} is empty, remove it or write a text"));
    } else if text.value.contains('\0') {
        errors.at(text.span, format!("{what} contains a NUL, C tools would take it for the end"));
    }
}

#[cfg(test)]
mod tests {
    use super::{fault_of, snake_case};

    #[test]
    fn good_names_have_no_fault() {
        for name in ["pml_monitoring_messages_count", "net.a/b:c-0", "größe"] {
            assert_eq!(fault_of(name), None, "{name}");
        }
    }

    #[test]
    fn bad_names_have_one() {
        assert_eq!(fault_of("").as_deref(), Some("is empty, tools find entries by their names"));
        assert_eq!(fault_of("a b").as_deref(), Some("`a b` contains ' ', write `a_b`"));
        assert_eq!(fault_of("a,b").as_deref(), Some("`a,b` contains ',', write `a_b`"));
        assert_eq!(fault_of("a\tb").as_deref(), Some("`a\\tb` contains '\\t', write `a_b`"));
        assert_eq!(fault_of("a\0").as_deref(), Some("contains a NUL, C tools would take it for the end"));
        assert_eq!(fault_of(&"x".repeat(256)).as_deref(), Some("is 256 bytes long, at most 255 fit"));
        assert_eq!(fault_of(&"x".repeat(255)), None);
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
            assert_eq!(snake_case(&quote::format_ident!("{ident}")), name);
        }
    }
}
