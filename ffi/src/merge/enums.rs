//! Enumerations of both sides, behind identifiers of ours.

use std::ffi::c_int;

use mpit::tool::EnumDesc;
use mpit_sync::lock::Mutex;
use mpit_sync::log::Log;

use super::HostIsUp;
use super::text::query_text;
use crate::host::mpi_t;

const KIND: usize = 0x45 << 56;

/// A snapshot of an enumeration.
#[derive(Debug)]
pub(crate) struct Enumeration {
    source: EnumSource,
    pub(crate) name: String,
    /// Value and name of each item.
    pub(crate) items: Vec<(i32, String)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EnumSource {
    Own(*const EnumDesc),
    Host(usize),
}

// SAFETY: the pointer is compared with others and never dereferenced.
unsafe impl Send for EnumSource {}
// SAFETY: the pointer is compared with others and never dereferenced.
unsafe impl Sync for EnumSource {}

/// The enumerations of all variables that were queried so far.
#[derive(Debug)]
pub(crate) struct Enums {
    entries: Log<Enumeration>,
    adding: Mutex<()>,
}

impl Enums {
    pub(super) fn new() -> Self {
        Self { entries: Log::new(), adding: Mutex::new(()) }
    }

    /// Returns the enumeration of a handle of ours.
    pub(crate) fn get(&self, handle: usize) -> Option<&Enumeration> {
        self.entries.get((handle ^ KIND).checked_sub(1)?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Enumeration> {
        self.entries.iter()
    }

    /// Returns the handle of one of our enumerations, or null.
    pub(crate) fn own(&self, desc: Option<&'static EnumDesc>) -> usize {
        let Some(desc) = desc else { return 0 };
        self.find_or_add(EnumSource::Own(desc), || {
            let items = desc.items().iter().map(|item| (item.value(), item.name().to_owned())).collect();
            Some(Enumeration { source: EnumSource::Own(desc), name: desc.name().into(), items })
        })
    }

    /// Returns our handle for one of the host's enumerations; null for null, and for an enumeration that the
    /// host does not describe.
    ///
    /// # Safety
    ///
    /// The host returned the enumeration, or it is null.
    pub(super) unsafe fn host(&self, up: HostIsUp<'_>, enumeration: usize) -> usize {
        if enumeration == 0 {
            return 0;
        }
        self.find_or_add(EnumSource::Host(enumeration), || {
            // SAFETY: the host returned the enumeration, which is not null (checked).
            let (name, count) = unsafe { query_info(up, enumeration) }?;
            // SAFETY: the host returned the enumeration, which is not null (checked) and has `count` items.
            let item = |index| unsafe { query_item(up, enumeration, index) };
            let items = (0..count).map_while(item).collect();
            Some(Enumeration { source: EnumSource::Host(enumeration), name, items })
        })
    }

    fn find_or_add(&self, source: EnumSource, make: impl FnOnce() -> Option<Enumeration>) -> usize {
        let known = || self.entries.iter().position(|known| known.source == source);
        let add = || {
            // Before the lock is taken, because `make` may query the host.
            let new = make()?;
            let _only_writer = self.adding.lock();
            known().or_else(|| self.entries.push(new).ok())
        };
        known().or_else(add).map_or(0, |index| KIND | (index + 1))
    }
}

/// Returns the name and the number of items of an enumeration.
///
/// # Safety
///
/// The host returned the enumeration.
unsafe fn query_info(_up: HostIsUp<'_>, enumeration: usize) -> Option<(String, c_int)> {
    let mut count = 0;
    let name = query_text(|name, len| {
        // SAFETY: the host is up and returned the enumeration; `count` is a local variable, and `query_text` passes null or a
        // buffer of the given length.
        unsafe { mpi_t::enum_get_info(enumeration, &raw mut count, name, len) }
    })?;
    Some((name, count))
}

/// Returns the value and the name of an item.
///
/// # Safety
///
/// The host returned the enumeration and reported more than `index` items.
unsafe fn query_item(_up: HostIsUp<'_>, enumeration: usize, index: c_int) -> Option<(i32, String)> {
    let mut value = 0;
    let name = query_text(|name, len| {
        // SAFETY: the host is up and returned the enumeration, which has this item (condition of this function); `value` is a
        // local variable, and `query_text` passes null or a buffer of the given length.
        unsafe { mpi_t::enum_get_item(enumeration, index, &raw mut value, name, len) }
    })?;
    Some((value, name))
}
