//! The structs of `mpit_plugin.h`, member by member. Nothing else crosses between images.
//!
//! Structs that describe an entry begin with their own size and are only ever extended at the end; `read` reads them.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::mem::{offset_of, zeroed};
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU32, AtomicU64};

use crate::cell::LevelStorage;
use crate::object::Object;
use crate::vocabulary::Bind;

/// `MPIT_MAJOR`.
pub const MAJOR: u16 = 1;
/// `MPIT_MINOR`.
pub const MINOR: u16 = 0;
/// `MPIT_MAGIC`.
pub const MAGIC: u32 = 0x5449_504d;

/// `struct mpit_sum`.
#[derive(Debug)]
#[repr(C)]
pub struct Sum {
    pub word: AtomicU64,
    pub watchers: AtomicU32,
    pub concurrent: AtomicPtr<AtomicU8>,
}

/// `struct mpit_level`: the memory layout of a [`LevelStorage`].
#[derive(Debug)]
#[repr(C)]
pub struct Level {
    pub word: AtomicU64,
    pub running: AtomicU32,
    pub marks: AtomicPtr<c_void>,
    /// The function `reached` of `mpit_plugin.h`, or null.
    pub reached: AtomicPtr<c_void>,
}

const _: () = {
    assert!(
        size_of::<LevelStorage>() == size_of::<Level>() && align_of::<LevelStorage>() == align_of::<Level>()
    );
    assert!(offset_of!(LevelStorage, watched.level) == offset_of!(Level, word));
    assert!(offset_of!(LevelStorage, watched.running) == offset_of!(Level, running));
    assert!(offset_of!(LevelStorage, cursors) == offset_of!(Level, marks));
    assert!(offset_of!(LevelStorage, reached) == offset_of!(Level, reached));
};

/// `struct mpit_object`: the memory layout of an [`Object`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BoundObject {
    pub kind: u32,
    pub id: u64,
    pub num_ranks: u32,
    pub ranks: *const AtomicU32,
}

const _: () = {
    assert!(size_of::<Object<'_>>() == size_of::<BoundObject>());
    assert!(align_of::<Object<'_>>() == align_of::<BoundObject>());
    assert!(size_of::<Bind>() == size_of::<u32>());
    assert!(offset_of!(Object<'_>, kind) == offset_of!(BoundObject, kind));
    assert!(offset_of!(Object<'_>, id) == offset_of!(BoundObject, id));
    assert!(offset_of!(Object<'_>, size) == offset_of!(BoundObject, num_ranks));
    assert!(offset_of!(Object<'_>, ranks) == offset_of!(BoundObject, ranks));
};

/// `mpit_read_function`.
pub type ReadFunction = unsafe extern "C" fn(
    user_data: *mut c_void,
    object: *const Object<'_>,
    out: *mut c_void,
    count: c_int,
) -> c_int;
/// `mpit_count_function`.
pub type CountFunction = unsafe extern "C" fn(user_data: *mut c_void, object: *const Object<'_>) -> c_int;
/// `mpit_watch_function`.
pub type WatchFunction = unsafe extern "C" fn(user_data: *mut c_void, more: c_int);
/// `mpit_level_function`.
pub type LevelFunction =
    unsafe extern "C" fn(user_data: *mut c_void, object: *const Object<'_>) -> *const LevelStorage;

/// `struct mpit_pvar`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pvar {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub categories: *const *const c_char,
    pub class: c_int,
    pub datatype: c_int,
    pub verbosity: c_int,
    pub bind: c_int,
    pub flags: c_uint,
    pub count: c_int,
    pub sum: *const Sum,
    pub level: *const LevelStorage,
    pub level_of: Option<LevelFunction>,
    pub storage: *const c_void,
    pub read: Option<ReadFunction>,
    pub count_of: Option<CountFunction>,
    pub watch: Option<WatchFunction>,
    pub user_data: *mut c_void,
    pub enumeration: *const Enum,
}

/// `MPIT_PVAR_READONLY`.
pub const PVAR_READONLY: c_uint = 1;
/// `MPIT_PVAR_CONTINUOUS`.
pub const PVAR_CONTINUOUS: c_uint = 2;
/// `MPIT_PVAR_ATOMIC`.
pub const PVAR_ATOMIC: c_uint = 4;
/// `MPIT_PVAR_CUMULATIVE`.
pub const PVAR_CUMULATIVE: c_uint = 8;
/// `MPIT_PVAR_WRITABLE`.
pub const PVAR_WRITABLE: c_uint = 16;

/// `struct mpit_enum_item`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct EnumItem {
    pub value: c_int,
    pub name: *const c_char,
}

/// `struct mpit_enum`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Enum {
    pub size: usize,
    pub name: *const c_char,
    pub items: *const EnumItem,
    pub num_items: usize,
}

/// `mpit_set_function`, and `mpit_put_function`, which has the same type.
pub type SetFunction =
    unsafe extern "C" fn(user_data: *mut c_void, value: *const c_void, count: c_int) -> c_int;
/// `mpit_get_function`.
pub type GetFunction = unsafe extern "C" fn(user_data: *mut c_void, out: *mut c_void, count: c_int) -> c_int;

/// `mpit_put_of_function`. The function that reads the value is a [`ReadFunction`].
pub type PutOfFunction = unsafe extern "C" fn(
    user_data: *mut c_void,
    object: *const Object<'_>,
    value: *const c_void,
    count: c_int,
) -> c_int;
/// `mpit_freed_function`.
pub type FreedFunction = unsafe extern "C" fn(user_data: *mut c_void, object: *const Object<'_>);

/// `struct mpit_cvar`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Cvar {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub categories: *const *const c_char,
    pub datatype: c_int,
    pub verbosity: c_int,
    pub bind: c_int,
    pub scope: c_int,
    pub flags: c_uint,
    pub count: c_int,
    pub storage: *mut c_void,
    pub set: Option<SetFunction>,
    pub get: Option<GetFunction>,
    pub put: Option<SetFunction>,
    pub get_of: Option<ReadFunction>,
    pub put_of: Option<PutOfFunction>,
    pub freed: Option<FreedFunction>,
    pub user_data: *mut c_void,
    pub enumeration: *const Enum,
    pub aliases: *const *const c_char,
    pub environment: *const *const c_char,
}

/// `MPIT_CVAR_BEFORE_INIT`.
pub const CVAR_BEFORE_INIT: c_uint = 1;

/// `struct mpit_source`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Source {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub order: c_int,
}

/// The member `raise` of a [`EventCell`].
pub type RaiseFunction =
    unsafe extern "C" fn(cell: *const EventCell, safety: c_int, object: u64, payload: *const c_void);

/// `struct mpit_event_cell`.
#[derive(Debug)]
#[repr(C)]
pub struct EventCell {
    pub listeners: AtomicU32,
    pub event: AtomicPtr<c_void>,
    /// A [`RaiseFunction`], or null.
    pub raise: AtomicPtr<c_void>,
}

/// `struct mpit_element`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Element {
    pub datatype: c_int,
    pub displacement: usize,
    pub name: *const c_char,
}

/// `struct mpit_event`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Event {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub categories: *const *const c_char,
    pub verbosity: c_int,
    pub bind: c_int,
    pub source: *const c_char,
    pub elements: *const Element,
    pub num_elements: usize,
    pub cell: *const EventCell,
}

/// `struct mpit_category`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Category {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub name: *const c_char,
    pub description: *const c_char,
    pub parent: *const c_char,
    pub contains: *const *const c_char,
}

/// `struct mpit_message`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Message {
    pub comm: u64,
    pub bytes: u64,
    pub dest: u32,
    pub to: u32,
    pub tag: i32,
    pub mode: u32,
}

/// `struct mpit_access`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Access {
    pub window: u64,
    pub sent: u64,
    pub received: u64,
    pub rank: u32,
    pub target: u32,
    pub kind: u32,
}

/// The member `with` of an [`Operation`].
pub type VolumeFunction = unsafe extern "C" fn(volumes: *const c_void, rank: u32) -> u64;

/// `struct mpit_operation`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Operation {
    pub comm: u64,
    pub kind: u32,
    pub rank: u32,
    pub root_is: u32,
    pub root: u32,
    pub in_place: u32,
    pub size: u32,
    pub bytes: u64,
    pub with: Option<VolumeFunction>,
    pub volumes: *const c_void,
}

/// The member `turn` of a [`Subscription`].
pub type TurnFunction = unsafe extern "C" fn(host: *const c_void, more: c_int);

/// `struct mpit_switch`.
#[derive(Debug)]
#[repr(C)]
pub struct Subscription {
    pub reasons: AtomicU32,
    pub host: AtomicPtr<c_void>,
    /// A [`TurnFunction`], or null.
    pub turn: AtomicPtr<c_void>,
}

/// `struct mpit_component`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Component {
    pub size: usize,
    pub file: *const c_char,
    pub line: c_uint,
    pub framework: *const c_char,
    pub name: *const c_char,
    pub description: *const c_char,
    pub listening: *const Subscription,
    pub user_data: *mut c_void,
    pub open: Option<unsafe extern "C" fn(user_data: *mut c_void, rank: u32, size: u32) -> c_int>,
    pub close: Option<unsafe extern "C" fn(user_data: *mut c_void)>,
    pub sent: Option<unsafe extern "C" fn(user_data: *mut c_void, message: *const Message)>,
    pub accessed: Option<unsafe extern "C" fn(user_data: *mut c_void, access: *const Access)>,
    pub done: Option<unsafe extern "C" fn(user_data: *mut c_void, operation: *const Operation)>,
    pub freed: Option<unsafe extern "C" fn(user_data: *mut c_void, comm: u64)>,
    pub pcontrol: Option<unsafe extern "C" fn(user_data: *mut c_void, level: c_int)>,
    pub report: Option<unsafe extern "C" fn(user_data: *mut c_void, add: AddLine, lines: *mut c_void)>,
}

impl Component {
    /// A component with its size alone.
    // SAFETY: zero is a value of all members, which are pointers, optional functions and integers.
    pub const EMPTY: Self = Self { size: size_of::<Self>(), ..unsafe { zeroed() } };
}

/// `mpit_add_line`.
pub type AddLine = unsafe extern "C" fn(lines: *mut c_void, text: *const c_char);

/// `struct mpit_table`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Table {
    pub size: usize,
    pub version: u32,
    pub component: *const c_char,
    pub pvars: *const Pvar,
    pub num_pvars: usize,
    pub cvars: *const Cvar,
    pub num_cvars: usize,
    pub sources: *const Source,
    pub num_sources: usize,
    pub events: *const Event,
    pub num_events: usize,
    pub categories: *const Category,
    pub num_categories: usize,
    pub components: *const Component,
    pub num_components: usize,
}

impl Table {
    /// A table with its size and version alone.
    // SAFETY: zero is a value of all members, which are pointers and integers.
    pub const EMPTY: Self = Self { size: size_of::<Self>(), version: MAJOR as u32, ..unsafe { zeroed() } };
}

/// `struct mpit_host`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Host {
    pub magic: u32,
    pub major: u16,
    pub minor: u16,
    pub size: usize,
    pub name: *const c_char,
}

/// `struct mpit_plugin`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Plugin {
    pub magic: u32,
    pub major: u16,
    pub minor: u16,
    pub size: usize,
    pub name: *const c_char,
    pub table: *const Table,
    pub activate: Option<unsafe extern "C" fn() -> c_int>,
    pub deactivate: Option<unsafe extern "C" fn()>,
    pub problem: *const c_char,
    pub set_concurrent: Option<unsafe extern "C" fn(concurrent: c_int)>,
}

/// `mpit_plugin_function`: the type of the only symbol of a plug-in, [`SYMBOL`].
pub type PluginFunction = unsafe extern "C" fn(host: *const Host) -> *const Plugin;

/// The only symbol of a plug-in.
pub const SYMBOL: &str = "mpit_plugin_v1";
