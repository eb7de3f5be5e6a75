//! Syntax common to all attributes: `key` and `key = value`, separated by commas.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, Meta, Path, Token};

use crate::error::Errors;
use crate::syntax;
use crate::vocabulary::{self, Vocabulary};

/// A value and its location.
#[derive(Clone, Debug)]
pub(crate) struct At<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// The keys of an attribute, each with an example of its use.
#[derive(Debug)]
pub(crate) struct Keys {
    pub(crate) attribute: &'static str,
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

/// Properties that are not given by keys: the attribute (empty for all), the keys that were expected, and the place of the property.
const ELSEWHERE: [(&str, &[&str], &str); 5] = [
    ("", &["desc", "description", "doc", "help"], "the description is the doc comment above"),
    ("cvar", &["range", "min", "max"], "write the range behind the default, `Cvar::new(3).range(1..=5)`"),
    ("cvar", &["default", "initial", "value"], "the default is the argument of `Cvar::new`"),
    ("cvar", &["on_set"], "write the function behind the default, `Cvar::new(3).on_set(function)`"),
    ("pvar", &["type"], "the type is that of the cell, such as `Counter<u64>`, and `class` names the class"),
];

/// Declares the arguments of an attribute. For each key: an example of its use, the field, and the method of [`Arg`] that reads
/// the value; with `given`, also a field that is true if the key was given, even with a value that could not be read.
macro_rules! arguments {
    (
        $(#[$doc:meta])*
        $name:ident of $attribute:literal, from $parse:ident($tokens:ty):
        $($(#[$about:meta])*
        $key:literal, $example:literal => $field:ident: $type:ty = $read:ident $(given $given:ident)?;)+
    ) => {
        $(#[$doc])*
        #[derive(Default)]
        pub(crate) struct $name {
            $($(#[$about])* pub(crate) $field: $type, $(pub(crate) $given: bool,)?)+
        }

        impl $name {
            pub(crate) fn parse(tokens: $tokens, errors: &mut $crate::error::Errors) -> Self {
                const KEYS: $crate::parse::args::Keys =
                    $crate::parse::args::Keys { attribute: $attribute, keys: &[$(($key, $example)),+] };
                let mut args = Self::default();
                for arg in KEYS.$parse(tokens, errors) {
                    match arg.key {
                        $($key => {
                            args.$field = arg.$read(errors);
                            $(args.$given = true;)?
                        })+
                        _ => {}
                    }
                }
                args
            }
        }
    };
}
pub(crate) use arguments;

/// One `key` or `key = value`.
pub(crate) struct Arg {
    pub(crate) key: &'static str,
    span: Span,
    example: &'static str,
    value: Value,
}

/// The part after a key.
enum Value {
    None,
    Some(Expr),
    /// A value that could not be parsed, which has been reported.
    Faulty,
}

impl Keys {
    /// Parses an attribute's tokens. All keys in the result are known and unique.
    pub(crate) fn parse(&self, tokens: TokenStream, errors: &mut Errors) -> Vec<Arg> {
        let parser = |input: ParseStream<'_>| {
            let mut args: Vec<Arg> = Vec::new();
            while !input.is_empty() {
                match self.arg(input, errors) {
                    Ok(arg) => {
                        if args.iter().any(|other| other.key == arg.key) {
                            errors.at(arg.span, format!("`{}` is given twice, remove one", arg.key));
                        } else {
                            args.push(arg);
                        }
                        if !input.is_empty() && !input.peek(Token![,]) {
                            errors.at(input.span(), "expected `,` before this");
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

    /// Parses the arguments of all `#[mpit(..)]` among these attributes.
    pub(crate) fn parse_in_mpit(&self, attributes: &[Attribute], errors: &mut Errors) -> Vec<Arg> {
        let mut args = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("mpit")) {
            match &attribute.meta {
                Meta::List(list) => args.extend(self.parse(list.tokens.clone(), errors)),
                other => errors.on(other, format!("`mpit` is written `#[mpit({})]`", self.keys[0].1)),
            }
        }
        args
    }

    fn arg(&self, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Arg> {
        let key = input
            .call(Ident::parse_any)
            .map_err(|error| syn::Error::new(error.span(), format!("expected a key\n{}", self.list())))?;
        let text = key.unraw().to_string();
        let Some((known, example)) = self.keys.iter().find(|(known, _)| *known == text) else {
            return Err(syn::Error::new(key.span(), self.unknown(&text)));
        };
        let value = value(input).unwrap_or_else(|span| {
            errors.at(span, format!("`{known}` is written `{example}`"));
            Value::Faulty
        });
        Ok(Arg { key: known, span: key.span(), example, value })
    }

    /// Returns the message about an unknown key.
    fn unknown(&self, key: &str) -> String {
        let elsewhere = ELSEWHERE.iter().find(|(attribute, keys, _)| {
            keys.contains(&key) && (attribute.is_empty() || *attribute == self.attribute)
        });
        if let Some((_, _, advice)) = elsewhere {
            return format!("`{key}` is no key of `{}`: {advice}", self.attribute);
        }
        let near = vocabulary::nearest(key, &self.names());
        let hint = near.map(|near| format!(", did you mean `{near}`?")).unwrap_or_default();
        format!("unknown key `{key}`{hint}\n{}", self.list())
    }

    fn names(&self) -> Vec<&'static str> {
        self.keys.iter().map(|(key, _)| *key).collect()
    }

    fn list(&self) -> String {
        format!("the keys of `{}` are {}", self.attribute, vocabulary::listed(&self.names()))
    }
}

/// Parses the part after a key, or returns the location of the fault.
fn value(input: ParseStream<'_>) -> Result<Value, Span> {
    if !input.peek(Token![=]) {
        return Ok(Value::None);
    }
    let equals = input.parse::<Token![=]>().map_err(|error| error.span())?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(equals.span);
    }
    // Parsed on a fork, so that remaining tokens are not reported as unexpected.
    match input.fork().parse::<Expr>() {
        Ok(_) if !syntax::needs_full(input) => input.parse().map(Value::Some).map_err(|error| error.span()),
        Err(error) if !syntax::needs_full(input) && !has_group(input) => Err(error.span()),
        _ => match syntax::expression(input) {
            Ok(tokens) => Ok(Value::Some(Expr::Verbatim(tokens))),
            Err(error) => Err(error.span()),
        },
    }
}

/// Returns true if the value has parentheses or the like, in which may be an expression that `syn` does not know.
fn has_group(input: ParseStream<'_>) -> bool {
    let value = syntax::expression(&input.fork()).unwrap_or_default();
    value.into_iter().any(|token| matches!(token, TokenTree::Group(_)))
}

/// Skips to the token after the next comma.
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
    /// Reports a value that the key does not accept, with an example of its use.
    fn report(&self, errors: &mut Errors) {
        let message = format!("`{}` is written `{}`", self.key, self.example);
        match &self.value {
            Value::None => errors.at(self.span, message),
            Value::Some(value) => errors.on(value, message),
            Value::Faulty => {}
        }
    }

    /// Returns the result of `read` for the value. Reports a value that `read` does not accept.
    fn read<T>(&self, read: fn(&Expr) -> Option<T>, errors: &mut Errors) -> Option<T> {
        let result = match &self.value {
            Value::Some(value) => read(ungrouped(value)),
            _ => None,
        };
        if result.is_none() {
            self.report(errors);
        }
        result
    }

    /// Reads `key` without a value.
    pub(crate) fn flag(&self, errors: &mut Errors) -> Option<Span> {
        if let Value::Some(value) = &self.value {
            errors.on(value, format!("`{0}` takes no value, write `{0}` alone", self.key));
        }
        match self.value {
            Value::None => Some(self.span),
            Value::Some(_) | Value::Faulty => None,
        }
    }

    /// Reads `key = expression`.
    pub(crate) fn expr(&self, errors: &mut Errors) -> Option<Expr> {
        self.read(|value| Some(value.clone()), errors)
    }

    /// Reads `key = "text"`.
    pub(crate) fn string(&self, errors: &mut Errors) -> Option<At<String>> {
        // A value without quotes is the most frequent mistake.
        if let Value::Some(Expr::Path(path)) = &self.value
            && let Some(word) = path.path.get_ident()
        {
            errors.on(path, format!("expected a string, write `{} = \"{word}\"`", self.key));
            return None;
        }
        self.read(string, errors)
    }

    /// Reads `key = "text"` or `key = ["text", ..]`.
    pub(crate) fn strings(&self, errors: &mut Errors) -> Vec<At<String>> {
        self.read(|value| list(value, string), errors).unwrap_or_default()
    }

    /// Reads `key = some::path`.
    pub(crate) fn path(&self, errors: &mut Errors) -> Option<Path> {
        self.read(path, errors)
    }

    /// Reads `key = some::path`, with the location of the key.
    pub(crate) fn path_at(&self, errors: &mut Errors) -> Option<At<Path>> {
        self.path(errors).map(|value| At { value, span: self.span })
    }

    /// Reads `key = some::path` or `key = [some::path, ..]`.
    pub(crate) fn paths(&self, errors: &mut Errors) -> Vec<Path> {
        self.read(|value| list(value, path), errors).unwrap_or_default()
    }

    /// Reads `key = "VALUE"` with a value of a vocabulary.
    pub(crate) fn word<W: Vocabulary>(&self, errors: &mut Errors) -> Option<At<W>> {
        let text = self.string(errors)?;
        match vocabulary::find(&text.value) {
            Ok(value) => Some(At { value, span: text.span }),
            Err(message) => {
                errors.at(text.span, message);
                None
            }
        }
    }
}

/// Reads one item, or several in brackets.
fn list<T>(value: &Expr, read: fn(&Expr) -> Option<T>) -> Option<Vec<T>> {
    match value {
        Expr::Verbatim(tokens) => {
            let items = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(syntax::in_brackets(tokens)?);
            items.ok()?.iter().map(read).collect()
        }
        item => read(item).map(|item| vec![item]),
    }
}

fn string(value: &Expr) -> Option<At<String>> {
    match ungrouped(value) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(At { value: text.value(), span: text.span() }),
        _ => None,
    }
}

fn path(value: &Expr) -> Option<Path> {
    match ungrouped(value) {
        Expr::Path(path) if path.qself.is_none() => Some(path.path.clone()),
        _ => None,
    }
}

/// Removes the invisible groups around fragments of a `macro_rules`.
pub(crate) fn ungrouped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => ungrouped(&group.expr),
        other => other,
    }
}
