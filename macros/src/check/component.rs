//! The rules of components.

use proc_macro2::{Span, TokenStream};
use syn::{Expr, Path, Type};

use super::item::{self, GeneratedAttributes};
use super::{name, value};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, ComponentArgs};
use crate::syntax::Item;

/// A component without mistakes that are visible in tokens.
pub(crate) struct Component {
    pub(crate) krate: Option<Path>,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) framework: At<String>,
    pub(crate) name: At<String>,
    pub(crate) description: Description,
    /// The framework's component trait.
    pub(crate) listener: Path,
    pub(crate) ty: Type,
    /// The expression that makes the object; the default is the type's own name.
    pub(crate) object: Option<Expr>,
}

impl Component {
    pub(crate) fn check(args: ComponentArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let framework = required("framework", "pml", args.framework, errors);
        let name = required("name", "monitoring", args.name, errors);
        let expected = "`#[component]` belongs on the `impl` of a component trait for a type";
        let found = item::parse(item, expected, errors, |found| match found {
            Item::Impl(found) => Some(found),
            _ => None,
        })?;
        item::check_generics(&found.generics, "a component", errors);
        let Some(listener) = found.implemented else {
            let ty = &found.self_ty;
            errors.on(ty, format!("{expected}, this is an `impl` of no trait"));
            return None;
        };
        if args.object.is_none() && !matches!(value::ungrouped(&found.self_ty), Type::Path(_)) {
            let message = "a value of this type cannot be created from its name: add `object = ..`, a constant \
                           expression";
            errors.on(&found.self_ty, message);
        }
        Some(Self {
            krate: args.krate,
            attributes: GeneratedAttributes::of(&found.attrs),
            framework: framework?,
            name: name?,
            description: Description::of(&found.attrs),
            listener,
            ty: found.self_ty,
            object: args.object,
        })
    }
}

fn required(key: &str, example: &str, given: Option<At<String>>, errors: &mut Errors) -> Option<At<String>> {
    match &given {
        None => errors
            .at(Span::call_site(), format!("`{key}` is missing, write for example `{key} = \"{example}\"`")),
        Some(given) => {
            name::check(key, given, errors);
            if given.value.starts_with('^') {
                let message = "a leading `^` means \"all but these\" in lists of components, remove it";
                errors.at(given.span, message);
            }
        }
    }
    given
}
