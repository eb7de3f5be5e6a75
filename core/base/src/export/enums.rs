//! Export of enumerations.

use std::ptr::null;

use super::text::{ExportResult, structs, text};
use crate::abi;
use crate::desc::EnumDesc;
use crate::leak::leak;
use crate::registry::Definition as _;

/// The exported enumerations. Variables that share one share its struct, too.
#[derive(Debug, Default)]
pub(super) struct Enums(Vec<(&'static EnumDesc, *const abi::Enum)>);

impl Enums {
    /// Returns the struct of an enumeration, made once; a null pointer for none.
    pub(super) fn entry(&mut self, desc: Option<&'static EnumDesc>) -> ExportResult<*const abi::Enum> {
        let Some(desc) = desc else { return Ok(null()) };
        if let Some((_, made)) = self.0.iter().find(|(known, _)| known.is(desc)) {
            return Ok(*made);
        }
        let items = desc.items().iter();
        let items = items.map(|item| Ok(abi::EnumItem { value: item.value(), name: text(item.name())? }));
        let (items, num_items) = structs(items.collect::<ExportResult<Vec<_>>>()?);
        let size = size_of::<abi::Enum>();
        let made: *const _ = leak(abi::Enum { size, name: text(desc.name())?, items, num_items });
        self.0.push((desc, made));
        Ok(made)
    }
}
