//! The syntax of items and expressions, as far as the rules look into them.
//!
//! `syn` parses all of it with its feature `full`, which takes as long to compile as the rest of `syn`. So items are parsed here, up to
//! their bodies, with the types, paths and generics of `syn`; and expressions are tokens, of which the rules read a few forms.

mod expressions;
mod items;

use proc_macro2::{TokenStream, TokenTree};
use syn::Token;
use syn::parse::ParseStream;

pub(crate) use expressions::{Closure, Initial, expression, in_brackets, needs_full, range};
pub(crate) use items::{Input, InputKind, Item, ItemFn, ItemStatic, Signature, fields};

/// Takes tokens until a condition holds before the next one, or none is left.
fn until(input: ParseStream<'_>, is_end: impl Fn(ParseStream<'_>) -> bool) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !is_end(input) {
        // Paths have `::` in two tokens.
        if input.peek(Token![::]) {
            tokens.extend([input.parse::<TokenTree>()?]);
        }
        tokens.extend([input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

fn is_punct(token: Option<&TokenTree>, char: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == char)
}
