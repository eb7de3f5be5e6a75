//! Prints the definitions in this program and in its library.

use mpit_tests_linking_shared as _;

fn main() {
    print!("{}", mpit_tests_linking_app::list());
}
