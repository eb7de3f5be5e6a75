//! Control variables.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{assert_at, category_list, component_name, element, origin, private, root, unique, variant};
use crate::check::Cvar;
use crate::words::{Scope, Word as _};

/// The registration of a cvar.
pub(crate) fn cvar(cvar: &Cvar) -> TokenStream {
    let private = &private(cvar.krate.as_ref());
    let cfgs = &cvar.cfgs;
    let ty = &cvar.ty;
    let desc = descriptor(private, cvar);
    let element = element(private, "cvar", "__MPIT_ELEMENT", &desc);
    let names = std::iter::once(&cvar.name).chain(&cvar.aliases);
    let markers = names.map(|name| unique("the_cvar", name));
    let bounds = cvar.bounds.as_ref().map(|bounds| {
        let (value, initial, low, high) = (&bounds.value, &bounds.initial, &bounds.low, &bounds.high);
        let inside = quote_spanned! {Span::mixed_site()=> {
            let (initial, low, high): (#value, #value, #value) = (#initial, #low, #high);
            low <= initial && initial <= high
        }};
        assert_at(initial.span(), &inside, "the default lies outside of the range")
    });
    let datatype = cvar.datatype.as_ref().map(|datatype| {
        let kind = variant(private, "Datatype", datatype.value);
        let word = datatype.value.word();
        let message = format!("the value has another C representation than `{word}`: leave `datatype` away");
        assert_at(datatype.span, &quote!(#private::cell_of::setting_represented_as::<#ty>(#kind)), &message)
    });
    quote! {
        #cfgs
        const _: () = {
            #bounds
            #datatype
            #element
            #(#markers)*
        };
    }
}

fn descriptor(private: &TokenStream, cvar: &Cvar) -> TokenStream {
    let (name, ident, ty, origin) = (&cvar.name.value, &cvar.ident, &cvar.ty, origin(private));
    let component = component_name(cvar.component.as_ref());
    let mut desc = quote!(#private::CvarDesc::new::<#ty>(#name, &#ident, #origin).component(#component));
    if !cvar.description.is_empty() {
        let description = cvar.description.to_tokens();
        desc.extend(quote!(.description(#description)));
    }
    if cvar.scope != Scope::Local {
        let scope = variant(private, "Scope", cvar.scope);
        desc.extend(quote!(.scope(#scope)));
    }
    if let Some(verbosity) = cvar.verbosity {
        let verbosity = variant(private, "Verbosity", verbosity);
        desc.extend(quote!(.verbosity(#verbosity)));
    }
    if let Some(datatype) = &cvar.datatype {
        let datatype = variant(private, "Datatype", datatype.value);
        desc.extend(quote!(.datatype(#datatype)));
    }
    if !cvar.categories.is_empty() {
        let categories = category_list(&root(cvar.krate.as_ref()), &cvar.categories);
        desc.extend(quote!(.categories(#categories)));
    }
    if !cvar.aliases.is_empty() {
        let aliases = cvar.aliases.iter().map(|alias| &alias.value);
        desc.extend(quote!(.aliases(&[#(#aliases),*])));
    }
    if !cvar.environment.is_empty() {
        let names = &cvar.environment;
        desc.extend(quote!(.environment(&[#(#names),*])));
    }
    if cvar.before_init {
        desc.extend(quote!(.before_init()));
    }
    desc
}
