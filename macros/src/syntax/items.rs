//! Items, up to their bodies.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Data, DeriveInput, Fields, Generics, Ident, Lifetime, LitStr, Path, ReturnType, Token, Type,
    Visibility, braced, parenthesized,
};

use super::{Initial, is_punct, until};

/// An item below an attribute.
pub(crate) enum Item {
    Static(ItemStatic),
    Fn(ItemFn),
    /// A struct, as the input of a derive.
    Struct(DeriveInput),
    Impl(ItemImpl),
    /// `thread_local!`, or its expansion of an item inside.
    ThreadLocal,
    /// Another item, and its kind.
    Other(&'static str),
}

/// The kinds of items that no attribute is on, by their keyword.
const OTHERS: [(&str, &str); 8] = [
    ("const", "a `const`, which has no storage"),
    ("enum", "an `enum`"),
    ("mod", "a `mod`"),
    ("trait", "a `trait`"),
    ("type", "a `type`"),
    ("union", "a `union`"),
    ("use", "a `use`"),
    ("extern", "an `extern` block"),
];

/// `static NAME: Type = expression;`.
pub(crate) struct ItemStatic {
    pub(crate) attrs: Vec<Attribute>,
    vis: Visibility,
    token: Token![static],
    pub(crate) mutability: Option<Token![mut]>,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) expr: TokenStream,
}

/// A function. Its body is not read.
pub(crate) struct ItemFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) sig: Signature,
}

pub(crate) struct Signature {
    pub(crate) asyncness: Option<Token![async]>,
    pub(crate) unsafety: Option<Token![unsafe]>,
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) inputs: Vec<Input>,
    pub(crate) output: ReturnType,
    /// All of it as it was written.
    tokens: TokenStream,
    /// The parameters as they were written.
    pub(crate) parameters: TokenStream,
}

/// A parameter as it was written, and its kind.
pub(crate) struct Input {
    tokens: TokenStream,
    pub(crate) kind: InputKind,
}

pub(crate) enum InputKind {
    Receiver,
    Variadic,
    Typed(Box<Type>),
}

/// `impl Trait for Type`. Its body is not read.
pub(crate) struct ItemImpl {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) generics: Generics,
    pub(crate) implemented: Option<Path>,
    pub(crate) self_ty: Type,
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if is_struct(input)? {
            return Ok(Self::Struct(input.parse()?));
        }
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if input.peek(Token![static]) {
            return Ok(Self::Static(ItemStatic::parse(attrs, vis, input)?));
        }
        if is_function(input) {
            let sig = input.parse()?;
            skip_body(input)?;
            return Ok(Self::Fn(ItemFn { attrs, sig }));
        }
        if input.peek(Token![impl]) || input.peek(Token![unsafe]) && input.peek2(Token![impl]) {
            return Ok(Self::Impl(ItemImpl::parse(attrs, input)?));
        }
        let rest: TokenStream = input.parse()?;
        if is_thread_local(&rest) {
            return Ok(Self::ThreadLocal);
        }
        let keyword =
            rest.into_iter().map(|token| token.to_string()).find(|word| word != "unsafe" && word != "auto");
        let keyword = keyword.unwrap_or_default();
        match OTHERS.iter().find(|(other, _)| *other == keyword) {
            Some((_, kind)) => Ok(Self::Other(kind)),
            None => Err(input.error("no item of a known kind")),
        }
    }
}

fn is_struct(input: ParseStream<'_>) -> syn::Result<bool> {
    let ahead = input.fork();
    ahead.call(Attribute::parse_outer)?;
    ahead.parse::<Visibility>()?;
    Ok(ahead.peek(Token![struct]))
}

fn is_function(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    _ = Modifiers::parse(&ahead);
    ahead.peek(Token![fn])
}

fn skip_body(input: ParseStream<'_>) -> syn::Result<()> {
    let content;
    braced!(content in input);
    content.parse::<TokenStream>().map(drop)
}

/// Returns true for `thread_local! { .. }`, and for a constant of the type `LocalKey<_>`.
fn is_thread_local(item: &TokenStream) -> bool {
    let mut tokens = item.clone().into_iter().peekable();
    let is_constant = matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word == "const");
    let mut words = tokens.take_while(|token| {
        let end = if is_constant { '<' } else { '!' };
        !matches!(token, TokenTree::Group(_)) && !is_punct(Some(token), end)
    });
    let expected = if is_constant { "LocalKey" } else { "thread_local" };
    let last = words.by_ref().filter(|token| matches!(token, TokenTree::Ident(_))).last();
    matches!(last, Some(TokenTree::Ident(word)) if word == expected)
}

impl ItemStatic {
    fn parse(attrs: Vec<Attribute>, vis: Visibility, input: ParseStream<'_>) -> syn::Result<Self> {
        let (token, mutability, ident) = (input.parse()?, input.parse()?, input.parse()?);
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        input.parse::<Token![=]>()?;
        let expr = until(input, |input| input.peek(Token![;]))?;
        if expr.is_empty() {
            return Err(input.error("expected an expression"));
        }
        input.parse::<Token![;]>()?;
        Ok(Self { attrs, vis, token, mutability, ident, ty, expr })
    }

    /// Returns the initial value, if it has the usual form.
    pub(crate) fn initial(&self) -> Option<Initial> {
        syn::parse2(self.expr.clone()).ok()
    }
}

impl ToTokens for ItemStatic {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, token, mutability, ident, ty, expr } = self;
        tokens.extend(quote::quote!(#(#attrs)* #vis #token #mutability #ident: #ty = #expr;));
    }
}

/// The words before `fn`.
#[derive(Default)]
struct Modifiers {
    asyncness: Option<Token![async]>,
    unsafety: Option<Token![unsafe]>,
}

impl Modifiers {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut found = Self::default();
        input.parse::<Option<Token![const]>>()?;
        found.asyncness = input.parse()?;
        found.unsafety = input.parse()?;
        if input.parse::<Option<Token![extern]>>()?.is_some() {
            input.parse::<Option<LitStr>>()?;
        }
        Ok(found)
    }
}

impl Parse for Signature {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let start = input.fork();
        let Modifiers { asyncness, unsafety } = Modifiers::parse(input)?;
        input.parse::<Token![fn]>()?;
        let ident = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let content;
        parenthesized!(content in input);
        let parameters: TokenStream = content.fork().parse()?;
        let mut inputs = Vec::new();
        while !content.is_empty() {
            inputs.push(content.parse()?);
            content.parse::<Option<Token![,]>>()?;
        }
        let output = input.parse()?;
        generics.where_clause = input.parse()?;
        let tokens = until(&start, |start| start.cursor() == input.cursor())?;
        Ok(Self { asyncness, unsafety, ident, generics, inputs, output, tokens, parameters })
    }
}

impl ToTokens for Signature {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let start = input.fork();
        let kind = if is_receiver(input) {
            until(input, |input| input.peek(Token![,]))?;
            InputKind::Receiver
        } else {
            let pattern = until(input, |input| {
                input.peek(Token![...]) || input.peek(Token![:]) && !input.peek(Token![::])
            })?;
            if !pattern.is_empty() {
                input.parse::<Token![:]>()?;
            }
            if input.parse::<Option<Token![...]>>()?.is_some() {
                InputKind::Variadic
            } else {
                InputKind::Typed(input.parse()?)
            }
        };
        let mut tokens = TokenStream::new();
        tokens.append_all(attributes);
        tokens.extend(until(&start, |start| start.cursor() == input.cursor())?);
        Ok(Self { tokens, kind })
    }
}

impl ToTokens for Input {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

fn is_receiver(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    if ahead.peek(Token![&]) {
        _ = ahead.parse::<Token![&]>();
        _ = ahead.parse::<Option<Lifetime>>();
    }
    _ = ahead.parse::<Option<Token![mut]>>();
    ahead.peek(Token![self])
}

impl ItemImpl {
    fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<Option<Token![unsafe]>>()?;
        input.parse::<Token![impl]>()?;
        // `impl <Type as Trait>::Item` has no generics.
        let generics = if input.peek(Token![<]) && !is_qualified_path(input) {
            input.parse()?
        } else {
            Generics::default()
        };
        let ahead = input.fork();
        let is_of_trait = ahead.parse::<Path>().is_ok() && ahead.peek(Token![for]);
        let implemented = if is_of_trait { Some(input.parse()?) } else { None };
        if is_of_trait {
            input.parse::<Token![for]>()?;
        }
        let self_ty = input.parse()?;
        input.parse::<Option<syn::WhereClause>>()?;
        skip_body(input)?;
        Ok(Self { attrs, generics, implemented, self_ty })
    }
}

fn is_qualified_path(input: ParseStream<'_>) -> bool {
    input.fork().parse::<Generics>().is_err()
}

/// Returns the fields of a struct.
pub(crate) fn fields(item: &mut DeriveInput) -> &mut Fields {
    match &mut item.data {
        Data::Struct(data) => &mut data.fields,
        Data::Enum(_) | Data::Union(_) => unreachable!("an item that begins with `struct` is one"),
    }
}

#[cfg(test)]
mod tests {
    use quote::{ToTokens as _, quote};

    use super::Item;

    fn kind(item: &str) -> Result<&'static str, String> {
        Ok(match syn::parse_str(item).map_err(|error| error.to_string())? {
            Item::Static(_) => "static",
            Item::Fn(_) => "fn",
            Item::Struct(_) => "struct",
            Item::Impl(found) if found.implemented.is_some() => "impl of a trait",
            Item::Impl(_) => "impl",
            Item::ThreadLocal => "thread_local",
            Item::Other(kind) => kind,
        })
    }

    #[test]
    fn kinds_of_items_are_known() {
        for (item, expected) in [
            ("#[a] pub(crate) static mut A: [u8; { N + 1 }] = [0; N];", "static"),
            ("static A: Box<dyn Iterator<Item = u8>> = f(|a, b| a);", "static"),
            ("pub const async unsafe extern \"C\" fn f<'a>(a: &'a [u8], ...) -> u8 where A: B { 0 }", "fn"),
            ("fn f(&mut self, (a, b): (u8, a::B)) {}", "fn"),
            ("/// Text.\npub struct A { pub b: u8 }", "struct"),
            ("unsafe impl<T: A> a::B<T> for C<T> where T: D {}", "impl of a trait"),
            ("impl A { fn f() {} }", "impl"),
            ("impl <A as B>::C {}", "impl"),
            ("std::thread_local! { static A: u8 = 0; }", "thread_local"),
            ("const A: ::std::thread::LocalKey<u8> = x;", "thread_local"),
            ("const A: u8 = 0;", "a `const`, which has no storage"),
            ("pub unsafe auto trait A {}", "a `trait`"),
            ("pub use a::b;", "a `use`"),
        ] {
            assert_eq!(kind(item).as_deref(), Ok(expected), "{item}");
        }
        for item in ["static A: u8;", "static A: u8 = ;", "fn f();", "impl A for {}", "a!();"] {
            assert!(kind(item).is_err(), "{item}");
        }
    }

    #[test]
    fn statics_are_printed_as_they_were_written() {
        let written = quote!(
            #[a]
            pub static A: m::B<u8> = B::<u8>::new(|x| x + 1, "y");
        );
        let Ok(Item::Static(item)) = syn::parse2(written.clone()) else { panic!("a static") };
        assert_eq!(item.to_token_stream().to_string(), written.to_string());
    }
}
