//! Exit statuses, settings, `mpit vars`, `mpit report`, and files that a run leaves.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Finished, MPIT, Place, mpit_in, run_command};

/// Any file serves where only the environment is examined.
pub(crate) const LIBRARY: &str = "Cargo.toml";

pub(crate) fn mpit(arguments: &[&str]) -> Finished {
    run_command(mpit_in(Path::new(env!("CARGO_MANIFEST_DIR")), Path::new(LIBRARY)).args(arguments))
}

#[test]
fn library_and_settings_reach_the_command() {
    let stem = Place::new().text("a b");
    let done = mpit(&["run", "--set", "pml_monitoring_enable=1", "--output", &stem, "--", "env"]);
    let environment = done.stdout;
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join(LIBRARY).canonicalize().unwrap();
    assert!(environment.contains(&format!("LD_PRELOAD={}\n", library.display())), "{environment}");
    // What `--output` stands for is weaker than what `--set` says.
    let settings = format!(
        "MPIT_SET=pml_monitoring_enable=2\npml_monitoring_enable_output=3\n\
         pml_monitoring_filename={stem}\npml_monitoring_enable=1\n"
    );
    assert!(environment.contains(&settings), "{environment}");
    assert!(done.stderr.starts_with("ERROR: ld.so") || done.stderr.is_empty());
}

/// `mpit run` waits for the command, but behaves as if it were the command.
#[test]
fn signals_and_status_are_passed_on() {
    let place = Place::new();
    let stem = place.text("run");
    let line =
        |script: &str| ["run", "--output", &stem, "--crash-safe", "--", "sh", "-c", script].map(String::from);
    let missing = mpit(&["run", "--output", &stem, "--crash-safe", "--", "no-such-command-here"]);
    assert_eq!(missing.status.code(), Some(2));

    let ready = place.path("ready");
    let script = format!("trap 'exit 9' TERM; touch {}; while :; do sleep 0.05; done", ready.display());
    let mut running = Command::new(MPIT);
    running.args(line(&script)).env("MPIT_PRELOAD", LIBRARY).stderr(Stdio::null());
    let mut running = running.spawn().unwrap();
    while !ready.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-TERM", &running.id().to_string()]).status().unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(9));

    // What was ignored before stays so, as under nohup.
    let script = "trap '' HUP; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, MPIT]).args(line("kill -HUP $PPID; kill -HUP $$; exit 5"));
    let done = run_command(shell.env("MPIT_PRELOAD", LIBRARY));
    done.ends_with(5);
}

#[test]
fn a_run_replaces_the_run_before() {
    let place = Place::new();
    let stem = place.text("run");
    for name in ["run.0.prof", "run.1.prof", "run.7.prof", "run.w2.0.prof", "run_1.0.prof", "running.0.prof"]
    {
        place.write(name, prof(0));
    }
    // The files for all processes of this run and of one named `run.5`, and a file that monitoring did not write.
    place.write("run.prof", "# MPIT JOB\t1\t2 ranks\n");
    place.write("run.5.prof", "# MPIT JOB\t1\t2 ranks\n");
    place.write("run.6.prof", "my notes");
    let before = place.names();
    assert_eq!(mpit(&["run", "-o", &stem, "--", "true"]).status.code(), Some(0));
    assert_eq!(place.names(), before);
    let write = format!("echo '# POINT TO POINT' > {stem}.1.prof");
    assert_eq!(mpit(&["run", "-o", &stem, "--", "sh", "-c", &write]).status.code(), Some(0));
    assert_eq!(place.names(), ["run.1.prof", "run.5.prof", "run.6.prof", "run_1.0.prof", "running.0.prof"]);
}

#[test]
fn concurrent_runs_with_one_name_fail() {
    let place = Place::new();
    let stem = place.text("run");
    let mut first = Command::new(MPIT)
        .args(["run", "-o", &stem, "--", "sh", "-c", "echo runs; read line"])
        .env("MPIT_PRELOAD", LIBRARY)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = [0; 5];
    first.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
    let second = mpit(&["run", "-o", &stem, "--", "echo", "ran"]);
    second.refused("another `mpit run` is writing to");
    let other = place.text("other");
    assert_eq!(mpit(&["run", "-o", &other, "--", "echo", "ran"]).stdout, "ran\n");
    drop(first.stdin.take());
    first.wait().unwrap();
    assert_eq!(mpit(&["run", "-o", &stem, "--", "echo", "ran"]).stdout, "ran\n");
}

#[test]
fn incomplete_files_are_removed() {
    let place = Place::new();
    let (path, stem) = (place.text(""), place.text("run"));
    let path = path.trim_end_matches('/');
    let script = format!("touch {path}/.mpit-$MPIT_RUN.123-ab12; ls -A {path}");
    let done = mpit(&["run", "-o", &stem, "--", "sh", "-c", &script]);
    assert!(done.stdout.contains(".123-ab12\n"), "{}", done.stdout);
    assert_eq!(fs::read_dir(path).unwrap().count(), 0);
    fs::write(format!("{stem}.0.prof"), prof(0)).unwrap();
    fs::write(format!("{path}/.mpit-123-ab12"), "half").unwrap();
    let named =
        format!("mpit: {path}/.mpit-123-ab12 was not finished; remove it if no program is writing it\n");
    assert_eq!(mpit(&["report", path]).stderr, named);
}

/// The directory of a report may have the name of the run itself.
#[test]
fn reports_replace_files_and_follow_no_link() {
    let place = Place::new();
    let stem = place.text("run");
    fs::write(format!("{stem}.0.prof"), prof(0)).unwrap();
    let victim = place.path("victim");
    fs::write(&victim, "mine").unwrap();
    fs::create_dir(&stem).unwrap();
    std::os::unix::fs::symlink(&victim, format!("{stem}/run.svg")).unwrap();
    for _ in 0..2 {
        let done = mpit(&["report", &stem, "--output", &stem, "--format", "svg,csv"]);
        done.ends_with(0);
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "mine");
    assert!(fs::read_to_string(format!("{stem}/run.svg")).unwrap().ends_with("</svg>\n"));
    // What cannot be written whole leaves what was there.
    let before = fs::read_to_string(format!("{stem}/run_sizes.csv")).unwrap();
    let fail = |format: &str| {
        let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" report \"$1\" --output \"$1\" --format \"$2\"";
        let done = run_command(Command::new("bash").args(["-c", script, MPIT, &stem, format]));
        done.ends_with(2);
    };
    fail("csv");
    assert_eq!(fs::read_to_string(format!("{stem}/run_sizes.csv")).unwrap(), before);
    // Tables that are not all there have no manifest.
    let manifest = Path::new(&stem).join("run/manifest.json");
    assert_eq!(mpit(&["report", &stem, "--output", &stem, "--format", "parquet"]).status.code(), Some(0));
    assert!(manifest.exists());
    fail("parquet");
    assert!(!manifest.exists());
}

#[test]
fn escape_sequences_are_kept_from_terminals() {
    let place = Place::new();
    let stem = place.text("run");
    let comm = "D\tred\x1b[31m\x07\tprocs: 0\nO2A\t0\t0 bytes\t0 msgs sent\n\x1b]0;title\x07\n";
    fs::write(format!("{stem}.0.prof"), prof(0) + comm).unwrap();
    let done = mpit(&["report", &stem]);
    for printed in [&done.stdout, &done.stderr] {
        assert!(!printed.contains(|char: char| char.is_control() && char != '\n'), "{printed:?}");
    }
    assert!(done.stdout.contains("red\\x1b[31m\\x07"), "{}", done.stdout);
}

/// Names of communicators come from programs, and files from other users.
#[test]
fn names_are_shown_as_they_are() {
    const NAMES: [&str; 5] = ["=1+cmd|' /C calc'!A0", "@x", "-5", "a\u{202e}b\u{2028}c", "\x1b[31m\u{7f}<b>"];
    let place = Place::new();
    let stem = place.text("run");
    let comms = NAMES.map(|name| format!("D\t{name}\tprocs: 0\nO2A\t0\t8 bytes\t1 msgs sent\n"));
    fs::write(format!("{stem}.0.prof"), prof(0) + &comms.concat()).unwrap();
    let out = place.root.to_str().unwrap();
    let done = mpit(&["report", &stem, "--format", "csv,html,svg,json,parquet", "--output", out]);
    done.ends_with(0);
    let file = |name: &str| fs::read_to_string(place.path(name)).unwrap();
    let json = file("run.json");
    for (what, text) in [
        ("terminal", &done.stdout),
        ("CSV", &file("run_comms.csv")),
        ("HTML", &file("run.html")),
        ("SVG", &file("run.svg")),
        ("JSON", &json),
        ("manifest", &file("run/manifest.json")),
    ] {
        let is_raw = |char: char| char.is_control() && char != '\n' || "\u{202e}\u{2028}".contains(char);
        assert!(!text.contains(is_raw), "{what}: {text:?}");
    }
    assert!(done.stdout.contains("a\\u{202e}b\\u{2028}c"), "{}", done.stdout);
    let html = file("run.html");
    assert!(
        html.contains("a\\u{202e}b\\u{2028}c") && html.contains("&lt;b&gt;") && !html.contains("31m\x7f")
    );
    // Spreadsheets evaluate no cell.
    let csv = file("run_comms.csv");
    let names: Vec<&str> = csv.lines().map(|line| line.split(',').next().unwrap()).collect();
    for name in ["'=1+cmd|' /C calc'!A0", "'@x", "-5", "a\\u{202e}b\\u{2028}c", "\\x1b[31m\\x7f<b>"] {
        assert!(names.contains(&name), "{name}: {csv}");
    }
    // Programs get the names themselves.
    let json: Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> =
        json["communicators"].as_array().unwrap().iter().map(|comm| comm["name"].as_str().unwrap()).collect();
    assert!(NAMES.iter().all(|name| names.contains(name)), "{names:?}");
}

/// A FIFO without a writer, a device without an end, and a file that is larger than memory.
#[test]
fn only_bounded_regular_files_are_read() {
    let place = Place::new();
    let path = |name: &str| place.text(name);
    place.write("run.0.prof", prof(0));
    for name in ["fifo", "f.0.prof", "f.1.store", "f.prof", "f.summary", "f.series"] {
        assert!(Command::new("mkfifo").arg(path(name)).status().unwrap().success());
    }
    for name in ["large", "l.0.prof", "l.1.store", "l.prof"] {
        fs::File::create(path(name)).unwrap().set_len(1 << 40).unwrap();
    }
    let (stem, fifo, large) = (path("run"), path("fifo"), path("large"));
    let no_file = "it is no regular file";
    let too_large = "bytes";
    let cases: [(&[&str], &str); 12] = [
        (&["map", &stem, "--launcher", "hydra", "--topology", &fifo], no_file),
        (&["map", &stem, "--launcher", "hydra", "--topology", "/dev/zero"], no_file),
        (&["map", &stem, "--launcher", "hydra", "--topology", &large], too_large),
        (&["why", "--from", &fifo], no_file),
        (&["why", "--from", "/dev/zero"], no_file),
        (&["why", "--from", &large], too_large),
        (&["check", &fifo], no_file),
        (&["report", &path("f")], no_file),
        (&["report", &path("f.0.prof")], no_file),
        (&["report", &path("l")], too_large),
        (&["pack", &path("f")], ""),
        (&["pack", &path("l")], ""),
    ];
    for (arguments, expected) in cases {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "60", MPIT]).args(arguments).current_dir(&place.root);
        let done = run_command(&mut command);
        // A signal, or the status of `timeout`.
        assert!(matches!(done.status.code(), Some(1 | 2)), "{arguments:?}: {}", done.stderr);
        let printed = done.stdout + &done.stderr;
        assert!(printed.contains(expected), "{arguments:?}: {printed}");
    }
}

#[test]
fn verbose_prints_settings() {
    let printed = mpit(&["run", "-v", "--set", "pml=^monitoring", "--", "true", "x"]).stderr;
    for line in ["mpit: LD_PRELOAD=/", "mpit: set pml=^monitoring\n", "mpit: run true x\n"] {
        assert!(printed.contains(line), "{printed}");
    }
}

#[test]
fn mistakes_in_settings_prevent_the_run() {
    for (setting, expected) in [
        ("pml_monitoring_enabel=2", "did you mean `pml_monitoring_enable`?"),
        ("monitoring_gather_timeuot=2", "did you mean `monitoring_gather_timeout`?"),
        ("=2", "no variable can be called ``: its name is empty"),
        ("a b=2", "no variable can be called `a b`: its name contains white space"),
        ("pml_monitoring_enable=two", "`two`: expected a whole number"),
        ("pml_monitoring_enable=7", "`7`: the variable does not accept it; its range is 0 to 2"),
        ("pml_monitoring_enable", "expected NAME=VALUE"),
    ] {
        let done = mpit(&["run", "--set", setting, "--", "echo", "ran"]);
        done.refused(expected);
    }
}

/// Programs, libraries and plug-ins have variables that mpit does not know.
#[test]
fn unknown_settings_reach_the_command() {
    for setting in ["solver_limit=7", "poll=2", "old.limit=3"] {
        let done = mpit(&["run", "--set", setting, "--", "env"]);
        done.ends_with(0);
        assert!(done.stdout.contains(&format!("MPIT_SET={setting}\n")), "{}", done.stdout);
    }
}

#[test]
fn a_missing_library_is_reported() {
    let done = mpit(&["run", "--preload", "nowhere.so", "--", "true"]);
    assert_eq!(done.stderr, "mpit: no preload library at nowhere.so\n");
}

/// Tests the message of a command alone, as `cargo install` makes it.
#[test]
fn a_command_without_its_library_says_so() {
    let place = Place::new();
    let alone = place.path("mpit");
    mpit_tests::build::install_program(MPIT.as_ref(), &alone).unwrap();
    let mut command = Command::new(&alone);
    let done = run_command(command.args(["run", "--", "true"]).env_remove("MPIT_PRELOAD"));
    assert_eq!((done.status.code(), done.stderr.lines().count()), (Some(2), 1), "{}", done.stderr);
    let needed =
        ["take it from the tarball of mpit ", "`cargo build --profile dist -p mpit-preload`", "--preload"];
    assert!(needed.iter().all(|part| done.stderr.contains(part)), "{}", done.stderr);
}

#[test]
fn vars_lists_mpit_entries() {
    let inventory: Value = serde_json::from_str(&mpit(&["vars", "--json"]).stdout).unwrap();
    let find = |kind: &str, name: &str| {
        inventory[kind].as_array().unwrap().iter().find(|entry| entry["name"] == name).unwrap()
    };
    assert_eq!(inventory["library"], Value::Null);
    let flush = find("pvars", "pml_monitoring_flush");
    assert_eq!((&flush["class"], &flush["datatype"]), (&"GENERIC".into(), &"CHAR".into()));
    let enable = find("cvars", "pml_monitoring_enable");
    assert_eq!((&enable["value"], &enable["source"]), (&"0".into(), &"default".into()));
    let monitoring = find("categories", "pml_monitoring");
    assert!(monitoring["pvars"].as_array().unwrap().contains(&flush["index"]));

    let sent = find("events", "pml_message_sent");
    assert_eq!(sent["elements"][4]["name"], "bytes");
    find("sources", sent["source"].as_str().unwrap());

    let table = mpit(&["vars"]).stdout;
    for name in ["Performance variables (", "pml_monitoring_flush", "Control variables (", "Categories ("] {
        assert!(table.contains(name), "{table}");
    }
}

#[test]
fn vars_selects_entries() {
    let one = mpit(&["vars", "pml_monitoring_enable", "pml"]).stdout;
    for line in [
        "pml_monitoring_enable (control variable)\n",
        "    value: 0\n",
        "    set by: default\n",
        "pml_components (control variable)\n",
        "pml (category)\n",
    ] {
        assert!(one.contains(line), "no {line}in {one}");
    }
    assert!(
        one.contains("MPI_Pcontrol(0) pauses recording") && !one.contains("pml_monitoring_flush"),
        "{one}"
    );
    let wrong = mpit(&["vars", "pml_monitoring_enabel"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert_eq!(
        wrong.stderr,
        "mpit: no entry is called `pml_monitoring_enabel`; did you mean `pml_monitoring_enable`?\n"
    );
    let none = mpit(&["vars", "nosuchvar"]).stderr;
    assert_eq!(none, "mpit: no entry is called `nosuchvar`; `mpit vars` lists all entries\n");
    let some: Value = serde_json::from_str(&mpit(&["vars", "--json", "--grep", "HISTOGRAM"]).stdout).unwrap();
    let pvars = some["pvars"].as_array().unwrap();
    assert!(pvars.iter().any(|pvar| pvar["name"] == "pml_monitoring_messages_histogram"));
    assert!(pvars.len() < 5 && some["cvars"].as_array().unwrap().is_empty(), "{some}");
}

/// In a terminal tables are as wide as that, and elsewhere an entry is a line.
#[test]
fn tables_are_as_wide_as_the_terminal() {
    let line = format!("stty cols 90; {MPIT} vars");
    let done = run_command(Command::new("script").args(["-qec", &line, "/dev/null"]).stdin(Stdio::null()));
    assert!(done.status.success() && done.stdout.contains("pml_monitoring_flush"), "{}", done.stdout);
    assert!(done.stdout.lines().all(|line| line.trim_end().chars().count() <= 90), "{}", done.stdout);
    let piped = mpit(&["vars"]).stdout;
    assert!(piped.lines().any(|line| line.contains("pml_monitoring_flush") && line.len() > 90), "{piped}");
    // A long cell, such as a value of text, does not widen its column.
    assert!(!piped.contains(&" ".repeat(80)), "{piped}");
}

#[test]
fn vars_refuses_commands_without_mpi() {
    let done = mpit(&["vars", "--", "true"]);
    done.refused("none of its processes initialized MPI");
}

/// The file of one process of two that sends to the other one.
fn prof(me: u32) -> String {
    let bins = format!("0,0,0,5{}", ",0".repeat(62));
    format!("# POINT TO POINT\nE\t{me}\t{}\t20 bytes\t5 msgs sent\t{bins}\n# OSC\n# COLLECTIVES\n", 1 - me)
}

fn phases() -> Place {
    let place = Place::new();
    for (name, rank) in [("phase_1.0.prof", 0), ("phase_1.1.prof", 1), ("phase_10.0.prof", 0)] {
        place.write(name, prof(rank));
    }
    place
}

#[test]
fn phases_are_added_up() {
    let place = phases();
    let stem = place.text("phase");
    let done = mpit(&["report", "--phases", &stem]);
    done.ends_with(0);
    assert!(done.stdout.starts_with(&format!("{stem}_1: 2 of 2 processes\n")), "{}", done.stdout);
    let (_, sum) =
        done.stdout.split_once(&format!("\n{stem}, sum of phase_1, phase_10: 2 of 2 processes\n")).unwrap();
    let total = sum.lines().find(|line| line.starts_with("  E  messages")).unwrap();
    assert_eq!(total.split_whitespace().collect::<Vec<_>>(), ["E", "messages", "15", "60", "60", "B", "2"]);
}

#[test]
fn report_shows_each_phase_by_itself() {
    let place = phases();
    let path = place.root.to_str().unwrap();
    let all = mpit(&["report", path]);
    assert_eq!(all.status.code(), Some(0), "{}", all.stderr);
    let first = format!("{path}/phase_1: 2 of 2 processes\n");
    let tenth = format!("\n{path}/phase_10: 1 of 2 processes\nmissing: rank 1 (no file)\n");
    assert!(all.stdout.starts_with(&first) && all.stdout.contains(&tenth), "{}", all.stdout);
    let one = mpit(&["report", path, "--phase", "phase_1"]).stdout;
    assert!(one.starts_with(&first) && !one.contains("phase_10"), "{one}");
    let none = mpit(&["report", path, "--phase", "phase_2"]);
    assert_eq!(none.status.code(), Some(2));
    assert_eq!(none.stderr, "mpit: there is no phase phase_2; there are phase_1, phase_10\n");
}

#[test]
fn report_writes_requested_formats() {
    let place = phases();
    let path = place.path("phase_1");
    let out = place.path("a/b");
    let (path, out_text) = (path.to_str().unwrap(), out.to_str().unwrap());
    let done = mpit(&["report", path, "--format", "csv,mtx,mat,svg,png,html", "--output", out_text]);
    done.ends_with(0);
    let endings = ".html .png .svg _comms.csv _pairs.csv _sizes.csv _avg_all.mat _avg_external.mtx _msg_external.mat _size_all.mtx";
    for ending in endings.split(' ') {
        let file = out.join(format!("phase_1{ending}"));
        assert!(fs::metadata(&file).is_ok_and(|file| file.len() > 0), "{}", file.display());
        let line = format!("\nwritten: {}\n", file.display());
        assert_eq!(done.stdout.matches(&line).count(), 1, "{line}{}", done.stdout);
    }
    let done = mpit(&["report", path, "--format", "parquet", "--output", out_text]);
    done.ends_with(0);
    let manifest = fs::read_to_string(out.join("phase_1/manifest.json")).unwrap();
    for table in ["job", "ranks", "pairs"] {
        let file = out.join(format!("phase_1/{table}.parquet"));
        assert!(done.stdout.contains(&format!("\nwritten: {}\n", file.display())), "{}", done.stdout);
        assert!(manifest.contains(&format!("\"file\": \"{table}.parquet\"")), "{manifest}");
    }
    assert!(!out.join("phase_1_size_internal.mat").exists());
    assert_eq!(fs::read_to_string(out.join("phase_1_size_all.mat")).unwrap(), "0 20 \n20 0 \n");
}

#[test]
fn report_names_bad_lines_and_goes_on() {
    let place = phases();
    let bad = place.path("phase_1.1.prof");
    fs::write(&bad, prof(1).replace("20 bytes", "20 bites")).unwrap();
    let done = mpit(&["report", place.root.to_str().unwrap()]);
    done.ends_with(1);
    let wanted = format!("mpit: {}:2: expected ` bytes` and a tab: \"E\\t1\\t0\\t20 bites", bad.display());
    assert!(done.stderr.starts_with(&wanted), "{}", done.stderr);
    assert!(done.stdout.contains("E  messages         5     20  20 B      1\n"), "{}", done.stdout);
}

#[test]
fn report_explains_invalid_paths() {
    let place = phases();
    let path = |name: &str| place.text(name);
    fs::create_dir(path("empty")).unwrap();
    fs::create_dir(path("other")).unwrap();
    fs::copy(path("phase_1.0.prof"), path("other/phase_1.0.prof")).unwrap();
    for (arguments, expected) in [
        (
            vec![path("phase")],
            format!("there is no file or directory {0}, and no files {0}.<rank>.prof", path("phase")),
        ),
        (vec![path("empty")], format!("no files *.prof, *.store or *.summary in {}", path("empty"))),
        (vec!["Cargo.toml".into()], "Cargo.toml: expected a file whose name ends in .prof".into()),
        (vec![path(""), path("other"), "--format".into(), "csv".into()], "would have the same names".into()),
    ] {
        let words: Vec<_> = ["report"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let done = mpit(&words);
        assert_eq!(done.status.code(), Some(2), "{words:?}");
        assert!(done.stderr.contains(&expected), "{}", done.stderr);
    }
}
