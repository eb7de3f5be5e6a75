//! Caliper: regions and phases of its interface in C, and values of attributes that are strings.
//!
//! The functions have the names of Caliper's, and forward each call to it with its result. What Caliper calls itself meanwhile is no
//! annotation of the program. Classes of C++ are left out: a constructor whose next definition is not found would leave an object
//! without its members.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{
    AtomicBool, AtomicPtr, AtomicUsize,
    Ordering::{Acquire, Relaxed, Release},
};

use crate::KeyKind;

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// True if the library is preloaded, as `mpit run --regions caliper` does. A tool for Kokkos may be in front of Caliper, too.
static IS_WANTED: AtomicBool = AtomicBool::new(false);

#[used]
#[unsafe(link_section = ".init_array")]
static AT_LOAD: extern "C" fn() = note_preload;

#[allow(clippy::disallowed_methods, reason = "a privileged process has returned")]
extern "C" fn note_preload() {
    // SAFETY: the function has no preconditions.
    if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return;
    }
    // SAFETY: the name ends with NUL, and the program changes no variables while it loads a library.
    let list = unsafe { libc::getenv(c"LD_PRELOAD".as_ptr()) };
    if !list.is_null() {
        // SAFETY: not null, so a string that ends with NUL.
        let list = unsafe { CStr::from_ptr(list) }.to_bytes();
        let name = b"libmpit_regions.so";
        IS_WANTED.store(list.windows(name.len()).any(|part| part == name), Relaxed);
    }
}

/// Caliper's call that the program makes, until it is dropped.
struct Forwarded {
    was_inside: bool,
}

impl Forwarded {
    fn begin() -> Self {
        Self { was_inside: IS_INSIDE.replace(true) }
    }
}

impl Drop for Forwarded {
    fn drop(&mut self) {
        IS_INSIDE.set(self.was_inside);
    }
}

/// Returns true for calls that are annotations of the program.
fn is_annotation() -> bool {
    IS_WANTED.load(Relaxed) && !IS_INSIDE.get()
}

/// Returns Caliper's function of a name, other than our own one; null only if there is none.
fn find(known: &AtomicPtr<c_void>, name: &CStr, own: *mut c_void) -> *mut c_void {
    let found = known.load(Acquire);
    if !found.is_null() {
        return found;
    }
    // SAFETY: the name ends with NUL.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if next.is_null() {
        // Not kept: the program may close such a library.
        return in_local_scope(name, own);
    }
    known.store(next, Release);
    next
}

/// Returns the function of Caliper's library, or of another object that contains Caliper, which were opened with `RTLD_LOCAL`: the dynamic
/// linker does not look there.
fn in_local_scope(name: &CStr, own: *mut c_void) -> *mut c_void {
    /// The number of the object where a function was found last.
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let mut object = Object { number: None, passed: 0, path: [0; MAX_PATH] };
    if object.look_up() {
        let found = object.function(name);
        if !found.is_null() {
            return found;
        }
    }
    let last = LAST.load(Relaxed);
    let mut is_before_last = false;
    let mut number = last;
    loop {
        object.number = Some(number);
        if object.look_up() {
            let found = object.function(name);
            if !found.is_null() && found != own {
                LAST.store(number, Relaxed);
                return found;
            }
            number += 1;
        } else if is_before_last {
            return null_mut();
        } else {
            (is_before_last, number) = (true, 0);
        }
        if is_before_last && number >= last {
            return null_mut();
        }
    }
}

/// The maximum length of a path. Objects with longer ones are not searched.
const MAX_PATH: usize = 4096;

/// A loaded object: that of a number, or Caliper's library.
struct Object {
    number: Option<usize>,
    /// The number of objects before it.
    passed: usize,
    /// A copy of its path, which ends with NUL: the object may be closed meanwhile.
    path: [u8; MAX_PATH],
}

impl Object {
    /// Stores the path. Returns false if there is no such object.
    fn look_up(&mut self) -> bool {
        self.passed = 0;
        // SAFETY: the function is called for each object, with this address. It does not call the dynamic linker, whose lock is held.
        unsafe { libc::dl_iterate_phdr(Some(look_at), std::ptr::from_mut(self).cast()) != 0 }
    }

    /// Returns the function of a name in the object or one that it needs; null if there is none.
    fn function(&self, name: &CStr) -> *mut c_void {
        // The program itself, whose functions the dynamic linker finds first.
        if self.path[0] == 0 {
            return null_mut();
        }
        // SAFETY: the path ends with NUL.
        let handle = unsafe { libc::dlopen(self.path.as_ptr().cast(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return null_mut();
        }
        // SAFETY: the handle is not null, and the name ends with NUL.
        let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
        // The program keeps the object of a function that it calls.
        // SAFETY: the handle was opened above, and is not used any more.
        unsafe { libc::dlclose(handle) };
        found
    }
}

/// Copies the path of an object that is searched, and ends the search.
unsafe extern "C" fn look_at(one: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description.
    let name = unsafe { (*one).dlpi_name };
    // SAFETY: the address of the object, which no other function uses meanwhile.
    let object = unsafe { &mut *search.cast::<Object>() };
    // SAFETY: null, or a string that ends with NUL.
    let path = if name.is_null() { c"" } else { unsafe { CStr::from_ptr(name) } };
    let path = path.to_bytes_with_nul();
    let is_it = if let Some(number) = object.number {
        number == object.passed
    } else {
        let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        file.starts_with(b"libcaliper")
    };
    object.passed += 1;
    if !is_it {
        return 0;
    }
    match object.path.get_mut(..path.len()) {
        Some(place) => place.copy_from_slice(path),
        None => object.path[0] = 0,
    }
    1
}

/// Returns a key for a string.
///
/// # Safety
///
/// The address is null or that of a string that ends with NUL.
unsafe fn key_of_name(kind: KeyKind, name: *const c_char) -> u64 {
    if name.is_null() {
        return kind.key(0);
    }
    // SAFETY: not null, and the caller passes such a string.
    let name = unsafe { CStr::from_ptr(name) };
    let mixed = name.to_bytes().iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3)
    });
    kind.key(mixed ^ mixed >> 56)
}

/// Defines functions that forward their calls: `begin` begins a region with a key and a name after it, and `end` ends one before it.
macro_rules! interposed {
    ($($change:ident $name:ident as $symbol:literal ($($arg:ident: $type:ty),+) => $key:expr $(, $region:expr)?;)+) => {$(
        /// Forwards the call. Returns what Caliper does, which is nothing in some versions, and 0 without Caliper.
        ///
        /// # Safety
        ///
        /// The rules of Caliper's function.
        #[unsafe(export_name = $symbol)]
        unsafe extern "C-unwind" fn $name($($arg: $type),+) -> usize {
            static NEXT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
            const SYMBOL: &CStr = match CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                Ok(symbol) => symbol,
                Err(_) => panic!("a NUL inside"),
            };
            type Next = unsafe extern "C-unwind" fn($($type),+) -> usize;
            let own: Next = $name;
            let next = find(&NEXT, SYMBOL, own as *mut c_void);
            let call = || {
                if next.is_null() {
                    return 0;
                }
                let _forwarded = Forwarded::begin();
                // SAFETY: Caliper's function of this name has these parameters.
                let next = unsafe { std::mem::transmute::<*mut c_void, Next>(next) };
                // SAFETY: the caller follows the rules of the function.
                unsafe { next($($arg),+) }
            };
            interposed! { @ $change call, $key $(, $region)? }
        }
    )+};
    (@ begin $call:ident, $key:expr, $region:expr) => {{
        let result = $call();
        if is_annotation() {
            // SAFETY: Caliper requires the address of a string that ends with NUL.
            unsafe { crate::begin($key, $region) };
        }
        result
    }};
    (@ end $call:ident, $key:expr) => {{
        if is_annotation() {
            crate::end($key);
        }
        $call()
    }};
}

/// Returns the key of a region of the C interface.
fn region(name: *const c_char) -> u64 {
    // SAFETY: Caliper requires the address of a string that ends with NUL.
    unsafe { key_of_name(KeyKind::CaliperRegion, name) }
}

fn attribute(number: u64) -> u64 {
    KeyKind::CaliperAttribute.key(number)
}

fn attribute_of_name(name: *const c_char) -> u64 {
    // SAFETY: Caliper requires the address of a string that ends with NUL.
    unsafe { key_of_name(KeyKind::CaliperAttributeName, name) }
}

interposed! {
    begin begin_region as "cali_begin_region" (name: *const c_char) => region(name), name;
    end end_region as "cali_end_region" (name: *const c_char) => region(name);
    begin begin_phase as "cali_begin_phase" (name: *const c_char) => region(name), name;
    end end_phase as "cali_end_phase" (name: *const c_char) => region(name);
    begin begin_comm_region as "cali_begin_comm_region" (name: *const c_char) => region(name), name;
    end end_comm_region as "cali_end_comm_region" (name: *const c_char) => region(name);
    begin begin_string as "cali_begin_string" (number: u64, value: *const c_char) => attribute(number), value;
    end end_attribute as "cali_end" (number: u64) => attribute(number);
    end safe_end_string as "cali_safe_end_string" (number: u64, value: *const c_char) => attribute(number);
    begin begin_byname as "cali_begin_byname" (name: *const c_char) => attribute_of_name(name), name;
    begin begin_string_byname as "cali_begin_string_byname" (name: *const c_char, value: *const c_char)
        => attribute_of_name(name), value;
    end end_byname as "cali_end_byname" (name: *const c_char) => attribute_of_name(name);
}
