//! Sources of the values of control variables, and their order.
//!
//! Environments and files belong to processes, so most tests run this program once more, as [`child`], and check its output.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, chown, lchown, symlink};
use std::path::Path;
use std::process::Command;

use tempfile::{NamedTempFile, TempPath};

use crate::support::metadata::variable;
use crate::support::{Bench, Phase, cvar, image, leak};
use mpit::cvar::sources::{
    self, LAUNCHER_SETTINGS, PARAM_FILE, SITE_FILE, Setting, ValueSource, environment_name,
};
use mpit::cvar::{Cvar, Text};
use mpit::tool::{CvarDesc, Datatype, Registry};

fn settings() -> [CvarDesc; 7] {
    [
        cvar(
            variable("limit").with_aliases(&["eager_limit", "old.limit"]).with_environment(&[
                "OMPI_MCA_limit",
                "OMPI_MCA_older_limit",
                "ACME_LIMIT",
            ]),
            leak(Cvar::new(1_u32).range(0..=100)),
        ),
        cvar("offset", leak(Cvar::new(-1_i64))),
        cvar("mask", leak(Cvar::new(1_u64))).with_datatype(Datatype::Uint64),
        cvar("share", leak(Cvar::new(0.5))),
        cvar("phase", leak(Cvar::new(Phase::Idle))),
        cvar("flag", leak(Cvar::new(false))),
        cvar("stem", leak(Cvar::new(Text::<8>::new("prof")))),
    ]
}

/// Prints the value of each setting of this process with its source.
#[test]
fn child() {
    if std::env::var_os("MPIT_TEST_CHILD").is_none() {
        return;
    }
    // On a single processor the harness has begun the line.
    println!();
    let image = image([], settings());
    let bench = Bench::with(&image, &sources::for_cvars(&image.cvars));
    let (limit, _) = bench.cvar("limit");
    if std::env::var_os("MPIT_TEST_WRITE").is_some() {
        bench.cvar_write(limit, 60_u32).unwrap();
    }
    for index in 0..bench.registry().cvar_count() {
        let (desc, source) =
            (bench.registry().cvar(index).unwrap(), bench.registry().cvar_source(index).unwrap());
        println!("{}={} ({source})", desc.name(), desc.value_as_text());
    }
}

/// Returns the standard output and the complaints of a process with these environment variables.
fn run_child(environment: &[(&str, &str)]) -> (String, Vec<String>) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "sources::child", "--nocapture"]).env_clear().env("MPIT_TEST_CHILD", "1");
    let output = command.envs(environment.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    let complaints = stderr.lines().filter(|line| line.starts_with("mpit:")).map(str::to_owned).collect();
    (stdout, complaints)
}

/// Creates a file that is removed when the value is dropped.
fn parameter_file(text: &str) -> TempPath {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.into_temp_path()
}

#[track_caller]
fn assert_line(output: &str, line: &str) {
    assert!(output.lines().any(|found| found == line), "no `{line}` in\n{output}");
}

#[test]
fn each_source_overrides_the_one_before() {
    let file = parameter_file("limit = 10\n");
    let path = file.to_str().unwrap();
    let mut environment = vec![];
    let mut next = |variable, line: &str| {
        environment.push(variable);
        let (output, complaints) = run_child(&environment);
        assert_line(&output, line);
        assert!(complaints.is_empty(), "{complaints:?}");
    };
    next(("PATH", ""), "limit=1 (default)");
    next((PARAM_FILE, path), &format!("limit=10 ({path}:1)"));
    next(("ACME_LIMIT", "19"), "limit=19 (environment ACME_LIMIT)");
    next(("OMPI_MCA_older_limit", "20"), "limit=20 (environment OMPI_MCA_older_limit)");
    next(("OMPI_MCA_limit", "21"), "limit=21 (environment OMPI_MCA_limit)");
    next(("MPIT_OLD_LIMIT", "22"), "limit=22 (environment MPIT_OLD_LIMIT)");
    next(("MPIT_EAGER_LIMIT", "23"), "limit=23 (environment MPIT_EAGER_LIMIT)");
    next(("MPIT_LIMIT", "24"), "limit=24 (environment MPIT_LIMIT)");
    next((LAUNCHER_SETTINGS, "limit=30"), "limit=30 (--set)");
    next(("MPIT_TEST_WRITE", "1"), "limit=60 (MPI_T write)");
}

#[test]
fn a_refused_value_yields_to_a_weaker_one() {
    let (output, complaints) = run_child(&[
        (LAUNCHER_SETTINGS, "limit=many\nlimit=101"),
        ("MPIT_LIMIT", "-1"),
        ("OMPI_MCA_limit", "40"),
    ]);
    assert_line(&output, "limit=40 (environment OMPI_MCA_limit)");
    assert_eq!(
        complaints,
        [
            "mpit: `101` is no value for `limit` (--set): the variable does not accept it; its range is 0 to 100",
            "mpit: `many` is no value for `limit` (--set): expected a whole number",
            "mpit: `-1` is no value for `limit` (environment MPIT_LIMIT): \
             the number is out of range for its type",
        ]
    );
}

#[test]
fn values_of_every_type_are_read() {
    // Each as it is written, and as it is shown.
    let settings = [
        ("offset=-9223372036854775808", "offset=-9223372036854775808"),
        ("mask=0xffffffffffffffff", "mask=18446744073709551615"),
        ("share=2.5e-1", "share=0.25"),
        ("phase=working", "phase=working"),
        ("flag=true", "flag=true"),
        ("stem=a=b #c", "stem=a=b #c"),
    ];
    let lines = settings.map(|(written, _)| written).join("\n");
    let (output, complaints) = run_child(&[(LAUNCHER_SETTINGS, &lines)]);
    assert!(complaints.is_empty(), "{complaints:?}");
    for (_, shown) in settings {
        assert_line(&output, &format!("{shown} (--set)"));
    }
    let (output, _) = run_child(&[(LAUNCHER_SETTINGS, "phase=40\nflag=0")]);
    assert_line(&output, "phase=done (--set)");
    assert_line(&output, "flag=false (--set)");
}

#[test]
fn what_is_no_value_is_explained() {
    for (setting, why) in [
        ("offset=1.5", "expected a whole number"),
        ("offset=9223372036854775808", "the number is out of range for its type"),
        ("mask=-1", "the number is out of range for its type"),
        ("mask=", "expected a whole number"),
        ("share=half", "expected a number"),
        ("phase=Working", "expected one of idle, working, done"),
        ("phase=8", "expected one of idle, working, done"),
        ("flag=yes", "expected one of false, true"),
        ("stem=12345678", "expected at most 7 bytes of text"),
    ] {
        let (name, value) = setting.split_once('=').unwrap();
        let (output, complaints) = run_child(&[(LAUNCHER_SETTINGS, setting)]);
        assert_eq!(complaints, [format!("mpit: `{value}` is no value for `{name}` (--set): {why}")]);
        assert!(
            output.lines().any(|line| line.starts_with(&format!("{name}=")) && line.ends_with("(default)"))
        );
    }
    let (_, complaints) = run_child(&[(LAUNCHER_SETTINGS, "limit")]);
    assert_eq!(complaints, ["mpit: --set: expected `name=value`, found `limit`"]);
}

#[test]
fn a_parameter_file_is_read_line_by_line() {
    let file = parameter_file(
        "# comment\n\n\
         limit = 5 # the first one\n\
         \t eager_limit=6\n\
         stem = \"a # b\"   # quoted\n\
         phase = done\n\
         no equals sign\n\
         = 7\n\
         share = \"0.75\n\
         flag = \"true\" or not\n\
         unknown = 1\n",
    );
    let path = file.to_str().unwrap();
    let (output, complaints) = run_child(&[(PARAM_FILE, path)]);
    assert_line(&output, &format!("limit=6 ({path}:4)"));
    assert_line(&output, &format!("stem=a # b ({path}:5)"));
    assert_line(&output, &format!("phase=done ({path}:6)"));
    assert_line(&output, "share=0.5 (default)");
    assert_line(&output, "flag=false (default)");
    assert_eq!(
        complaints,
        [
            format!("mpit: {path}:7: expected `name = value`, found `no equals sign`"),
            format!("mpit: {path}:8: expected `name = value`, found `= 7`"),
            format!("mpit: {path}:9: no closing quote in `share = \"0.75`"),
            format!("mpit: {path}:10: expected `name = value`, found `flag = \"true\" or not`"),
        ]
    );
}

#[test]
fn a_named_file_has_to_exist() {
    let (output, complaints) = run_child(&[(PARAM_FILE, "/nonexistent/mpit.conf")]);
    assert_line(&output, "limit=1 (default)");
    let expected = "mpit: cannot read the parameter file /nonexistent/mpit.conf (MPIT_PARAM_FILE)";
    assert!(complaints[0].starts_with(expected), "{complaints:?}");
    let (_, complaints) = run_child(&[("HOME", "/nonexistent")]);
    assert!(complaints.is_empty(), "that one is the default: {complaints:?}");
}

#[test]
fn the_home_file_yields_to_a_named_one() {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".mpit")).unwrap();
    let at_home = home.path().join(".mpit/params.conf");
    fs::write(&at_home, "limit = 8\n").unwrap();
    let named = parameter_file("offset = 9\n");
    let named = named.to_str().unwrap();
    let home_variable = ("HOME", home.path().to_str().unwrap());
    let (output, _) = run_child(&[home_variable]);
    assert_line(&output, &format!("limit=8 ({}:1)", at_home.display()));
    let (output, _) = run_child(&[home_variable, (PARAM_FILE, named)]);
    assert_line(&output, "limit=1 (default)");
    assert_line(&output, &format!("offset=9 ({named}:1)"));
}

#[test]
fn the_site_file_yields_to_all_others() {
    let site = parameter_file("limit = 7\noffset = 9\n");
    let site = site.to_str().unwrap();
    let own = parameter_file("limit = 8\n");
    let own = own.to_str().unwrap();
    let (output, _) = run_child(&[(SITE_FILE, site)]);
    assert_line(&output, &format!("limit=7 ({site}:1)"));
    let (output, _) = run_child(&[(SITE_FILE, site), (PARAM_FILE, own)]);
    assert_line(&output, &format!("limit=8 ({own}:1)"));
    assert_line(&output, &format!("offset=9 ({site}:2)"));
    let (output, complaints) = run_child(&[(SITE_FILE, "off")]);
    assert_line(&output, "limit=1 (default)");
    assert!(complaints.is_empty(), "{complaints:?}");
    let (_, complaints) = run_child(&[(SITE_FILE, "/nonexistent/site.conf")]);
    let expected = "mpit: cannot read the parameter file /nonexistent/site.conf (MPIT_SITE_FILE)";
    assert!(complaints[0].starts_with(expected), "{complaints:?}");
}

/// Settings name files that are written, so that other users must not choose them.
#[test]
fn files_of_other_users_are_ignored() {
    const ANOTHER_USER: u32 = 65_534;
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join(".mpit");
    fs::create_dir(&directory).unwrap();
    let file = directory.join("params.conf");
    fs::write(&file, "limit = 8\n").unwrap();
    let (path, at) = (file.to_str().unwrap(), home.path().to_str().unwrap());
    let variables = [("HOME", at), (PARAM_FILE, path), (SITE_FILE, path)];
    let chmod = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let refused = |what: &Path, why: &str| {
        for (name, value) in variables {
            let (output, complaints) = run_child(&[(name, value)]);
            assert_line(&output, "limit=1 (default)");
            let expected =
                format!("mpit: the parameter file {path} ({name}) is ignored: {} {why}", what.display());
            assert!(complaints.len() == 1 && complaints[0].starts_with(&expected), "{complaints:?}");
        }
    };
    let used = || {
        for variable in variables {
            let (output, complaints) = run_child(&[variable]);
            assert_line(&output, &format!("limit=8 ({path}:1)"));
            assert!(complaints.is_empty(), "{complaints:?}");
        }
    };
    used();
    for (what, mode) in [(&*file, 0o664), (&file, 0o646), (&directory, 0o777)] {
        chmod(what, mode);
        refused(what, "can be written by others");
        chmod(what, 0o755);
    }
    used();
    let other = Some(ANOTHER_USER);
    for what in [&*file, &directory, home.path()] {
        if let Err(error) = chown(what, other, None) {
            println!("only root can give a file to another user ({error}), so that case is not run");
            return;
        }
        refused(what, "belongs to user 65534, neither root nor the user of this program (0)");
        chown(what, Some(0), None).unwrap();
    }
    // Another user's link, in a directory where all may create links.
    let link = home.path().join("link");
    symlink(&file, &link).unwrap();
    lchown(&link, other, None).unwrap();
    let (output, complaints) = run_child(&[(PARAM_FILE, link.to_str().unwrap())]);
    assert_line(&output, "limit=1 (default)");
    assert!(complaints[0].contains("link belongs to user 65534"), "{complaints:?}");
    // A directory above has no effect where there is no file.
    fs::remove_file(&file).unwrap();
    chmod(&directory, 0o777);
    let (_, complaints) = run_child(&[variables[0]]);
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn only_bounded_regular_files_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    assert!(Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    fs::write(path("large"), vec![b'#'; (1 << 20) + 1]).unwrap();
    let refused = [
        (&path("fifo")[..], "it is no regular file"),
        ("/dev/zero", "it is no regular file"),
        (&path("large"), "it has more than 1048576 bytes"),
    ];
    for (path, why) in refused {
        let (_, complaints) = run_child(&[(PARAM_FILE, path)]);
        let expected = format!("mpit: cannot read the parameter file {path} (MPIT_PARAM_FILE): {why}");
        assert_eq!(complaints, [expected]);
    }
}

#[test]
fn names_in_the_environment_are_upper_case() {
    assert_eq!(environment_name("pml_monitoring_flush"), "MPIT_PML_MONITORING_FLUSH");
    assert_eq!(environment_name("old.limit-2"), "MPIT_OLD_LIMIT_2");
}

#[test]
fn settings_are_for_any_owner_of_a_name() {
    let registry = Registry::new();
    let path = || Path::new("params.conf").to_path_buf();
    let setting = |name: &str, value: &str| Setting {
        name: name.into(),
        value: value.into(),
        source: ValueSource::File { path: path(), line: 3 },
    };
    let settings = [setting("Limit", "4"), setting("limit ", "5"), setting("offset", "6")];
    assert!(registry.add(&image([], self::settings()), &settings).is_empty());
    let source = |name| registry.cvar_source(registry.cvar_index(name).unwrap()).unwrap();
    assert_eq!(source("limit"), ValueSource::Default);
    assert_eq!(source("offset"), ValueSource::File { path: path(), line: 3 });
}
