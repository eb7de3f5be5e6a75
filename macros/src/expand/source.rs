//! Expansion of sources.

use proc_macro2::TokenStream;
use quote::quote;

use super::{metadata, private, reference, root};
use crate::check::Source;
use crate::names::claim;

/// Returns the trait implementation of a source, and its registration unless there are mistakes.
pub(crate) fn source(source: &Source, faulty: bool) -> TokenStream {
    let root = root(source.args.krate.as_ref());
    let private = private(source.args.krate.as_ref());
    let (attributes, ident) = (&source.attributes, &source.ident);
    let texts = (source.name.value.as_str(), &source.description);
    let metadata = metadata(&private, texts, source.args.component.as_ref(), &TokenStream::new());
    let order = if source.args.ordered.is_some() { quote!(Ordered) } else { quote!(Unordered) };
    let registration = if faulty {
        None
    } else {
        let element = reference(&private, "sources", &quote!(__MPIT_SOURCE));
        let marker = claim("source", &source.name, attributes);
        Some(quote!(#element #marker))
    };
    quote! {
        #attributes
        const _: () = {
            static __MPIT_CELL: #private::SourceCell = #private::SourceCell::new();
            static __MPIT_SOURCE: #private::SourceDesc =
                #private::SourceDesc::new(#metadata, #private::SourceOrder::#order, &__MPIT_CELL);
            impl #root::event::Source for #ident {
                const DESC: &'static #private::SourceDesc = &__MPIT_SOURCE;
            }
            #registration
        };
    }
}
