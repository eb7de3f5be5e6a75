//! Tables and their entries, built from choices.

use std::ffi::c_int;
use std::ptr::{null, null_mut, without_provenance_mut};

use arbitrary::{Result, Unstructured};
use mpit::cell::LevelStorage;
use mpit::internal::plugin::abi;

use super::functions::{count_of, freed, get, level_of, put_of, read, set, watch};
use super::memory::{MAX_ENTRY_SIZE, Memory, STORAGE, one_in, zeros};

const MAX_ENTRIES: usize = 3;

impl Memory {
    /// Builds entries of one kind; returns their list and the number in the table, which may be invalid.
    fn entries<T: Copy>(
        &mut self,
        choices: &mut Unstructured<'_>,
        make: fn(&mut Self, &mut Unstructured<'_>, usize) -> Result<T>,
    ) -> Result<(*const T, usize)> {
        let count = choices.int_in_range(0..=MAX_ENTRIES)?;
        let size = Self::size::<T>(choices)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(make(self, choices, size)?);
        }
        let list = self.list(&entries, size.clamp(size_of::<usize>(), MAX_ENTRY_SIZE));
        let declared = match choices.arbitrary::<u8>()? {
            255 => usize::MAX,
            254 => 1 << 21,
            _ => count,
        };
        Ok((Self::pointer(choices, list)?, declared))
    }

    pub(super) fn table(&mut self, choices: &mut Unstructured<'_>) -> Result<*const abi::Table> {
        let categories = self.entries(choices, Self::category)?;
        let sources = self.entries(choices, Self::source)?;
        let events = self.entries(choices, Self::event)?;
        let pvars = self.entries(choices, Self::pvar)?;
        let cvars = self.entries(choices, Self::cvar)?;
        let components = self.entries(choices, Self::component)?;
        let size = Self::size::<abi::Table>(choices)?;
        let table = abi::Table {
            size,
            version: if one_in(choices, 64)? { choices.arbitrary()? } else { u32::from(abi::MAJOR) },
            component: self.text(choices, "fuzz")?,
            categories: categories.0,
            num_categories: categories.1,
            sources: sources.0,
            num_sources: sources.1,
            events: events.0,
            num_events: events.1,
            pvars: pvars.0,
            num_pvars: pvars.1,
            cvars: cvars.0,
            num_cvars: cvars.1,
            components: components.0,
            num_components: components.1,
        };
        let at = self.list(&[table], size_of::<abi::Table>());
        Self::pointer(choices, at)
    }

    fn category(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Category> {
        Ok(abi::Category {
            size,
            name: self.name(choices, "category")?,
            description: self.text(choices, "A category.")?,
            parent: if choices.arbitrary()? { self.name(choices, "category")? } else { null() },
            contains: self.names(choices, "category")?,
            file: self.text(choices, "fuzz.c")?,
            line: 1,
        })
    }

    fn source(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Source> {
        Ok(abi::Source {
            size,
            name: self.name(choices, "source")?,
            description: self.text(choices, "A source.")?,
            order: Self::constant(choices, 2)?,
            file: null(),
            line: 2,
        })
    }

    fn event(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Event> {
        let mut elements = Vec::new();
        for place in 0..choices.int_in_range(0..=3)? {
            elements.push(abi::Element {
                datatype: Self::constant(choices, 11)?,
                displacement: if one_in(choices, 8)? { choices.arbitrary()? } else { 8 * place },
                name: if one_in(choices, 4)? { null() } else { self.name(choices, "element")? },
            });
        }
        let list = self.list(&elements, size_of::<abi::Element>());
        if self.cells.is_empty() || !one_in(choices, 16)? {
            let cell = self.zeroed(size_of::<abi::EventCell>());
            self.cells.push(cell.cast());
        }
        let cell = self.cells.last().copied().unwrap_or(null());
        Ok(abi::Event {
            size,
            name: self.name(choices, "event")?,
            description: self.text(choices, "An event.")?,
            verbosity: Self::constant(choices, 9)?,
            bind: Self::constant(choices, 12)?,
            source: self.name(choices, "source")?,
            elements: Self::pointer(choices, list)?,
            num_elements: if one_in(choices, 64)? { usize::MAX / 2 } else { elements.len() },
            categories: self.names(choices, "category")?,
            cell: Self::pointer(choices, cell)?,
            file: self.text(choices, "fuzz.c")?,
            line: 3,
        })
    }

    fn enumeration(&mut self, choices: &mut Unstructured<'_>) -> Result<*const abi::Enum> {
        if !one_in(choices, 4)? {
            return Ok(null());
        }
        let mut items = Vec::new();
        for _ in 0..choices.int_in_range(0..=3)? {
            let value = choices.int_in_range(0..=3)?;
            items.push(abi::EnumItem { value, name: self.name(choices, "item")? });
        }
        let list = self.list(&items, size_of::<abi::EnumItem>());
        let one = abi::Enum {
            size: Self::size::<abi::Enum>(choices)?,
            name: self.name(choices, "enumeration")?,
            items: Self::pointer(choices, list)?,
            num_items: if one_in(choices, 64)? { usize::MAX / 2 } else { items.len() },
        };
        let at = self.list(&[one], size_of::<abi::Enum>());
        Self::pointer(choices, at)
    }

    fn pvar(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Pvar> {
        let one = abi::Pvar {
            size,
            name: self.name(choices, "pvar")?,
            description: self.text(choices, "A variable.")?,
            class: Self::constant(choices, 10)?,
            datatype: Self::constant(choices, 11)?,
            verbosity: Self::constant(choices, 9)?,
            bind: if one_in(choices, 2)? { Self::constant(choices, 12)? } else { 0 },
            flags: if one_in(choices, 32)? { choices.arbitrary()? } else { choices.int_in_range(0..=31)? },
            count: if one_in(choices, 4)? { choices.arbitrary()? } else { 1 },
            categories: self.names(choices, "category")?,
            user_data: without_provenance_mut(choices.int_in_range(0..=40)?),
            enumeration: self.enumeration(choices)?,
            watch: if choices.arbitrary()? { Some(watch) } else { None },
            ..zeros()
        };
        Ok(match choices.int_in_range(0..=6)? {
            0 => abi::Pvar { sum: Self::pointer(choices, self.zeroed(size_of::<abi::Sum>()).cast())?, ..one },
            1 => {
                let level = self.zeroed(size_of::<LevelStorage>()).cast();
                abi::Pvar { level: Self::pointer(choices, level)?, ..one }
            }
            2 => {
                let count = one.count.min(STORAGE as c_int / 8);
                abi::Pvar { storage: self.storage(choices)?, count, ..one }
            }
            3 => {
                let level = self.zeroed(size_of::<LevelStorage>());
                abi::Pvar { level_of: Some(level_of), user_data: level.cast(), ..one }
            }
            4 => abi::Pvar { read: Some(read), count_of: Some(count_of), count: 0, ..one },
            5 => abi::Pvar { read: Some(read), storage: self.storage(choices)?, ..one },
            _ => abi::Pvar { read: Some(read), ..one },
        })
    }

    fn cvar(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Cvar> {
        let one = abi::Cvar {
            size,
            name: self.name(choices, "cvar")?,
            description: self.text(choices, "A setting.")?,
            datatype: Self::constant(choices, 11)?,
            verbosity: Self::constant(choices, 9)?,
            scope: Self::constant(choices, 7)?,
            count: if one_in(choices, 2)? { 1 } else { choices.arbitrary()? },
            categories: self.names(choices, "category")?,
            user_data: without_provenance_mut(choices.int_in_range(0..=1)?),
            enumeration: self.enumeration(choices)?,
            aliases: self.names(choices, "alias")?,
            environment: self.names(choices, "VARIABLE")?,
            flags: if one_in(choices, 32)? { choices.arbitrary()? } else { choices.int_in_range(0..=1)? },
            file: self.text(choices, "fuzz.c")?,
            line: 5,
            ..zeros()
        };
        Ok(match choices.int_in_range(0..=4)? {
            0 | 1 => {
                let set = if choices.arbitrary()? { Some(set as abi::SetFunction) } else { None };
                let count = one.count.min(STORAGE as c_int / 8);
                abi::Cvar { storage: self.storage(choices)?, set, count, ..one }
            }
            2 => abi::Cvar { get: Some(get), ..one },
            3 => {
                let storage = if one_in(choices, 4)? { self.storage(choices)? } else { null_mut() };
                let (get_of, put_of) = (Some(read as abi::ReadFunction), Some(put_of as abi::PutOfFunction));
                let bind = Self::constant(choices, 12)?;
                abi::Cvar { get_of, put_of, freed: Some(freed), bind, storage, ..one }
            }
            _ => abi::Cvar { get: Some(get), put: Some(set), ..one },
        })
    }

    fn component(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Component> {
        let framework = *choices.choose(&["pml", "osc", "coll", "btl"])?;
        let subscription = self.zeroed(size_of::<abi::Subscription>()).cast();
        Ok(abi::Component {
            size,
            framework: self.text(choices, framework)?,
            name: self.name(choices, "component")?,
            description: self.text(choices, "A component.")?,
            listening: if choices.arbitrary()? { Self::pointer(choices, subscription)? } else { null() },
            ..zeros()
        })
    }
}
