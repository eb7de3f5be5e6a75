//! Definitions of a whole program: the same variable twice.

use mpit_tests::{Failure, Outcome, build};

#[test]
fn a_duplicate_is_kept_once_and_reported() -> Outcome {
    let mut indices = build::cargo();
    indices.args(["run", "--quiet", "-p", "mpit-tests", "--example", "indices"]);
    let [list, complaints] = build::run(&mut indices)?;
    let named = |name: &str| list.lines().filter(|line| line.contains(&format!(" {name} COUNTER:"))).count();
    for name in ["widgets", "only_left", "only_right"] {
        Failure::unless(named(name) == 1, || format!("{name} is there {} times:\n{list}", named(name)))?;
    }
    let about: Vec<_> = complaints.lines().filter(|line| line.contains("widgets")).collect();
    Failure::unless(about.len() == 1, || format!("one line about it expected:\n{complaints}"))?;
    for place in ["left/src/lib.rs:", "right/src/lib.rs:"] {
        Failure::unless(about[0].contains(place), || format!("{place} is not named: {}", about[0]))?;
    }
    Ok(())
}
