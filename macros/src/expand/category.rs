//! Expansion of categories.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;
use syn::spanned::Spanned as _;

use super::{assert_at, origin, private, reference, root};
use crate::check::Category;
use crate::names::claim;

/// Returns the registration of a category or, with mistakes, only the parts that its uses need to compile.
pub(crate) fn category(category: &Category, faulty: bool) -> TokenStream {
    let root = root(category.args.krate.as_ref());
    let private = private(category.args.krate.as_ref());
    let none: &[Path] = &[];
    let (parents, contains) = if faulty {
        (none, none)
    } else {
        (category.args.parent.as_slice(), category.args.contains.as_slice())
    };
    let (parents, contains) = (links(&root, parents), links(&root, contains));
    let (attributes, ident, name) = (&category.attributes, &category.ident, &category.name.value);
    let (description, origin) = (category.description.to_tokens(), origin(&private));
    let registration = if faulty { None } else { Some(registration(&root, &private, category)) };
    // The lists are statics, since only those may refer to each other in a cycle: a parent that contains the category.
    quote! {
        #attributes
        const _: () = {
            static __MPIT_PARENTS: &[&#private::CategoryDesc] = &[#parents];
            static __MPIT_CONTAINS: &[&#private::CategoryDesc] = &[#contains];
            static __MPIT_CATEGORY: #private::CategoryDesc =
                #private::CategoryDesc::new(#name, #description, __MPIT_PARENTS, __MPIT_CONTAINS, #origin);
            impl #root::Category for #ident {
                const LINK: #private::CategoryLink = #private::CategoryLink::to(&__MPIT_CATEGORY);
            }
            #registration
        };
    }
}

/// Returns links to the descriptors of categories, which the compiler does not follow.
fn links(root: &TokenStream, categories: &[Path]) -> TokenStream {
    quote!(#(<#categories as #root::Category>::LINK.get()),*)
}

fn registration(root: &TokenStream, private: &TokenStream, category: &Category) -> TokenStream {
    let (ident, name) = (&category.ident, &category.name.value);
    let element = reference(private, "categories", &quote!(__MPIT_CATEGORY));
    let marker = claim("category", &category.name, &category.attributes);
    // Any edge may be reported as the one to remove; this is the first.
    let acyclic = category.args.parent.first().or(category.args.contains.first()).map(|edge| {
        let condition = quote!(!<#ident as #root::Category>::DESC.is_its_own_ancestor());
        let chain = if category.args.parent.is_empty() { "contains" } else { "parent" };
        let message = format!("category `{name}` is its own ancestor: break the `{chain}` chain");
        assert_at(edge.span(), &condition, &message)
    });
    quote!(#element #marker #acyclic)
}
