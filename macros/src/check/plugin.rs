//! The rules of plug-ins.

use proc_macro2::Span;
use syn::Path;

use super::name;
use crate::error::Errors;
use crate::parse::{At, PluginArgs};

/// A plug-in without mistakes that are visible in tokens.
pub(crate) struct Plugin {
    pub(crate) krate: Option<Path>,
    pub(crate) name: At<String>,
    pub(crate) activate: Option<Path>,
    pub(crate) deactivate: Option<Path>,
}

impl Plugin {
    pub(crate) fn check(args: PluginArgs, errors: &mut Errors) -> Option<Self> {
        match &args.name {
            Some(name) => name::check("name", name, errors),
            // A name that could not be parsed has been reported.
            None if !errors.is_empty() => {}
            None => {
                errors
                    .at(Span::call_site(), "`name` is missing, write for example `plugin!(name = \"acme\")`");
            }
        }
        let PluginArgs { krate, name, activate, deactivate } = args;
        Some(Self { krate, name: name?, activate, deactivate })
    }
}
