//! Expansion of components.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::{origin, private, reference};
use crate::check::Component;
use crate::names::claim;
use crate::parse::At;

pub(crate) fn component(component: &Component) -> TokenStream {
    let private = private(component.krate.as_ref());
    let (framework, name) = (&component.framework.value, &component.name.value);
    let (origin, description) = (origin(&private), component.description.to_tokens());
    let (attributes, ty, listener) = (&component.attributes, &component.ty, &component.listener);
    let object = if let Some(object) = &component.object { quote!(#object) } else { quote!(#ty) };
    let desc = quote!(#private::ComponentDesc::new(#framework, #name, #description, #origin, __mpit_object));
    let element = reference(&private, "components", &desc);
    let both = At { value: format!("{framework}.{name}"), span: component.name.span };
    let marker = claim("component", &both, attributes);
    // The traits of other frameworks are not known here.
    let known = ["pml", "osc", "coll"].into_iter().find(|known| framework == known);
    let is_its_own = known.map(|known| {
        let check = Ident::new(known, Span::call_site());
        let check =
            quote_spanned!(component.framework.span=> #private::component_of::#check::<dyn #listener>());
        quote!(const _: () = #check;)
    });
    quote! {
        #attributes
        const _: () = {
            #is_its_own
            fn __mpit_object() -> &'static (dyn ::core::any::Any + ::core::marker::Send + ::core::marker::Sync) {
                static __MPIT_OBJECT: #ty = #object;
                static __MPIT_LISTENER: &'static dyn #listener = &__MPIT_OBJECT;
                &__MPIT_LISTENER
            }
            #element
            #marker
        };
    }
}
