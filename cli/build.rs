//! Lists the programs of `mpit conform`, and passes the commit to the compiler of the command.
//!
//! The commit only where it is built to be installed: else each commit would compile it again. There it also has a build ID, which not all compilers
//! pass to the linker by default, and by which debuggers find its symbols once these are a file of their own.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    list_rules();
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|text| text == value);
    if !is("PROFILE", "release") {
        return;
    }
    if is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--build-id=sha1");
    }
    // Git appends a line for each commit that is checked out.
    let (Some(commit), Some(log)) =
        (git(&["rev-parse", "--short=12", "HEAD"]), git(&["rev-parse", "--git-path", "logs/HEAD"]))
    else {
        return;
    };
    // A path that does not exist would run this program each time.
    if Path::new(&log).exists() {
        println!("cargo::rerun-if-changed={log}");
    }
    println!("cargo::rustc-env=MPIT_COMMIT={commit}");
}

/// Writes the names and texts of the programs and headers of `mpit conform` as an array, in the order of rules.
fn list_rules() {
    const DIRECTORY: &str = "src/conform/rules";
    println!("cargo::rerun-if-changed={DIRECTORY}");
    let root = env::current_dir().expect("cargo sets a directory").join(DIRECTORY);
    let entries = fs::read_dir(&root).expect("the package has rules");
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort_by_cached_key(|name| {
        let number = name[1..].split(|char: char| !char.is_ascii_digit()).next().map(str::parse::<u32>);
        (!name.starts_with('R'), number.and_then(Result::ok), name.clone())
    });
    let row = |name: &String| format!("({name:?}, include_str!({:?})),\n", root.join(name).to_string_lossy());
    let rows: String = names.iter().map(row).collect();
    let list = Path::new(&env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("rules.rs");
    fs::write(list, format!("[\n{rows}]")).expect("OUT_DIR can be written");
}

/// Returns what git prints about the checkout, if these are its sources.
fn git(arguments: &[&str]) -> Option<String> {
    let run = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // In a copy of the sources without git, git finds the checkout of something around it.
    run(&["ls-files", "--error-unmatch", "build.rs"])?;
    run(arguments)
}
