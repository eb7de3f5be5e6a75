//! What all attributes have in common: `key`, `key = value`, separated by commas.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Path, Token};

use crate::error::Errors;
use crate::words::{self, Word};

/// Something, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// The keys of an attribute, each with an example of how it is written.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) attribute: &'static str,
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

/// One `key` or `key = value`.
#[derive(Debug)]
pub(crate) struct Arg {
    pub(crate) key: &'static str,
    pub(crate) span: Span,
    example: &'static str,
    value: Option<Expr>,
}

impl Keys {
    /// Takes an attribute's tokens apart. Every key of the result is known and occurs once.
    pub(crate) fn parse(&self, tokens: TokenStream, errors: &mut Errors) -> Vec<Arg> {
        let parser = |input: ParseStream<'_>| {
            let mut args: Vec<Arg> = Vec::new();
            while !input.is_empty() {
                match self.arg(input) {
                    Ok(arg) => {
                        if args.iter().any(|other| other.key == arg.key) {
                            errors.at(arg.span, format!("`{}` is given twice", arg.key));
                        } else {
                            args.push(arg);
                        }
                        if !input.is_empty() && !input.peek(Token![,]) {
                            errors.at(input.span(), "expected `,`");
                        }
                    }
                    Err(error) => errors.push(error),
                }
                skip_to_next(input)?;
            }
            Ok(args)
        };
        match parser.parse2(tokens) {
            Ok(args) => args,
            Err(error) => {
                errors.push(error);
                Vec::new()
            }
        }
    }

    fn arg(&self, input: ParseStream<'_>) -> syn::Result<Arg> {
        let key = input.call(Ident::parse_any).map_err(|error| {
            let keys = self.names();
            syn::Error::new(error.span(), format!("expected a key\n{}", self.are(&keys)))
        })?;
        let text = key.unraw().to_string();
        let Some((known, example)) = self.keys.iter().find(|(known, _)| *known == text) else {
            let keys = self.names();
            let near = words::nearest(&text, &keys);
            let hint = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
            return Err(syn::Error::new(
                key.span(),
                format!("unknown key `{text}`{hint}\n{}", self.are(&keys)),
            ));
        };
        let value = if input.peek(Token![=]) {
            let equals: Token![=] = input.parse()?;
            if input.is_empty() || input.peek(Token![,]) {
                return Err(syn::Error::new(equals.span, format!("no value, write `{example}`")));
            }
            Some(input.parse().map_err(|_| {
                syn::Error::new(key.span(), format!("`{known}` cannot be read, write `{example}`"))
            })?)
        } else {
            None
        };
        Ok(Arg { key: known, span: key.span(), example, value })
    }

    fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|(key, _)| *key).collect()
    }

    fn are(&self, keys: &[&str]) -> String {
        format!("the keys of `{}` are {}", self.attribute, words::listed(keys))
    }
}

/// Goes on behind the next comma.
fn skip_to_next(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        if let TokenTree::Punct(punct) = input.parse::<TokenTree>()?
            && punct.as_char() == ','
        {
            break;
        }
    }
    Ok(())
}

impl Arg {
    fn wrong(&self, errors: &mut Errors) {
        let message = format!("`{}` is written `{}`", self.key, self.example);
        match &self.value {
            Some(value) => errors.on(value, message),
            None => errors.at(self.span, message),
        }
    }

    /// `key`, alone.
    pub(crate) fn flag(&self, errors: &mut Errors) -> Option<Span> {
        if let Some(value) = &self.value {
            errors.on(value, format!("`{}` takes no value", self.key));
            return None;
        }
        Some(self.span)
    }

    /// `key = expression`.
    pub(crate) fn expr(&self, errors: &mut Errors) -> Option<Expr> {
        if self.value.is_none() {
            self.wrong(errors);
        }
        self.value.as_ref().map(|value| ungrouped(value).clone())
    }

    /// `key = "text"`.
    pub(crate) fn string(&self, errors: &mut Errors) -> Option<At<String>> {
        let text = self.value.as_ref().and_then(string);
        if text.is_none() {
            // A word without its quotes is what people write first.
            match &self.value {
                Some(Expr::Path(path)) if path.path.get_ident().is_some() => {
                    let word = path.path.get_ident().map(ToString::to_string).unwrap_or_default();
                    errors.on(path, format!("expected a string, write `{} = \"{word}\"`", self.key));
                }
                _ => self.wrong(errors),
            }
        }
        text
    }

    /// `key = "text"` or `key = ["text", ..]`.
    pub(crate) fn strings(&self, errors: &mut Errors) -> Vec<At<String>> {
        self.list(string, errors)
    }

    /// `key = some::path`.
    pub(crate) fn path(&self, errors: &mut Errors) -> Option<Path> {
        let path = self.value.as_ref().and_then(path);
        if path.is_none() {
            self.wrong(errors);
        }
        path
    }

    /// `key = some::path` or `key = [some::path, ..]`.
    pub(crate) fn paths(&self, errors: &mut Errors) -> Vec<Path> {
        self.list(path, errors)
    }

    /// `key = "WORD"`.
    pub(crate) fn word<W: Word>(&self, errors: &mut Errors) -> Option<At<W>> {
        let text = self.string(errors)?;
        match words::find(&text.value) {
            Ok(value) => Some(At { value, span: text.span }),
            Err(message) => {
                errors.at(text.span, message);
                None
            }
        }
    }

    fn list<T>(&self, read: fn(&Expr) -> Option<T>, errors: &mut Errors) -> Vec<T> {
        let items: Option<Vec<T>> = match self.value.as_ref().map(ungrouped) {
            Some(Expr::Array(list)) => list.elems.iter().map(read).collect(),
            Some(item) => read(item).map(|item| vec![item]),
            None => None,
        };
        items.unwrap_or_else(|| {
            self.wrong(errors);
            Vec::new()
        })
    }
}

fn string(value: &Expr) -> Option<At<String>> {
    match ungrouped(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(at(text)),
        _ => None,
    }
}

fn path(value: &Expr) -> Option<Path> {
    match ungrouped(value) {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        _ => None,
    }
}

fn at(text: &LitStr) -> At<String> {
    At { value: text.value(), span: text.span() }
}

/// An expression without the invisible parentheses around what a `macro_rules` put in.
pub(crate) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}
