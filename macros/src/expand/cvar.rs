//! Expansion of control variables.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{assert_at, datatype_check, element, metadata, private, setter, variant, with_categories};
use crate::check::Cvar;
use crate::names::claim;
use crate::parse::{At, CvarArgs};
use crate::vocabulary::{Bind, Scope, Settable};

pub(crate) fn cvar(cvar: &Cvar) -> TokenStream {
    let private = &private(cvar.args.krate.as_ref());
    let attributes = &cvar.attributes;
    let ty = &cvar.ty;
    let desc = descriptor(private, cvar);
    let element = element(private, "cvars", "__MPIT_ELEMENT", &desc);
    let names = std::iter::once(&cvar.name).chain(&cvar.args.alias);
    let markers = names.map(|name| claim("cvar", name, attributes));
    let bounds = cvar.bounds.as_ref().map(|bounds| {
        let (value, initial, low, high) = (&bounds.value, &bounds.initial, &bounds.low, &bounds.high);
        let ordered = quote_spanned! {Span::mixed_site()=> {
            let (low, high): (#value, #value) = (#low, #high);
            low <= high
        }};
        // True for an empty range as well, which `ordered` reports.
        let inside = quote_spanned! {Span::mixed_site()=> {
            let (initial, low, high): (#value, #value, #value) = (#initial, #low, #high);
            low <= initial && initial <= high || !(low <= high)
        }};
        let empty = "the range is empty, since it begins above its end: write `low..=high`";
        let ordered = assert_at(low.span(), &ordered, empty);
        let inside = assert_at(initial.span(), &inside, "the default lies outside of the range");
        quote!(#ordered #inside)
    });
    let datatype = cvar.args.datatype.as_ref().map(|datatype| {
        let function = quote!(#private::cell_of::setting_represented_as::<#ty>);
        datatype_check(private, "the value", &function, datatype)
    });
    let binding = binding_check(private, cvar);
    quote! {
        #attributes
        const _: () = {
            #bounds
            #binding
            #datatype
            #element
            #(#markers)*
        };
    }
}

/// Returns the check of the rule on cells of bound variables, for cells whose type is an alias.
fn binding_check(private: &TokenStream, cvar: &Cvar) -> Option<TokenStream> {
    if cvar.cell_seen {
        return None;
    }
    let ty = &cvar.ty;
    let bound = quote!(#private::cell_of::has_value_of_each_object::<#ty>());
    let bind = cvar.args.bind.as_ref().filter(|bind| bind.value != Bind::NoObject);
    Some(if let Some(bind) = bind {
        let message = "the cell has one value for all objects: use an `ObjectCvar`, or remove `bind`";
        assert_at(bind.span, &bound, message)
    } else {
        let message =
            "the cell has a value for each object: add for example `bind = \"COMM\"`, or use a `Cvar`";
        assert_at(ty.span(), &quote!(!#bound), message)
    })
}

fn descriptor(private: &TokenStream, cvar: &Cvar) -> TokenStream {
    let (ident, ty) = (&cvar.ident, &cvar.ty);
    let texts = (cvar.name.value.as_str(), &cvar.description);
    let metadata = metadata(private, texts, cvar.args.component.as_ref(), &rare(&cvar.args));
    let scope = match &cvar.args.scope {
        Some(scope) if scope.value != Scope::Local => setter(private, "with_scope", "Scope", Some(scope)),
        _ => None,
    };
    let bind = setter(private, "with_bind", "Bind", cvar.args.bind.as_ref());
    let verbosity = setter(private, "with_verbosity", "Verbosity", cvar.args.verbosity.as_ref());
    let datatype = cvar.args.datatype.as_ref().map(|datatype| {
        let datatype = variant(private, "Datatype", datatype.value);
        quote!(.with_datatype(#private::cell_of::datatype_of_setting::<#ty>(#datatype)))
    });
    let before_init = match &cvar.args.settable {
        Some(At { value: Settable::BeforeInit, .. }) => Some(quote!(.before_init())),
        _ => None,
    };
    quote! {
        #private::CvarDesc::new::<#ty>(#metadata, &#ident) #scope #bind #verbosity #datatype #before_init
    }
}

/// Returns the properties that few control variables have.
fn rare(args: &CvarArgs) -> TokenStream {
    let mut rare = with_categories(args.krate.as_ref(), &args.category).unwrap_or_default();
    if !args.alias.is_empty() {
        let aliases = args.alias.iter().map(|alias| &alias.value);
        rare.extend(quote!(.with_aliases(&[#(#aliases),*])));
    }
    if !args.env.is_empty() {
        let names = args.env.iter().map(|name| &name.value);
        rare.extend(quote!(.with_environment(&[#(#names),*])));
    }
    rare
}
