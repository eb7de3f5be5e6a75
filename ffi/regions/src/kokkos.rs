//! Kokkos Tools: profile regions, sections and kernels.
//!
//! Kernels are regions while the thread that starts them is in `parallel_for`, `parallel_reduce` or `parallel_scan`. On a GPU, that may be
//! less than they run: the settings make Kokkos not wait for them, as it does by default for a tool.

use std::ffi::c_char;
use std::ptr::null;
use std::sync::atomic::{
    AtomicPtr, AtomicU32, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

use crate::KeyKind;
use crate::text::{self, Text};

/// The beginning of `Kokkos_Tools_ToolSettings`, which has 255 unused members behind it.
#[repr(C)]
pub(crate) struct ToolSettings {
    requires_global_fencing: bool,
}

/// The maximum number of sections. Further ones are no regions.
const MAX_SECTIONS: usize = 256;

static SECTIONS: [AtomicPtr<Text>; MAX_SECTIONS] =
    [const { AtomicPtr::new(std::ptr::null_mut()) }; MAX_SECTIONS];
static SECTIONS_LEN: AtomicU32 = AtomicU32::new(0);

/// Lets Kokkos work as without a tool.
///
/// # Safety
///
/// The address is null or that of Kokkos' settings.
#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_request_tool_settings(_len: u32, settings: *mut ToolSettings) {
    // SAFETY: the caller passes such an address, and no other thread uses the settings.
    if let Some(settings) = unsafe { settings.as_mut() } {
        settings.requires_global_fencing = false;
    }
}

/// Begins a region.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_push_profile_region(name: *const c_char) {
    // SAFETY: the caller passes such an address.
    unsafe { crate::begin(KeyKind::KokkosRegion.key(0), name) };
}

/// Ends the region that began last.
#[unsafe(no_mangle)]
extern "C" fn kokkosp_pop_profile_region() {
    crate::end(KeyKind::KokkosRegion.key(0));
}

/// Begins a kernel, and stores its number.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL, and `kernel` is the address of a number.
unsafe fn begin_kernel(name: *const c_char, kernel: *mut u64) {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Relaxed) + 1;
    // SAFETY: the caller passes such a name.
    unsafe { crate::begin(KeyKind::KokkosKernel.key(number), name) };
    // SAFETY: the caller passes the address of a number.
    if let Some(kernel) = unsafe { kernel.as_mut() } {
        *kernel = number;
    }
}

macro_rules! kernels {
    ($($begin:ident $end:ident;)+) => {$(
        /// Begins a kernel.
        ///
        /// # Safety
        ///
        /// The name is null or the address of a string that ends with NUL, and `kernel` is the address of a number.
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $begin(name: *const c_char, _device: u32, kernel: *mut u64) {
            // SAFETY: the caller passes such addresses.
            unsafe { begin_kernel(name, kernel) };
        }

        /// Ends a kernel.
        #[unsafe(no_mangle)]
        extern "C" fn $end(kernel: u64) {
            crate::end(KeyKind::KokkosKernel.key(kernel));
        }
    )+};
}

kernels! {
    kokkosp_begin_parallel_for kokkosp_end_parallel_for;
    kokkosp_begin_parallel_reduce kokkosp_end_parallel_reduce;
    kokkosp_begin_parallel_scan kokkosp_end_parallel_scan;
}

/// Creates a section, and stores its number.
///
/// # Safety
///
/// The name is null or the address of a string that ends with NUL, and `section` is the address of a number.
#[unsafe(no_mangle)]
unsafe extern "C" fn kokkosp_create_profile_section(name: *const c_char, section: *mut u32) {
    let number = SECTIONS_LEN.fetch_update(AcqRel, Relaxed, |len| len.checked_add(1)).unwrap_or(u32::MAX);
    if let Some(place) = SECTIONS.get(number as usize) {
        // SAFETY: the caller passes such a name.
        let name = unsafe { Text::of_chars(name) };
        place.store(text::kept(&name).cast_mut(), Release);
    }
    // SAFETY: the caller passes the address of a number.
    if let Some(section) = unsafe { section.as_mut() } {
        *section = number;
    }
}

/// Begins a section.
#[unsafe(no_mangle)]
extern "C" fn kokkosp_start_profile_section(section: u32) {
    let name = SECTIONS.get(section as usize).map_or(null(), |place| place.load(Acquire).cast_const());
    // SAFETY: kept texts are never freed.
    if let Some(name) = unsafe { name.as_ref() } {
        // SAFETY: it ends with NUL.
        unsafe { crate::begin(KeyKind::KokkosSection.key(section.into()), name.as_ptr()) };
    }
}

/// Ends a section.
#[unsafe(no_mangle)]
extern "C" fn kokkosp_stop_profile_section(section: u32) {
    crate::end(KeyKind::KokkosSection.key(section.into()));
}
