//! Runs of a process, from initialization to finalization, under settings from its environment. The program starts itself as
//! such a process.

#![allow(clippy::disallowed_methods, reason = "a test reads what its parent process set")]

mod child;
#[path = "../support/mod.rs"]
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mpit_components::record::BINS;

/// The environment variable with the scenario of a run ([`child`]).
const SCENARIO: &str = "MPIT_TEST_RUN";

const ENABLE: (&str, &str) = ("MPIT_PML_MONITORING_ENABLE", "1");
const TO_FILES: (&str, &str) = ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "3");
const STEM: (&str, &str) = ("MPIT_PML_MONITORING_FILENAME", "all");

/// Counts the library's own messages separately.
const ENABLE_SEPARATE: (&str, &str) = ("MPIT_PML_MONITORING_ENABLE", "2");

/// The settings of a run that writes a file.
const FILE_SETTINGS: [(&str, &str); 3] = [ENABLE, TO_FILES, STEM];

const MERGED: [&str; 2] =
    ["E\t1\t0\t24 bytes\t2 msgs sent\t0,0,0,0,1,1,0,", "E\t1\t2\t100 bytes\t1 msgs sent\t0,"];

const SEPARATE: [&str; 3] = [
    "E\t1\t0\t8 bytes\t1 msgs sent\t0,0,0,0,1,1,0,",
    "E\t1\t2\t100 bytes\t1 msgs sent\t0,",
    "I\t1\t0\t16 bytes\t1 msgs sent",
];

fn start(directory: &Path, scenario: &str, settings: &[(&str, &str)]) -> Output {
    let output = Command::new(std::env::current_exe().unwrap())
        .current_dir(directory)
        .env(SCENARIO, scenario)
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

/// Returns the expected file with these lines about pairs, each up to its histogram.
fn expected(messages: &[&str], accesses: &[&str], operations: &[&str]) -> String {
    let sum = |pattern, (bytes, count)| format!("{pattern}\t1\t{bytes} bytes\t{count} msgs sent");
    let (one, all) = if operations.is_empty() { ((0, 0), (0, 0)) } else { ((16, 1), (16, 1)) };
    let block = |name, one_to_all, all_to_all| {
        let metadata = format!("D\t{name}\tprocs: 0,1,2");
        [metadata, sum("O2A", one_to_all), sum("A2O", (0, 0)), sum("A2A", all_to_all)].join("\n")
    };
    let mut blocks = vec![block("MPI_COMM_WORLD", (0, 0), all)];
    // A freed communicator is in the file if it had operations.
    if !operations.is_empty() {
        blocks.push(block("short", one, (0, 0)));
    }
    let blocks: Vec<_> = blocks.iter().map(String::as_str).collect();
    let parts =
        [&["# POINT TO POINT"], messages, &["# OSC"], accesses, &["# COLLECTIVES"], operations, &blocks];
    parts.concat().join("\n") + "\n"
}

fn without_histograms(profile: &str) -> String {
    let line = |line: &str| match line.split_once(" msgs sent") {
        Some((before, _)) => format!("{before} msgs sent\n"),
        None => format!("{line}\n"),
    };
    profile.lines().map(line).collect()
}

/// Checks a complete file with these lines about messages, and with all lines about accesses and operations.
fn assert_profile(profile: &str, messages: &[&str]) {
    for message in messages {
        assert!(profile.contains(&format!("\n{message}")), "{profile}\n{message}");
    }
    let messages: Vec<_> = messages.iter().map(|line| without_histograms(line)).collect();
    let messages: Vec<_> = messages.iter().map(|line| line.trim_end()).collect();
    assert_eq!(without_histograms(profile), expected(&messages, &ACCESSES, &OPERATIONS));
}

/// Returns the file that a run writes under these settings. Checks that it writes no other file and prints nothing else.
fn file(scenario: &str, settings: &[(&str, &str)], name: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), scenario, settings);
    assert_eq!(text(&output.stderr), "");
    let is_excluded = settings.contains(&("MPIT_PML", "^monitoring"));
    assert_eq!(text(&output.stdout), format!("active: {}\n", !is_excluded));
    let path = directory.path().join(name);
    assert_eq!(files(path.parent().unwrap()), std::slice::from_ref(&path));
    std::fs::read_to_string(path).unwrap()
}

fn files_at_the_end() {
    let native = [
        ("OMPI_MCA_pml_monitoring_enable", "1"),
        ("OMPI_MCA_pml_monitoring_enable_output", "3"),
        ("OMPI_MCA_pml_monitoring_filename", "prof/all"),
    ];
    assert_profile(&file("", &native, "prof/all.1.prof"), &MERGED);
    let own = [ENABLE_SEPARATE, ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "4"), STEM];
    assert_profile(&file("", &own, "all.1.prof"), &SEPARATE);
    // mpit's settings take precedence over Open MPI's; without a stem, the name of the file is the rank.
    let both = [("OMPI_MCA_pml_monitoring_enable", "1"), ENABLE_SEPARATE, TO_FILES];
    assert_profile(&file("", &both, ".1.prof"), &SEPARATE);
    // The file at the end is written whatever handles did, and replaces a file of the same name that a handle wrote.
    assert_profile(&file("flush", &own, "all.1.prof"), &SEPARATE);
}

fn a_handle_may_be_started_before_mpi() {
    let line = "E\t1\t0\t8 bytes\t1 msgs sent";
    let profile = file("early", &[], "early.1.prof");
    assert!(profile.contains(&format!("\n{line}\t0,0,0,0,1,0,")), "{profile}");
    assert_eq!(without_histograms(&profile), expected(&[line], &[], &[]));
}

fn streams() {
    let directory = tempfile::tempdir().unwrap();
    let settings = |output| [ENABLE_SEPARATE, ("MPIT_PML_MONITORING_ENABLE_OUTPUT", output)];
    let output = start(directory.path(), "", &settings("1"));
    assert_profile(text(&output.stdout).strip_prefix("active: true\n").unwrap(), &SEPARATE);
    assert_eq!(text(&output.stderr), "");
    let output = start(directory.path(), "", &settings("2"));
    assert_eq!(text(&output.stdout), "active: true\n");
    assert_profile(&text(&output.stderr), &SEPARATE);
    assert!(files(directory.path()).is_empty());
}

/// Makes a run that must write no file. Returns its standard error.
fn run_without_files(settings: &[(&str, &str)], active: bool) -> String {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), "", settings);
    assert_eq!(text(&output.stdout), format!("active: {active}\n"));
    assert!(files(directory.path()).is_empty());
    text(&output.stderr)
}

fn without_requests_nothing_is_written() {
    assert_eq!(run_without_files(&[], false), "");
    assert_eq!(run_without_files(&[ENABLE], true), "");
    assert_eq!(run_without_files(&[TO_FILES], false), "");
}

fn selection() {
    let wanted = [ENABLE, TO_FILES, ("MPIT_OSC", "^monitoring"), ("MPIT_COLL", "^monitoring")];
    let with = |name, list| [&wanted[..], &[(name, list)]].concat();
    assert_eq!(run_without_files(&with("MPIT_PML", "^monitoring"), false), "");
    assert_eq!(run_without_files(&with("MPIT_PML_COMPONENTS", "^monitoring"), false), "");
    assert_eq!(
        run_without_files(&with("MPIT_PML", "ob1"), false),
        "mpit: pml_components: no component is called `ob1` (available: monitoring)\n"
    );
    assert_eq!(
        run_without_files(&with("MPIT_PML", "^monitoring,^x"), false).lines().count(),
        1,
        "one mistake, one line"
    );
    let both =
        [&FILE_SETTINGS[..], &[("MPIT_PML", "monitoring"), ("MPIT_OSC", ""), ("MPIT_COLL", "^")]].concat();
    assert_profile(&file("", &both, "all.1.prof"), &MERGED);
    // An excluded component omits its lines, and nothing else.
    let profile_without = |name| {
        let profile = file("", &[&FILE_SETTINGS[..], &[(name, "^monitoring")]].concat(), "all.1.prof");
        without_histograms(&profile)
    };
    let messages = MERGED.map(without_histograms);
    let messages = messages.each_ref().map(|line| line.trim_end());
    assert_eq!(profile_without("MPIT_PML"), expected(&[], &ACCESSES, &OPERATIONS));
    assert_eq!(profile_without("MPIT_OSC"), expected(&messages, &[], &OPERATIONS));
    assert_eq!(profile_without("MPIT_COLL_COMPONENTS"), expected(&messages, &ACCESSES, &[]));
}

fn unknown_settings_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("params.conf");
    std::fs::write(&file, "pml_monitoring_enabel = 2\nacme_limit = 3\npml = monitoring\n").unwrap();
    let stderr = |settings: &[(&str, &str)]| {
        let run = tempfile::tempdir().unwrap();
        // Rank 0, the only one that reports unknown settings.
        text(&start(run.path(), "first", settings).stderr)
    };
    let file = file.to_str().unwrap();
    let in_file = format!(
        "mpit: {file}:1: no control variable is called `pml_monitoring_enabel`; did you mean `pml_monitoring_enable`?\n"
    );
    assert_eq!(stderr(&[("MPIT_PARAM_FILE", file)]), in_file);
    let near = "mpit: the environment: no control variable is called `MPIT_PML_MONITORING_ENABEL`; \
                did you mean `MPIT_PML_MONITORING_ENABLE`?\n";
    assert_eq!(stderr(&[("MPIT_PML_MONITORING_ENABEL", "2")]), near);
    let far =
        "mpit: the environment: no control variable is called `MPIT_XYZ`; `mpit vars` lists those of mpit\n";
    assert_eq!(stderr(&[("MPIT_XYZ", "2")]), far);
    // A plug-in may define the variable.
    assert!(!stderr(&[("MPIT_XYZ", "2"), ("MPIT_PLUGINS", "/nowhere.so")]).contains("MPIT_XYZ"));
    assert!(
        stderr(&[("MPIT_SET", "acme_limit=2")]).contains("--set: no control variable is called `acme_limit`")
    );
    assert!(
        stderr(&[("MPIT_PML_MONITORING_ENABLE", "7")])
            .contains("`7` is no value for `pml_monitoring_enable`")
    );
    // Variables with another purpose are not settings.
    assert_eq!(stderr(&[("MPIT_PRELOAD", "x"), ("MPIT_LISTING_FILE", "/dev/null"), ("MPIT_PML", "^")]), "");
}

fn excluded_components_are_inactive() {
    for (settings, expected) in [
        (&[][..], "true true true"),
        (&[("MPIT_OSC", "^monitoring")], "true false true"),
        (&[("MPIT_PML", "^monitoring"), ("MPIT_COLL", "^monitoring")], "false true false"),
    ] {
        let directory = tempfile::tempdir().unwrap();
        let output = start(directory.path(), "active", settings);
        assert_eq!(text(&output.stdout), format!("with a handle: {expected}\nactive: false\n"));
    }
}

fn pcontrol_pauses_and_writes() {
    let directory = tempfile::tempdir().unwrap();
    let output = start(directory.path(), "pcontrol", &FILE_SETTINGS);
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
    // On a stream, each text is complete.
    let streamed = [ENABLE, ("MPIT_PML_MONITORING_ENABLE_OUTPUT", "2")];
    let output = start(directory.path(), "pcontrol", &streamed);
    let stderr = text(&output.stderr);
    let second = stderr.rfind("# POINT TO POINT").unwrap();
    assert_profile(&stderr[..second], &MERGED);
    assert_eq!(&stderr[..second], &stderr[second..]);
    // Without a request for files, there are none.
    for settings in [&[ENABLE][..], &[TO_FILES, STEM]] {
        let directory = tempfile::tempdir().unwrap();
        let output = start(directory.path(), "pcontrol", settings);
        assert!(text(&output.stdout).starts_with("a file: false\n"));
        assert!(files(directory.path()).is_empty() && output.stderr.is_empty());
    }
}

/// Bytes and messages by the beginning of lines (`E 1 0`), and the histograms by `histogram 1 0`: a pair of processes has one
/// for both kinds of messages, in its first line.
type LineSums = BTreeMap<String, Vec<u64>>;

/// Adds the numbers of each line to those of the lines that begin in the same way. A pair has at most one line of a kind.
fn add_lines(sums: &mut LineSums, profile: &str) {
    let mut add = |key: String, numbers: &[u64]| {
        let sum = sums.entry(key).or_insert_with(|| vec![0; numbers.len()]);
        for (sum, number) in sum.iter_mut().zip(numbers) {
            *sum += number;
        }
    };
    let mut pairs = BTreeSet::new();
    for line in profile.lines() {
        let fields: Vec<_> = line.split('\t').collect();
        let Some(at) = fields.iter().position(|field| field.ends_with(" bytes")) else { continue };
        let number = |field: &str| field.split(' ').next().unwrap().parse::<u64>().unwrap();
        let (bytes, messages) = (number(fields[at]), number(fields[at + 1]));
        assert!(messages > 0 || bytes == 0, "{line}");
        let key = fields[..at].join(" ");
        assert!(at < 3 || pairs.insert(key.clone()), "a second line: {line}");
        add(key, &[bytes, messages]);
        if let Some(histogram) = fields.get(at + 2) {
            let bins: Vec<_> = histogram.split_terminator(',').map(number).collect();
            assert_eq!(bins.len(), BINS, "{line}");
            add(format!("histogram {}", fields[1..at].join(" ")), &bins);
        }
    }
}

/// Returns the sums of a run, which the files of its phases have together.
fn sums_of_phases(scenario: &str) -> LineSums {
    let directory = tempfile::tempdir().unwrap();
    let settings = [TO_FILES, STEM, ENABLE_SEPARATE];
    start(directory.path(), scenario, &settings);
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

fn phases_have_each_record_once() {
    let all = sums_of_phases("threads");
    for to in 0..37 {
        let (mut sum, mut bins) = ([0; 2], [0; BINS]);
        for (_, bytes) in child::messages_of_thread().filter(|(receiver, _)| *receiver == to) {
            // From two threads.
            sum[0] += 2 * bytes;
            sum[1] += 2;
            // Of the user and of the library.
            bins[bytes.checked_ilog2().map_or(0, |power| power as usize + 1)] += 4;
        }
        assert_eq!(all[&format!("E 1 {to}")], sum);
        assert_eq!(all[&format!("I 1 {to}")], sum);
        assert_eq!(all[&format!("histogram 1 {to}")], bins);
    }
    assert_eq!(all["S 1 2"], [19_980_000, 40_000]);
    assert_eq!(all["A2A 1"][1], 40_000);
}

fn unwritable_files_print_one_line() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("obstacle"), "").unwrap();
    let settings = [ENABLE, TO_FILES, ("MPIT_PML_MONITORING_FILENAME", "obstacle/all")];
    let output = start(directory.path(), "", &settings);
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("mpit: cannot write obstacle/all.1.prof: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1);
}

fn main() {
    if let Ok(scenario) = std::env::var(SCENARIO) {
        return child::run(&scenario);
    }
    let tests: [(&str, fn()); 11] = [
        ("files_at_the_end", files_at_the_end),
        ("a_handle_may_be_started_before_mpi", a_handle_may_be_started_before_mpi),
        ("streams", streams),
        ("without_requests_nothing_is_written", without_requests_nothing_is_written),
        ("selection", selection),
        ("unknown_settings_are_reported", unknown_settings_are_reported),
        ("excluded_components_are_inactive", excluded_components_are_inactive),
        ("pcontrol_pauses_and_writes", pcontrol_pauses_and_writes),
        ("phases_have_each_record_once", phases_have_each_record_once),
        ("operations_while_a_file_is_written", operations_while_a_file_is_written),
        ("unwritable_files_print_one_line", unwritable_files_print_one_line),
    ];
    for (name, test) in tests {
        test();
        println!("test {name} ... ok");
    }
}
