//! Expansion of control variables.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{assert_at, category_list, element, metadata, private, root, unique, variant};
use crate::check::Cvar;
use crate::vocabulary::{Bind, Scope};

/// Returns the registration of a control variable.
pub(crate) fn cvar(cvar: &Cvar) -> TokenStream {
    let private = &private(cvar.krate.as_ref());
    let cfgs = &cvar.cfgs;
    let ty = &cvar.ty;
    let desc = descriptor(private, cvar);
    let element = element(private, "MPIT_0_1_CVARS", "__MPIT_ELEMENT", &quote!(#private::CvarDesc), &desc);
    let names = std::iter::once(&cvar.name).chain(&cvar.aliases);
    let markers = names.map(|name| unique("the_cvar", name));
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
    let datatype = cvar.datatype.as_ref().map(|datatype| {
        let kind = variant(private, "Datatype", datatype.value);
        let word = datatype.value.as_str();
        let message = format!("the value has another C representation than `{word}`: remove `datatype`");
        assert_at(datatype.span, &quote!(#private::cell_of::setting_represented_as::<#ty>(#kind)), &message)
    });
    let binding = binding_check(private, cvar);
    quote! {
        #cfgs
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
    let bind = cvar.bind.as_ref().filter(|bind| bind.value != Bind::NoObject);
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
    let metadata = metadata(private, texts, cvar.component.as_ref(), &rare(cvar));
    let mut desc = quote!(#private::CvarDesc::new::<#ty>(#metadata, &#ident));
    if cvar.scope != Scope::Local {
        let scope = variant(private, "Scope", cvar.scope);
        desc.extend(quote!(.with_scope(#scope)));
    }
    if let Some(bind) = &cvar.bind {
        let bind = variant(private, "Bind", bind.value);
        desc.extend(quote!(.with_bind(#bind)));
    }
    if let Some(verbosity) = cvar.verbosity {
        let verbosity = variant(private, "Verbosity", verbosity);
        desc.extend(quote!(.with_verbosity(#verbosity)));
    }
    if let Some(datatype) = &cvar.datatype {
        let datatype = variant(private, "Datatype", datatype.value);
        desc.extend(quote!(.with_datatype(#private::cell_of::datatype_of_setting::<#ty>(#datatype))));
    }
    if cvar.before_init {
        desc.extend(quote!(.before_init()));
    }
    desc
}

/// Returns the properties that few control variables have.
fn rare(cvar: &Cvar) -> TokenStream {
    let mut rare = TokenStream::new();
    if !cvar.categories.is_empty() {
        let categories = category_list(&root(cvar.krate.as_ref()), &cvar.categories);
        rare.extend(quote!(.with_categories(#categories)));
    }
    if !cvar.aliases.is_empty() {
        let aliases = cvar.aliases.iter().map(|alias| &alias.value);
        rare.extend(quote!(.with_aliases(&[#(#aliases),*])));
    }
    if !cvar.environment.is_empty() {
        let names = &cvar.environment;
        rare.extend(quote!(.with_environment(&[#(#names),*])));
    }
    rare
}
