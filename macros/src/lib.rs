//! The attributes of mpit.

mod check;
mod doc;
mod error;
mod expand;
mod parse;
#[cfg(test)]
mod tests;
mod words;

use error::Errors;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;

/// Makes a performance variable of a `static` or a `fn`.
#[proc_macro_attribute]
pub fn pvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::PvarArgs::parse(attribute.into(), errors);
        let pvar = check::Pvar::check(args, item, errors)?;
        errors.is_empty().then(|| expand::pvar(&pvar))
    })
}

/// Makes a control variable of a `static`.
#[proc_macro_attribute]
pub fn cvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::CvarArgs::parse(attribute.into(), errors);
        let cvar = check::Cvar::check(args, item, errors)?;
        errors.is_empty().then(|| expand::cvar(&cvar))
    })
}

/// Makes a category of a unit struct.
#[proc_macro_attribute]
pub fn category(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::CategoryArgs::parse(attribute.into(), errors);
        let category = check::Category::check(args, item, errors)?;
        Some(expand::category(&category, !errors.is_empty()))
    })
}

/// Makes a component of the `impl` of a component trait.
#[proc_macro_attribute]
pub fn component(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::ComponentArgs::parse(attribute.into(), errors);
        let component = check::Component::check(args, item, errors)?;
        errors.is_empty().then(|| expand::component(&component))
    })
}

/// Makes an enumeration of an `enum`.
#[proc_macro_derive(MpitEnum, attributes(mpit))]
pub fn mpit_enum(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let enumeration = check::Enumeration::check(&item.into(), &mut errors);
    let mut tokens = enumeration.map(|enumeration| expand::enumeration(&enumeration, !errors.is_empty()));
    tokens.get_or_insert_default().extend(errors.into_tokens());
    tokens.unwrap_or_default().into()
}

/// What an attribute expands to: the item as it was, whatever happens, what the definition adds, and the mistakes.
fn beside(item: TokenStream, definition: impl FnOnce(&Tokens, &mut Errors) -> Option<Tokens>) -> TokenStream {
    let mut tokens = Tokens::from(item);
    let mut errors = Errors::default();
    let added = definition(&tokens, &mut errors);
    tokens.extend(added);
    tokens.extend(errors.into_tokens());
    tokens.into()
}
