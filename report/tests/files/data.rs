//! The report as JSON and as tables, read by other programs.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use mpit_report::data::{Report, schema, write_json};
use mpit_report::export::{ReportTable, write_csv};
use mpit_report::{Job, html, summary};
use tempfile::TempDir;

use crate::support::{container_of, histogram, prof, profs, read, with_facts, with_times};

/// A job of two machines with facts and a missing process.
fn job() -> Job {
    let hosts = [(0, "n1"), (1, "n2"), (3, "n1")];
    let texts = hosts.map(|(rank, host)| (rank, host, with_facts(rank, with_times(rank, prof(rank)))));
    let directory =
        crate::support::directory(&[("run.prof", &container_of(&texts, &[(2, "no, \"answer\"".into())]))]);
    read(directory.path())
}

/// A job of which no process is missing.
fn whole_job() -> Job {
    let texts = [0, 1, 2, 3].map(|rank| (rank, "n1", with_times(rank, prof(rank))));
    read(crate::support::directory(&[("run.prof", &container_of(&texts, &[]))]).path())
}

/// Tests that the text, the page and the JSON name the nodes of a step of which no process has data.
#[test]
fn nodes_without_data_are_in_all_forms() {
    let facts = "# ABOUT\tslurm_step\t0\n# ABOUT\tslurm_nodes\tn[1-4]\n";
    let texts = [(0, "n1", prof(0) + facts), (1, "n2", prof(1)), (3, "n1", prof(3))];
    let directory = crate::support::directory(&[("run.prof", &container_of(&texts, &[]))]);
    let job = read(directory.path());
    let report = serde_json::to_value(Report::of(&job, "run")).unwrap();
    assert_eq!(report["missing_nodes"], serde_json::json!(["n3", "n4"]));
    let (mut text, mut page) = (String::new(), Vec::new());
    summary::write(&mut text, &job, 2).unwrap();
    html::write(&mut page, &job, "run").unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(text.contains("\nnodes without data: n3, n4\n"), "{text}");
    assert!(page.contains("<li>nodes without data: n3, n4</li>"), "{page}");
}

/// Tests that the nodes are known without rank 0: the first process of each node has the facts about the step.
#[test]
fn the_node_of_rank_0_is_named() {
    let facts = "# ABOUT\tslurm_step\t0\n# ABOUT\tslurm_nodes\tn[1-3]\n";
    let [one, two] = [1, 3].map(|rank| prof(rank) + facts);
    let directory =
        crate::support::directory(&[("run.1.prof", one.as_bytes()), ("run.3.prof", two.as_bytes())]);
    // Without machines, any node may be that of the processes.
    assert_eq!(read(&directory.path().join("run")).missing_nodes, [""; 0]);
    let directory = crate::support::directory(&[(
        "run.prof",
        &container_of(&[(1, "n2", one), (3, "n3", two)], &[(0, "lost".into()), (2, "lost".into())]),
    )]);
    let job = read(directory.path());
    assert_eq!((job.missing_nodes.as_slice(), job.about.len()), (&["n1".to_owned()][..], 2));
}

/// Tests that a missing process is taken into account: it may have been the last one.
#[test]
fn late_ranks_are_those_of_whole_jobs() {
    for (job, is_whole) in [(whole_job(), true), (job(), false)] {
        let report = serde_json::to_value(Report::of(&job, "run")).unwrap();
        assert_eq!(report["late"].as_array().unwrap().is_empty(), !is_whole, "{}", report["late"]);
        let (mut text, mut page) = (String::new(), Vec::new());
        summary::write(&mut text, &job, 2).unwrap();
        html::write(&mut page, &job, "run").unwrap();
        let page = String::from_utf8(page).unwrap();
        assert_eq!(page.contains("<h3>arrives last</h3><strong>rank 0</strong>"), is_whole, "{page}");
        assert_eq!(text.contains("\nrank 0 arrives last in 100 % of 2 sampled"), is_whole, "{text}");
        assert_eq!(
            text.contains("\nRanks that arrive last in collective operations (2 sampled)"),
            is_whole,
            "{text}"
        );
        if is_whole {
            let late = &report["late"][0];
            assert_eq!(
                (&late["rank"], &late["last_in"], &late["operations"]),
                (&0.into(), &2.into(), &2.into())
            );
            assert!((late["waited"].as_f64().unwrap() - 6.0).abs() < 1e-3, "{late}");
        }
    }
}

#[test]
fn the_schema_is_the_committed_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/report.schema.json");
    if std::env::var_os("MPIT_TEST_ACCEPT").is_some() {
        fs::write(&path, schema()).unwrap();
    }
    let hint = "run this test with MPIT_TEST_ACCEPT=1";
    assert_eq!(schema(), fs::read_to_string(&path).unwrap(), "{hint}");
}

#[test]
fn machines_and_facts_are_in_the_json() {
    let mut json = Vec::new();
    write_json(&mut json, &Report::of(&job(), "run")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(report["about"][0], serde_json::json!({ "key": "program", "value": "./app \"<b>\"" }));
    assert_eq!(
        report["nodes"],
        serde_json::json!([{ "name": "n1", "ranks": 2 }, { "name": "n2", "ranks": 1 }])
    );
    // Rank 3 sends 108 + 12 + 1003 bytes to ranks 0 and 2, and fetches 4096 from rank 0.
    assert_eq!(report["ranks"][3]["bytes_out"], 108 + 12 + 1003);
    assert_eq!(
        (&report["ranks"][3]["host"], &report["ranks"][2]["host"]),
        (&"n1".into(), &serde_json::Value::Null)
    );
    // Rank 0 to 1, and rank 1 to 0, across machines; 3 to 0 inside of one.
    let pair =
        |at: usize| (report["node_pairs"][at]["from"].clone(), report["node_pairs"][at]["bytes"].clone());
    assert_eq!(pair(0), ("n1".into(), (108 + 12 + 1000 + 4096).into()));
    assert_eq!(report["missing"][0]["reason"], "no, \"answer\"");
}

#[test]
fn the_summary_has_times_and_nodes() {
    let mut text = String::new();
    summary::write(&mut text, &job(), 2).unwrap();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files/golden/with_times.txt");
    if std::env::var_os("MPIT_TEST_ACCEPT").is_some() {
        fs::write(path, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(path).unwrap(), "{text}");
}

#[test]
fn the_page_has_a_head_and_nodes() {
    let mut page = Vec::new();
    html::write(&mut page, &job(), "run").unwrap();
    let page = String::from_utf8(page).unwrap();
    for text in [
        "<dt>program</dt><dd>./app &quot;&lt;b&gt;&quot;</dd>",
        "<dt>nodes</dt><dd>n1 (2 ranks), n2 (1 rank)</dd>",
        "<div class=\"fair\"><h3>load balance</h3><strong>0.67</strong> <em>fair</em>",
        "Time in MPI by rank: full height is 4.00 s",
        "<summary>ranks by node: messages; ",
        "\"byNode\":true,\"order\":[0,3,1,2]",
    ] {
        assert!(page.contains(text), "{text}\n{page}");
    }
    assert!(!page.contains("<b>"));
}

/// Tests that a damaged file cannot make a report as large as the ranks that it names.
#[test]
fn large_ranks_make_small_reports() {
    let last = i32::MAX;
    let text = format!(
        "# MPIT RUN\tr\tw\t2 ranks\t2026\tn1\n# POINT TO POINT\nE\t0\t{last}\t8 bytes\t1 msgs sent\t{}\n# OSC\n# COLLECTIVES\n",
        histogram(4, 1)
    );
    let directory = crate::support::directory(&[("run.0.prof", text.as_bytes())]);
    let job = read(directory.path());
    let mut page = Vec::new();
    html::write(&mut page, &job, "run").unwrap();
    let report = Report::of(&job, "run");
    assert_eq!(report.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [0, last as u32]);
    assert_eq!((report.nodes.len(), report.ranks[0].host.as_deref()), (1, Some("n1")));
    assert!(page.len() < 1 << 20, "{}", page.len());
}

#[test]
fn times_are_in_the_json() {
    let report = serde_json::to_value(Report::of(&job(), "run")).unwrap();
    // Ranks 0, 1 and 3 are in MPI for 0, 1 and 3 of 4 seconds.
    let time = &report["time"];
    let near = |value: &serde_json::Value, wanted: f64| {
        assert!((value.as_f64().unwrap() - wanted).abs() < 1e-3, "{value}");
    };
    near(&time["in_mpi"]["mean"], 4.0 / 3.0);
    near(&time["load_balance"]["value"], (4.0 + 3.0 + 1.0) / 3.0 / 4.0);
    assert_eq!(time["load_balance"]["rating"], "fair");
    assert_eq!(
        (&report["calls"][0]["name"], &report["calls"][0]["max_rank"]),
        (&"MPI_Barrier".into(), &3.into())
    );
    near(&report["calls"][0]["share"], 4.0 / 12.0);
    near(&report["ranks"][3]["seconds"]["coll"], 3.0);
    near(&report["ranks"][3]["seconds"]["idle_share"], 0.75);
    assert_eq!(report["ranks"][2]["seconds"], serde_json::Value::Null);
    assert_eq!(report["communicator_times"][0]["p2p_bytes"], 3 * 108);
    let [barriers, sends] = [0, 1].map(|at| &report["call_times"][at]);
    assert_eq!(
        (&barriers["call"], &barriers["communicator"], &barriers["timed"]),
        (&"MPI_Barrier".into(), &"MPI_COMM_WORLD".into(), &6.into())
    );
    // Two in rank 0 and one each in the others take no time, one takes 1 s and one 3 s.
    assert_eq!(
        (&barriers["min"], &barriers["median"], &barriers["max"]),
        (&0.0.into(), &1e-9.into(), &3.0.into())
    );
    assert_eq!(barriers["durations"][0], serde_json::json!({ "from": 0.0, "below": 1e-9, "calls": 4 }));
    assert_eq!(barriers["durations"].as_array().unwrap().len(), 3);
    // The longest call is known better than by its bin.
    assert_eq!((&sends["median"], &sends["p99"]), (&60e-9.into(), &60e-9.into()));
}

/// Writes reports and their schema, and the tables of the first one.
fn written() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name);
    let job = job();
    let report = Report::of(&job, "run");
    write_json(fs::File::create(file("run.json")).unwrap(), &report).unwrap();
    write_json(fs::File::create(file("empty.json")).unwrap(), &Report::of(&Job::default(), "")).unwrap();
    let without_hosts = read(profs(&[0, 1]).path());
    write_json(fs::File::create(file("profs.json")).unwrap(), &Report::of(&without_hosts, "x")).unwrap();
    fs::write(file("schema.json"), schema()).unwrap();
    for table in ReportTable::ALL {
        let name = format!("{}.csv", table.as_str());
        write_csv(fs::File::create(file(&name)).unwrap(), &job, table).unwrap();
    }
    directory
}

/// Runs a script in the directory of the files.
fn run(python: &Path, script: &str, directory: &TempDir) -> Output {
    Command::new(python).args(["-c", script]).current_dir(directory.path()).output().unwrap()
}

#[test]
fn csv_of_python_reads_the_tables() {
    let tables = run(
        Path::new("python3"),
        "import csv, glob\n\
         for name in sorted(glob.glob('*.csv')):\n  \
             rows = list(csv.DictReader(open(name, newline='')))\n  \
             assert all(None not in row and None not in row.values() for row in rows), name\n  \
             print(name, len(rows))\n\
         rows = list(csv.DictReader(open('ranks.csv', newline='')))\n\
         assert [row['host'] for row in rows] == ['n1', 'n2', '', 'n1'], rows\n\
         assert int(rows[3]['bytes_out']) == 1123, rows\n",
        &written(),
    );
    let printed = String::from_utf8_lossy(&tables.stdout);
    assert!(tables.status.success() && printed.lines().count() == ReportTable::ALL.len(), "{tables:?}");
}

/// Tests of the second tier: they need packages of Python.
mod second {
    use super::*;

    /// Tests that `jsonschema` finds the JSON valid, and pandas reads the tables.
    #[test]
    fn packages_of_python_read_the_data() {
        let Some(with_packages) = mpit_tests::paths::python_with_tables() else {
            let why = "no package jsonschema for Python; see `cargo xtask setup`";
            mpit_tests::record::not_run("jsonschema", why).unwrap();
            return;
        };
        let (report, directory) = (job(), written());
        let report = Report::of(&report, "run");
        let python = |script: &str| run(&with_packages, script, &directory);
        let validated = python(
            "import json, jsonschema\n\
         schema = json.load(open('schema.json'))\n\
         jsonschema.Draft202012Validator.check_schema(schema)\n\
         for name in ['run.json', 'empty.json', 'profs.json']:\n  \
             jsonschema.validate(json.load(open(name)), schema)\n\
         broken = json.load(open('run.json')); broken['ranks'][0]['other'] = 1\n\
         try: jsonschema.validate(broken, schema)\n\
         except jsonschema.ValidationError: print('refused')\n",
        );
        assert_eq!(String::from_utf8_lossy(&validated.stdout), "refused\n", "{validated:?}");
        let frames = python(
            "import glob, pandas\n\
         frames = {name[:-4]: pandas.read_csv(name) for name in sorted(glob.glob('*.csv'))}\n\
         print(len(frames), frames['ranks'].bytes_out.sum(), frames['pairs'].bytes.sum())\n\
         print(frames['call_times'].calls.sum(), frames['durations'].calls.sum())\n\
         print(frames['calls'].calls.sum(), frames['call_times'].timed.sum())\n",
        );
        let sum = |values: &mut dyn Iterator<Item = u64>| values.sum::<u64>();
        let of_ranks = sum(&mut report.ranks.iter().map(|rank| rank.bytes_out));
        let of_pairs = sum(&mut report.pairs.iter().map(|pair| pair.bytes));
        let calls = sum(&mut report.calls.iter().map(|call| call.calls));
        let timed = sum(&mut report.call_times.iter().map(|calls| calls.timed));
        let expected =
            format!("{} {of_ranks} {of_pairs}\n{calls} {timed}\n{calls} {timed}\n", ReportTable::ALL.len());
        assert_eq!(String::from_utf8_lossy(&frames.stdout), expected, "{frames:?}");
    }
}
