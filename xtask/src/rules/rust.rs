//! Finds tests in Rust sources.
//!
//! Sources are read as tokens, so comments and strings do not count, and tests in the body of a macro, such as
//! `proptest!`, do.

use std::collections::HashSet;

use mpit_tests::{Context, Outcome};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// What a source file has to say.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The functions that `cargo test` runs.
    pub(crate) tests: Vec<String>,
    /// The string literals.
    pub(crate) strings: HashSet<String>,
    /// The modules that are in files of their own.
    pub(crate) modules: Vec<String>,
}

/// Reads a source file.
pub(crate) fn read(text: &str) -> Outcome<Source> {
    let mut source = Source::default();
    source.walk(text.parse().context("not Rust")?);
    Ok(source)
}

/// The attributes before a function, as far as they matter.
#[derive(Default)]
struct Attributes {
    test: bool,
    ignored: bool,
}

impl Attributes {
    fn add(&mut self, attribute: &Group) {
        let words: Vec<String> = attribute.stream().into_iter().map(|token| token.to_string()).collect();
        match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            // Also that of a library: `#[some::test]`.
            ["test"] | [.., ":", ":", "test"] => self.test = true,
            ["ignore", ..] => self.ignored = true,
            _ => {}
        }
    }
}

impl Source {
    fn walk(&mut self, tokens: TokenStream) {
        let mut attributes = Attributes::default();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match (token, tokens.peek()) {
                (TokenTree::Punct(punct), Some(TokenTree::Group(group)))
                    if punct.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
                {
                    attributes.add(group);
                    tokens.next();
                }
                (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "fn" => {
                    if attributes.test && !attributes.ignored {
                        self.tests.push(name.to_string());
                    }
                    attributes = Attributes::default();
                }
                (TokenTree::Ident(word), Some(TokenTree::Ident(name))) if word == "mod" => {
                    let name = name.to_string();
                    tokens.next();
                    if matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == ';') {
                        self.modules.push(name);
                    }
                }
                // Attributes are those of the next item, and here one ends.
                (TokenTree::Punct(punct), _) if punct.as_char() == ';' => attributes = Attributes::default(),
                (TokenTree::Group(group), _) => {
                    if group.delimiter() == Delimiter::Brace {
                        attributes = Attributes::default();
                    }
                    self.walk(group.stream());
                }
                (TokenTree::Literal(literal), _) => {
                    let literal = literal.to_string();
                    if let Some(string) = literal.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
                        self.strings.insert(string.to_owned());
                    }
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tests_of(text: &str) -> Vec<String> {
        read(text).expect("Rust").tests
    }

    #[test]
    fn functions_under_the_attribute_are_tests() {
        let text = r"
            #[test] fn r1_a() {}
            #[cfg(test)] mod tests {
                #[test]
                #[should_panic(expected = 'x')]
                pub(crate) async fn r2_b() -> Outcome { #[test] fn r3_inside() {} }
            }
            #[tokio::test] unsafe fn r4_c() {}
            proptest! { #[test] fn r5_d(x in 0..9) {} }
        ";
        assert_eq!(tests_of(text), ["r1_a", "r2_b", "r3_inside", "r4_c", "r5_d"]);
    }

    #[test]
    fn nothing_else_is_a_test() {
        let text = r##"
            fn r1_helper() {}
            // #[test] fn r2_comment() {}
            /* #[test] fn r3_comment() {} /* */ */
            /// #[test] fn r4_documentation() {}
            fn r4_documented() { let text = "#[test] fn r5_string() {}"; let raw = r#"#[test] fn r6_raw() {}"#; }
            #[test] #[ignore = "slow"] fn r7_ignored() {}
            #[cfg(test)] fn r8_only_for_tests() {}
            #[test] const X: u8 = 1; fn r9_after_another_item() {}
            #[test] struct Y {} fn r10_after_another_item() {}
        "##;
        assert_eq!(tests_of(text), [""; 0]);
    }

    #[test]
    fn strings_and_modules_are_collected() {
        let text = r#"mod a; pub mod b { fn f() { compile("ring"); } } // mod c; "comment""#;
        let source = read(text).expect("Rust");
        assert_eq!(source.strings, HashSet::from(["ring".to_owned()]));
        assert_eq!(source.modules, ["a"]);
    }

    #[test]
    fn what_is_not_rust_is_an_error() {
        assert!(read("fn a( {").is_err());
    }
}
