//! Whole runs of a process, under settings from its environment. The program starts itself as such a process.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use mpit::tool::{Class, Tool};
use mpit_components::coll::{self, Kind, Operation, Root, Volume};
use mpit_components::comms::{self, CommId, Ranks};
use mpit_components::control::pcontrol;
use mpit_components::host::{self, World};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::windows;

/// Set for a process that is a run; says what is special about it.
const RUN: &str = "MPIT_TEST_RUN";

/// Makes a run: a few messages, and the special step.
fn run(special: &str) {
    match special {
        "early" => return run_with_an_early_handle(),
        "threads" => return run_with_threads(),
        "meanwhile" => return run_with_operations_meanwhile(),
        _ => (),
    }
    let rank = u32::from(special != "first");
    host::initialized(World::new(rank, 3));
    let comm = comms::created(comms::Description::new(Ranks::World(3), "MPI_COMM_WORLD"));
    let short = comms::created(comms::Description::new(Ranks::World(3), "short"));
    let tool = Tool::new();
    let session = tool.session().unwrap();
    if matches!(special, "flush" | "who") {
        let flush = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
        flush.start().unwrap();
        if special == "who" {
            println!("with a handle: {} {} {}", pml::active(), osc::active(), coll::active());
        }
        flush.stop().unwrap();
    }
    for (to, bytes, tag) in [(0, 8, 0), (2, 100, 7), (0, 16, -5)] {
        pml::sent(&Send::new(comm, to, to, bytes, tag, Mode::Standard));
    }
    others(comm, short);
    if special == "pcontrol" {
        pcontrol(2);
        pcontrol(0);
        // Not recorded.
        others(comm, short);
        pml::sent(&Send::new(comm, 0, 0, 8, 0, Mode::Standard));
        pcontrol(1);
        println!("a file: {}", Path::new("all_1.1.prof").exists());
    }
    comms::freed(short);
    println!("active: {}", pml::active());
    host::finalizing();
    host::finalizing();
}

/// Makes calls that are not messages.
fn others(comm: CommId, short: CommId) {
    let window = windows::created(3);
    for (kind, sent, received) in [(osc::Kind::Put, 12, 0), (osc::Kind::Get, 0, 20)] {
        osc::accessed(&Access::new(window, 2, 2, kind, sent, received));
    }
    for (comm, kind, root) in [
        (comm, Kind::Allreduce, Root::None),
        (short, Kind::Bcast, Root::Here),
        (short, Kind::Bcast, Root::At(0)),
    ] {
        let volume = Volume::Each(8);
        coll::end(&Operation::new(comm, kind, 1, 3, root, volume, false));
    }
}

/// A tool is there before MPI is.
fn run_with_an_early_handle() {
    let tool = Tool::new();
    let session = tool.session().unwrap();
    let flush = session.handle("pml_monitoring_flush", Class::Generic, None).unwrap();
    flush.write_text("early").unwrap();
    flush.start().unwrap();
    let comm = comms::created(comms::Description::new(Ranks::World(3), "MPI_COMM_WORLD"));
    let send = Send::new(comm, 0, 0, 8, 0, Mode::Standard);
    // This process's rank is not known yet, which the file's name needs.
    assert_eq!(flush.stop(), Err(mpit::Error::NotAccessible));
    host::initialized(World::new(1, 3));
    println!("active: {}", pml::active());
    comms::freed(comms::created(comms::Description::new(Ranks::World(3), "short")));
    pml::sent(&send);
    flush.stop().unwrap();
    assert!(!pml::active());
    // A message that is sent without recording is not in any file.
    pml::sent(&send);
    host::finalizing();
}

/// Two threads record while the first one ends phases.
fn run_with_threads() {
    host::initialized(World::new(1, 3));
    let comm = comms::created(comms::Description::new(Ranks::World(3), "MPI_COMM_WORLD"));
    let window = windows::created(3);
    let record = || {
        for bytes in (0..20_000).map(|n| n % 1000 + 1) {
            pml::sent(&Send::new(comm, 0, 0, bytes, 0, Mode::Standard));
            osc::accessed(&Access::new(window, 2, 2, osc::Kind::Put, bytes, 0));
            let volume = Volume::Each(bytes);
            coll::end(&Operation::new(comm, Kind::Allreduce, 1, 3, Root::None, volume, false));
        }
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(record), scope.spawn(record)];
        pcontrol(2);
        // Ends at least one more phase, even if the threads ended during the first one.
        loop {
            let finished = threads.iter().all(std::thread::ScopedJoinHandle::is_finished);
            pcontrol(2);
            if finished {
                break;
            }
        }
    });
    host::finalizing();
}

/// The source of a communicator's ranks, which are requested when the file of a phase is written.
#[derive(Debug)]
struct Meanwhile(CommId);

/// Exchanges a byte with each process.
fn operate(comm: CommId) {
    let (kind, root, volume) = (Kind::Allreduce, Root::None, Volume::Each(1));
    coll::end(&Operation::new(comm, kind, 1, 3, root, volume, false));
}

impl comms::RankSource for Meanwhile {
    fn world_ranks(&self) -> Option<Vec<u32>> {
        operate(self.0);
        comms::freed(self.0);
        None
    }

    fn world_rank(&self, _rank: u32) -> Option<u32> {
        None
    }
}

/// A communicator is used and freed while the file of the first phase is written.
fn run_with_operations_meanwhile() {
    host::initialized(World::new(1, 3));
    let freed = comms::created(comms::Description::new(Ranks::World(3), "freed"));
    operate(freed);
    let ranks = Ranks::Lazy(Arc::new(comms::LazyRanks::new(1, Box::new(Meanwhile(freed)))));
    let _ = comms::created(comms::Description::new(ranks, "asked"));
    pcontrol(2);
    pcontrol(2);
    host::finalizing();
}

const MERGED: [&str; 2] =
    ["E\t1\t0\t24 bytes\t2 msgs sent\t0,0,0,0,1,1,0,", "E\t1\t2\t100 bytes\t1 msgs sent\t0,"];
const APART: [&str; 3] = [
    "E\t1\t0\t8 bytes\t1 msgs sent\t0,0,0,0,1,1,0,",
    "E\t1\t2\t100 bytes\t1 msgs sent\t0,",
    "I\t1\t0\t16 bytes\t1 msgs sent",
];

fn start(directory: &Path, special: &str, settings: &[(&str, &str)]) -> Output {
    let output = Command::new(std::env::current_exe().unwrap())
        .current_dir(directory)
        .env(RUN, special)
        .envs(settings.iter().copied())
        .output()
        .unwrap();
    assert!(output.status.success(), "{settings:?}: {output:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

const ACCESSES: [&str; 2] = ["S\t1\t2\t12 bytes\t2 msgs sent", "R\t1\t2\t20 bytes\t1 msgs sent"];
const OPERATIONS: [&str; 2] = ["C\t1\t0\t16 bytes\t2 msgs sent", "C\t1\t2\t16 bytes\t2 msgs sent"];

/// A profile with these lines about pairs, each up to its histogram.
fn expected(messages: &[&str], accesses: &[&str], operations: &[&str]) -> String {
    let sum = |pattern, (bytes, count)| format!("{pattern}\t1\t{bytes} bytes\t{count} msgs sent");
    let (one, all) = if operations.is_empty() { ((0, 0), (0, 0)) } else { ((16, 1), (16, 1)) };
    let block = |name, one_to_all, all_to_all| {
        let metadata = format!("D\t{name}\tprocs: 0,1,2");
        [metadata, sum("O2A", one_to_all), sum("A2O", (0, 0)), sum("A2A", all_to_all)].join("\n")
    };
    let mut blocks = vec![block("MPI_COMM_WORLD", (0, 0), all)];
    // It is freed, and written of if there were operations.
    if !operations.is_empty() {
        blocks.push(block("short", one, (0, 0)));
    }
    let blocks: Vec<_> = blocks.iter().map(String::as_str).collect();
    let parts =
        [&["# POINT TO POINT"], messages, &["# OSC"], accesses, &["# COLLECTIVES"], operations, &blocks];
    parts.concat().join("\n") + "\n"
}

/// A profile whose lines end where histograms begin.
fn without_histograms(profile: &str) -> String {
    let line = |line: &str| match line.split_once(" msgs sent") {
        Some((before, _)) => format!("{before} msgs sent\n"),
        None => format!("{line}\n"),
    };
    profile.lines().map(line).collect()
}

/// Asserts that a text is a whole profile with these lines about messages, and with all about the rest.
fn assert_profile(profile: &str, messages: &[&str]) {
    for message in messages {
        assert!(profile.contains(&format!("\n{message}")), "{profile}\n{message}");
    }
    let messages: Vec<_> = messages.iter().map(|line| without_histograms(line)).collect();
    let messages: Vec<_> = messages.iter().map(|line| line.trim_end()).collect();
    assert_eq!(without_histograms(profile), expected(&messages, &ACCESSES, &OPERATIONS));
}

/// The file that a run writes under these settings; it writes no other and says nothing.
fn file(special: &str, settings: &[(&str, &str)], name: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), special, settings);
    assert_eq!(text(&output.stderr), "");
    let is_left_out = settings.contains(&("MPIT_PML", "^monitoring"));
    assert_eq!(text(&output.stdout), format!("active: {}\n", !is_left_out));
    let path = directory.path().join(name);
    assert_eq!(files(path.parent().unwrap()), std::slice::from_ref(&path));
    std::fs::read_to_string(path).unwrap()
}

fn files_of_whole_runs() {
    let native = [
        ("OMPI_MCA_pml_monitoring_enable", "1"),
        ("OMPI_MCA_pml_monitoring_enable_output", "3"),
        ("OMPI_MCA_pml_monitoring_filename", "prof/all"),
    ];
    assert_profile(&file("", &native, "prof/all.1.prof"), &MERGED);
    let own = [
        ("MPIT_PML_MONITORING_ENABLE", "2"),
        ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "4"),
        ("MPIT_PML_MONITORING_FILENAME", "all"),
    ];
    assert_profile(&file("", &own, "all.1.prof"), &APART);
    // Ours is stronger than Open MPI's; without a name the file has only a rank.
    let both = [
        ("OMPI_MCA_pml_monitoring_enable", "1"),
        ("MPIT_PML_MONITORING_ENABLE", "2"),
        ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3"),
    ];
    assert_profile(&file("", &both, ".1.prof"), &APART);
    // The file at the end is written whatever handles did; the handle's own, with the same name, is replaced.
    assert_profile(&file("flush", &own, "all.1.prof"), &APART);
}

fn a_handle_may_be_started_before_mpi() {
    let line = "E\t1\t0\t8 bytes\t1 msgs sent";
    let profile = file("early", &[], "early.1.prof");
    assert!(profile.contains(&format!("\n{line}\t0,0,0,0,1,0,")), "{profile}");
    assert_eq!(without_histograms(&profile), expected(&[line], &[], &[]));
}

fn streams() {
    let directory = tempfile::tempdir().unwrap();
    let settings =
        |output| [("MPIT_PML_MONITORING_ENABLE", "2"), ("MPIT_PML_MONITORING_ENABLE_OUTPUT", output)];
    let output = start(directory.path(), "", &settings("1"));
    assert_profile(text(&output.stdout).strip_prefix("active: true\n").unwrap(), &APART);
    assert_eq!(text(&output.stderr), "");
    let output = start(directory.path(), "", &settings("2"));
    assert_eq!(text(&output.stdout), "active: true\n");
    assert_profile(&text(&output.stderr), &APART);
    assert!(files(directory.path()).is_empty());
}

/// Runs that write no file. Returns what they say on standard error.
fn silent(settings: &[(&str, &str)], active: bool) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), "", settings);
    assert_eq!(text(&output.stdout), format!("active: {active}\n"));
    assert!(files(directory.path()).is_empty());
    text(&output.stderr)
}

fn nothing_asked_nothing_written() {
    assert_eq!(silent(&[], false), "");
    assert_eq!(silent(&[("MPIT_PML_MONITORING_ENABLE", "1")], true), "");
    assert_eq!(silent(&[("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3")], false), "");
}

fn selection() {
    let wanted = [
        ("MPIT_PML_MONITORING_ENABLE", "1"),
        ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3"),
        ("MPIT_OSC", "^monitoring"),
        ("MPIT_COLL", "^monitoring"),
    ];
    let with = |name, list| [&wanted[..], &[(name, list)]].concat();
    assert_eq!(silent(&with("MPIT_PML", "^monitoring"), false), "");
    assert_eq!(silent(&with("MPIT_PML_COMPONENTS", "^monitoring"), false), "");
    assert_eq!(
        silent(&with("MPIT_PML", "ob1"), false),
        "mpit: pml_components: no component is called `ob1` (available: monitoring)\n"
    );
    assert_eq!(
        silent(&with("MPIT_PML", "^monitoring,^x"), false).lines().count(),
        1,
        "one mistake, one line"
    );
    let both =
        [&own_names()[..], &[("MPIT_PML", "monitoring"), ("MPIT_OSC", ""), ("MPIT_COLL", "^")]].concat();
    assert_profile(&file("", &both, "all.1.prof"), &MERGED);
    // Who is left out leaves out its lines, and nothing else.
    let left_out = |name| {
        let profile = file("", &[&own_names()[..], &[(name, "^monitoring")]].concat(), "all.1.prof");
        without_histograms(&profile)
    };
    let messages = MERGED.map(without_histograms);
    let messages = messages.each_ref().map(|line| line.trim_end());
    assert_eq!(left_out("MPIT_PML"), expected(&[], &ACCESSES, &OPERATIONS));
    assert_eq!(left_out("MPIT_OSC"), expected(&messages, &[], &OPERATIONS));
    assert_eq!(left_out("MPIT_COLL_COMPONENTS"), expected(&messages, &ACCESSES, &[]));
}

fn settings_that_nothing_takes_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("params.conf");
    std::fs::write(&file, "pml_monitoring_enabel = 2\nacme_limit = 3\npml = monitoring\n").unwrap();
    let said = |settings: &[(&str, &str)]| {
        let run = tempfile::tempdir().unwrap();
        // Of the environment of the tests, which has settings for them.
        text(&start(run.path(), "first", settings).stderr)
    };
    let file = file.to_str().unwrap();
    let in_file = format!(
        "mpit: {file}:1: no control variable is called `pml_monitoring_enabel`; did you mean `pml_monitoring_enable`?\n"
    );
    assert_eq!(said(&[("MPIT_PARAM_FILE", file)]), in_file);
    let near = "mpit: the environment: no control variable is called `MPIT_PML_MONITORING_ENABEL`; \
                did you mean `MPIT_PML_MONITORING_ENABLE`?\n";
    assert_eq!(said(&[("MPIT_PML_MONITORING_ENABEL", "2")]), near);
    let far =
        "mpit: the environment: no control variable is called `MPIT_XYZ`; `mpit vars` lists those of mpit\n";
    assert_eq!(said(&[("MPIT_XYZ", "2")]), far);
    // A plug-in may bring it.
    assert!(!said(&[("MPIT_XYZ", "2"), ("MPIT_PLUGINS", "/nowhere.so")]).contains("MPIT_XYZ"));
    assert!(
        said(&[("MPIT_SET", "acme_limit=2")]).contains("--set: no control variable is called `acme_limit`")
    );
    assert!(
        said(&[("MPIT_PML_MONITORING_ENABLE", "7")]).contains("`7` is no value for `pml_monitoring_enable`")
    );
    // What has another purpose is no setting.
    assert_eq!(said(&[("MPIT_PRELOAD", "x"), ("MPIT_LISTING_FILE", "/dev/null"), ("MPIT_PML", "^")]), "");
}

fn who_is_left_out_costs_nothing() {
    for (settings, expected) in [
        (&[][..], "true true true"),
        (&[("MPIT_OSC", "^monitoring")], "true false true"),
        (&[("MPIT_PML", "^monitoring"), ("MPIT_COLL", "^monitoring")], "false true false"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let output = start(directory.path(), "who", settings);
        assert_eq!(text(&output.stdout), format!("with a handle: {expected}\nactive: false\n"));
    }
}

fn a_program_pauses_recording_and_writes() {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), "pcontrol", &own_names());
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("a file: true\nactive: true\n".into(), String::new())
    );
    for name in ["all.1.prof", "all_1.1.prof"] {
        assert_profile(&std::fs::read_to_string(directory.path().join(name)).unwrap(), &MERGED);
    }
    // Nothing was recorded in the last phase.
    let last = std::fs::read_to_string(directory.path().join("all_2.1.prof")).unwrap();
    assert!(last.starts_with("# POINT TO POINT\n# OSC\n# COLLECTIVES\nD\t"), "{last}");
    // On a stream it is whole each time.
    let streamed = [("MPIT_PML_MONITORING_ENABLE", "1"), ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "2")];
    let output = start(directory.path(), "pcontrol", &streamed);
    let stderr = text(&output.stderr);
    let second = stderr.rfind("# POINT TO POINT").unwrap();
    assert_profile(&stderr[..second], &MERGED);
    assert_eq!(&stderr[..second], &stderr[second..]);
    // Nothing is to be written, so nothing is.
    for settings in [&own_names()[..1], &own_names()[1..]] {
        let directory = tempfile::tempdir().unwrap();
        let output = start(directory.path(), "pcontrol", settings);
        assert!(text(&output.stdout).starts_with("a file: false\n"));
        assert!(files(directory.path()).is_empty() && output.stderr.is_empty());
    }
}

/// Adds the bytes and messages of each line to those of the lines that begin in the same way.
fn add_lines(sums: &mut BTreeMap<String, [u64; 2]>, profile: &str) {
    for line in profile.lines() {
        let fields: Vec<_> = line.split('\t').collect();
        let Some(at) = fields.iter().position(|field| field.ends_with(" bytes")) else { continue };
        let number = |field: &str| field.split(' ').next().unwrap().parse::<u64>().unwrap();
        let (bytes, messages) = (number(fields[at]), number(fields[at + 1]));
        assert!(messages > 0 || bytes == 0, "{line}");
        let sum = sums.entry(fields[..at].join(" ")).or_default();
        sum[0] += bytes;
        sum[1] += messages;
    }
}

/// Returns the sums of a run, which the files of its phases have together.
fn sums_of_phases(special: &str) -> BTreeMap<String, [u64; 2]> {
    let directory = tempfile::tempdir().unwrap();
    start(directory.path(), special, &own_names());
    let whole = directory.path().join("all.1.prof");
    let (mut all, mut phases) = (BTreeMap::new(), BTreeMap::new());
    add_lines(&mut all, &std::fs::read_to_string(&whole).unwrap());
    let files = files(directory.path());
    assert!(files.len() > 2, "{files:?}");
    for file in files.iter().filter(|file| **file != whole) {
        add_lines(&mut phases, &std::fs::read_to_string(file).unwrap());
    }
    assert_eq!(phases, all);
    all
}

fn operations_while_a_file_is_written() {
    assert_eq!(sums_of_phases("meanwhile")["A2A 1"], [4, 2]);
}

fn phases_have_each_record_of_threads_once() {
    let all = sums_of_phases("threads");
    assert_eq!(all["E 1 0"], [20_020_000, 40_000]);
    assert_eq!(all["S 1 2"], [20_020_000, 40_000]);
    assert_eq!(all["A2A 1"][1], 40_000);
}

fn own_names() -> [(&'static str, &'static str); 3] {
    [
        ("MPIT_PML_MONITORING_ENABLE", "1"),
        ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3"),
        ("MPIT_PML_MONITORING_FILENAME", "all"),
    ]
}

fn an_unwritable_file_costs_one_line() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("obstacle"), "").unwrap();
    let settings = [&own_names()[..2], &[("MPIT_PML_MONITORING_FILENAME", "obstacle/all")]].concat();
    let output = start(directory.path(), "", &settings);
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("mpit: cannot write obstacle/all.1.prof: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
}

fn main() {
    if let Ok(special) = std::env::var(RUN) {
        return run(&special);
    }
    let tests: [(&str, fn()); 11] = [
        ("files_of_whole_runs", files_of_whole_runs),
        ("a_handle_may_be_started_before_mpi", a_handle_may_be_started_before_mpi),
        ("streams", streams),
        ("nothing_asked_nothing_written", nothing_asked_nothing_written),
        ("selection", selection),
        ("settings_that_nothing_takes_are_named", settings_that_nothing_takes_are_named),
        ("who_is_left_out_costs_nothing", who_is_left_out_costs_nothing),
        ("a_program_pauses_recording_and_writes", a_program_pauses_recording_and_writes),
        ("phases_have_each_record_of_threads_once", phases_have_each_record_of_threads_once),
        ("operations_while_a_file_is_written", operations_while_a_file_is_written),
        ("an_unwritable_file_costs_one_line", an_unwritable_file_costs_one_line),
    ];
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
}
