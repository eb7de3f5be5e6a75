//! The first example of the crate's documentation.

use std::process::Command;

const EXAMPLE: &str = include_str!("../../examples/packets.rs");

#[test]
fn the_first_example_prints_what_it_read() {
    let test = std::env::current_exe().unwrap();
    // `cargo test -p mpit` builds it into this directory; `--test interface` alone does not.
    let example = test.ancestors().nth(2).unwrap().join("examples/packets");
    let output = Command::new(&example).output();
    let output = output.unwrap_or_else(|error| {
        panic!("{}: {error}; run `cargo build -p mpit --examples`", example.display())
    });
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a packet of 100 bytes\n1 packet\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn the_first_example_is_short() {
    let code = EXAMPLE.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    assert!(code.count() <= 24);
    let imports: Vec<_> = EXAMPLE.lines().filter(|line| line.starts_with("use ")).collect();
    assert_eq!(imports, ["use mpit::prelude::*;"]);
}
