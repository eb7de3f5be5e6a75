//! Prints what is defined in this program.

fn main() {
    print!("{}", mpit_tests_linking_app::list());
}
