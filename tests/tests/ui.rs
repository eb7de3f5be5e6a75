//! What the compiler says about definitions that break a rule.
//!
//! `ui/` has a file for each check, named after its number in the list of checks. After a change of messages:
//! `TRYBUILD=overwrite cargo test -p mpit-tests --test ui`, then read the difference.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
