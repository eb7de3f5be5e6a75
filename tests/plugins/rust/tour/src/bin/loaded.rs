//! The definitions are those of the plug-ins that the environment names.

fn main() {
    tour::show();
}
