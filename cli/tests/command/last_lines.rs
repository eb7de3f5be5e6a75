//! The last lines of `mpit run`, by the states that its processes left: each line is provoked once, with stores in place of processes.
//!
//! Lines about stores beside the files are in [`stores`](super::stores), those behind launchers in the tests on MPI libraries.

#![allow(unsafe_code, reason = "the test promises to leave its files alone")]

mod cases;

use std::fs;
use std::path::Path;

use mpit_components::host::World;
use mpit_components::record::Messages;
use mpit_components::store::{Outcome, Store};

use super::run::library;
use super::stores::add_text;
use super::{mpit_in, run_command};
use cases::{Case, DETAILS, End, FULL, LOST, NO_FILE, cases};

/// Makes the store of a process of two, which were to write `x.<rank>.prof`.
fn make_store(root: &Path, rank: u32, end: End) {
    // The kinds of the blocks of the run and of descriptions, and the key of the description of the file.
    const RUN: u64 = 9;
    const DESCRIPTION: u64 = 11;
    const OUTPUT: u64 = 8;
    let path = root.join(format!("made/run.{rank}.store"));
    {
        let store = Store::new();
        // SAFETY: the file is this test's, which does not shorten it.
        unsafe { mpit::internal::os::mapping::allow() };
        store.attach_file(&path, World::new(rank, 2)).unwrap();
        Messages::new(&store).record(1 - rank, 100, false);
        match end {
            End::Killed | End::Running => store.set_outcome(Outcome::Due),
            End::Finalized(outcome) | End::Truncated(outcome) | End::Damaged(outcome) => {
                store.set_outcome(outcome);
                store.finalizing();
            }
        }
    }
    add_text(&path, RUN, 0, "-\tw\t2 ranks\t2026-11-22T08:15:00.123Z\tn1");
    add_text(&path, DESCRIPTION, OUTPUT, root.join("x").to_str().unwrap());
    match end {
        End::Damaged(_) => add_text(&path, 99, 0, "of an unknown kind"),
        End::Truncated(_) => {
            let mut file = fs::read(&path).unwrap();
            file[4 * 8] = 2;
            fs::write(&path, file).unwrap();
        }
        _ => (),
    }
}

#[test]
fn last_lines_say_what_happened() {
    let mut wrong = Vec::new();
    for Case { options, ends, script, lines } in cases() {
        let directory = tempfile::tempdir().unwrap();
        let root = &directory.path().canonicalize().unwrap();
        fs::create_dir(root.join("made")).unwrap();
        for (rank, end) in (0..).zip(&ends) {
            make_store(root, rank, *end);
        }
        let printed = run(root, &[&["--quiet"], &options[..]].concat(), &ends, script);
        let fill = |line: &&str| {
            let line = line.replace("NO ", NO_FILE).replace(" DETAILS", DETAILS).replace("LOST", LOST);
            format!("mpit: {}", line.replace("STEM", &root.join("x").display().to_string()))
        };
        let wanted: Vec<String> = lines.iter().map(fill).collect();
        let is_equal = |(found, wanted): (&str, &String)| match wanted.strip_suffix("...") {
            Some(begin) => found.starts_with(begin),
            None => found == wanted,
        };
        let are_equal = printed.lines().count() == wanted.len() && printed.lines().zip(&wanted).all(is_equal);
        if !are_equal {
            wrong.push(format!("{options:?} {script}:\n{printed}instead of\n{}\n", wanted.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Runs a script under `mpit run`, with the stores in the directory of the job.
fn run(root: &Path, options: &[&str], ends: &[End], script: &str) -> String {
    let mut all = "job=/dev/shm/mpit-$(id -u)/$MPIT_RUN\n".to_owned();
    if !ends.is_empty() {
        all.push_str("cp made/* $job\n");
    }
    for (rank, _) in ends.iter().enumerate().filter(|(_, end)| matches!(end, End::Running)) {
        // Its lock shows that a process uses the store.
        let lock = format!(
            "flock $job/run.{rank}.store sh -c 'echo > locked; exec sleep 5' > /dev/null 2>&1 &\n\
             while [ ! -e locked ]; do sleep 0.01; done\n"
        );
        all.push_str(&lock);
    }
    all.push_str(script);
    let mut words = vec!["sh", "-c", &all];
    if script.contains("by-dlopen") {
        // A program that has the name of a function as a string.
        let program = fs::read("/bin/true").unwrap();
        fs::write(root.join("opens"), [&program, &b"\0MPI_Init\0"[..]].concat()).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(root.join("opens"), mode).unwrap();
        words = vec!["./opens"];
    }
    let mut mpit = mpit_in(root, &library());
    run_command(mpit.arg("run").args(options).arg("--").args(words)).stderr
}

/// Tests the lines of the summary: it names the end of the command, and no file that is not there.
#[test]
fn summaries_name_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let root = &directory.path().canonicalize().unwrap();
    fs::create_dir(root.join("made")).unwrap();
    make_store(root, 0, End::Killed);
    make_store(root, 1, End::Finalized(Outcome::NotDue));
    let ends = [End::Killed, End::Finalized(Outcome::NotDue)];
    let printed = run(root, &["-o", "x"], &ends, "exit 7");
    assert!(printed.starts_with("mpit: 2 processes on 1 node"), "{printed}");
    assert!(printed.contains("\nmpit: not all of them reached MPI_Finalize: 1 process did not"), "{printed}");
    assert!(printed.contains("\nmpit: the command ended with exit status 7\nmpit: no file x.*"), "{printed}");
    assert!(!printed.contains("more: "), "{printed}");
    let printed = run(root, &[], &ends, "true");
    assert!(printed.ends_with("then mpit report prof; without these lines: --quiet\n"), "{printed}");
    // Sixteen worlds have a line each.
    let script = "for world in $(seq 2 18); do cp made/run.0.store $job/run.w$world.0.store; done";
    let printed = run(root, &[], &ends, script);
    let lines: Vec<_> = printed.lines().collect();
    assert!(lines[0].starts_with("mpit: world 1: 2 processes on 1 node"), "{printed}");
    assert!(lines[16] == "mpit: and 2 more worlds" && lines.len() == 19, "{printed}");
    assert!(lines[17].starts_with("mpit: processes on other machines do not count here"), "{printed}");
}

/// Tests that options say what they do not have.
#[test]
fn options_say_what_they_lack() {
    let directory = tempfile::tempdir().unwrap();
    let root = &directory.path().canonicalize().unwrap();
    fs::create_dir(root.join("made")).unwrap();
    let sampled = ["-o", "x", "--series", "0.1"];
    let a_file =
        "printf \"# MPIT RUN\\t$MPIT_RUN\\tw\\t2 ranks\\t2026-11-22T08:15:00.123Z\\tn1\\n\" > x.0.prof";
    let printed = run(root, &sampled, &[], a_file);
    let wanted = "mpit: --series: no process on this node was recorded, so there is no x.series\n";
    assert!(printed.contains(wanted), "{printed}");
    make_store(root, 0, End::Finalized(FULL));
    let printed = run(root, &sampled, &[End::Finalized(FULL)], "true");
    let wanted = "mpit: x.series has 1 of 2 processes, the ones on this node; put mpit behind the launcher";
    assert!(printed.contains(wanted), "{printed}");
    // In a process of a launcher that is not known.
    for (options, wanted) in [
        (&sampled[..], "--series has no effect: this launcher does not number its processes\n"),
        (
            &["-o", "x", "--tables"],
            "--tables: the records stay in files: this launcher does not name its jobs\n",
        ),
        (
            &["--stuck", "60"],
            "--stuck has no effect here: this command is a part of a job, or there is no place",
        ),
    ] {
        let mut mpit = mpit_in(root, &library());
        mpit.env(if options.contains(&"--series") { "PMI_FD" } else { "PMI_RANK" }, "0");
        let printed = run_command(mpit.arg("run").args(options).args(["--", "true"])).stderr;
        assert!(printed.contains(wanted), "{printed}");
    }
}

/// Tests that names which cannot be replaced are refused before the command runs.
#[test]
fn names_in_the_way_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path();
    let run = |options: &[&str]| {
        let mut mpit = mpit_in(root, &library());
        run_command(mpit.arg("run").args(options).args(["--", "echo", "ran"]))
    };
    fs::create_dir(root.join("x.prof")).unwrap();
    assert_eq!(run(&["-o", "x"]).stdout, "ran\n");
    fs::create_dir(root.join("x.3.prof")).unwrap();
    for (options, name) in [(&["-o", "x"][..], "x.3.prof"), (&["-o", "x", "--one-file"], "x.prof")] {
        let done = run(options);
        assert_eq!((done.status.code(), &*done.stdout), (Some(2), ""), "{}", done.stderr);
        let wanted = format!("{name} is a directory; choose another --output\n");
        assert!(done.stderr.ends_with(&wanted), "{}", done.stderr);
    }
}
