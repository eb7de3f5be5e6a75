//! The rules of categories.

use proc_macro2::TokenStream;
use syn::Ident;

use super::item::{self, GeneratedAttributes};
use super::{name, paths};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, CategoryArgs};

/// A category without mistakes that are visible in tokens.
pub(crate) struct Category {
    pub(crate) args: CategoryArgs,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) ident: Ident,
    pub(crate) name: At<String>,
    pub(crate) description: Description,
}

impl Category {
    /// Checks an attribute and its item. Returns a result for every struct, so that its uses compile even if it has mistakes.
    pub(crate) fn check(args: CategoryArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let item = item::unit_struct(item, "category", "Pml", errors)?;
        let name = name::given_or(name::lower_case, args.name.as_ref(), &item.ident, errors);
        for (key, paths) in [("parent", &args.parent), ("contains", &args.contains)] {
            paths::check_once(key, paths, errors);
            for path in paths.iter().filter(|path| path.is_ident(&item.ident)) {
                let relation = if key == "parent" { "its own parent" } else { "in itself" };
                errors.on(path, format!("category `{}` is {relation}: remove it from `{key}`", name.value));
            }
        }
        for path in args.contains.iter().filter(|path| paths::contains(&args.parent, path)) {
            let message = format!(
                "a category in `{}` cannot be its parent, too: remove it from `parent` or `contains`",
                name.value
            );
            errors.on(path, message);
        }
        let description = item::description(&item.attrs, &item.ident, errors);
        Some(Self {
            args,
            attributes: GeneratedAttributes::of(&item.attrs),
            ident: item.ident,
            name,
            description,
        })
    }
}
