//! Several plug-ins: their order, files that are listed twice, and names that are already in use.

use std::{fs, os::unix::fs::symlink};

use mpit_tests::plugins::{self, list};
use mpit_tests::{Context, Job, Outcome};

use super::{job, scratch};

/// Returns the names after a keyword at the beginning of lines.
fn names(stdout: &str, kind: &str) -> Vec<String> {
    let lines = stdout.lines().filter_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    lines.filter_map(|line| line.split(' ').nth(1)).map(str::to_owned).collect()
}

#[test]
fn plugins_load_in_the_environments_order() -> Outcome {
    let dir = scratch("order")?;
    let (named, first, second) = (dir.join("named"), dir.join("first"), dir.join("second"));
    for dir in [&named, &first, &second] {
        fs::create_dir(dir).context(dir.display())?;
    }
    let zulu = plugins::good(&named, "zulu")?;
    let acme = plugins::good(&named, "acme")?;
    plugins::good(&first, "ypsilon")?;
    plugins::good(&first, "bolt")?;
    plugins::good(&second, "able")?;
    fs::write(second.join("notes.txt"), "no plug-in").context("notes")?;
    // The same file by another name: it is loaded once.
    symlink(&acme, second.join("again.so")).context("a link")?;
    let finished = job()?
        .env("MPIT_PLUGINS", format!(":{}:", list([zulu.as_path(), acme.as_path()])))
        .env("MPIT_PLUGIN_PATH", list([first.as_path(), second.as_path()]))
        .succeed()?;
    let expected = ["zulu", "acme", "bolt", "ypsilon", "able"];
    finished.expect(finished.stderr.is_empty() && names(&finished.stdout, "plugin") == expected)?;
    let works: Vec<_> =
        names(&finished.stdout, "pvar").into_iter().filter(|name| name.ends_with("_work")).collect();
    finished.expect(works == expected.map(|name| format!("{name}_work")))
}

#[test]
fn duplicate_names_are_left_out() -> Outcome {
    let dir = scratch("taken")?;
    let one = plugins::good(&dir, "acme")?;
    let other = plugins::compile(&dir, "clash", "clash", &["-DOWN=\"clash\""])?;
    let third = plugins::compile(&dir, "clash", "third", &["-DOWN=\"third\""])?;
    let loaded = list([one.as_path(), other.as_path(), third.as_path()]);
    let finished = job()?.env("MPIT_PLUGINS", loaded).succeed()?;
    let is_reported = |what: &str, first: &str| {
        finished.stderr.lines().any(|line| {
            line.contains(&format!(": {what} at "))
                && line.contains("clash.c:")
                && line.contains(" of the plug-in ")
                && line.contains(&format!("/{first}.so already defines it"))
        })
    };
    finished.expect(is_reported("pvar `acme_work` (COUNTER)", "acme"))?;
    finished.expect(is_reported("source `acme_clock`", "acme"))?;
    finished.expect(is_reported("enumeration `phase`", "clash"))?;
    finished.expect_printed(" clash_own Ok([0])")
}

#[test]
fn an_activation_may_load_and_register() -> Outcome {
    let dir = scratch("nested")?;
    let inner = plugins::good(&dir, "acme")?;
    let inner_path = format!("-DINNER=\"{}\"", inner.display());
    let outer = plugins::compile(&dir, "nested", "nested", &[&inner_path])?;
    let program = plugins::program(&dir, "loads")?;
    let finished = Job::plain(&[]).arg(program).env("MPIT_PLUGINS", outer).succeed()?;
    finished.expect(finished.stderr.lines().all(|line| line.contains("being loaded")))?;
    finished.expect_printed("nested: itself refused, acme loaded, table registered\n")?;
    finished.expect_printed("pvar acme_work\n")?;
    finished.expect_printed("pvar nested_own\n")
}

#[test]
fn a_c_program_loads_plugins_last() -> Outcome {
    let dir = scratch("loads")?;
    let (acme, bolt) = (plugins::good(&dir, "acme")?, plugins::good(&dir, "bolt")?);
    let missing = dir.join("missing.so");
    let program = plugins::program(&dir, "loads")?;
    let finished = Job::plain(&[]).args([&program, &acme, &missing, &bolt]).succeed()?;
    let answers: Vec<_> = finished
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("load ").or(line.strip_prefix("again ")))
        .map(|line| line.split_once(".so ").map_or(line, |(_, answer)| answer))
        .collect();
    // A message for each call that fails.
    let expected = ["0 0", "0 0 0 1", "1 -1", "1 1 1 1", "0 1", "0 0 0 1"];
    finished.expect(answers == expected && finished.stderr.lines().count() == 7)?;
    let names: Vec<_> = finished.stdout.lines().filter_map(|line| line.strip_prefix("pvar ")).collect();
    let behind = names.get(names.len().saturating_sub(8)..).unwrap_or_default();
    let expected = ["acme", "bolt"]
        .map(|name| ["activation", "depth", "step", "work"].map(|what| format!("{name}_{what}")));
    finished.expect(finished.stdout.contains("\n8 more\n") && behind == expected.concat())
}

/// Tests that `mpit vars` lists entries of plug-ins without an MPI program.
#[test]
fn command_lists_variables_of_plug_ins() -> Outcome {
    let dir = scratch("listed")?;
    let plugin = plugins::good(&dir, "first")?;
    let list = Job::mpit(&["vars", "--grep", "first"])?.env("MPIT_PLUGINS", &plugin);
    list.succeed()?.expect_printed("first_")
}
