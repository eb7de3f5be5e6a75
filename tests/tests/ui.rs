//! What the compiler says about definitions that break a rule.
//!
//! `ui/` has a file for each check, named after its number in the list of checks. `ui/pass/` has what must compile.
//! After a change of messages: `TRYBUILD=overwrite cargo test -p mpit-tests --test ui`, then read the difference.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/pass/*.rs");
    cases.compile_fail("ui/*.rs");
}
