//! The attribute macros of `mpit`, which re-exports them: use them from there.
//!
//! Each macro has three stages: `parse` converts the attribute's tokens to data, `check` applies the rules, and `expand` converts
//! the checked definition to tokens. All mistakes of a definition are reported at once, each at its token. The expansion always
//! contains the item that the attribute is on, as it was written; only an event struct also gets `#[repr(C)]`, and a cell of a reported
//! type gets a valid one, so that the compiler does not report it again.
//!
//! A definition expands to one `const` block beside the item. It contains no unsafe code, adds no name to the module, and refers
//! to `::mpit` or to the path in `crate = path`.
//!
//! # API boundary
//!
//! Users write the attributes that `mpit` re-exports; `docs/` has a page on each of them. The expansion and `mpit::__private` change
//! together, so both crates have the same version.
//!
//! # Invariants
//!
//! * `parse` and `check` report mistakes and never stop at the first one.
//! * `syn` has no feature `full` here, which doubles the time of its compilation; `syntax` parses items.
//! * This crate sees tokens only. Types and constants are checked by code in the expansion, at compile time.

mod check;
mod doc;
mod error;
mod expand;
mod names;
mod parse;
mod syntax;
#[cfg(test)]
mod tests;
mod vocabulary;

use error::Errors;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;

/// Defines a performance variable: a `static` that holds its value, or a `fn` that computes it.
///
#[doc = include_str!("../docs/pvar.md")]
#[proc_macro_attribute]
pub fn pvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    with_errors(|errors| {
        let item = Tokens::from(item);
        let args = parse::PvarArgs::parse(attribute.into(), errors);
        let stand_in = args.class.as_ref().and_then(|class| check::stand_in(&item, class.value));
        let pvar = check::Pvar::check(args, &item, errors);
        let mut tokens = stand_in.unwrap_or(item);
        if errors.is_empty() {
            tokens.extend(pvar.map(|pvar| expand::pvar(&pvar)));
        }
        tokens
    })
}

/// Defines a control variable: a `static` of type `Cvar<T>`, or `ObjectCvar<T>` if each object has a value.
///
#[doc = include_str!("../docs/cvar.md")]
#[proc_macro_attribute]
pub fn cvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(item, |item, errors| {
        let args = parse::CvarArgs::parse(attribute.into(), errors);
        let cvar = check::Cvar::check(args, item, errors)?;
        if errors.is_empty() { Some(expand::cvar(&cvar)) } else { None }
    })
}

/// Defines a category, which other definitions refer to by this unit struct.
///
#[doc = include_str!("../docs/category.md")]
#[proc_macro_attribute]
pub fn category(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(item, |item, errors| {
        let args = parse::CategoryArgs::parse(attribute.into(), errors);
        let category = check::Category::check(args, item, errors)?;
        Some(expand::category(&category, !errors.is_empty()))
    })
}

/// Defines a source of events, which event types refer to by this unit struct.
///
#[doc = include_str!("../docs/source.md")]
#[proc_macro_attribute]
pub fn source(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(item, |item, errors| {
        let args = parse::SourceArgs::parse(attribute.into(), errors);
        let source = check::Source::check(args, item, errors)?;
        Some(expand::source(&source, !errors.is_empty()))
    })
}

/// Defines an event type: a struct whose fields are the elements that tools read.
///
#[doc = include_str!("../docs/event.md")]
#[proc_macro_attribute]
pub fn event(attribute: TokenStream, item: TokenStream) -> TokenStream {
    with_errors(|errors| {
        let item = Tokens::from(item);
        let args = parse::EventArgs::parse(attribute.into(), errors);
        match check::Event::check(args, &item, errors) {
            Some(event) => expand::event(&event, !errors.is_empty()),
            None => item,
        }
    })
}

/// Defines a component: an `impl` of a framework's component trait.
///
#[doc = include_str!("../docs/component.md")]
#[proc_macro_attribute]
pub fn component(attribute: TokenStream, item: TokenStream) -> TokenStream {
    expand_item(item, |item, errors| {
        let args = parse::ComponentArgs::parse(attribute.into(), errors);
        let component = check::Component::check(args, item, errors)?;
        if errors.is_empty() { Some(expand::component(&component)) } else { None }
    })
}

/// Makes the crate a plug-in: a shared object whose definitions an MPI library shows to tools.
///
#[doc = include_str!("../docs/plugin.md")]
#[proc_macro]
pub fn plugin(arguments: TokenStream) -> TokenStream {
    with_errors(|errors| {
        let args = parse::PluginArgs::parse(arguments.into(), errors);
        match check::Plugin::check(args, errors) {
            Some(plugin) if errors.is_empty() => expand::plugin(&plugin),
            _ => Tokens::new(),
        }
    })
}

/// Defines an enumeration: states of a STATE variable, or values of a control variable.
///
#[doc = include_str!("../docs/mpit_enum.md")]
#[proc_macro_derive(MpitEnum, attributes(mpit))]
pub fn mpit_enum(item: TokenStream) -> TokenStream {
    with_errors(|errors| {
        let enumeration = check::Enumeration::check(&item.into(), errors)?;
        Some(expand::enumeration(&enumeration, !errors.is_empty()))
    })
}

/// Returns the expansion of an attribute: the item, the tokens of the definition, and the mistakes.
fn expand_item(
    item: TokenStream,
    definition: impl FnOnce(&Tokens, &mut Errors) -> Option<Tokens>,
) -> TokenStream {
    with_errors(|errors| {
        let mut tokens = Tokens::from(item);
        tokens.extend(definition(&tokens, errors));
        tokens
    })
}

/// Returns the result of a function, and the mistakes that it found.
fn with_errors<T: quote::ToTokens>(expand: impl FnOnce(&mut Errors) -> T) -> TokenStream {
    let mut errors = Errors::default();
    let mut tokens = expand(&mut errors).into_token_stream();
    tokens.extend(errors.into_tokens());
    tokens.into()
}
