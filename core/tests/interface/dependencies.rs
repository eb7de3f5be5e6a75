//! The dependencies of the implementation, on which the time of a clean build of its users depends.

use std::process::Command;

/// Returns the dependencies of a package with all of its features, one a line.
fn dependencies(package: &str) -> String {
    let mut tree = Command::new(env!("CARGO"));
    tree.args([
        "tree",
        "--offline",
        "--all-features",
        "--edges",
        "normal,build",
        "--prefix",
        "none",
        "--package",
    ]);
    let output = tree.arg(package).output().expect("cargo");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("names of packages")
}

/// A procedural macro depends on `syn`, after which the implementation would be compiled: the build would take twice as long.
#[test]
#[cfg_attr(miri, ignore = "runs a program")]
fn no_macro_delays_the_implementation() {
    let is_macro = |line: &&str| line.contains("(proc-macro)");
    let of_base = dependencies("mpit-base");
    assert_eq!(of_base.lines().filter(is_macro).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(of_base.contains("libc ") && dependencies("mpit").lines().filter(is_macro).count() == 1);
}
