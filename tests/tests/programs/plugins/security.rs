//! Protection against code from other users.

use std::env;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

use mpit_tests::{Context, Outcome, build, launch::Job, plugins, site};

use super::{job, scratch, viewer};

fn chmod(path: &Path, mode: u32) -> Outcome {
    fs::set_permissions(path, Permissions::from_mode(mode)).context(path.display())
}

#[test]
fn paths_that_others_can_write_are_refused() -> Outcome {
    let dir = scratch("permissions")?;
    let inner = dir.join("inner");
    fs::create_dir(&inner).context("a directory")?;
    let path = plugins::good(&inner, "acme")?;
    for (what, mode) in [(&path, 0o775), (&path, 0o757), (&inner, 0o777)] {
        chmod(what, mode)?;
        for (variable, value) in [("MPIT_PLUGINS", &path), ("MPIT_PLUGIN_PATH", &inner)] {
            let finished = job()?.env(variable, value).succeed()?;
            let lines: Vec<_> = finished.stderr.lines().collect();
            let expected = format!("{} can be written by others", what.display());
            let reported =
                matches!(lines[..], [line] if line.contains(&expected) && line.contains("chmod go-w"));
            finished.expect(reported && !finished.stdout.contains("acme_work"))?;
        }
        chmod(what, 0o755)?;
    }
    let finished = job()?.env("MPIT_PLUGIN_PATH", &inner).succeed()?;
    finished.expect(finished.stderr.is_empty())?;
    finished.expect_printed("acme_work")
}

#[test]
fn parents_others_can_rename_are_refused() -> Outcome {
    let dir = scratch("further_up")?;
    let outer = dir.join("outer");
    let inner = outer.join("middle/inner");
    fs::create_dir_all(&inner).context("directories")?;
    let path = plugins::good(&inner, "acme")?;
    chmod(&outer, 0o777)?;
    let one = format!("the plug-in {} is not loaded", path.display());
    let all = format!("the plug-ins in {} are not loaded", inner.display());
    let refused = |reason: &str| {
        for (variable, value, what) in [("MPIT_PLUGINS", &path, &one), ("MPIT_PLUGIN_PATH", &inner, &all)] {
            let finished = job()?.env(variable, value).succeed()?;
            let expected = format!("mpit: {what}: {} {reason}", outer.display());
            let is_reported = finished.stderr.lines().count() == 1 && finished.stderr.contains(&expected);
            finished.expect(is_reported && !finished.stdout.contains("acme_work"))?;
        }
        Ok(())
    };
    refused("can be written by others")?;
    chmod(&outer, 0o755)?;
    // The owner of a directory could replace its contents.
    if let Err(error) = chown(&outer, Some(ANOTHER_USER), None) {
        println!("only root can give a directory to another user ({error}), so that case is not run");
        return Ok(());
    }
    refused(&format!("belongs to user {ANOTHER_USER}"))
}

/// The dynamic linker replaces `$LIB` by the name of a directory of libraries, so it would load another file than the checked one.
#[test]
fn tokens_of_the_linker_are_refused() -> Outcome {
    let dir = scratch("tokens")?;
    let named = dir.join("F$LIB");
    let path = plugins::good(create(&named)?, "acme")?;
    for library_directory in ["Flib", "Flib64", "Flib/x86_64-linux-gnu", "Flib/aarch64-linux-gnu"] {
        plugins::compile(create(&dir.join(library_directory))?, "once", "acme", &[])?;
    }
    for (variable, value) in [("MPIT_PLUGINS", &path), ("MPIT_PLUGIN_PATH", &named)] {
        let finished = job()?.env(variable, value).succeed()?;
        let refused = format!("mpit: the plug-in {} is not loaded: ", path.display());
        let is_refused = finished.stderr.starts_with(&refused) && finished.stderr.contains("contains `$`");
        finished.expect(is_refused && finished.stderr.lines().count() == 1)?;
    }
    Ok(())
}

fn create(dir: &Path) -> Outcome<&Path> {
    fs::create_dir_all(dir).context(dir.display())?;
    Ok(dir)
}

#[test]
fn plugin_code_begins_once_without_a_fork() -> Outcome {
    let dir = scratch("once")?;
    let path = plugins::compile(&dir, "once", "once", &[])?;
    let second = plugins::good(&dir, "acme")?;
    let finished = job()?.env("MPIT_PLUGINS", plugins::list([path.as_path(), second.as_path()])).succeed()?;
    let is_listed = finished.stdout.contains("once_value") && finished.stdout.contains("acme_work");
    finished.expect(finished.stderr == "begin\n" && is_listed)
}

/// The id of a user other than root and the user of the tests.
const ANOTHER_USER: u32 = 65_534;

/// Returns a program in a directory of its own, with the privileges of another user.
fn privileged(dir: &Path) -> Outcome<Option<PathBuf>> {
    let program = dir.join("viewer");
    build::install_program(viewer()?.as_ref(), &program)?;
    if let Err(error) = chown(&program, Some(ANOTHER_USER), None) {
        println!("only root can give a program to another user ({error}), so that case is not run");
        return Ok(None);
    }
    chmod(&program, 0o4755)?;
    Ok(Some(program))
}

#[test]
fn privileged_programs_ignore_environments() -> Outcome {
    let dir = scratch("privileged")?;
    let plugin = plugins::good(&dir, "acme")?;
    let Some(program) = privileged(&dir)? else { return Ok(()) };
    // A file that names a secret, a home directory with settings, and a setting that writes files.
    let secret = dir.join("secret");
    fs::write(&secret, "a line of a secret file\n").context("a file")?;
    fs::create_dir(dir.join(".mpit")).context("a directory")?;
    fs::write(dir.join(".mpit/params.conf"), "another line\n").context("a file")?;
    let stem = dir.join("written");
    let run = |program: &Path| {
        Job::plain(&[])
            .arg(program)
            .env("MPIT_PLUGINS", &plugin)
            .env("MPIT_PARAM_FILE", &secret)
            .env("MPIT_SITE_FILE", &secret)
            .env("HOME", &dir)
            .env("MPIT_SET", "no such setting")
            .env("MPIT_PML_MONITORING_ENABLE", "2")
            .env("MPIT_PML_MONITORING_FILENAME", &stem)
            .succeed()
    };
    let finished = run(&program)?;
    // The environment of the tests may contain such variables, too.
    let mut names: Vec<_> =
        env::vars().map(|(name, _)| name).filter(|name| name.starts_with("MPIT_")).collect();
    let given =
        ["PARAM_FILE", "PLUGINS", "PML_MONITORING_ENABLE", "PML_MONITORING_FILENAME", "SET", "SITE_FILE"];
    names.extend(given.map(|name| format!("MPIT_{name}")));
    names.sort();
    let names = names.join(", ");
    let line = format!("mpit: this program has privileges that its user lacks, so it ignores {names}\n");
    finished.expect(finished.stderr == line && !finished.stdout.contains("acme_work"))?;
    // Without privileges, the same program uses all of them.
    chmod(&program, 0o755)?;
    let finished = run(&program)?;
    finished.expect(finished.stderr.contains("a line of a secret file"))?;
    finished.expect_printed("acme_work")
}

/// Settings of the site name files to write, so a privileged process does not read them either.
#[test]
fn privileged_programs_ignore_the_site() -> Outcome {
    let dir = scratch("privileged_site")?;
    let Some(on_site) = site::with_settings(&dir, "no setting\n")? else { return Ok(()) };
    let Some(program) = privileged(&dir)? else { return Ok(()) };
    let run = |more: &[(&str, &str)]| {
        let job = Job::plain(&[]).arg(&program).within(&on_site);
        more.iter().fold(job, |job, (name, value)| job.env(name, value)).succeed()
    };
    let complaint = "/etc/mpit/mpit.conf:1: expected `name = value`, found `no setting`";
    let finished = run(&[])?;
    finished.expect(!finished.stderr.contains("mpit.conf") && finished.stdout.ends_with("done\n"))?;
    // Without privileges, the same program reads the file.
    chmod(&program, 0o755)?;
    let finished = run(&[])?;
    finished.expect(finished.stderr.contains(complaint))?;
    let finished = run(&[("MPIT_SITE_FILE", "off")])?;
    finished.expect(!finished.stderr.contains("mpit.conf"))
}
