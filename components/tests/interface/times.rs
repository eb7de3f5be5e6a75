//! The rows about time, from a store and from the text made of it.

use mpit_components::store::read;
use mpit_components::times::{SampleRule, call_words, late_words};
use mpit_format::calls::CALLS;
use mpit_format::parse::{self, Origin, Sink};
use mpit_format::store::times::{NO_COMM, call_key, time};
use mpit_format::times::{CallRow, LateRow, Mode, Moment, RegionRow, RegionTimeRow, SiteRow, TimeRow};
use proptest::prelude::*;

use crate::store::header;

/// The bytes of a store with these blocks: kind and words.
fn store(blocks: &[(u64, Vec<u64>)]) -> Vec<u8> {
    let mut words = header(3, 8).to_vec();
    for (kind, block) in blocks {
        words.push(kind | (block.len() as u64) << 32);
        words.extend(block);
    }
    words.into_iter().flat_map(u64::to_ne_bytes).collect()
}

/// The block of a process whose clock has a rate of 2 ticks per nanosecond, and which ran for 500 ns.
fn process() -> (u64, Vec<u64>) {
    let mut words = vec![0; 1 + time::CELLS];
    for (at, value) in [
        (time::MODE, Mode::Blocking as u64),
        (time::DOMAIN, 9),
        (time::RATE, 2_000_000_000),
        (time::FIRST_TICKS, 1000),
        (time::FIRST_NS, 5000),
        (time::START, 2000),
        (time::END, 3000),
    ] {
        words[1 + at] = value;
    }
    (12, words)
}

fn label(number: u64, is_numbered: bool, name: [u8; 8]) -> (u64, Vec<u64>) {
    (15, vec![number, is_numbered.into(), 8, u64::from_ne_bytes(name)])
}

fn call(key: u64, words: &[u64; call_words::CELLS]) -> (u64, Vec<u64>) {
    (13, [&[key], &words[..], &[0]].concat())
}

#[derive(Default)]
struct Reader {
    time: Option<TimeRow>,
    calls: Vec<CallRow>,
    late: Vec<LateRow>,
    sites: Vec<SiteRow>,
    regions: Vec<RegionRow>,
    region_times: Vec<RegionTimeRow>,
}

impl Sink for Reader {
    fn add_time(&mut self, _rank: u32, row: TimeRow) {
        self.time = Some(row);
    }
    fn add_call(&mut self, _rank: u32, row: CallRow) {
        self.calls.push(row);
    }
    fn add_late(&mut self, _rank: u32, row: LateRow) {
        self.late.push(row);
    }
    fn add_site(&mut self, _rank: u32, row: SiteRow) {
        self.sites.push(row);
    }
    fn add_region(&mut self, _rank: u32, row: RegionRow) {
        self.regions.push(row);
    }
    fn add_region_time(&mut self, _rank: u32, row: RegionTimeRow) {
        self.region_times.push(row);
    }
    fn add_problem(&mut self, line: u64, what: impl FnOnce() -> String) {
        panic!("line {line}: {}", what());
    }
}

/// Returns the rows of a store, which are also those of its text.
fn rows(blocks: &[(u64, Vec<u64>)]) -> Reader {
    let recovered = read(&store(blocks), None).unwrap();
    let mut from_text = Reader::default();
    parse::text(&mut from_text, &recovered.text(), Origin { line: 1, rank: Some(3) });
    let profile = recovered.profile;
    assert_eq!(from_text.time, profile.time);
    assert_eq!(from_text.calls, profile.calls);
    assert_eq!(from_text.late, profile.late);
    assert_eq!((&from_text.sites, &from_text.regions), (&profile.sites, &profile.regions));
    assert_eq!(from_text.region_times, profile.region_times);
    from_text
}

fn words_of_call() -> impl Strategy<Value = [u64; call_words::CELLS]> {
    let small = || prop_oneof![Just(0), 0..100_u64, 0..1_u64 << 40];
    prop::array::uniform32(small()).prop_map(|some| std::array::from_fn(|at| some[at % some.len()]))
}

proptest! {
    #[test]
    fn rows_of_calls_survive(
        calls in prop::collection::vec((0..CALLS.len() as u32, 0..4_u32, words_of_call()), 0..30),
    ) {
        let mut blocks = vec![process(), label(1, true, *b"split of"), label(2, false, *b"my world")];
        // Two slots have the same label, and one is not used.
        blocks.extend([(14, vec![0, 1, 4, 6]), (14, vec![1, 2, 0, 0]), (14, vec![2, 2, 0, 0]), (14, vec![3, 0, 0, 0])]);
        for (index, slot, words) in &calls {
            let slot = if *slot == 0 { NO_COMM } else { slot - 1 };
            blocks.push(call(call_key(*index, 0, slot), words));
        }
        let rows = rows(&blocks);
        for row in &rows.calls {
            assert!(["", "split of, 4 to 6", "my world"].contains(&&*row.comm), "{row:?}");
        }
        let of_row = |row: &CallRow| (row.call.name, row.comm.to_string());
        let mut names: Vec<_> = rows.calls.iter().map(of_row).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), rows.calls.len());
    }
}

#[test]
fn threads_and_samples_add_up() {
    let mut one = [0; call_words::CELLS];
    let index = CALLS.iter().position(|call| call.name == "Isend").unwrap() as u32;
    // 100 calls: 64 first ones of 10 ns, and 4 samples of 20 ns for the other 36.
    for (at, value) in [
        (call_words::TICKS, 64 * 20),
        (call_words::MIN, 20),
        (call_words::MAX, 40),
        (call_words::BYTES, 800),
        (call_words::CALLS, 100),
        (call_words::SAMPLES, 4),
        (call_words::SAMPLED_TICKS, 160),
        (call_words::DURATIONS_AT + 4, 64),
        (call_words::DURATIONS_AT + 5, 4),
    ] {
        one[at] = value;
    }
    let key = call_key(index, 0, NO_COMM);
    let rows = rows(&[process(), call(key, &one), call(key, &one)]);
    let [row] = &rows.calls[..] else { panic!("{:?}", rows.calls) };
    assert_eq!((row.count, row.timed, row.bytes), (200, 136, 1600));
    assert_eq!((row.ns, row.min, row.max), (2 * (64 * 10 + 36 * 20), 10, 20));
    assert_eq!(row.durations, [(4, 128), (5, 8)]);
    let time = rows.time.unwrap();
    assert_eq!((time.elapsed, time.domain, time.mode), (500, 9, Mode::Blocking));
}

#[test]
fn calls_are_split_by_site_and_region() {
    let mut one = [0; call_words::CELLS];
    (one[call_words::TICKS], one[call_words::DURATIONS_AT + 4]) = (20, 1);
    let of = |region: u16, site: u64| {
        let (kind, mut words) = call(call_key(0, region, NO_COMM), &one);
        *words.last_mut().unwrap() = site;
        (kind, words)
    };
    let word = |text: &[u8; 8]| u64::from_ne_bytes(*text);
    let site = |number: u64, id_len: u64, module: &[u8; 8]| {
        let id = if id_len == 0 { vec![] } else { vec![word(b"12ab34cd")] };
        (17, [vec![number, 0x1234, id_len], id, vec![8, word(module)]].concat())
    };
    let region = (18, vec![2, 3, 8, word(b"my solve")]);
    let rows = rows(&[
        process(),
        site(1, 8, b"/bin/app"),
        site(2, 0, b"a\tb\nc/de"),
        region,
        of(0, 1),
        of(2, 1),
        of(2, 2),
        of(2, 1),
    ]);
    let counts: Vec<_> = rows.calls.iter().map(|row| (row.region, row.site, row.count)).collect();
    assert_eq!(counts, [(0, 1, 1), (2, 1, 2), (2, 2, 1)]);
    let [first, second] = &rows.sites[..] else { panic!("{:?}", rows.sites) };
    assert_eq!(
        (first.number, first.offset, &*first.build_id, &*first.module),
        (1, 0x1234, "12ab34cd", "/bin/app")
    );
    assert_eq!((&*second.build_id, &*second.module), ("", "a b c/de"));
    let [region] = &rows.regions[..] else { panic!("{:?}", rows.regions) };
    assert_eq!((region.number, region.mismatches, &*region.name), (2, 3, "my solve"));
}

/// A region that did not end lasts to the end, and begins with the measured time at the earliest.
#[test]
fn times_of_regions_add_up() {
    let time =
        |number: u64, visits: u64, ticks: u64, entered: u64| (19, vec![number, visits, ticks, entered]);
    let rows = |end: u64| {
        let (kind, mut words) = process();
        words[1 + time::END] = end;
        let regions = [time(2, 3, 100, 0), time(1, 1, 0, 1500), time(2, 1, 40, 2600), time(65535, 1, 10, 0)];
        rows(&[&[(kind, words)][..], &regions].concat())
    };
    let row = |number: u32, visits: u64, ns: u64| RegionTimeRow { number, visits, ns };
    let finished = rows(3000);
    assert_eq!(finished.region_times, [row(1, 1, 500), row(2, 4, 270), row(65535, 1, 5)]);
    // The process was killed: the last known moment is the begin of a region.
    let killed = rows(0);
    assert_eq!(killed.region_times, [row(1, 1, 300), row(2, 4, 70), row(65535, 1, 5)]);
    assert_eq!(killed.time.unwrap().elapsed, 300);
}

#[test]
fn sampled_operations_have_aligned_times() {
    let barrier = CALLS.iter().position(|call| call.name == "Barrier").unwrap() as u64;
    let mut words = vec![77; 1 + late_words::CELLS];
    words[1..].fill(0);
    words[1 + late_words::LABEL] = 2;
    for number in [300, 7_u64] {
        let at = 1 + late_words::OPERATIONS + late_words::SLOT_CELLS * SampleRule::of(number).slot;
        words[at] = number | barrier << late_words::CALL_SHIFT;
        (words[at + 1], words[at + 2]) = (1000 + 2 * number, 1000 + 2 * number + 10);
    }
    let rows = rows(&[process(), label(2, false, *b"my world"), (16, words)]);
    let [row] = &rows.late[..] else { panic!("{:?}", rows.late) };
    assert_eq!((row.lineage, &*row.comm), (77, "my world"));
    let operations: Vec<_> = row.operations.iter().map(|one| (one.number, one.entry, one.exit)).collect();
    assert_eq!(operations, [(7, 5007, 5012), (300, 5300, 5305)]);
}

/// A process that was killed has no end: its last call shows how long it was there.
#[test]
fn killed_processes_have_a_last_moment() {
    let (kind, mut words) = process();
    words[1 + time::END] = 0;
    let mut one = [0; call_words::CELLS];
    (one[call_words::LEFT], one[call_words::ENTERED], one[call_words::DURATIONS_AT]) = (3400, 4000, 1);
    let blocks = [(kind, words), call(call_key(0, 0, NO_COMM), &one)];
    assert_eq!(rows(&blocks).time.unwrap().elapsed, 1000);
    // The clock of the first block was 5000 ns at 1000 ticks.
    for (domain, elapsed, calls, ns) in [(9, 9500, 2, 8500), (8, 1000, 1, 0)] {
        let end = Moment { domain, ns: 5000 + 500 + 9500 };
        let profile = read(&store(&blocks), Some(end)).unwrap().profile;
        assert_eq!(profile.time.unwrap().elapsed, elapsed);
        assert_eq!((profile.calls[0].count, profile.calls[0].ns), (calls, ns));
    }
    // Outside of MPI, it may have ended at any time.
    one[call_words::LEFT] = 4200;
    let blocks = [blocks[0].clone(), call(call_key(0, 0, NO_COMM), &one)];
    let end = Moment { domain: 9, ns: 5000 + 500 + 9500 };
    let profile = read(&store(&blocks), Some(end)).unwrap().profile;
    assert_eq!((profile.time.unwrap().elapsed, profile.calls[0].count), (1100, 1));
}

/// No call behind the first 64 is a sample until the 90th.
#[test]
fn calls_without_samples_have_an_estimate() {
    let index = CALLS.iter().position(|call| call.name == "Isend").unwrap() as u32;
    let mut one = [0; call_words::CELLS];
    for (at, value) in [
        (call_words::TICKS, 64 * 20),
        (call_words::MIN, 20),
        (call_words::MAX, 20),
        (call_words::CALLS, 80),
        (call_words::DURATIONS_AT + 4, 64),
    ] {
        one[at] = value;
    }
    let rows = rows(&[process(), call(call_key(index, 0, NO_COMM), &one)]);
    assert_eq!((rows.calls[0].count, rows.calls[0].timed, rows.calls[0].ns), (80, 64, 80 * 10));
}
