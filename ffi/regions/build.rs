//! Gives the library that is installed a build ID, by which debuggers find its debug information once that is a file of its own.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[allow(clippy::disallowed_methods, reason = "this program takes part in the build only")]
    let variable = |name| std::env::var(name).unwrap_or_default();
    if variable("CARGO_CFG_TARGET_OS") == "linux" && variable("PROFILE") == "release" {
        println!("cargo::rustc-cdylib-link-arg=-Wl,--build-id=sha1");
    }
}
