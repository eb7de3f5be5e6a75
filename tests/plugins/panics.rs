//! A plug-in in Rust that was written by hand, and panics when it is asked for what it has.

#[unsafe(no_mangle)]
pub extern "C" fn mpit_plugin_v1(_host: *const ()) -> *const () {
    panic!("nothing is here")
}
