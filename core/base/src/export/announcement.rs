//! The announcement of this image to a host, so that the host need not search the loaded images at each query.
//!
//! The preload library exports the function [`ANNOUNCED_TO`]. Each image with this crate has a constructor that calls it, if the image's
//! scope has such a function. The reference is weak, so without a host the dynamic linker stores null, and the constructor is a load and
//! a branch.
//!
//! An image without this announcement is found anyway in two cases. If its constructor ran before the host was loaded, the first search of
//! the host finds it. If the host is not in the program's scope, it searches at each query. Both also hold where no constructor is
//! compiled, because there is no preload library for such machines.

use std::ffi::CStr;

/// The name of the function that a host exports. It has no parameters and no result.
pub const ANNOUNCED_TO: &CStr = c"mpit_image_loaded";

#[cfg(all(
    target_os = "linux",
    any(target_arch = "x86_64", target_arch = "aarch64"),
    not(any(miri, mpit_models))
))]
mod constructor {
    use std::arch::asm;

    /// Runs before the image's constructors that have no priority, so that calls in these find the definitions. Linkers that drop
    /// unreferenced sections keep constructors.
    #[used]
    #[unsafe(link_section = ".init_array.00101")]
    static CONSTRUCTOR: extern "C" fn() = announce;

    extern "C" fn announce() {
        let function = host_function();
        if function != 0 {
            // SAFETY: the symbol is that of a function without parameters and result in a host (`ANNOUNCED_TO`), which is not unloaded
            // while this image, which refers to it, is loaded.
            let function = unsafe { std::mem::transmute::<usize, extern "C" fn()>(function) };
            function();
        }
    }

    /// Returns the address of the host's function; 0 without a host. Only the instruction names the symbol, by a weak alias: a weak symbol
    /// would clash with the definition, if the whole program is optimized at once.
    #[inline]
    fn host_function() -> usize {
        let function: usize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: reads a word of the global offset table, which the dynamic linker has written.
        unsafe {
            asm!(
                ".weakref mpit_announced_to, mpit_image_loaded",
                "mov {function}, qword ptr [rip + mpit_announced_to@GOTPCREL]",
                function = out(reg) function,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: reads a word of the global offset table, which the dynamic linker has written.
        unsafe {
            asm!(
                ".weakref mpit_announced_to, mpit_image_loaded",
                "adrp {function}, :got:mpit_announced_to",
                "ldr {function}, [{function}, :got_lo12:mpit_announced_to]",
                function = out(reg) function,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        function
    }
}
