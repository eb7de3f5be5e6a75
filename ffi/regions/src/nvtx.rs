//! NVTX, NVIDIA's annotations of version 3: ranges of threads, and ranges that begin and end at any place, with and without domains.
//!
//! Each program or library that includes NVTX's header has a table of its own, whose pointers are null until a tool sets them.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::KeyKind;
use crate::text::{Text, kept};

/// The number of the table that gives access to those of functions.
const CALLBACKS: u32 = 1;

// The numbers of the tables of functions.
const CORE: c_int = 1;
const DOMAINS: c_int = 5;

/// The value that the functions for ranges of threads return without a tool.
const NOT_TRACKED: c_int = -2;

// The kinds of messages.
const CHARS: i32 = 1;
const WIDE: i32 = 2;
const REGISTERED: i32 = 3;

/// The attributes of an event, as far as they matter here.
#[repr(C)]
pub(crate) struct EventAttributes {
    version: u16,
    size: u16,
    category: u32,
    color_type: i32,
    color: u32,
    payload_type: i32,
    reserved: i32,
    payload: u64,
    message_type: i32,
    /// The address of a string, or a handle.
    message: *const c_void,
}

/// The address of a function, in the table of the program.
type Entry = *mut *const c_void;

#[repr(C)]
struct Callbacks {
    size: usize,
    functions: Option<unsafe extern "C" fn(c_int, *mut *const Entry, *mut c_uint) -> c_int>,
}

type GetTable = unsafe extern "C" fn(u32) -> *const Callbacks;

/// Sets the functions of a program or library that includes NVTX's header. Returns 1, or 0 if that is not possible.
///
/// # Safety
///
/// NVTX's header calls this function, with its own one for tables.
#[unsafe(no_mangle)]
unsafe extern "C" fn InitializeInjectionNvtx2(get_table: Option<GetTable>) -> c_int {
    let Some(get_table) = get_table else { return 0 };
    // SAFETY: the header's function, which takes any number.
    let callbacks = unsafe { get_table(CALLBACKS) };
    // SAFETY: null or the table with this number, which is constant.
    let Some(Callbacks { size, functions: Some(functions) }) = (unsafe { callbacks.as_ref() }) else {
        return 0;
    };
    if *size < size_of::<Callbacks>() {
        return 0;
    }
    for (module, ours) in [(CORE, &CORE_FUNCTIONS[..]), (DOMAINS, &DOMAIN_FUNCTIONS[..])] {
        let (mut table, mut len): (*const Entry, c_uint) = (std::ptr::null(), 0);
        // SAFETY: the header's function, which writes both results.
        if unsafe { functions(module, &raw mut table, &raw mut len) } == 0 || table.is_null() {
            // An old header has no domains.
            continue;
        }
        for (at, function) in ours.iter().filter(|(at, _)| *at < len) {
            // SAFETY: the table has `len` entries.
            let entry = unsafe { table.wrapping_add(*at as usize).read() };
            if !entry.is_null() {
                // SAFETY: not null, so the place of the pointer to a function of this number, which no thread uses yet.
                unsafe { entry.write(function.0) };
            }
        }
    }
    1
}

struct Function(*const c_void);

// SAFETY: the address of a function, which all threads may call.
unsafe impl Sync for Function {}

static CORE_FUNCTIONS: [(u32, Function); 8] = [
    (4, Function(range_start_ex as *const c_void)),
    (5, Function(range_start_chars as *const c_void)),
    (6, Function(range_start_wide as *const c_void)),
    (7, Function(range_end as *const c_void)),
    (8, Function(range_push_ex as *const c_void)),
    (9, Function(range_push_chars as *const c_void)),
    (10, Function(range_push_wide as *const c_void)),
    (11, Function(range_pop as *const c_void)),
];

static DOMAIN_FUNCTIONS: [(u32, Function); 8] = [
    (2, Function(domain_range_start as *const c_void)),
    (3, Function(domain_range_end as *const c_void)),
    (4, Function(domain_range_push as *const c_void)),
    (5, Function(domain_range_pop as *const c_void)),
    (10, Function(register_chars as *const c_void)),
    (11, Function(register_wide as *const c_void)),
    (12, Function(create_chars as *const c_void)),
    (13, Function(create_wide as *const c_void)),
];

/// Returns the name of a range: its domain, if it has one, and its message.
///
/// # Safety
///
/// The attributes are null or valid, and the domain is null or one that this library has created.
unsafe fn name(domain: *const Text, attributes: *const EventAttributes) -> Text {
    let mut name = Text::new();
    // SAFETY: null or a text that is never freed.
    if let Some(domain) = unsafe { domain.as_ref() } {
        name.push_text(domain);
        name.push(b':');
    }
    let size = if attributes.is_null() {
        0
    } else {
        // Without a reference: attributes of another size may be shorter than the type.
        // SAFETY: not null, and the caller passes valid attributes, which all begin with these members.
        let size = unsafe { &raw const (*attributes).size };
        // SAFETY: valid attributes have the member, which is aligned like them.
        usize::from(unsafe { size.read() })
    };
    if size >= size_of::<EventAttributes>() {
        // SAFETY: not null, since it has a size, and the caller passes valid attributes.
        let EventAttributes { message_type, message, .. } = unsafe { &*attributes };
        match *message_type {
            // SAFETY: the kind says that it is such a string, or null.
            CHARS => unsafe { name.push_chars(message.cast()) },
            // SAFETY: the kind says that it is such a string, or null.
            WIDE => unsafe { name.push_wide(message.cast()) },
            REGISTERED => {
                // SAFETY: the kind says that this library has returned it: null or a text that is never freed.
                if let Some(text) = unsafe { message.cast::<Text>().as_ref() } {
                    name.push_text(text);
                }
            }
            _ => (),
        }
    }
    name
}

fn domain_key(domain: *const Text) -> u64 {
    KeyKind::NvtxDomain.key(domain.addr() as u64)
}

/// Begins a region; one without a name is called "NVTX".
fn begin(key: u64, name: &Text) {
    let name = if name.is_empty() { c"NVTX".as_ptr() } else { name.as_ptr() };
    // SAFETY: both end with NUL.
    unsafe { crate::begin(key, name) };
}

/// Begins a range that ends by its number, which is returned.
fn start(name: &Text) -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Relaxed) + 1;
    begin(KeyKind::NvtxRange.key(number), name);
    number
}

/// Begins a range of the calling thread.
fn push(domain: *const Text, name: &Text) -> c_int {
    begin(domain_key(domain), name);
    NOT_TRACKED
}

unsafe extern "C" fn range_start_ex(attributes: *const EventAttributes) -> u64 {
    // SAFETY: the program passes such attributes.
    start(&unsafe { name(null_mut(), attributes) })
}

extern "C" fn range_end(number: u64) {
    crate::end(KeyKind::NvtxRange.key(number));
}

unsafe extern "C" fn range_push_ex(attributes: *const EventAttributes) -> c_int {
    // SAFETY: the program passes such attributes.
    push(null_mut(), &unsafe { name(null_mut(), attributes) })
}

extern "C" fn range_pop() -> c_int {
    domain_range_pop(null_mut())
}

unsafe extern "C" fn domain_range_start(domain: *const Text, attributes: *const EventAttributes) -> u64 {
    // SAFETY: the program passes such attributes, and a domain that it has created.
    start(&unsafe { name(domain, attributes) })
}

extern "C" fn domain_range_end(_domain: *const Text, number: u64) {
    range_end(number);
}

unsafe extern "C" fn domain_range_push(domain: *const Text, attributes: *const EventAttributes) -> c_int {
    // SAFETY: the program passes such attributes, and a domain that it has created.
    push(domain, &unsafe { name(domain, attributes) })
}

extern "C" fn domain_range_pop(domain: *const Text) -> c_int {
    crate::end(domain_key(domain));
    NOT_TRACKED
}

fn push_without_domain(name: &Text) -> c_int {
    push(null_mut(), name)
}

/// Defines functions with a string of the program, which `$of` copies, as their last argument; the one before is a domain.
macro_rules! of_strings {
    ($($name:ident($([$domain:ident])? $of:ident $letter:ty) -> $result:ty = $function:ident;)+) => {$(
        unsafe extern "C" fn $name($(_: *const $domain,)? string: *const $letter) -> $result {
            // SAFETY: the program passes null or such a string.
            $function(&unsafe { Text::$of(string) })
        }
    )+};
}

of_strings! {
    range_start_chars(of_chars c_char) -> u64 = start;
    range_start_wide(of_wide libc::wchar_t) -> u64 = start;
    range_push_chars(of_chars c_char) -> c_int = push_without_domain;
    range_push_wide(of_wide libc::wchar_t) -> c_int = push_without_domain;
    register_chars([Text] of_chars c_char) -> *const Text = kept;
    register_wide([Text] of_wide libc::wchar_t) -> *const Text = kept;
    create_chars(of_chars c_char) -> *const Text = kept;
    create_wide(of_wide libc::wchar_t) -> *const Text = kept;
}
