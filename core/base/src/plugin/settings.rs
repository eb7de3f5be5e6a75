//! Control variables of tables.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::c_strings::{from_code, names};
use super::c_structs::{EntryResult, Specified, check_list, const_message, member};
use super::c_table::{Entry, TableBuilder};
use super::cell::load_word;
use super::pvar::fixed_count;
use crate::abi::{
    CVAR_BEFORE_INIT, Cvar, FreedFunction, GetFunction, PutOfFunction, ReadFunction, SetFunction,
};
use crate::cvar::{CvarDesc, ErasedCvar, Setters, words_of};
use crate::desc::EnumDesc;
use crate::leak::{leak, leak_list, leak_text};
use crate::lock::{Guard, Mutex};
use crate::object::Object;
use crate::os::readable::Pages;
use crate::registry::{Fault, Rule, check_text};
use crate::vocabulary::{Bind, Datatype, Scope, Verbosity};
use crate::{Error, Result};

/// A control variable of another image.
struct Setting {
    datatype: Datatype,
    count: usize,
    value: SettingStorage,
    user_data: *mut c_void,
    enumeration: Option<&'static EnumDesc>,
    /// True if the storage is in memory that cannot be written.
    is_constant: bool,
    setters: Setters,
    /// Held while a storage of several elements is copied, so that a value is that of one write.
    copying: Mutex<()>,
}

enum SettingStorage {
    /// `count` aligned elements that are valid for the rest of the process; the function, if any, may refuse values.
    Storage(*mut c_void, Option<SetFunction>),
    /// A function that reads the value and one that writes it.
    Functions(GetFunction, SetFunction),
    /// Functions with an object argument, for a variable that is bound to objects.
    OfObjects(ReadFunction, PutOfFunction, Option<FreedFunction>),
}

// SAFETY: the storage is accessed atomically, and any thread may call the functions with `user_data` (`mpit_plugin.h`).
unsafe impl Sync for Setting {}

impl ErasedCvar for Setting {
    /// The metadata has the enumeration, if there is one.
    fn enumeration(&self) -> Option<&'static EnumDesc> {
        None
    }

    unsafe fn read(&self, object: &Object<'_>, out: *mut u8, count: usize) -> Result<()> {
        if count < self.count {
            return Err(Error::Invalid);
        }
        // SAFETY: `out` has `count` elements, at least `self.count`, as checked above.
        unsafe { out.write_bytes(0, self.count * self.datatype.size()) };
        match self.value {
            SettingStorage::Storage(storage, _) => {
                let _guard = self.copying_lock();
                for place in 0..self.count {
                    // SAFETY: `place` is less than `self.count`, the length of the storage, and `out` is not shorter, as checked
                    // above.
                    unsafe { copy(self.datatype, storage.cast_const().cast(), out, place) };
                }
            }
            SettingStorage::Functions(get, _) => {
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and a buffer of
                // `self.count` elements.
                check_answer(unsafe { get(self.user_data, out.cast(), self.count as c_int) })?;
            }
            SettingStorage::OfObjects(get, ..) => {
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and a buffer of
                // `self.count` elements.
                check_answer(unsafe { get(self.user_data, object, out.cast(), self.count as c_int) })?;
            }
        }
        // Tools expect text to end with a NUL.
        if self.datatype == Datatype::Char {
            // SAFETY: `out` has at least `self.count` elements, and `self.count` is not 0 (`cvar` checks it).
            unsafe { out.wrapping_add(self.count - 1).write(0) };
        }
        Ok(())
    }

    unsafe fn write(&self, object: &Object<'_>, value: *const u8, count: usize) -> Result<()> {
        let is_text = self.datatype == Datatype::Char;
        let fits = if is_text { count < self.count } else { count == self.count };
        if !fits {
            return Err(Error::Invalid);
        }
        if self.is_constant {
            return Err(Error::CvarSetNever);
        }
        if let Some(enumeration) = self.enumeration {
            for place in 0..count {
                let at = value.wrapping_add(place * size_of::<i32>());
                // SAFETY: `value` has `count` aligned elements, which are `int`s, since only `INT` variables have an enumeration.
                let item = unsafe { load_word(at, size_of::<i32>()) } as u32;
                if enumeration.item(item.cast_signed()).is_none() {
                    return Err(Error::Invalid);
                }
            }
        }
        match self.value {
            SettingStorage::Storage(storage, None) => {
                // SAFETY: `value` has `count` elements: the caller ensures it, and that is not more than the storage has (checked above).
                unsafe { self.store(storage, value, count) };
                Ok(())
            }
            SettingStorage::Storage(storage, Some(function)) => {
                let set = || {
                    // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and `count` elements.
                    check_answer(unsafe { function(self.user_data, value.cast(), count as c_int) })?;
                    // SAFETY: `value` has `count` elements: the caller ensures it, and that is not more than the storage has (checked
                    // above).
                    unsafe { self.store(storage, value, count) };
                    Ok(())
                };
                self.setters.run(None, set, || self.apply_again(function))
            }
            // These functions store the value as well, so its order is theirs.
            SettingStorage::Functions(_, function) => {
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and `count` elements.
                check_answer(unsafe { function(self.user_data, value.cast(), count as c_int) })
            }
            SettingStorage::OfObjects(_, function, _) => {
                // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and `count` elements.
                check_answer(unsafe { function(self.user_data, object, value.cast(), count as c_int) })
            }
        }
    }

    fn drop_value(&self, object: &Object<'_>) {
        if let SettingStorage::OfObjects(_, _, Some(freed)) = self.value {
            // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data`.
            unsafe { freed(self.user_data, object) };
        }
    }
}

impl Setting {
    fn copying_lock(&self) -> Option<Guard<'_, ()>> {
        if self.count > 1 { Some(self.copying.lock()) } else { None }
    }

    /// Stores a value of `count` elements; text ends with a NUL.
    ///
    /// # Safety
    ///
    /// `value` has `count` aligned elements, and the storage is this variable's and has no fewer.
    unsafe fn store(&self, storage: *mut c_void, value: *const u8, count: usize) {
        let _guard = self.copying_lock();
        for place in 0..count {
            // SAFETY: `place` is less than `count`, and both have so many elements: the caller ensures it.
            unsafe { copy(self.datatype, value, storage.cast(), place) };
        }
        if self.datatype == Datatype::Char {
            for place in count..self.count {
                // SAFETY: `place` is less than `self.count`, the length of the storage, which is text; the source is a zero.
                unsafe { copy(self.datatype, std::ptr::from_ref(&0), byte(storage, place), 0) };
            }
        }
    }

    /// Passes the value in the storage to the function of the variable.
    fn apply_again(&self, function: SetFunction) {
        let Some(words) = words_of(self, (self.datatype, self.count), &Object::NONE) else { return };
        let count = if self.datatype == Datatype::Char {
            words.iter().flat_map(|word| word.to_ne_bytes()).take_while(|byte| *byte != 0).count()
        } else {
            self.count
        };
        // SAFETY: the table's function of this type (`mpit_plugin.h`), with its own `user_data` and `count` elements.
        unsafe { function(self.user_data, words.as_ptr().cast(), count as c_int) };
    }
}

fn check_answer(answer: c_int) -> Result<()> {
    if answer == 0 { Ok(()) } else { Err(Error::Invalid) }
}

fn byte(start: *mut c_void, at: usize) -> *mut u8 {
    start.cast::<u8>().wrapping_add(at)
}

/// Copies one element with an atomic load and an atomic store.
///
/// # Safety
///
/// `from` is valid for atomic reads of `place` + 1 elements of the datatype, `to` for atomic writes; both are aligned.
unsafe fn copy(datatype: Datatype, from: *const u8, to: *mut u8, place: usize) {
    let size = datatype.size();
    // SAFETY: `from` is aligned and valid for atomic reads of `place` + 1 elements: the caller ensures it.
    let word = unsafe { load_word(from.wrapping_add(place * size), size) };
    let to = to.wrapping_add(place * size);
    match size {
        // SAFETY: `to` is aligned and valid for atomic writes of `place` + 1 elements: the caller ensures it.
        1 => unsafe { AtomicU8::from_ptr(to) }.store(word as u8, Relaxed),
        // SAFETY: `to` is aligned and valid for atomic writes of `place` + 1 elements: the caller ensures it.
        4 => unsafe { AtomicU32::from_ptr(to.cast()) }.store(word as u32, Relaxed),
        // SAFETY: `to` is aligned and valid for atomic writes of `place` + 1 elements: the caller ensures it.
        _ => unsafe { AtomicU64::from_ptr(to.cast()) }.store(word, Relaxed),
    }
}

impl TableBuilder {
    /// Adds a control variable.
    pub(super) fn cvar(&mut self, from: &Specified<'_, Cvar>, entry: &Entry) -> EntryResult<()> {
        let datatype = from_code("datatype", from.datatype, Datatype::ALL)?;
        let verbosity = from_code("verbosity", from.verbosity, Verbosity::ALL)?;
        let scope = from_code("scope", from.scope, Scope::ALL)?;
        let categories =
            names(&mut self.pages, "the name of one of its categories", member!(from, categories))?;
        let count = fixed_count(from.count)?;
        let bind = from_code("bind", from.bind, Bind::ALL)?;
        let value = value_of(from, bind, datatype)?;
        let is_constant = is_constant(&mut self.pages, &value, count * datatype.size(), scope)?;
        let (aliases, environment) = further_names(&mut self.pages, from)?;
        if from.flags & !CVAR_BEFORE_INIT != 0 {
            return Err(Fault::of(Rule::C4, format!("its flags {:#x} are not all known", from.flags)));
        }
        let enumeration = self.enumeration(member!(from, enumeration), entry.origin)?;
        let cell: &'static Setting = leak(Setting {
            datatype,
            count,
            value,
            user_data: from.user_data,
            enumeration,
            is_constant,
            setters: Setters::new(),
            copying: Mutex::new(()),
        });
        let shared = self.metadata.shared(&categories, enumeration, entry.origin);
        let has_further_names = !aliases.is_empty() || !environment.is_empty();
        let metadata = entry.metadata(if has_further_names {
            leak(shared.with_aliases(aliases).with_environment(environment))
        } else {
            shared
        });
        let mut desc = CvarDesc::of_other_image(metadata, (datatype, count), bind != Bind::NoObject, cell);
        if from.flags & CVAR_BEFORE_INIT != 0 {
            desc = desc.before_init();
        }
        self.definitions
            .image
            .cvars
            .push(leak(desc.with_verbosity(verbosity).with_scope(scope).with_bind(bind)));
        Ok(())
    }
}

fn value_of(from: &Cvar, bind: Bind, datatype: Datatype) -> EntryResult<SettingStorage> {
    if bind != Bind::NoObject {
        return value_of_objects(from, bind);
    }
    if from.get_of.is_some() || from.put_of.is_some() || from.freed.is_some() {
        let why = "`get_of`, `put_of` and `freed` take an object, and it is bound to none: set `bind`";
        return Err(Fault::of(Rule::C29, why));
    }
    match (from.get, from.put) {
        (Some(_), Some(_)) if !from.storage.is_null() || from.set.is_some() => {
            Err(Fault::of(Rule::C5, "`get` and `put` stand in place of `storage` and `set`, not beside them"))
        }
        (Some(get), Some(put)) => Ok(SettingStorage::Functions(get, put)),
        (None, None) if from.storage.is_null() => Err("its storage is a null pointer".into()),
        (None, None) if !from.storage.addr().is_multiple_of(datatype.size()) => {
            Err(format!("its storage at {:p} is not aligned", from.storage).into())
        }
        (None, None) => Ok(SettingStorage::Storage(from.storage, from.set)),
        _ => Err(Fault::of(Rule::C5, "it has one of `get` and `put`, which belong together")),
    }
}

/// Returns true for storage that cannot be written. It is refused unless tools may not set the variable either.
fn is_constant(pages: &mut Pages, value: &SettingStorage, bytes: usize, scope: Scope) -> EntryResult<bool> {
    let SettingStorage::Storage(storage, _) = *value else { return Ok(false) };
    let storage = storage.cast_const().cast::<u8>();
    check_list(pages, "its storage", storage, bytes)?;
    if pages.is_writable(storage, bytes) {
        return Ok(false);
    }
    match scope {
        Scope::Constant | Scope::ReadOnly => Ok(true),
        _ => Err(const_message("its storage", storage).into()),
    }
}

fn value_of_objects(from: &Cvar, bind: Bind) -> EntryResult<SettingStorage> {
    let has_others =
        !from.storage.is_null() || from.set.is_some() || from.get.is_some() || from.put.is_some();
    match (from.get_of, from.put_of) {
        (Some(get), Some(put)) if !has_others => Ok(SettingStorage::OfObjects(get, put, from.freed)),
        _ => {
            let why = format!(
                "it is bound to {bind}: set `get_of` and `put_of`, in place of `storage`, `set`, `get` and `put`"
            );
            Err(Fault::of(Rule::C29, why))
        }
    }
}

/// Aliases of a variable, and further environment variables that set it.
type FurtherNames = (&'static [&'static str], &'static [&'static str]);

/// Copies and checks the aliases and environment variables.
fn further_names(pages: &mut Pages, from: &Specified<'_, Cvar>) -> EntryResult<FurtherNames> {
    let aliases = names(pages, "the name of one of its aliases", member!(from, aliases))?;
    let environment =
        names(pages, "the name of one of its environment variables", member!(from, environment))?;
    for (what, name) in
        aliases.iter().map(|name| ("alias", name)).chain(environment.iter().map(|name| ("environment", name)))
    {
        let within = |fault: Fault| fault.within(format_args!("{what} `{name}`"));
        check_text(name, "").map_err(within)?;
        if name.contains('=') {
            return Err(within(Fault::of(Rule::C2, "its name contains `=`, which ends a name")));
        }
    }
    let copies =
        |names: Vec<&str>| leak_list(names.into_iter().map(|name| leak_text(name.to_owned())).collect());
    Ok((copies(aliases), copies(environment)))
}

#[cfg(test)]
mod tests {
    use std::ffi::{c_int, c_void};
    use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering::SeqCst};
    use std::thread;

    use super::{Datatype, ErasedCvar as _, Mutex, Object, Setters, Setting, SettingStorage};

    /// The first elements of the last value that was applied.
    static APPLIED: AtomicI32 = AtomicI32::new(0);
    static CALLS: AtomicU32 = AtomicU32::new(0);
    static IS_SECOND_DONE: AtomicBool = AtomicBool::new(false);

    unsafe extern "C" fn apply(_: *mut c_void, value: *const c_void, count: c_int) -> c_int {
        assert_eq!(count, 2);
        // SAFETY: the variable has two elements.
        let [first, second] = unsafe { value.cast::<[i32; 2]>().read() };
        assert_eq!(first, second, "a value of two writes");
        APPLIED.store(first, SeqCst);
        CALLS.fetch_add(1, SeqCst);
        while first == 1 && !IS_SECOND_DONE.load(SeqCst) {
            thread::yield_now();
        }
        0
    }

    #[test]
    fn the_stored_value_is_applied_last() {
        static STORAGE: [AtomicI32; 2] = [AtomicI32::new(0), AtomicI32::new(0)];
        let setting = Setting {
            datatype: Datatype::Int,
            count: 2,
            value: SettingStorage::Storage(STORAGE.as_ptr().cast_mut().cast(), Some(apply)),
            user_data: std::ptr::null_mut(),
            enumeration: None,
            is_constant: false,
            setters: Setters::new(),
            copying: Mutex::new(()),
        };
        let set = |value: i32| {
            // SAFETY: two aligned elements.
            unsafe { setting.write(&Object::NONE, [value; 2].as_ptr().cast(), 2) }.unwrap();
        };
        thread::scope(|scope| {
            scope.spawn(|| set(1));
            while APPLIED.load(SeqCst) != 1 {
                thread::yield_now();
            }
            set(2);
            IS_SECOND_DONE.store(true, SeqCst);
        });
        assert_eq!(STORAGE[0].load(SeqCst), APPLIED.load(SeqCst));
        assert_eq!(CALLS.load(SeqCst), 3);
    }
}
