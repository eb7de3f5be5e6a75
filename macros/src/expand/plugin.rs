//! Plug-ins.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;

use super::{element, origin, private};
use crate::check::Plugin;

/// The one symbol of the image. What it says is made by `mpit`, of what the attributes left in the image.
pub(crate) fn plugin(plugin: &Plugin) -> TokenStream {
    let private = private(plugin.krate.as_ref());
    let (name, origin) = (&plugin.name.value, origin(&private));
    let activate = function(plugin.activate.as_ref(), &quote!(fn() -> #private::Result<()>));
    let deactivate = function(plugin.deactivate.as_ref(), &quote!(fn()));
    // A second one in the same crate is refused with both places shown. One in another crate of the image is found when
    // the image is loaded, by the section, unless the linker has refused it.
    let span = plugin.name.span.resolved_at(Span::call_site());
    let marker = Ident::new("the_plugin_of_this_image", span);
    let marker = quote_spanned! {span=>
        #[doc(hidden)]
        #[allow(non_local_definitions, reason = "the marker guards the whole crate")]
        #[macro_export]
        macro_rules! #marker { () => {}; }
    };
    let element = element(&private, "plugin", "__MPIT_ELEMENT", &quote!(&__MPIT_ABOUT));
    quote! {
        const _: () = {
            static __MPIT_ABOUT: #private::About = #private::About {
                name: #name,
                origin: #origin,
                activate: #activate,
                deactivate: #deactivate,
            };
            #element
            #[unsafe(no_mangle)]
            extern "C" fn mpit_plugin_v1(
                host: ::core::option::Option<&#private::plugin::Host>,
            ) -> ::core::option::Option<&'static #private::plugin::Plugin> {
                #private::plugin::export(host, &__MPIT_ABOUT)
            }
            #marker
        };
    }
}

/// A function of the plug-in's, if it has one.
fn function(path: Option<&Path>, ty: &TokenStream) -> TokenStream {
    path.map_or_else(
        || quote!(::core::option::Option::None),
        |path| {
            quote!(::core::option::Option::Some({
                let function: #ty = #path;
                function
            }))
        },
    )
}
