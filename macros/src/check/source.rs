//! The rules of sources.

use proc_macro2::{Span, TokenStream};

use super::item::{self, OnUnitStruct};
use super::name;
use crate::error::Errors;
use crate::parse::SourceArgs;

pub(crate) type Source = OnUnitStruct<SourceArgs>;

impl Source {
    /// Checks an attribute and its item. Returns a result for every struct, so that the events of the source compile even if it
    /// has mistakes.
    pub(crate) fn check(args: SourceArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        if !(args.has_ordered || args.has_unordered) {
            let message = "write `ordered` if tools are to see the events in the order of their time stamps, or `unordered`";
            errors.at(Span::call_site(), message);
        }
        if let (Some(_), Some(unordered)) = (args.ordered, args.unordered) {
            errors.at(unordered, "`unordered` contradicts `ordered`: keep only one of the two");
        }
        let item = item::unit_struct(item, "source", "Clock", errors)?;
        let name = name::given_or(name::snake_case, args.name.as_ref(), &item.ident, errors);
        name::check_component(args.component.as_ref(), errors);
        Some(Self::new(args, item, name, errors))
    }
}
