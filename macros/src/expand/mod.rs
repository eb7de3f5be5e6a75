//! Third stage: conversion of checked definitions to tokens.
//!
//! A definition expands to one `const _` block beside the item. The block has an element of one of the lists that the linker
//! gathers, which is the descriptor or refers to it; and checks that need types and constants. All paths begin with `mpit::__private`.

mod category;
mod component;
mod cvar;
mod enumeration;
mod event;
mod plugin;
mod pvar;
mod source;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Path;

pub(crate) use category::category;
pub(crate) use component::component;
pub(crate) use cvar::cvar;
pub(crate) use enumeration::enumeration;
pub(crate) use event::event;
pub(crate) use plugin::plugin;
pub(crate) use pvar::pvar;
pub(crate) use source::source;

use crate::doc::Description;
use crate::parse::At;
use crate::vocabulary::{Datatype, Vocabulary};

/// Returns the path of the crate that the expansion refers to.
fn root(given: Option<&Path>) -> TokenStream {
    if let Some(path) = given { quote!(#path) } else { quote!(::mpit) }
}

/// Returns the path of the items that expansions use.
fn private(given: Option<&Path>) -> TokenStream {
    let root = root(given);
    quote!(#root::__private)
}

/// Returns an element of one of the lists of definitions. `name` is free in the block of the definition.
fn element(private: &TokenStream, list: &str, name: &str, value: &TokenStream) -> TokenStream {
    let (list, name) = (Ident::new(list, Span::call_site()), Ident::new(name, Span::call_site()));
    quote! {
        #private::register_lists! {}
        #private::element_of_list! { #list #name = #value }
    }
}

/// Returns an element that refers to a descriptor.
fn reference(private: &TokenStream, list: &str, of: &TokenStream) -> TokenStream {
    element(private, list, "__MPIT_ELEMENT", &quote!(&#of))
}

/// Returns the source location of a definition, of type `Origin`.
fn origin(private: &TokenStream) -> TokenStream {
    quote!(#private::Origin::new(::core::file!(), ::core::line!()))
}

/// Returns the metadata of a definition, of type `Metadata`. `more` is the part of the shared metadata that depends on its kind.
fn metadata(
    private: &TokenStream,
    (name, description): (&str, &Description),
    component: Option<&At<String>>,
    more: &TokenStream,
) -> TokenStream {
    let (texts, bytes, component) = (description.after(name), name.len(), component_name(component));
    quote! {
        #private::Metadata::new(
            #texts,
            #bytes,
            &#private::SharedMetadata::new(#component, ::core::file!()) #more,
            ::core::line!(),
        )
    }
}

/// Returns a value as a variant of its vocabulary in `mpit`.
fn variant<W: Vocabulary>(private: &TokenStream, vocabulary: &str, word: W) -> TokenStream {
    let vocabulary = Ident::new(vocabulary, Span::call_site());
    let variant = Ident::new(word.variant(), Span::call_site());
    quote!(#private::#vocabulary::#variant)
}

/// Returns the component: the given one, or the package.
fn component_name(given: Option<&At<String>>) -> TokenStream {
    if let Some(component) = given {
        component.value.to_token_stream()
    } else {
        quote!(::core::env!("CARGO_PKG_NAME"))
    }
}

/// Returns the call of a descriptor's function `name` with a value of a vocabulary, if there is one.
fn setter<W: Vocabulary>(
    private: &TokenStream,
    name: &str,
    vocabulary: &str,
    value: Option<&At<W>>,
) -> Option<TokenStream> {
    let (name, value) = (Ident::new(name, Span::call_site()), variant(private, vocabulary, value?.value));
    Some(quote!(.#name(#value)))
}

/// Returns the call that adds a definition to categories, if there are any.
fn with_categories(krate: Option<&Path>, categories: &[Path]) -> Option<TokenStream> {
    if categories.is_empty() {
        return None;
    }
    let root = root(krate);
    Some(quote!(.with_categories(&[#(<#categories as #root::Category>::DESC),*])))
}

/// Returns the check that `function` of `mpit` returns true for a datatype; `what` is the item that has the datatype.
fn datatype_check(
    private: &TokenStream,
    what: &str,
    function: &TokenStream,
    datatype: &At<Datatype>,
) -> TokenStream {
    let (kind, word) = (variant(private, "Datatype", datatype.value), datatype.value.as_str());
    let message = format!("{what} has another C representation than `{word}`: remove `datatype`");
    assert_at(datatype.span, &quote!(#function(#kind)), &message)
}

/// Returns a compile-time assertion with a message at `span`.
fn assert_at(span: Span, condition: &TokenStream, message: &str) -> TokenStream {
    quote_spanned!(span=> const _: () = ::core::assert!(#condition, #message);)
}

/// Returns the same tokens with another location for compiler messages.
fn located(tokens: TokenStream, span: Span) -> TokenStream {
    let span = span.resolved_at(Span::call_site());
    let located = |mut token: TokenTree| {
        token.set_span(span);
        token
    };
    tokens.into_iter().map(located).collect()
}
