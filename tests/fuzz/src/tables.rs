//! Tables of `mpit_plugin.h`, as C would write them: right, wrong, and with pointers that lead nowhere.
//!
//! The obligations that the header leaves to the caller are met: functions are functions, lists are as long as the table says, and storage is as
//! large as its count.

#![allow(unsafe_code, reason = "hands tables over as C does")]

use std::ffi::{c_char, c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut, without_provenance, without_provenance_mut};
use std::sync::atomic::Ordering::Acquire;

use arbitrary::{Result, Unstructured};
use mpit::cell::Gauge;
use mpit::object::Object;
use mpit::plugin::{abi, register_in};
use mpit::registry::Registry;
use mpit::session::{Interface, Limits, PvarHandle, SessionId, Which};
use mpit::words::{Bind, ThreadLevel};

/// More entries than this are in no list.
const MOST_ENTRIES: usize = 3;

/// The library reads so much behind the end of a list at most: the largest size that an entry may have.
const LARGEST: usize = 4096;

/// Storage of a variable, in bytes. Larger counts than fit are used with functions only.
const STORAGE: usize = 512;

/// Makes a table of choices and registers it: whole or not at all. What is registered can be used.
pub fn target(data: &[u8]) {
    let mut memory = Memory::default();
    let Ok(table) = memory.table(&mut Unstructured::new(data)) else { return };
    let registry: &'static Registry = Box::leak(Box::new(Registry::new()));
    // SAFETY: `memory` has all that the table refers to, and nothing uses the registry when this function has returned.
    let outcome = unsafe { register_in(registry, table) };
    // SAFETY: as above; a table that was taken can be read.
    let taken = outcome.is_ok().then(|| unsafe { table.read_unaligned() });
    let taken = taken.unwrap_or(zeros());
    assert_eq!(registry.pvar_count() as usize, taken.num_pvars);
    assert_eq!(registry.cvar_count() as usize, taken.num_cvars);
    assert_eq!(registry.event_count() as usize, taken.num_events);
    assert_eq!(registry.source_count() as usize, taken.num_sources);
    match outcome {
        Ok(claim) => {
            use_all(registry);
            memory.raise_events();
            drop(claim);
        }
        Err(why) => {
            assert!(!why.is_empty());
            memory.events_are_free();
        }
    }
}

/// Returns true for one of so many choices, but not when there are no choices left.
fn one_in(choices: &mut Unstructured<'_>, count: u8) -> Result<bool> {
    Ok(choices.arbitrary::<u8>()? > 255 - 255 / count)
}

/// Returns a struct as C makes it whose members are not named.
fn zeros<T: Copy>() -> T {
    // SAFETY: used for the structs of the header, all of whose members may be zeros.
    unsafe { MaybeUninit::zeroed().assume_init() }
}

/// All that a table refers to. It stays where it is until this is dropped.
#[derive(Default)]
struct Memory {
    texts: Vec<Vec<u8>>,
    lists: Vec<Box<[u64]>>,
    cells: Vec<*const abi::EventCell>,
}

impl Memory {
    /// A pointer that is right, most of the time; otherwise null, not aligned, or to no memory.
    fn pointer<T>(choices: &mut Unstructured<'_>, right: *const T) -> Result<*const T> {
        Ok(match choices.arbitrary::<u8>()? {
            255 => null(),
            254 => right.wrapping_byte_add(1),
            253 => without_provenance(16),
            252 => without_provenance(0xdead_0000_0000_beef),
            251 => without_provenance(usize::MAX - 7),
            _ => right,
        })
    }

    /// Room for `bytes`, all of them 0, and as much behind as the library may look at.
    fn room(&mut self, bytes: usize) -> *mut u64 {
        self.lists.push(vec![0; (bytes + 2 * LARGEST) / size_of::<u64>()].into());
        self.lists.last_mut().map_or(null_mut(), |list| list.as_mut_ptr())
    }

    /// A list in one piece, entries `stride` bytes apart.
    fn list<T: Copy>(&mut self, entries: &[T], stride: usize) -> *const T {
        let start = self.room(entries.len() * stride + size_of::<T>());
        for (number, entry) in entries.iter().enumerate() {
            let at = start.wrapping_byte_add(number * stride).cast::<u8>();
            let bytes = stride.min(size_of::<T>());
            // SAFETY: within the room, which is no part of the entry.
            unsafe { std::ptr::copy_nonoverlapping(std::ptr::from_ref(entry).cast(), at, bytes) };
        }
        start.cast()
    }

    fn text(&mut self, choices: &mut Unstructured<'_>, good: &str) -> Result<*const c_char> {
        let text: Vec<u8> = match choices.arbitrary::<u8>()? {
            255 => Vec::new(),
            254 => choices.arbitrary::<[u8; 4]>()?.into_iter().filter(|byte| *byte != 0).collect(),
            253 => vec![b'x'; choices.int_in_range(200..=5000)?],
            252 => format!("{good}\n\x1b[2J").into(),
            _ => good.into(),
        };
        // Two ends, since a pointer may lead to the first one.
        let text = [text.as_slice(), b"\0\0"].concat();
        let right = text.as_ptr().cast();
        self.texts.push(text);
        Self::pointer(choices, right)
    }

    /// One of few names, so that some are taken twice and some refer to another.
    fn name(&mut self, choices: &mut Unstructured<'_>, kind: &str) -> Result<*const c_char> {
        // Events need a source that is there.
        let number = choices.int_in_range(0..=if kind == "source" { 1 } else { 5 })?;
        self.text(choices, &format!("{kind}_{number}"))
    }

    /// A list of names that ends with a null pointer.
    fn names(&mut self, choices: &mut Unstructured<'_>, kind: &str) -> Result<*const *const c_char> {
        if choices.arbitrary()? {
            return Ok(null());
        }
        let mut names = Vec::new();
        for _ in 0..choices.int_in_range(0..=2)? {
            names.push(self.name(choices, kind)?);
        }
        // A null pointer in it would end it, too.
        names.push(null());
        let list = self.list(&names, size_of::<*const c_char>());
        Self::pointer(choices, list)
    }

    /// A word of the header, or a number that is none.
    fn word(choices: &mut Unstructured<'_>, words: usize) -> Result<c_int> {
        if one_in(choices, 32)? {
            choices.arbitrary()
        } else {
            Ok(choices.int_in_range(0..=words - 1)? as c_int)
        }
    }

    fn size<T>(choices: &mut Unstructured<'_>) -> Result<usize> {
        Ok(match choices.arbitrary::<u8>()? {
            255 => choices.int_in_range(0..=LARGEST + 16)?,
            254 => choices.arbitrary()?,
            253 => size_of::<T>() + 8,
            252 => size_of::<T>() - 16,
            _ => size_of::<T>(),
        })
    }

    /// Entries of one kind, and their number.
    fn entries<T: Copy>(
        &mut self,
        choices: &mut Unstructured<'_>,
        make: fn(&mut Self, &mut Unstructured<'_>, usize) -> Result<T>,
    ) -> Result<(*const T, usize)> {
        let count = choices.int_in_range(0..=MOST_ENTRIES)?;
        let size = Self::size::<T>(choices)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(make(self, choices, size)?);
        }
        let list = self.list(&entries, size.clamp(size_of::<usize>(), LARGEST));
        let said = match choices.arbitrary::<u8>()? {
            255 => usize::MAX,
            254 => 1 << 21,
            _ => count,
        };
        Ok((Self::pointer(choices, list)?, said))
    }

    fn table(&mut self, choices: &mut Unstructured<'_>) -> Result<*const abi::Table> {
        let (categories, num_categories) = self.entries(choices, Self::category)?;
        let (sources, num_sources) = self.entries(choices, Self::source)?;
        let (events, num_events) = self.entries(choices, Self::event)?;
        let (pvars, num_pvars) = self.entries(choices, Self::pvar)?;
        let settings = self.entries(choices, Self::cvar)?;
        let (components, num_components) = self.entries(choices, Self::component)?;
        let size = Self::size::<abi::Table>(choices)?;
        let table = abi::Table {
            size,
            version: if one_in(choices, 64)? { choices.arbitrary()? } else { u32::from(abi::MAJOR) },
            component: self.text(choices, "fuzz")?,
            categories,
            num_categories,
            sources,
            num_sources,
            events,
            num_events,
            pvars,
            num_pvars,
            cvars: settings.0,
            num_cvars: settings.1,
            components,
            num_components,
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
            order: Self::word(choices, 2)?,
            file: null(),
            line: 2,
        })
    }

    fn event(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Event> {
        let mut elements = Vec::new();
        for place in 0..choices.int_in_range(0..=3)? {
            elements.push(abi::Element {
                datatype: Self::word(choices, 11)?,
                displacement: if one_in(choices, 8)? { choices.arbitrary()? } else { 8 * place },
                name: if one_in(choices, 4)? { null() } else { self.name(choices, "element")? },
            });
        }
        let list = self.list(&elements, size_of::<abi::Element>());
        if self.cells.is_empty() || !one_in(choices, 16)? {
            let cell = self.room(size_of::<abi::EventCell>());
            self.cells.push(cell.cast());
        }
        let cell = self.cells.last().copied().unwrap_or(null());
        Ok(abi::Event {
            size,
            name: self.name(choices, "event")?,
            description: self.text(choices, "An event.")?,
            verbosity: Self::word(choices, 9)?,
            bind: Self::word(choices, 12)?,
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
            class: Self::word(choices, 10)?,
            datatype: Self::word(choices, 11)?,
            verbosity: Self::word(choices, 9)?,
            bind: if one_in(choices, 2)? { Self::word(choices, 12)? } else { 0 },
            flags: if one_in(choices, 32)? { choices.arbitrary()? } else { choices.int_in_range(0..=31)? },
            count: if one_in(choices, 4)? { choices.arbitrary()? } else { 1 },
            categories: self.names(choices, "category")?,
            user_data: without_provenance_mut(choices.int_in_range(0..=40)?),
            enumeration: self.enumeration(choices)?,
            watch: if choices.arbitrary()? { Some(watch) } else { None },
            ..zeros()
        };
        // The members of the header's first versions, if the size says so.
        let is_new = size >= size_of::<abi::Pvar>();
        Ok(match choices.int_in_range(0..=6)? {
            0 => abi::Pvar { sum: Self::pointer(choices, self.room(size_of::<abi::Sum>()).cast())?, ..one },
            1 => abi::Pvar { level: Self::pointer(choices, self.room(size_of::<Gauge>()).cast())?, ..one },
            2 => abi::Pvar {
                storage: self.storage(choices)?,
                count: one.count.min(STORAGE as c_int / 8),
                ..one
            },
            3 if is_new => {
                let level = self.room(size_of::<Gauge>());
                abi::Pvar { level_of: Some(level_of), user_data: level.cast(), ..one }
            }
            4 if is_new => abi::Pvar { read: Some(read), count_of: Some(count_of), count: 0, ..one },
            5 => abi::Pvar { read: Some(read), storage: self.storage(choices)?, ..one },
            _ => abi::Pvar { read: Some(read), ..one },
        })
    }

    /// Memory of a variable, at whose end nothing may be read: right, null or not aligned.
    fn storage(&mut self, choices: &mut Unstructured<'_>) -> Result<*mut c_void> {
        self.lists.push(vec![0; STORAGE / size_of::<u64>()].into());
        let right = self.lists.last_mut().map_or(null_mut(), |list| list.as_mut_ptr().cast::<c_void>());
        Ok(match choices.arbitrary::<u8>()? {
            255 => null_mut(),
            254 => right.wrapping_byte_add(1),
            _ => right,
        })
    }

    fn cvar(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Cvar> {
        let one = abi::Cvar {
            size,
            name: self.name(choices, "cvar")?,
            description: self.text(choices, "A setting.")?,
            datatype: Self::word(choices, 11)?,
            verbosity: Self::word(choices, 9)?,
            scope: Self::word(choices, 7)?,
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
                abi::Cvar {
                    get_of,
                    put_of,
                    freed: Some(freed),
                    bind: Self::word(choices, 12)?,
                    storage,
                    ..one
                }
            }
            _ => abi::Cvar { get: Some(get), put: Some(set), ..one },
        })
    }

    fn component(&mut self, choices: &mut Unstructured<'_>, size: usize) -> Result<abi::Component> {
        let framework = *choices.choose(&["pml", "osc", "coll", "btl"])?;
        let switch = self.room(size_of::<abi::Switch>()).cast();
        Ok(abi::Component {
            size,
            framework: self.text(choices, framework)?,
            name: self.name(choices, "component")?,
            description: self.text(choices, "A component.")?,
            listening: if choices.arbitrary()? { Self::pointer(choices, switch)? } else { null() },
            ..zeros()
        })
    }

    /// The cells of the table's events.
    fn cells(&self) -> impl Iterator<Item = &abi::EventCell> {
        // SAFETY: they lie in `lists`, and all their members are atomic.
        self.cells.iter().map(|cell| unsafe { &**cell })
    }

    /// Raises all events of a table that was taken, without listeners.
    fn raise_events(&self) {
        let payload = [0_u64; 64];
        for cell in self.cells() {
            let function = cell.raise.load(Acquire);
            if function.is_null() {
                continue;
            }
            // SAFETY: the library stored a function of this type.
            let function = unsafe { std::mem::transmute::<*mut c_void, abi::RaiseFunction>(function) };
            // SAFETY: the cell is one of the table's, and the payload is as large as the largest event.
            unsafe { function(cell, 0, 0, payload.as_ptr().cast()) };
        }
    }

    /// Checks that a table that was refused left the cells as they were.
    fn events_are_free(&self) {
        assert!(self.cells().all(|cell| cell.event.load(Acquire).is_null()), "a refused table keeps a cell");
    }
}

/// Fills each element with ones, and fails if the user's data is odd.
unsafe extern "C" fn read(
    user_data: *mut c_void,
    object: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int {
    assert!(!object.is_null());
    // SAFETY: the elements of the smallest type fit.
    unsafe { out.cast::<u8>().write_bytes(1, count as usize) };
    user_data.addr() as c_int % 2
}

/// Says that there are as many elements as the user's data says, some of which are too many or too few.
unsafe extern "C" fn count_of(user_data: *mut c_void, object: *const Object<'_>) -> c_int {
    assert!(!object.is_null());
    user_data.addr() as c_int - 3
}

unsafe extern "C" fn watch(_user_data: *mut c_void, more: c_int) {
    assert!(more == 1 || more == -1);
}

unsafe extern "C" fn level_of(user_data: *mut c_void, object: *const Object<'_>) -> *const Gauge {
    assert!(!object.is_null());
    user_data.cast_const().cast()
}

unsafe extern "C" fn get(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int {
    // SAFETY: the elements of the smallest type fit.
    unsafe { out.cast::<u8>().write_bytes(1, count as usize) };
    user_data.addr() as c_int
}

unsafe extern "C" fn set(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int {
    assert!(!value.is_null() && count >= 0);
    user_data.addr() as c_int
}

unsafe extern "C" fn put_of(
    user_data: *mut c_void,
    object: *const Object<'_>,
    value: *const c_void,
    count: c_int,
) -> c_int {
    assert!(!object.is_null() && !value.is_null() && count >= 0);
    user_data.addr() as c_int
}

unsafe extern "C" fn freed(_user_data: *mut c_void, object: *const Object<'_>) {
    assert!(!object.is_null());
}

/// Reads and writes all variables, as tools do.
fn use_all(registry: &'static Registry) {
    let interface = Interface::new(registry, Limits::default());
    interface.init(ThreadLevel::Single);
    let session = interface.session_create().expect("a session");
    for index in 0..registry.pvar_count() {
        let desc = registry.pvar(index).expect("an index below the count");
        let found = registry.pvar_index(desc.name(), desc.class());
        assert_eq!(found, Some(index), "{}", desc.name());
        let ranks = [0.into(), 1.into()];
        let object = match desc.binding() {
            Bind::NoObject => Object::NONE,
            Bind::Comm => Object::comm(7, &ranks),
            kind => Object::new(kind, 7),
        };
        if let Ok((handle, count)) = interface.handle_alloc(session, index, Some(&object)) {
            assert!(count > 0, "{} has no element", desc.name());
            use_handle(&interface, session, handle, count * desc.element().size());
        }
    }
    for index in 0..registry.cvar_count() {
        use_setting(&interface, index);
    }
    for index in 0..registry.category_count() {
        let category = registry.category(index).expect("an index below the count");
        assert_eq!(registry.category_index(category.name()), Some(index));
    }
    interface.session_free(session).expect("the session is there");
    interface.finalize().expect("the interface is up");
}

fn use_handle(interface: &Interface, session: SessionId, handle: PvarHandle, bytes: usize) {
    if bytes > 1 << 16 {
        return;
    }
    // Exactly as many words as it has, so that the sanitizer sees what lies behind.
    let mut value = vec![0_u64; bytes.div_ceil(8)].into_boxed_slice();
    let buffer = value.as_mut_ptr().cast::<u8>();
    let _ = interface.start(session, Which::One(handle));
    // SAFETY: the buffer has room for all elements.
    let _ = unsafe { interface.read(session, handle, buffer) };
    // SAFETY: the buffer has all elements.
    let _ = unsafe { interface.write(session, handle, buffer) };
    // SAFETY: the buffer has room for all elements.
    let _ = unsafe { interface.readreset(session, handle, buffer) };
    let _ = interface.reset(session, Which::One(handle));
    let _ = interface.stop(session, Which::All);
    // SAFETY: the buffer has room for all elements.
    let _ = unsafe { interface.read(session, handle, buffer) };
    interface.handle_free(session, handle).expect("the handle is there");
}

fn use_setting(interface: &Interface, index: u32) {
    let entry = interface.registry().cvar(index).expect("an index below the count");
    let desc = entry.desc();
    let object = Object::new(desc.binding(), 7);
    let (handle, count) = interface.cvar_handle_alloc(index, Some(&object)).expect("a handle");
    let bytes = count * desc.element().size();
    if bytes > 1 << 16 {
        return;
    }
    let mut value = vec![0_u64; bytes.div_ceil(8)].into_boxed_slice();
    let buffer = value.as_mut_ptr().cast::<u8>();
    // SAFETY: the buffer has room for all elements.
    if unsafe { interface.cvar_read(handle, buffer) }.is_ok() {
        // SAFETY: the buffer has all elements.
        let _ = unsafe { interface.cvar_write(handle, buffer) };
    }
    interface.object_freed(object.kind(), object.id());
    interface.cvar_handle_free(handle).expect("the handle is there");
}
