//! Text that is no such file: each mistake is reported with its place and what was expected, and the rest is read.

use crate::support::{container, container_of, directory, histogram, problems, problems_of, prof, read};
use mpit_report::{Kind, data, export};

/// A line in place of the first line `E`, and what is said of it.
const LINES: [(&str, &str); 31] = [
    ("", "expected a line that begins with E, I, S, R, C, D, O2A, A2O, A2A or #, and a tab"),
    (
        "X\t1\t2",
        "expected a line that begins with E, I, S, R, C, D, O2A, A2O, A2A or #, and a tab: \"X\\t1\\t2\"",
    ),
    ("E", "expected the rank of the sender"),
    ("E 1 2 108 bytes 27 msgs sent", "expected a line that begins with"),
    ("E\t", "expected the rank of the sender"),
    ("E\t-1\t2\t1 bytes\t1 msgs sent\tH", "expected the rank of the sender"),
    ("E\tone\t2\t1 bytes\t1 msgs sent\tH", "expected the rank of the sender"),
    ("E\t1 \t2\t1 bytes\t1 msgs sent\tH", "expected a tab after the rank of the sender"),
    ("E\t1", "expected a tab after the rank of the sender"),
    ("E\t1\t\t1 bytes\t1 msgs sent\tH", "expected the rank of the receiver"),
    ("E\t1\t2147483648\t1 bytes\t1 msgs sent\tH", "expected a rank below 2^31"),
    ("E\t1\t99999999999999999999999\t1 bytes\t1 msgs sent\tH", "expected a number below 2^64"),
    ("E\t1\t2 1 bytes\t1 msgs sent\tH", "expected a tab after the rank"),
    ("E\t1\t2\tbytes\t1 msgs sent\tH", "expected a number of bytes"),
    ("E\t1\t2\t18446744073709551616 bytes\t1 msgs sent\tH", "expected a number below 2^64"),
    ("E\t1\t2\t1 byte\t1 msgs sent\tH", "expected ` bytes` and a tab"),
    ("E\t1\t2\t1 bytes 1 msgs sent\tH", "expected ` bytes` and a tab"),
    ("E\t1\t2\t1 bytes\tmsgs sent\tH", "expected a number of messages"),
    ("E\t1\t2\t1 bytes\t1 msgs\tH", "expected ` msgs sent`"),
    ("E\t1\t2\t1 bytes\t0 msgs sent\tH", "expected a number of messages above 0"),
    ("E\t1\t2\t1 bytes\t1 msgs sent", "expected a tab and a histogram"),
    ("E\t1\t2\t1 bytes\t1 msgs sent\t", "expected a histogram of 66 numbers with commas between"),
    ("E\t1\t2\t1 bytes\t1 msgs sent\t0,0,1", "expected a histogram of 66 numbers with commas between"),
    ("E\t1\t2\t1 bytes\t1 msgs sent\tH,0", "expected a histogram of 66 numbers with commas between"),
    ("E\t1\t2\t1 bytes\t1 msgs sent\tH ", "expected the end of the line after 66 numbers"),
    ("E\t2\t1\t1 bytes\t1 msgs sent\tH", "expected the rank of the process whose text this is"),
    ("S\t1\t2\t1 bytes\t1 msgs sent", "expected lines S and R under the heading # OSC"),
    (
        "C\t1\t2\t1 bytes\t1 msgs sent",
        "expected lines C, D, O2A, A2O and A2A under the heading # COLLECTIVES",
    ),
    ("D\tx\tprocs: 1", "expected lines C, D, O2A, A2O and A2A under the heading # COLLECTIVES"),
    ("# POINT-TO-POINT", "expected one of the headings POINT TO POINT, OSC, COLLECTIVES"),
    ("# COLLECTIVES", "expected the heading # OSC before"),
];

#[test]
fn an_unknown_line_is_reported_by_number() {
    let good = prof(1);
    let first = good.lines().nth(1).unwrap();
    assert!(first.starts_with("E\t"));
    for (line, wanted) in LINES {
        let bad = line.replace('H', &histogram(3, 1));
        let dir = directory(&[("run.1.prof", good.replacen(first, &bad, 1).as_bytes())]);
        let job = read(dir.path());
        let found = problems(&job, dir.path());
        assert!(found[0].starts_with(&format!("run.1.prof:2: {wanted}")), "{line:?}: {found:?}");
        // The rest is read.
        assert!(job.matrix(Kind::External).is_empty());
        assert_eq!(job.matrix(Kind::Received).pairs(), 1, "{line:?}");
    }
}

const MEMBERS: &str = "procs: 0,1,2,3";
/// The answer to a range of ranks that ends before it begins, or between two steps.
const NO_RANGE: &str = "run.1.prof:10: expected a range from a rank to another in whole steps";

/// Replaced text of a good file, its replacement, and the resulting report.
const CHANGES: [(&str, &str, &str); 28] = [
    ("# OSC\n", "", "run.1.prof:5: expected lines S and R under the heading # OSC"),
    ("# OSC\n", "# POINT TO POINT\n", "run.1.prof:5: expected the heading # OSC; the file is cut short"),
    ("# POINT TO POINT\n", "", "run.1.prof:1: expected lines E and I under the heading # POINT TO POINT"),
    (
        "S\t1\t2\t12 bytes\t1 msgs sent\n",
        "S\t1\t2\t12 bytes\t1 msgs sent\t0,0\n",
        "run.1.prof:6: expected the end of the line after `msgs sent`",
    ),
    ("C\t1\t0\t", "C\t1\t3-2\t", "run.1.prof:9: expected a range of ascending ranks"),
    ("C\t1\t0\t", "C\t1\t0-\t", "run.1.prof:9: expected the last rank of a range"),
    ("S\t1\t2\t", "S\t1\t2-3\t", "run.1.prof:6: expected a tab after the rank"),
    ("C\t1\t0\t1001 bytes", "C\t1\t0\t1001 bytes ", "run.1.prof:9: expected ` bytes` and a tab"),
    (
        "D\tMPI_COMM_WORLD\tprocs: ",
        "D\tMPI_COMM_WORLD procs: ",
        "run.1.prof:10: expected the name of a communicator, and a tab",
    ),
    (MEMBERS, "ranks: 0,1,2,3", "run.1.prof:10: expected `procs: ` and ranks"),
    (MEMBERS, "procs: ", "run.1.prof:10: expected a rank in the list of members"),
    (MEMBERS, "procs: 0,1,,3", "run.1.prof:10: expected a rank in the list of members"),
    (MEMBERS, "procs: 0,1,2,", "run.1.prof:10: expected a rank in the list of members"),
    (MEMBERS, "procs: 0 1,2,3", "run.1.prof:10: expected a comma between the ranks"),
    (MEMBERS, "procs: 0-", "run.1.prof:10: expected the last rank of a range"),
    (MEMBERS, "procs: 0-3:", "run.1.prof:10: expected the step of a range of ranks"),
    (MEMBERS, "procs: 0-3:2", NO_RANGE),
    (MEMBERS, "procs: 0-3:0", NO_RANGE),
    (MEMBERS, "procs: 0-2147483648", "run.1.prof:10: expected a rank below 2^31"),
    (MEMBERS, "procs: 0-3 4", "run.1.prof:10: expected a comma between the ranks"),
    (MEMBERS, "procs: 0-2147483647,0-2147483647,0", "run.1.prof:10: expected fewer members than 2^32"),
    ("procs: 0,1,2,3\n", "procs: 0-3\tcomms: x\n", "run.1.prof:10: expected a number of communicators"),
    (MEMBERS, "procs: 0,-2", "run.1.prof:10: expected a rank in the list of members"),
    ("O2A\t1\t24 bytes\t2 msgs sent", "O2A\t1\t24 bytes\t2", "run.1.prof:11: expected ` msgs sent`"),
    ("O2A\t1\t24 bytes", "O2A\tx\t24 bytes", "run.1.prof:11: expected the rank of the process"),
    (
        "O2A\t1\t24 bytes",
        "O2A\t0\t24 bytes",
        "run.1.prof:11: expected the rank of the process whose text this is",
    ),
    (
        "D\tMPI_COMM_WORLD\tprocs: 0,1,2,3\n",
        "",
        "run.1.prof:10: expected a line D before, with the communicator",
    ),
    (
        "# COLLECTIVES\n",
        "# COLLECTIVES\n# COLLECTIVES\n",
        "run.1.prof:9: expected no second heading of this kind",
    ),
];

#[test]
fn so_is_a_mistake_further_down() {
    for (from, to, wanted) in CHANGES {
        assert!(prof(1).contains(from), "{from}");
        let found = problems_of(&[("run.1.prof", prof(1).replacen(from, to, 1).as_bytes())]);
        assert!(found[0].starts_with(wanted), "{from:?} -> {to:?}: {found:?}");
    }
}

#[test]
fn long_names_are_refused() {
    let named = |word: &str, length: usize| {
        let name = "x".repeat(length);
        let site = if word == "# SITE" { "0\t1\t16\t-\t" } else { "0\t1\t0 mismatches\t" };
        let text = match word {
            "D" => prof(0).replace("D\tMPI_COMM_SELF\t", &format!("D\t{name}\t")),
            _ => prof(0) + &format!("{word}\t{site}{name}\n"),
        };
        assert!(text.len() > length);
        problems_of(&[("run.0.prof", text.as_bytes())])
    };
    for word in ["D", "# SITE", "# REGION"] {
        assert_eq!(named(word, 4096), [""; 0], "{word}");
        let found = named(word, 4097);
        assert!(found[0].contains(": expected a name of at most 4096 bytes: "), "{word}: {found:?}");
    }
}

#[test]
fn lists_and_ranges_of_ranks_are_the_same() {
    // The size that a list of members stands for.
    let lists = [
        ("0,1,2,3", 4),
        ("0-3", 4),
        ("0-1,2,3", 4),
        ("0-2:2,1-3:2", 4),
        ("0-0", 1),
        ("-1,3", 2),
        ("0-99999", 100_000),
        ("1-99999:2\tcomms: 7", 50_000),
        ("0-2147483647", 1 << 31),
        ("3-0", 4),
        ("99998-0:2,-1", 50_001),
    ];
    for (list, size) in lists {
        let text = prof(1).replace("D\tMPI_COMM_SELF\tprocs: 1\n", &format!("D\tsplit\tprocs: {list}\n"));
        let dir = directory(&[("run.1.prof", text.as_bytes())]);
        let job = read(dir.path());
        assert_eq!(problems(&job, dir.path()), [""; 0], "{list}");
        let split: Vec<_> =
            job.comms.iter().filter(|comm| comm.name == "split").map(|comm| comm.size).collect();
        assert_eq!(split, [size], "{list}");
    }
}

/// Tables and pictures of a job with a range are those of a job with a line for each rank.
#[test]
fn ranges_are_like_lines_for_each_rank() {
    let with = |lines: &str| {
        let text = prof(1).replace("C\t1\t0\t1001 bytes\t5 msgs sent\n", lines);
        assert!(text.contains(lines));
        let texts = [(0, "n1", prof(0)), (1, "n1", text), (2, "n2", prof(2)), (3, "n2", prof(3))];
        let dir = directory(&[("run.prof", &container_of(&texts, &[]))]);
        (read(dir.path()), dir)
    };
    let line = |peers: &str| format!("C\t1\t{peers}\t70 bytes\t7 msgs sent\n");
    let (ranges, dir) = with(&line("0-3"));
    assert_eq!(problems(&ranges, dir.path()), [""; 0]);
    let (lines, _) = with(&["0", "1", "2", "3"].map(line).concat());
    let all = |job: &mpit_report::Job| {
        let mut all = serde_json::to_vec(&data::Report::of(job, "name")).unwrap();
        mpit_report::html::write(&mut all, job, "title").unwrap();
        mpit_report::picture::write_svg(&mut all, job, "title").unwrap();
        for table in export::ReportTable::ALL {
            export::write_csv(&mut all, job, table).unwrap();
        }
        String::from_utf8(all).unwrap()
    };
    assert_eq!(all(&ranges), all(&lines));
    // Ranks that are not in the world.
    let (damaged, dir) = with(&line("0-2147483646"));
    assert_eq!(problems(&damaged, dir.path()), [""; 0]);
    let note = "1 ranges of ranks are not those of the 4 processes of the world; they are left out";
    assert!(damaged.notes.iter().any(|found| found == note), "{:?}", damaged.notes);
}

#[test]
fn one_mistake_is_reported_once() {
    // The three lines that belong to a communicator are not reported as well.
    let text = prof(1).replacen("procs: 0,1,2,3", "procs: ?", 1);
    assert_eq!(problems_of(&[("run.1.prof", text.as_bytes())]).len(), 1);
}

#[test]
fn a_short_file_is_reported() {
    let whole = prof(1);
    for end in 0..whole.len() - 1 {
        let found = problems_of(&[("run.1.prof", &whole.as_bytes()[..end])]);
        let complete = whole[..end].ends_with('\n') && whole[..end].contains("# COLLECTIVES\n");
        assert_eq!(found.is_empty(), complete, "{end}");
    }
}

#[test]
fn a_file_of_another_kind_is_reported() {
    let found = problems_of(&[("run.prof", b"")]);
    let wanted =
        "run.prof:1: expected the heading # POINT TO POINT; is this the file of a monitoring component?";
    assert_eq!(found, [wanted]);
    // Not each of its lines.
    let dir = directory(&[("run.prof", "text\n".repeat(1000).as_bytes())]);
    let job = read(dir.path());
    assert_eq!((job.problems.len(), job.more_problems), (100, 901));
    let dir = directory(&[]);
    std::fs::create_dir(dir.path().join("run.0.prof")).unwrap();
    let found = problems(&read(dir.path()), dir.path());
    assert!(found[0].starts_with("run.0.prof: cannot read: "), "{found:?}");
}

/// Returns a file with the texts of ranks 0 and 2.
fn two_of_four() -> Vec<u8> {
    container(&[0, 2], &[(1, "gone".into()), (3, "gone".into())])
}

#[test]
fn an_unknown_container_is_reported() {
    let good = String::from_utf8(two_of_four()).unwrap();
    let lines = prof(0).lines().count();
    let second = lines + 3;
    for (from, to, line, wanted) in [
        ("JOB\t1", "JOB\t2", 1, "version 2 of the format; this program reads version 1".to_owned()),
        ("JOB\t1", "JOB\tone", 1, "expected the version of the format, a number".into()),
        ("4 ranks", "four", 1, "expected the number of processes, as in `4 ranks`".into()),
        ("# RANK\t2", "# RANK\tx", second, "expected a rank".into()),
        ("# RANK\t2", "# RANK\t4", second, "expected a rank below 4, not 4".into()),
        ("# RANK\t2", "# SOMETHING\t2", second, "expected a line # RANK, # MISSING or # END".into()),
        ("# MISSING\t1", "# MISSING\t-1", 2 * lines + 4, "expected a rank".into()),
        ("# END\n", "# END\nmore", 2 * lines + 7, "expected the end of the file after # END".into()),
    ] {
        let found = problems_of(&[("run.prof", good.replacen(from, to, 1).as_bytes())]);
        assert_eq!(found, [format!("run.prof:{line}: {wanted}")], "{from:?} -> {to:?}");
    }
    // A mistake inside of a text has its number in the file.
    let text = good.replacen("S\t2\t3\t", "S\t2\t?\t", 1);
    let found = problems_of(&[("run.prof", text.as_bytes())]);
    let wanted = format!("run.prof:{}: expected the rank of the receiver", second + 6);
    assert!(found[0].starts_with(&wanted), "{found:?}");
}

#[test]
fn a_short_container_is_reported() {
    let whole = two_of_four();
    for end in 11..whole.len() {
        assert!(!problems_of(&[("run.prof", &whole[..end])]).is_empty(), "{end}");
    }
}
