//! The command as people type it. What it does to MPI programs is tested in `tests/`.

use std::path::Path;
use std::process::{Command, Output};

use mpit_ffi::listing::Listing;

/// Any file serves where only the environment is looked at.
const LIBRARY: &str = "Cargo.toml";

fn mpit(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mpit"))
        .args(arguments)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("MPIT_PRELOAD", LIBRARY)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("mpit runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_command_gets_the_library_and_the_settings() {
    let done = mpit(&["run", "--set", "pml_monitoring_enable=1", "--output", "a b", "--", "env"]);
    let environment = text(&done.stdout);
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIBRARY).canonicalize().unwrap();
    assert!(environment.contains(&format!("LD_PRELOAD={}\n", library.display())), "{environment}");
    // What `--output` stands for is weaker than what `--set` says.
    let settings = "MPIT_SET=pml_monitoring_enable=2\npml_monitoring_enable_output=3\n\
                    pml_monitoring_filename=a b\npml_monitoring_enable=1\n";
    assert!(environment.contains(settings), "{environment}");
    assert!(text(&done.stderr).starts_with("ERROR: ld.so") || done.stderr.is_empty());
}

#[test]
fn the_exit_status_is_that_of_the_command() {
    assert_eq!(mpit(&["run", "--", "sh", "-c", "exit 7"]).status.code(), Some(7));
    let missing = mpit(&["run", "--", "no-such-command-here"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("cannot run no-such-command-here: "), "{}", text(&missing.stderr));
}

#[test]
fn verbose_says_what_is_set() {
    let said = text(&mpit(&["run", "-v", "--set", "pml=^monitoring", "--", "true", "x"]).stderr);
    for line in ["mpit: LD_PRELOAD=/", "mpit: set pml=^monitoring\n", "mpit: run true x\n"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn mistakes_in_settings_are_told_before_anything_runs() {
    for (setting, complaint) in [
        ("pml_monitoring_enabel=2", "did you mean `pml_monitoring_enable`?"),
        ("xyz=2", "`mpit vars` lists those of mpit"),
        ("pml_monitoring_enable=two", "`two`: expected a whole number"),
        ("pml_monitoring_enable", "expected NAME=VALUE"),
    ] {
        let done = mpit(&["run", "--set", setting, "--", "echo", "ran"]);
        assert_eq!(done.status.code(), Some(2));
        assert!(text(&done.stderr).contains(complaint), "{}", text(&done.stderr));
        assert_eq!(text(&done.stdout), "");
    }
}

#[test]
fn a_library_that_is_not_there_is_named() {
    let done = mpit(&["run", "--preload", "nowhere.so", "--", "true"]);
    assert_eq!(text(&done.stderr), "mpit: no preload library at nowhere.so\n");
}

#[test]
fn vars_lists_what_mpit_brings() {
    let listing: Listing = serde_json::from_slice(&mpit(&["vars", "--json"]).stdout).unwrap();
    assert_eq!(listing.library, None);
    let flush = listing.pvars.iter().find(|pvar| pvar.name == "pml_monitoring_flush").unwrap();
    assert_eq!((flush.class.as_str(), flush.datatype.as_str()), ("GENERIC", "CHAR"));
    let enable = listing.cvars.iter().find(|cvar| cvar.name == "pml_monitoring_enable").unwrap();
    assert_eq!((enable.value.as_deref(), enable.source.as_deref()), (Some("0"), Some("default")));
    let monitoring = listing.categories.iter().find(|category| category.name == "pml_monitoring").unwrap();
    assert!(monitoring.pvars.contains(&i32::try_from(flush.index).unwrap()));

    let sent = listing.events.iter().find(|event| event.name == "pml_message_sent").unwrap();
    assert_eq!(sent.elements[4].name.as_deref(), Some("bytes"));
    assert!(listing.sources.iter().any(|source| source.name == sent.source));

    let table = text(&mpit(&["vars"]).stdout);
    for name in ["Performance variables (", "pml_monitoring_flush", "Control variables (", "Categories ("] {
        assert!(table.contains(name), "{table}");
    }
}

#[test]
fn vars_of_a_command_without_mpi_says_so() {
    let done = mpit(&["vars", "--", "true"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).contains("no process of it brought MPI up"), "{}", text(&done.stderr));
}
