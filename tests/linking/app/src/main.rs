//! Prints the definitions in this program.

fn main() {
    print!("{}", mpit_tests_linking_app::list());
}
