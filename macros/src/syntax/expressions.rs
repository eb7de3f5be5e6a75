//! Expressions: initial values of cells, and values of keys.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{ExprPath, Ident, Path, Token, Type, parenthesized, token};

use super::{is_punct, until};

/// The initial value of a cell in the usual form, a call with calls of methods behind it: `Cvar::new(3).range(1..=5)`.
pub(crate) struct Initial {
    pub(crate) function: Path,
    pub(crate) arguments: TokenStream,
    methods: Vec<(Ident, TokenStream)>,
}

impl Parse for Initial {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let function = input.parse::<ExprPath>()?.path;
        let arguments = in_parentheses(input)?;
        let mut methods = Vec::new();
        while !input.is_empty() {
            input.parse::<Token![.]>()?;
            let name = input.parse()?;
            if input.peek(Token![::]) {
                input.parse::<syn::AngleBracketedGenericArguments>()?;
            }
            methods.push((name, in_parentheses(input)?));
        }
        Ok(Self { function, arguments, methods })
    }
}

impl Initial {
    /// Returns the name and the first argument of a method that is called.
    pub(crate) fn method(&self, name: &str) -> Option<(&Ident, Option<TokenStream>)> {
        let (name, arguments) = self.methods.iter().rev().find(|(method, _)| method == name)?;
        Some((name, first_of(arguments)))
    }

    /// Returns the first argument of the function.
    pub(crate) fn first_argument(&self) -> Option<TokenStream> {
        first_of(&self.arguments)
    }

    /// Returns true if no method is called on the result.
    pub(crate) fn is_plain(&self) -> bool {
        self.methods.is_empty()
    }
}

fn in_parentheses(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let content;
    parenthesized!(content in input);
    content.parse()
}

/// Returns the first of several expressions with commas between them.
fn first_of(expressions: &TokenStream) -> Option<TokenStream> {
    let mut first = TokenStream::new();
    // `<..>` begins behind `::` or where an operand does, as the parameters of a closure do.
    let (mut depth, mut is_operand, mut is_in_parameters) = (0, true, false);
    let mut tokens = expressions.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let mut is_double = false;
        if let TokenTree::Punct(punct) = &token {
            match punct.as_char() {
                ',' if depth == 0 && !is_in_parameters => break,
                '<' if is_operand || depth > 0 => depth += 1,
                '>' if depth > 0 => depth -= 1,
                '|' if is_operand || is_in_parameters => is_in_parameters = !is_in_parameters,
                '|' => is_double = is_punct(tokens.peek(), '|'),
                '-' => is_double = is_punct(tokens.peek(), '>'),
                _ => {}
            }
        }
        is_operand = matches!(token, TokenTree::Punct(_));
        first.extend([token]);
        if is_double {
            first.extend(tokens.next());
        }
    }
    if first.is_empty() { None } else { Some(first) }
}

/// Returns the ends of a range that has both.
pub(crate) fn range(expression: TokenStream) -> Option<(TokenStream, TokenStream)> {
    let (mut low, mut tokens) = (TokenStream::new(), expression.into_iter().peekable());
    while let Some(token) = tokens.next() {
        if is_punct(Some(&token), '.') && is_punct(tokens.peek(), '.') {
            tokens.next();
            tokens.next_if(|token| is_punct(Some(token), '='));
            let high: TokenStream = tokens.collect();
            return if low.is_empty() || high.is_empty() { None } else { Some((low, high)) };
        }
        low.extend([token]);
    }
    None
}

/// A closure: `|pattern| body`.
pub(crate) struct Closure {
    /// The parameters as they were written.
    inputs: TokenStream,
    pub(crate) body: TokenStream,
}

impl Closure {
    /// Returns true if a closure begins here.
    pub(crate) fn begins(input: ParseStream<'_>) -> bool {
        input.peek(Token![|]) || input.peek(Token![||]) || input.peek(Token![move])
    }

    /// Returns the pattern of the parameter, if there is one parameter.
    pub(crate) fn input(&self) -> Option<TokenStream> {
        let mut tokens = self.inputs.clone().into_iter();
        let input: TokenStream = tokens.by_ref().take_while(|token| !is_punct(Some(token), ',')).collect();
        if input.is_empty() || tokens.next().is_some() { None } else { Some(input) }
    }
}

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Option<Token![move]>>()?;
        let mut inputs = TokenStream::new();
        if input.parse::<Option<Token![||]>>()?.is_none() {
            input.parse::<Token![|]>()?;
            inputs = until(input, |input| input.peek(Token![|]))?;
            input.parse::<Token![|]>()?;
        }
        if input.parse::<Option<Token![->]>>()?.is_some() {
            input.parse::<Type>()?;
        }
        Ok(Self { inputs, body: input.parse()? })
    }
}

/// Takes the tokens of an expression up to the next comma.
pub(crate) fn expression(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    if Closure::begins(input) {
        tokens.extend(until(input, |input| input.peek(Token![|]) || input.peek(Token![||]))?);
        if !input.peek(Token![||]) {
            tokens.extend([input.parse::<TokenTree>()?]);
            tokens.extend(until(input, |input| input.peek(Token![|]))?);
            tokens.extend([input.parse::<TokenTree>()?]);
        }
    }
    tokens.extend(until(input, |input| input.peek(Token![,]))?);
    Ok(tokens)
}

/// Returns the content of brackets, if the tokens are nothing else.
pub(crate) fn in_brackets(tokens: &TokenStream) -> Option<TokenStream> {
    let mut tokens = tokens.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Bracket => {
            Some(group.stream())
        }
        _ => None,
    }
}

/// Returns true if an expression begins here that [`syn::Expr`] knows only with `full`.
pub(crate) fn needs_full(input: ParseStream<'_>) -> bool {
    let keywords = ["if", "match", "unsafe", "loop", "while", "for", "const", "async"];
    let word = input.fork().call(Ident::parse_any).map(|word| word.to_string());
    Closure::begins(input)
        || input.peek(token::Bracket)
        || word.is_ok_and(|word| keywords.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::{Closure, Initial, first_of, range};

    #[test]
    fn first_expressions_end_at_their_comma() {
        for (expressions, expected) in [
            (quote!(1, 2), quote!(1)),
            (quote!(a::<b, c>(1, 2), 3), quote!(a::<b, c>(1, 2))),
            (quote!(<a<b, c> as d>::E, 3), quote!(<a<b, c> as d>::E)),
            (quote!(|a, b| a < b, 3), quote!(|a, b| a < b)),
            (quote!(a || b, c || d), quote!(a || b)),
            (quote!(a < b, c > d), quote!(a < b)),
            (quote!(f::<fn(u8) -> u8>(), 3), quote!(f::<fn(u8) -> u8>())),
        ] {
            let found = first_of(&expressions).map(|first| first.to_string());
            assert_eq!(found, Some(expected.to_string()), "{expressions}");
        }
        assert!(first_of(&quote!()).is_none());
    }

    #[test]
    fn calls_of_initial_values_are_found() {
        let written = quote!(Cvar::<i32>::new(3).range(-1..=N * 2).on_set(|value| set(value)));
        let initial: Initial = syn::parse2(written).unwrap();
        assert_eq!(initial.first_argument().unwrap().to_string(), "3");
        assert!(!initial.is_plain() && initial.method("on_set").is_some() && initial.method("new").is_none());
        let (low, high) = range(initial.method("range").unwrap().1.unwrap()).unwrap();
        assert_eq!([low.to_string(), high.to_string()], [quote!(-1).to_string(), quote!(N * 2).to_string()]);
        for unbounded in [quote!(1..), quote!(..2), quote!(a.b), quote!((1..2))] {
            assert!(range(unbounded.clone()).is_none(), "{unbounded}");
        }
        for other in [quote!(3), quote!(A), quote!({ f() }), quote!(f() + 1)] {
            assert!(syn::parse2::<Initial>(other.clone()).is_err(), "{other}");
        }
    }

    #[test]
    fn closures_have_parameters_and_a_body() {
        for (closure, input) in [
            ("|comm| 66 * comm.size()", Some("comm")),
            ("move |comm,| -> usize { 1 }", Some("comm")),
            ("|a, b| 1", None),
            ("|| 1", None),
        ] {
            let found: Closure = syn::parse_str(closure).unwrap();
            assert_eq!(found.input().map(|input| input.to_string()).as_deref(), input, "{closure}");
            assert!(!found.body.is_empty());
        }
    }
}
