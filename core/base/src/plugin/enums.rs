//! Enumerations of tables.

use super::c_strings::{NAME, text};
use super::c_structs::{EntryResult, check_list, read};
use super::c_table::TableBuilder;
use crate::abi::Enum;
use crate::desc::{EnumDesc, EnumItem, Origin};
use crate::leak::{leak, leak_list};
use crate::os::readable::Pages;
use crate::registry::Registry;

/// The largest number of items; more are taken for a mistake.
const MAX_ITEMS: usize = 1 << 16;

impl TableBuilder {
    /// Returns the descriptor of an enumeration, if there is one. A struct that a table names several times, or that is
    /// registered already, gets a single descriptor.
    ///
    /// # Safety
    ///
    /// `at` is the enumeration of an entry of a table that satisfies the conditions of [`super::register`].
    pub(super) unsafe fn enumeration(
        &mut self,
        at: *const Enum,
        origin: Origin,
    ) -> EntryResult<Option<&'static EnumDesc>> {
        if at.is_null() {
            return Ok(None);
        }
        if let Some(known) = self.enums.get(&at) {
            return Ok(Some(known));
        }
        // SAFETY: not null, so a `struct mpit_enum` of the size that it states, by the conditions of `register`.
        let (from, _) = unsafe { read(&mut self.pages, "its enumeration", at) }?;
        // SAFETY: the string is null or ends with a NUL, by the conditions of `register`.
        let name = unsafe { text(&mut self.pages, "the name of its enumeration", from.name, NAME) }?;
        // SAFETY: `from` is a copy of the table's enumeration, so its list satisfies the conditions of `register`.
        let items = unsafe { items(&mut self.pages, &from) }
            .map_err(|fault| fault.within(format_args!("enumeration `{name}`")))?;
        let same = |known: &&'static EnumDesc| {
            let pairs = |items: &[EnumItem]| -> Vec<_> {
                items.iter().map(|item| (item.value(), item.name())).collect()
            };
            pairs(known.items()) == pairs(&items)
        };
        let of_table = self.enums_by_name.get(name).copied();
        let known = of_table.or_else(|| Registry::global().enum_named(name)).filter(same);
        let desc = known.unwrap_or_else(|| {
            leak(EnumDesc::new(name, leak_list(items.clone()), origin).of_plugin(self.activation))
        });
        self.enums.insert(at, desc);
        self.enums_by_name.entry(desc.name()).or_insert(desc);
        Ok(Some(desc))
    }
}

/// Copies and checks the items of an enumeration.
///
/// # Safety
///
/// `from` is an enumeration of a table that satisfies the conditions of [`super::register`].
unsafe fn items(pages: &mut Pages, from: &Enum) -> EntryResult<Vec<EnumItem>> {
    if from.num_items > MAX_ITEMS {
        return Err(format!("it has {} items, which cannot be", from.num_items).into());
    }
    let mut items = Vec::new();
    if from.num_items > 0 {
        check_list(pages, "its list of items", from.items, from.num_items)?;
    }
    for place in 0..from.num_items {
        // SAFETY: `place` is less than `num_items`, and `check_list` checked that so many items are aligned and readable.
        let item = unsafe { from.items.wrapping_add(place).read() };
        // SAFETY: the string is null or ends with a NUL, by the conditions of `register`.
        let name = unsafe { text(pages, format_args!("the name of item {place}"), item.name, NAME) }?;
        items.push(EnumItem::new(item.value, name));
    }
    Ok(items)
}
