//! Expansion of plug-ins.

use proc_macro2::TokenStream;
use quote::quote;
use syn::Path;

use super::{origin, private};
use crate::check::Plugin;
use crate::names::claim_plugin;

/// Returns the only exported symbol of the image, a function that calls `mpit` to export the definitions.
pub(crate) fn plugin(plugin: &Plugin) -> TokenStream {
    let private = private(plugin.krate.as_ref());
    let (name, origin) = (&plugin.name.value, origin(&private));
    let activate = function(plugin.activate.as_ref(), &quote!(fn() -> #private::Result<()>));
    let deactivate = function(plugin.deactivate.as_ref(), &quote!(fn()));
    // A second one in another crate of the image is detected when the image is loaded, unless the linker refuses it.
    let second = claim_plugin(plugin.name.span);
    quote! {
        const _: () = {
            #private::inventory::submit! {
                #private::About {
                    name: #name,
                    origin: #origin,
                    activate: #activate,
                    deactivate: #deactivate,
                }
            }
            #[unsafe(no_mangle)]
            extern "C" fn mpit_plugin_v1(
                host: ::core::option::Option<&#private::plugin::Host>,
            ) -> ::core::option::Option<&'static #private::plugin::Plugin> {
                #private::plugin::export(host)
            }
            #second
        };
    }
}

/// Returns a function of the plug-in, if it has one.
fn function(path: Option<&Path>, ty: &TokenStream) -> TokenStream {
    let Some(path) = path else { return quote!(::core::option::Option::None) };
    quote!(::core::option::Option::Some({
        let function: #ty = #path;
        function
    }))
}
