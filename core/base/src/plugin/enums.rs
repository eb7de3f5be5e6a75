//! Enumerations of tables.

use super::c_strings::{NAME, text};
use super::c_structs::{EntryResult, Specified, list, member, read, read_array};
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
    pub(super) fn enumeration(
        &mut self,
        at: Specified<'_, *const Enum>,
        origin: Origin,
    ) -> EntryResult<Option<&'static EnumDesc>> {
        if at.is_null() {
            return Ok(None);
        }
        if let Some(known) = self.enums.get(&*at) {
            return Ok(Some(known));
        }
        let (from, _) = read(&mut self.pages, "its enumeration", at)?;
        let name = text(&mut self.pages, "the name of its enumeration", member!(&from, name), NAME)?;
        let items = items(&mut self.pages, &from)
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
        self.enums.insert(*at, desc);
        self.enums_by_name.entry(desc.name()).or_insert(desc);
        Ok(Some(desc))
    }
}

/// Copies and checks the items of an enumeration.
fn items(pages: &mut Pages, from: &Specified<'_, Enum>) -> EntryResult<Vec<EnumItem>> {
    if from.num_items > MAX_ITEMS {
        return Err(format!("it has {} items, which cannot be", from.num_items).into());
    }
    let all = read_array(pages, "its list of items", list!(from, items, num_items))?;
    let item = |(place, item): (usize, &Specified<'_, crate::abi::EnumItem>)| {
        let name = text(pages, format_args!("the name of item {place}"), member!(item, name), NAME)?;
        Ok(EnumItem::new(item.value, name))
    };
    all.iter().enumerate().map(item).collect()
}
