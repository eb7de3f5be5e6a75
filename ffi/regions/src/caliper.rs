//! Caliper: regions, phases, functions, scopes and loops, and values of attributes that are strings.
//!
//! The functions have the names of Caliper's, in C or as the C++ ABI of Linux has them, and forward each call to it. What Caliper calls
//! itself meanwhile is no annotation of the program.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::atomic::{
    AtomicPtr,
    Ordering::{Acquire, Release},
};

use crate::KeyKind;

thread_local! {
    static IS_INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Forwards a call. Returns true if the program has made it.
fn forward(call: impl FnOnce()) -> bool {
    let was_inside = IS_INSIDE.replace(true);
    call();
    IS_INSIDE.set(was_inside);
    !was_inside
}

/// Returns Caliper's function of a name, which is null only if there is none.
fn find(known: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    let found = known.load(Acquire);
    if !found.is_null() {
        return found;
    }
    // SAFETY: the name ends with NUL.
    let mut found = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if found.is_null() {
        found = in_local_scope(name);
    }
    known.store(found, Release);
    found
}

/// Returns the function of a library that was opened with `RTLD_LOCAL`, where the dynamic linker does not look.
fn in_local_scope(name: &CStr) -> *mut c_void {
    let mut library: *const c_char = null();
    // SAFETY: the function is called for each object, with the address of the variable.
    unsafe { libc::dl_iterate_phdr(Some(is_caliper), (&raw mut library).cast()) };
    if library.is_null() {
        return null_mut();
    }
    // SAFETY: the name of a loaded object, which stays loaded while the program calls it.
    let handle = unsafe { libc::dlopen(library, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
    if handle.is_null() {
        return null_mut();
    }
    // SAFETY: the handle is not null, and the name ends with NUL.
    unsafe { libc::dlsym(handle, name.as_ptr()) }
}

/// Stores the name of an object that is Caliper's library, and ends the search.
unsafe extern "C" fn is_caliper(object: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the dynamic linker passes a description.
    let name = unsafe { (*object).dlpi_name };
    if name.is_null() {
        return 0;
    }
    // SAFETY: not null, so a string that ends with NUL.
    let path = unsafe { CStr::from_ptr(name) }.to_bytes();
    let file = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    if !file.starts_with(b"libcaliper") {
        return 0;
    }
    // SAFETY: the address of the variable that was passed on.
    unsafe { found.cast::<*const c_char>().write(name) };
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
        /// Forwards the call.
        ///
        /// # Safety
        ///
        /// The rules of Caliper's function.
        #[unsafe(export_name = $symbol)]
        unsafe extern "C-unwind" fn $name($($arg: $type),+) {
            static NEXT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
            const SYMBOL: &CStr = match CStr::from_bytes_with_nul(concat!($symbol, "\0").as_bytes()) {
                Ok(symbol) => symbol,
                Err(_) => panic!("a NUL inside"),
            };
            let next = find(&NEXT, SYMBOL);
            let call = || {
                if next.is_null() {
                    return;
                }
                // SAFETY: Caliper's function of this name has these parameters.
                let next = unsafe {
                    std::mem::transmute::<*mut c_void, unsafe extern "C-unwind" fn($($type),+)>(next)
                };
                // SAFETY: the caller follows the rules of the function.
                unsafe { next($($arg),+) };
            };
            interposed! { @ $change call, $key $(, $region)? }
        }
    )+};
    (@ begin $call:ident, $key:expr, $region:expr) => {
        if forward($call) {
            // SAFETY: Caliper requires the address of a string that ends with NUL.
            unsafe { crate::begin($key, $region) };
        }
    };
    (@ end $call:ident, $key:expr) => {
        if !IS_INSIDE.get() {
            crate::end($key);
        }
        forward($call);
    };
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

/// Returns the key of a region that ends with an object of C++.
fn object(this: *mut c_void) -> u64 {
    KeyKind::CaliperObject.key(this.addr() as u64)
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
    // The constructors and destructors of `cali::Function`, `cali::ScopeAnnotation` and `cali::Loop`, each by its two names.
    begin function_begin as "_ZN4cali8FunctionC1EPKc" (this: *mut c_void, name: *const c_char) => object(this), name;
    begin function_base_begin as "_ZN4cali8FunctionC2EPKc" (this: *mut c_void, name: *const c_char)
        => object(this), name;
    end function_end as "_ZN4cali8FunctionD1Ev" (this: *mut c_void) => object(this);
    end function_base_end as "_ZN4cali8FunctionD2Ev" (this: *mut c_void) => object(this);
    begin scope_begin as "_ZN4cali15ScopeAnnotationC1EPKc" (this: *mut c_void, name: *const c_char)
        => object(this), name;
    begin scope_base_begin as "_ZN4cali15ScopeAnnotationC2EPKc" (this: *mut c_void, name: *const c_char)
        => object(this), name;
    end scope_end as "_ZN4cali15ScopeAnnotationD1Ev" (this: *mut c_void) => object(this);
    end scope_base_end as "_ZN4cali15ScopeAnnotationD2Ev" (this: *mut c_void) => object(this);
    begin loop_begin as "_ZN4cali4LoopC1EPKc" (this: *mut c_void, name: *const c_char) => object(this), name;
    begin loop_base_begin as "_ZN4cali4LoopC2EPKc" (this: *mut c_void, name: *const c_char) => object(this), name;
    end loop_end as "_ZN4cali4Loop3endEv" (this: *mut c_void) => object(this);
    end loop_drop as "_ZN4cali4LoopD1Ev" (this: *mut c_void) => object(this);
    end loop_base_drop as "_ZN4cali4LoopD2Ev" (this: *mut c_void) => object(this);
}
