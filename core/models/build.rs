//! Sets the condition under which the lock-free structures of `core` are small enough for a model.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(mpit_models)");
    println!("cargo::rustc-cfg=mpit_models");
    println!("cargo::rerun-if-changed=build.rs");
}
