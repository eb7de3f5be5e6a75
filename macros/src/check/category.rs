//! The rules of categories.

use proc_macro2::TokenStream;

use super::item::{self, OnUnitStruct};
use super::{name, paths};
use crate::error::Errors;
use crate::parse::CategoryArgs;

pub(crate) type Category = OnUnitStruct<CategoryArgs>;

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
        Some(Self::new(args, item, name, errors))
    }
}
