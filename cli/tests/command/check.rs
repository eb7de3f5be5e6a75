//! `mpit check` where no compiler is needed. Plug-ins are checked in `tests/`.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::{Finished, MPIT, run_command};

fn check(arguments: &[&str]) -> Finished {
    run_command(Command::new(MPIT).arg("check").args(arguments))
}

#[test]
fn findings_are_json_for_programs() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("acme.so");
    fs::write(&path, "no plug-in, but long enough for a header of one").unwrap();
    let path = path.to_str().unwrap();
    let done = check(&["--json", path]);
    assert_eq!(done.status.code(), Some(1));
    let printed: Value = serde_json::from_str(&done.stdout).unwrap();
    let finding = json!({
        "severity": "error",
        "rule": "plug-in",
        "what": "the plug-in",
        "place": path,
        "why": "it is no shared object; build it with `cc -shared -fPIC`",
        "remedy": "build it with MPIT_PLUGIN of mpit_plugin.h, or with plugin! in Rust",
    });
    let plugin = json!({"path": path, "name": null, "defines": null, "findings": [finding]});
    let expected = json!({"plugins": [plugin], "compared_with": null, "errors": 1, "warnings": 0});
    assert_eq!(printed, expected);
}

#[test]
fn findings_are_text_for_users() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("acme.so");
    fs::write(&path, "").unwrap();
    let done = check(&[path.to_str().unwrap()]);
    assert_eq!(done.status.code(), Some(1));
    let printed = done.stdout;
    assert!(printed.starts_with(&format!("{}: 1 error\n", path.display())), "{printed}");
    assert!(printed.contains(" error  plug-in  the plug-in  "), "{printed}");
    assert!(printed.ends_with("add a command: -- mpiexec -n 1 ./any_mpi_program\n"), "{printed}");
}

#[test]
fn missing_files_cannot_be_checked() {
    let dir = tempfile::tempdir().unwrap();
    let existing = dir.path().join("acme.so");
    fs::write(&existing, "").unwrap();
    let existing = existing.to_str().unwrap();
    for arguments in [&["no-such-plugin.so"][..], &["--json", existing, "no-such-plugin.so"]] {
        let done = check(arguments);
        assert_eq!(done.status.code(), Some(2));
        // No result of the existing file either: programs read one complete document or nothing.
        assert_eq!(done.stdout, "");
        assert_eq!(done.stderr, "mpit: there is no file no-such-plugin.so\n");
    }
    assert_eq!(check(&[]).status.code(), Some(2));
}
