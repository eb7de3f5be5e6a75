//! Doc comments, which become descriptions in the tools interface.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// A description: text, or text with pieces that only the compiler can evaluate, as in `#[doc = concat!(..)]`.
#[derive(Default)]
pub(crate) struct Description {
    pieces: Vec<Piece>,
}

#[derive(Clone)]
enum Piece {
    Text(String),
    Macro(Expr),
}

/// The separator of paragraphs.
const PARAGRAPH: &str = "\n";

impl Description {
    /// Reads the doc comment among these attributes.
    ///
    /// Lines are joined by a space, blank lines end a paragraph, and the space after `///` is removed.
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut description = Self::default();
        let mut between = "";
        for attribute in attributes {
            let Meta::NameValue(meta) = &attribute.meta else { continue };
            if !meta.path.is_ident("doc") {
                continue;
            }
            match crate::parse::ungrouped(&meta.value) {
                Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => {
                    let text = text.value();
                    let block = text.contains('\n');
                    for line in text.split('\n') {
                        description.line(bare(line, block), &mut between);
                    }
                }
                other => {
                    description.text(between);
                    description.pieces.push(Piece::Macro(other.clone()));
                    between = " ";
                }
            }
        }
        description
    }

    /// Adds a line. `between` is its separator from the previous one.
    fn line(&mut self, line: &str, between: &mut &'static str) {
        if !line.is_empty() {
            self.text(between);
            self.text(line);
            *between = " ";
        } else if !self.pieces.is_empty() {
            *between = PARAGRAPH;
        }
    }

    fn text(&mut self, text: &str) {
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.pieces.push(Piece::Text(text.to_owned())),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns true if the text contains a NUL, at which C would cut it off.
    pub(crate) fn has_nul(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if text.contains('\0')))
    }

    /// Returns the known length: pieces that only the compiler can evaluate are not counted.
    pub(crate) fn bytes(&self) -> usize {
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Macro(_) => 0,
        };
        self.pieces.iter().map(bytes).sum()
    }

    pub(crate) fn sentence(&mut self, sentence: &str) {
        if let Some(Piece::Text(last)) = self.pieces.last()
            && last.ends_with(char::is_alphanumeric)
        {
            self.text(".");
        }
        if !self.is_empty() {
            self.text(" ");
        }
        self.text(sentence);
    }

    /// Returns a constant expression of type `&'static str`: the name, directly followed by the description.
    pub(crate) fn after(&self, name: &str) -> TokenStream {
        let mut whole = vec![Piece::Text(name.to_owned())];
        for piece in &self.pieces {
            match (whole.last_mut(), piece) {
                (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(text),
                _ => whole.push(piece.clone()),
            }
        }
        Self { pieces: whole }.to_tokens()
    }

    /// Returns the description as a constant expression of type `&'static str`.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => quote!(#text),
            Piece::Macro(expr) => quote!(#expr),
        });
        match self.pieces.as_slice() {
            [] => quote!(""),
            [Piece::Text(text)] => quote!(#text),
            _ => quote!(::core::concat!(#(#pieces),*)),
        }
    }
}

/// Returns a line without the decoration of block comments.
fn bare(line: &str, block: bool) -> &str {
    let line = line.trim();
    match line.strip_prefix('*') {
        Some(rest) if block && !rest.starts_with('*') => rest.trim_start(),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::Description;

    fn of(item: &str) -> Description {
        let item: syn::DeriveInput = syn::parse_str(item).expect("a struct");
        Description::of(&item.attrs)
    }

    #[test]
    fn doc_comments_become_texts() {
        for (item, text) in [
            // Lines are joined, and paragraphs kept.
            (
                "/// Messages sent,\n/// per peer.\n///\n/// Counted when sent.\n#[derive(Debug)]\nstruct S;",
                r#""Messages sent, per peer.\nCounted when sent.""#,
            ),
            // Block comments lose their stars.
            ("/**\n * Messages sent,\n * per peer.\n */\nstruct S;", r#""Messages sent, per peer.""#),
            // Macros are left to the compiler.
            (
                "/// Messages\n#[doc = concat!(\"of \", stringify!(pml))]\n/// so far.\nstruct S;",
                r#":: core :: concat ! ("Messages " , concat ! ("of " , stringify ! (pml)) , " so far.")"#,
            ),
            ("///\nstruct S;", r#""""#),
        ] {
            assert_eq!(of(item).to_tokens().to_string(), text);
        }
        assert!(of("///\nstruct S;").is_empty());
    }

    #[test]
    fn sentences_are_kept_apart() {
        for (text, whole) in [("Bytes", "Bytes. Unit: s."), ("Bytes!", "Bytes! Unit: s."), ("", "Unit: s.")] {
            let mut description = of(&format!("#[doc = {text:?}] struct S;"));
            description.sentence("Unit: s.");
            assert_eq!(description.to_tokens().to_string(), format!("{whole:?}"));
        }
    }

    #[test]
    fn the_name_precedes_the_description() {
        for (item, text) in [
            (r#"#[doc = "So far."] struct S;"#, r#""sentSo far.""#),
            ("struct S;", r#""sent""#),
            (
                r#"#[doc = concat!("So ", "far.")] struct S;"#,
                r#":: core :: concat ! ("sent" , concat ! ("So " , "far."))"#,
            ),
        ] {
            assert_eq!(of(item).after("sent").to_string(), text);
        }
    }
}
