//! Gives the library its name for the dynamic linker, with the number of its binary interface, as `ffi/embed/build.rs` does.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[allow(clippy::disallowed_methods, reason = "this program takes part in the build only")]
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        return;
    }
    // Otherwise, libraries export the bounds of lists that the linker makes.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,start-stop-visibility=hidden");
    if variable("PROFILE") == "release" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libmpit_core.so.0");
        println!("cargo::rustc-cdylib-link-arg=-Wl,--build-id=sha1");
    }
}
