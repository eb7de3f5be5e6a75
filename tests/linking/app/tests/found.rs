//! Prints what is defined in this test.

#[test]
#[allow(clippy::print_stdout, reason = "the test of linking reads it")]
fn found() {
    println!("\n{}", mpit_tests_linking_app::list());
}
