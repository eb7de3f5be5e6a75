//! The definitions are those of the plug-ins that are named, or that the environment names.

fn main() {
    for path in std::env::args_os().skip(1) {
        if let Err(why) = mpit::plugin::load(&path) {
            eprintln!("{}: {why}", path.display());
            std::process::exit(1);
        }
    }
    tour::show();
}
