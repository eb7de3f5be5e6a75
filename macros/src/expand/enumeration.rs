//! Expansion of enumerations.

use proc_macro2::TokenStream;
use quote::quote;

use super::{origin, private, reference, root};
use crate::check::Enumeration;
use crate::names::claim;
use crate::parse::At;

/// Returns the trait implementation of an enumeration, and its registration unless there are mistakes.
pub(crate) fn enumeration(enumeration: &Enumeration, faulty: bool) -> TokenStream {
    let root = root(enumeration.krate.as_ref());
    let private = private(enumeration.krate.as_ref());
    let (attributes, ident) = (&enumeration.attributes, &enumeration.ident);
    let name = name(enumeration);
    let text = &name.value;
    let origin = origin(&private);
    let variants: Vec<_> = enumeration.items.iter().map(|(variant, _)| variant).collect();
    let items = enumeration.items.iter().map(|(variant, name)| {
        let name = &name.value;
        quote!(#private::EnumItem::new(#ident::#variant as ::core::primitive::i32, #name))
    });
    // With mistakes, one placeholder item: states begin with the first one.
    let (items, value) = if faulty {
        (quote!(#private::EnumItem::new(0, "")), quote!(0))
    } else {
        (quote!(#(#items),*), quote!(self as ::core::primitive::i32))
    };
    let registration = if faulty {
        None
    } else {
        let element = reference(&private, "enums", &quote!(__MPIT_ENUM));
        let marker = claim("enumeration", &name, attributes);
        Some(quote!(#element #marker))
    };
    let from = if faulty {
        quote!({
            _ = value;
            ::core::option::Option::None
        })
    } else {
        quote!(#private::item_of(&[#(Self::#variants),*], value))
    };
    quote! {
        #attributes
        const _: () = {
            static __MPIT_ENUM: #private::EnumDesc = #private::EnumDesc::new(#text, &[#items], #origin);
            impl #root::MpitEnum for #ident {
                const DESC: &'static #private::EnumDesc = &__MPIT_ENUM;
                fn value(self) -> ::core::primitive::i32 { #value }
                fn from_value(value: ::core::primitive::i32) -> ::core::option::Option<Self> { #from }
            }
            #registration
        };
    }
}

/// Returns the given name, or the names of crate and enum: enumerations of all crates share one name space.
fn name(enumeration: &Enumeration) -> At<String> {
    enumeration.name.clone().unwrap_or_else(|| {
        let short = enumeration.short_name();
        let value = match std::env::var("CARGO_CRATE_NAME") {
            Ok(krate) => format!("{krate}_{short}"),
            Err(_) => short,
        };
        At { value, span: enumeration.ident.span() }
    })
}
