//! The text of `.prof` files, byte for byte.

use super::{Block, Label, Members, Profile, SumRow};
use crate::calls::{CALLS, CallName};
use crate::messages::{BINS, PeerSnapshot, Row, bin};
use crate::parse::{self, Origin, Sink};
use crate::rows::Kind;
use crate::times::{CallRow, Clock, LateRow, Mode, SampledOperation, TimeRow};
use crate::values::{ValueKind, ValueRow};
use crate::{OUTSIDE, TrafficSum};

fn messages(sizes: &[u64]) -> PeerSnapshot {
    let mut bins = [0; BINS];
    for bytes in sizes {
        bins[bin(*bytes)] += 1;
    }
    let bins = bins.into_iter().enumerate().filter(|(_, count)| *count != 0);
    PeerSnapshot::new(bins, || sizes.iter().sum())
}

fn profile_of(me: u32, messages: Vec<Row>, comms: Vec<Block>) -> Profile {
    Profile { me, messages, comms, ..Profile::default() }
}

fn comm(name: &str, members: Members) -> Block {
    Block::new(Label { name: name.into(), ..Label::default() }, members)
}

fn text(profile: &Profile) -> String {
    String::from_utf8(profile.text(None)).unwrap()
}

#[test]
fn golden() {
    let row = |to, external: &[u64], internal: &[u64]| Row {
        to,
        external: messages(external),
        internal: messages(internal),
    };
    let rows = vec![
        // The token ring of four processes and 25 rounds, on rank 0.
        row(1, &[4; 27], &[]),
        row(2, &[1000], &[1 << 20]),
        // A process that only the library sent to.
        row(3, &[], &[0, 0]),
        row(OUTSIDE, &[8], &[]),
    ];

    let mut blocks = vec![
        comm("MPI_COMM_WORLD", Members::World(4)),
        comm("odd\tones\nof all", Members::List([3, 1, OUTSIDE].into())),
        comm("", Members::List([0].into())),
    ];
    blocks[0].all_to_all = TrafficSum { count: 3, bytes: 36 };
    // Equal communicators share a block.
    (blocks[1].alike, blocks[1].label.first, blocks[1].label.last) = (3, 4, 6);

    let mut profile = profile_of(0, rows, blocks);
    add_times(&mut profile);
    assert_eq!(text(&profile), include_str!("golden.prof"));
}

fn call(name: &str) -> &'static CallName {
    CALLS.iter().find(|call| call.name == name).unwrap()
}

fn value(value: &str, first: &str) -> ValueRow {
    ValueRow {
        name: "petlib_steps".into(),
        class: "COUNTER".into(),
        object: if first.is_empty() { "" } else { "MPI_COMM_WORLD" }.into(),
        kind: ValueKind::Number,
        elements: if first.is_empty() { 1 } else { 2 },
        value: value.into(),
        first: first.into(),
    }
}

fn add_times(profile: &mut Profile) {
    profile.time = Some(TimeRow {
        mode: Mode::Blocking,
        clock: Clock::Counter,
        elapsed: 1_000_000_000,
        domain: 77,
        error: 40,
    });
    let allreduce = CallRow {
        call: call("Allreduce"),
        comm: "odd\tones\nof all, 4 to 6".into(),
        region: 0,
        site: 0,
        count: 3,
        timed: 3,
        ns: 2500,
        min: 500,
        max: 1200,
        bytes: 24,
        durations: vec![(9, 1), (10, 1), (11, 1)],
    };
    let test = CallRow {
        call: call("Test"),
        comm: "".into(),
        count: 2,
        timed: 0,
        ns: 0,
        min: 0,
        max: 0,
        bytes: 0,
        durations: Vec::new(),
        ..allreduce
    };
    profile.calls = vec![allreduce, test];
    let operation =
        |number, entry| SampledOperation { number, call: call("Barrier"), entry, exit: entry + 7 };
    let operations = vec![operation(1, 5_000_000), operation(9, 6_000_000)];
    profile.values = vec![value("3", ""), value("7.5", "3,4.5")];
    profile.late = vec![LateRow { lineage: u64::MAX, comm: "MPI_COMM_WORLD".into(), operations }];
}

#[derive(Default)]
struct ReadTimes(Profile, Vec<String>);

impl Sink for ReadTimes {
    fn add_rank(&mut self, rank: u32) {
        self.0.me = rank;
    }
    fn add_time(&mut self, _rank: u32, row: TimeRow) {
        self.0.time = Some(row);
    }
    fn add_call(&mut self, _rank: u32, row: CallRow) {
        self.0.calls.push(row);
    }
    fn add_late(&mut self, _rank: u32, row: LateRow) {
        self.0.late.push(row);
    }
    fn add_value(&mut self, _rank: u32, row: ValueRow) {
        self.0.values.push(row);
    }
    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        self.1.push(format!("{line}: {}", what()));
    }
}

fn read(text: &str) -> ReadTimes {
    let mut read = ReadTimes::default();
    parse::text(&mut read, text.as_bytes(), Origin { line: 1, rank: Some(0) });
    read
}

#[test]
fn times_are_read_as_written() {
    let mut profile = profile_of(0, Vec::new(), Vec::new());
    add_times(&mut profile);
    let ReadTimes(read, problems) = read(&text(&profile));
    profile.calls[0].comm = "odd ones of all, 4 to 6".into();
    assert_eq!((read.time, read.calls, read.late), (profile.time, profile.calls, profile.late));
    assert_eq!(read.values, profile.values);
    assert!(problems.is_empty(), "{problems:?}");
}

#[test]
fn wrong_lines_about_time_are_reported() {
    let mut profile = profile_of(0, Vec::new(), Vec::new());
    add_times(&mut profile);
    let text = text(&profile);
    for (part, other) in [
        ("# TIME\t0", "# TIME\t1"),
        ("\tblocking\t", "\tnever\t"),
        ("\ttsc\t", "\tsun\t"),
        ("MPI_Allreduce", "MPI_Nothing"),
        ("3 calls", "3 call"),
        ("9:1,10:1", "10:1,9:1"),
        ("9:1", "48:1"),
        ("1 elements\t\t3", "1 elements\t\t"),
        (":Barrier:0:", ":Barrier:18446744073709551615:"),
    ] {
        let changed = text.replace(part, other);
        assert_ne!(changed, text, "{part}");
        assert_eq!(read(&changed).1.len(), 1, "{other}");
    }
}

#[test]
fn empty_records_are_written() {
    let profile = profile_of(7, Vec::new(), Vec::new());
    assert_eq!(text(&profile), "# POINT TO POINT\n# OSC\n# COLLECTIVES\n");
}

/// The members of a communicator of these ranks, as they are written.
fn members(members: Members, in_container: bool) -> String {
    let profile = profile_of(0, Vec::new(), vec![comm("some", members)]);
    let text = if in_container { profile.text_for_container(None) } else { profile.text(None) };
    let text = String::from_utf8(text).unwrap();
    text.split_once("\tprocs: ").unwrap().1.lines().next().unwrap().to_owned()
}

/// The rows of kind C of a text, as receivers, bytes and count.
#[derive(Default)]
struct ReadRows(Vec<(u32, u32, TrafficSum)>);

impl Sink for ReadRows {
    fn add_row(&mut self, row: parse::Row) {
        self.0.push((row.to, row.last, row.sum));
    }
    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        panic!("line {line}: {}", what());
    }
}

#[test]
fn alike_rows_are_ranges() {
    let sum = TrafficSum { count: 3, bytes: 40 };
    let other = TrafficSum { count: 1, bytes: 8 };
    let row = |to| {
        let sum = if (100..102).contains(&to) { other } else { sum };
        SumRow { kind: Kind::Collective, to, sum }
    };
    let rows = |ranks: u32| (0..ranks).filter(|to| *to != 7).map(row).collect();
    let lines = |profile: &Profile| {
        let text = text(profile);
        let mut read = ReadRows::default();
        parse::text(&mut read, text.as_bytes(), Origin { line: 1, rank: Some(7) });
        (text.lines().filter(|line| line.starts_with("C\t")).count(), read.0)
    };
    let profile = Profile { me: 7, ..profile_of(7, Vec::new(), Vec::new()) };
    for few in [2, 7, 8] {
        let (count, read) = lines(&Profile { sums: rows(few), ..profile.clone() });
        assert_eq!((count, &read[..]), (1, &[(0, few.min(7) - 1, sum)][..]));
    }
    // Miri takes too long for more.
    let many = if cfg!(miri) { 4200 } else { 100_000 };
    let (count, read) = lines(&Profile { sums: rows(many), ..profile });
    let wanted = [(0, 6, sum), (8, 99, sum), (100, 101, other), (102, many - 1, sum)];
    assert_eq!((count, &read[..]), (4, &wanted[..]));
}

#[test]
fn members_are_ranges_where_there_are_many() {
    // Miri takes too long for more.
    let (many, fewer) = if cfg!(miri) { (5000, 4200) } else { (100_000, 10_000) };
    let triples = || (0..fewer).map(|rank| 3 * rank + 5);
    let last = 3 * fewer + 2;
    assert_eq!(members(Members::World(many), false), format!("0-{}", many - 1));
    assert_eq!(members(Members::World(4), true), "0-3");
    assert_eq!(members(Members::World(4), false), "0,1,2,3");
    assert_eq!(members(Members::World(4096), false).len(), 4095 + 10 + 90 * 2 + 900 * 3 + 3096 * 4);
    assert_eq!(members(Members::List(triples().collect()), false), format!("5-{last}:3"));
    assert_eq!(members(Members::List((0..many).rev().collect()), false), format!("{}-0", many - 1));
    assert_eq!(members(Members::List(triples().rev().collect()), false), format!("{last}-5:3"));
    assert_eq!(members(Members::List([8, 6, 4, 5, 6, 1, 0].into()), true), "8-4:2,5,6,1,0");
    assert_eq!(members(Members::List([0, 5, 4, 3, OUTSIDE, 2, 1, 0, 0].into()), true), "0,5-3,-1,2-0,0");
    let some = [9, 3, 4, 5, OUTSIDE, OUTSIDE, 7, 7, 10, 13, 2, 1];
    assert_eq!(members(Members::List(some.into()), true), "9,3-5,-1,-1,7,7-13:3,2,1");
}
