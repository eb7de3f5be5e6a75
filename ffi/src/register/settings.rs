//! Control variables and enumerations of tables.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use mpit::Error;
use mpit::desc::{CvarDesc, CvarOps, EnumDesc, EnumItem};
use mpit::registry::Registry;
use mpit::words::{Datatype, Scope, Verbosity};

use super::cell::load;
use super::layout::{Checked, Cvar, Enum, SetFunction, placed, read};
use super::table::{Making, forever, forever_list};
use super::texts::{DESCRIPTION, NAME, names, optional, text, word};

/// More items than this are a mistake.
const MOST_ITEMS: usize = 1 << 16;

/// Where a control variable of C's is kept.
struct Setting {
    datatype: Datatype,
    count: usize,
    /// `count` elements, for ever and aligned.
    storage: *mut c_void,
    set: Option<SetFunction>,
    user_data: *mut c_void,
    enumeration: Option<&'static EnumDesc>,
}

static OPS: CvarOps = CvarOps::new(read_setting, write_setting);

/// # Safety
///
/// `cell` is a `&'static Setting`; `out` is valid for writes of `count` elements, and aligned.
unsafe extern "C" fn read_setting(cell: *const (), out: *mut u8, count: usize) -> i32 {
    // SAFETY: by the caller's promise.
    let cell = unsafe { &*cell.cast::<Setting>() };
    if count < cell.count {
        return Error::Invalid.code();
    }
    for place in 0..cell.count {
        // SAFETY: within the storage, and within `out` by the caller's promise.
        unsafe { copy(cell.datatype, cell.storage.cast_const().cast(), out, place) };
    }
    0
}

/// # Safety
///
/// `cell` is a `&'static Setting`; `value` is valid for reads of `count` elements, and aligned.
unsafe extern "C" fn write_setting(cell: *const (), value: *const u8, count: usize) -> i32 {
    // SAFETY: by the caller's promise.
    let cell = unsafe { &*cell.cast::<Setting>() };
    let is_text = cell.datatype == Datatype::Char;
    let fits = if is_text { count < cell.count } else { count == cell.count };
    if !fits {
        return Error::Invalid.code();
    }
    if let Some(enumeration) = cell.enumeration {
        for place in 0..count {
            // SAFETY: by the caller's promise; only `INT` variables have an enumeration.
            let item: i32 = unsafe { load(value.wrapping_add(place * size_of::<i32>()).cast()) };
            if enumeration.item(item).is_none() {
                return Error::Invalid.code();
            }
        }
    }
    if let Some(set) = cell.set {
        // SAFETY: the function is the table's, and `value` has as many elements.
        if unsafe { set(cell.user_data, value.cast(), count as c_int) } != 0 {
            return Error::Invalid.code();
        }
    }
    for place in 0..count {
        // SAFETY: within the storage, and within `value` by the caller's promise.
        unsafe { copy(cell.datatype, value, cell.storage.cast(), place) };
    }
    if is_text {
        for place in count..cell.count {
            // SAFETY: within the storage.
            unsafe { copy(cell.datatype, std::ptr::from_ref(&0), byte(cell.storage, place), 0) };
        }
    }
    0
}

fn byte(start: *mut c_void, at: usize) -> *mut u8 {
    start.cast::<u8>().wrapping_add(at)
}

/// Copies one element, atomically at either end.
///
/// # Safety
///
/// `from` is valid for atomic reads of `place` + 1 elements of the datatype, `to` for atomic writes; both are aligned.
unsafe fn copy(datatype: Datatype, from: *const u8, to: *mut u8, place: usize) {
    let offset = place * datatype.size();
    let (from, to) = (from.wrapping_add(offset), to.wrapping_add(offset));
    match datatype.size() {
        1 => {
            // SAFETY: by the caller's promise.
            let value = unsafe { load::<u8>(from) };
            // SAFETY: by the caller's promise.
            let atomic = unsafe { AtomicU8::from_ptr(to) };
            atomic.store(value, Relaxed);
        }
        4 => {
            // SAFETY: by the caller's promise.
            let value = unsafe { load::<u32>(from.cast()) };
            // SAFETY: by the caller's promise.
            let atomic = unsafe { AtomicU32::from_ptr(to.cast()) };
            atomic.store(value, Relaxed);
        }
        _ => {
            // SAFETY: by the caller's promise.
            let value = unsafe { load::<u64>(from.cast()) };
            // SAFETY: by the caller's promise.
            let atomic = unsafe { AtomicU64::from_ptr(to.cast()) };
            atomic.store(value, Relaxed);
        }
    }
}

impl Making {
    /// # Safety
    ///
    /// As `mpit_register`.
    pub(super) unsafe fn cvar(&mut self, from: &Cvar, number: u32) -> Checked<CvarDesc> {
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of cvar {number}"), from.name, NAME) }?;
        // SAFETY: by the caller's promise.
        unsafe { self.cvar_named(name, from, number) }.map_err(|why| format!("cvar `{name}`: {why}"))
    }

    /// # Safety
    ///
    /// As `mpit_register`.
    unsafe fn cvar_named(&mut self, name: &'static str, from: &Cvar, number: u32) -> Checked<CvarDesc> {
        // SAFETY: by the caller's promise.
        let description = unsafe { optional("its description", from.description, DESCRIPTION) }?;
        let datatype = word("datatype", from.datatype, Datatype::ALL)?;
        let verbosity = word("verbosity", from.verbosity, Verbosity::ALL)?;
        let scope = word("scope", from.scope, Scope::ALL)?;
        // SAFETY: by the caller's promise.
        let categories = unsafe { names("the name of one of its categories", from.categories) }?;
        let count = u32::try_from(from.count).ok().filter(|count| *count > 0);
        let count = count.ok_or_else(|| format!("its count is {}; it has 1 element or more", from.count))?;
        if from.storage.is_null() {
            return Err("its storage is a null pointer".into());
        }
        if !from.storage.addr().is_multiple_of(datatype.size()) {
            return Err(format!("its storage at {:p} is not aligned", from.storage));
        }
        // SAFETY: by the caller's promise.
        let enumeration = unsafe { self.enumeration(from.enumeration, number) }?;
        let cell: &'static Setting = forever(Setting {
            datatype,
            count: count as usize,
            storage: from.storage,
            set: from.set,
            user_data: from.user_data,
            enumeration,
        });
        let cell = std::ptr::from_ref(cell).cast();
        let origin = self.origin(number);
        // SAFETY: the functions are those of a `Setting`, which is there for ever; they access the storage atomically.
        let desc = unsafe { CvarDesc::behind(name, (datatype, count), enumeration, &OPS, cell, origin) };
        let desc = desc.description(description).verbosity(verbosity).scope(scope);
        Ok(desc.categories(self.categories_named(&categories, number)))
    }

    /// An enumeration, if there is one: made once for each in C, and not again if it is registered already.
    ///
    /// # Safety
    ///
    /// As `mpit_register`.
    pub(super) unsafe fn enumeration(
        &mut self,
        at: *const Enum,
        number: u32,
    ) -> Checked<Option<&'static EnumDesc>> {
        if at.is_null() {
            return Ok(None);
        }
        if let Some((_, known)) = self.enums.iter().find(|(place, _)| std::ptr::eq(*place, at)) {
            return Ok(Some(known));
        }
        // SAFETY: by the caller's promise.
        let (from, _) = unsafe { read("its enumeration", at) }?;
        // SAFETY: by the caller's promise.
        let name = unsafe { text("the name of its enumeration", from.name, NAME) }?;
        // SAFETY: by the caller's promise.
        let items = unsafe { items(&from) }.map_err(|why| format!("enumeration `{name}`: {why}"))?;
        let same = |known: &&'static EnumDesc| {
            let pairs = |items: &[EnumItem]| -> Vec<_> {
                items.iter().map(|item| (item.value(), item.name())).collect()
            };
            pairs(known.items()) == pairs(&items)
        };
        let desc = Registry::global().enum_named(name).filter(same).unwrap_or_else(|| {
            forever(EnumDesc::new(name, forever_list(items.clone()), self.origin(number)))
        });
        self.enums.push((at, desc));
        Ok(Some(desc))
    }
}

/// # Safety
///
/// As `mpit_register`.
unsafe fn items(from: &Enum) -> Checked<Vec<EnumItem>> {
    if from.num_items > MOST_ITEMS {
        return Err(format!("it has {} items, which cannot be", from.num_items));
    }
    let mut items = Vec::new();
    if from.num_items > 0 {
        placed("its list of items", from.items)?;
    }
    for place in 0..from.num_items {
        // SAFETY: within the list, by the caller's promise.
        let item = unsafe { from.items.wrapping_add(place).read() };
        // SAFETY: by the caller's promise.
        let name = unsafe { text(&format!("the name of item {place}"), item.name, NAME) }?;
        items.push(EnumItem::new(item.value, name));
    }
    Ok(items)
}
