//! Reading of files of one process and of many.

use crate::support::{container, directory, problems, prof, profs, read};
use mpit_report::{Cell, Kind, Missing, Traffic, input};

fn cell(from: u32, to: u32, count: u64, bytes: u64) -> Cell {
    Cell { from, to, count, bytes }
}

#[test]
fn every_kind_of_line_is_read() {
    let dir = profs(&[1]);
    let job = read(dir.path());
    assert_eq!(problems(&job, dir.path()), [""; 0]);
    assert_eq!((job.size, job.present), (4, 1));
    assert_eq!(job.matrix(Kind::External).single_cells(), [cell(1, 2, 27, 108)]);
    assert_eq!(job.matrix(Kind::Internal).single_cells(), [cell(1, 0, 1, 7), cell(1, 2, 3, 0)]);
    assert_eq!(job.matrix(Kind::Sent).single_cells(), [cell(1, 2, 1, 12)]);
    // What was fetched came from the other side.
    assert_eq!(job.matrix(Kind::Received).single_cells(), [cell(2, 1, 2, 4096)]);
    assert_eq!(job.matrix(Kind::Collective).single_cells(), [cell(1, 0, 5, 1001)]);
    assert_eq!(job.sizes.iter().sum::<u128>(), 31);
    assert_eq!(job.sizes[3], 31);
    let comms: Vec<_> = job.comms.iter().map(|comm| (comm.name.as_str(), comm.size)).collect();
    assert_eq!(comms, [("MPI_COMM_WORLD", 4), ("MPI_COMM_SELF", 1)]);
    assert_eq!(job.comms[0].collectives[0], Traffic { count: 2, bytes: 24 });
    assert_eq!(job.comms[0].collectives[2], Traffic { count: 8, bytes: 96 });
}

#[test]
fn all_forms_of_a_job_read_alike() {
    let single = profs(&[0, 1, 2, 3]);
    let all: String = (0..4).map(prof).collect();
    let concatenated = directory(&[("run.prof", all.as_bytes())]);
    let whole = directory(&[("run.prof", &container(&[0, 1, 2, 3], &[]))]);
    let gaps = container(&[0, 2, 3], &[(1, "it was killed".into())]);
    let beside = directory(&[("run.prof", &gaps), ("run.1.prof", prof(1).as_bytes())]);
    let wanted = read(single.path());
    assert_eq!((wanted.size, wanted.present, wanted.missing.len()), (4, 4, 0));
    for dir in [&concatenated, &whole, &beside] {
        let job = read(dir.path());
        assert_eq!(problems(&job, dir.path()), [""; 0]);
        assert_eq!((job.size, job.present, &job.missing), (4, 4, &wanted.missing));
        assert_eq!((&job.sizes, &job.comms), (&wanted.sizes, &wanted.comms));
        for kind in Kind::ALL {
            assert_eq!(job.matrix(kind), wanted.matrix(kind), "{kind}");
        }
    }
}

#[test]
fn missing_processes_have_a_reason() {
    let dir = directory(&[("run.prof", &container(&[0, 3], &[(2, "no answer\tin time".into())]))]);
    let missing = read(dir.path()).missing;
    let one =
        |rank, reason: Option<&str>| Missing { first: rank, last: rank, reason: reason.map(Into::into) };
    assert_eq!(missing, [one(1, None), one(2, Some("no answer in time"))]);
    assert_eq!(missing[1].to_string(), "rank 2 (no answer in time)");
    // The communicator of all shows how many there should be.
    let dir = profs(&[1]);
    let missing: Vec<_> = read(dir.path()).missing.iter().map(ToString::to_string).collect();
    assert_eq!(missing, ["rank 0 (no file)", "ranks 2 to 3 (no file)"]);
}

#[test]
fn nothing_is_counted_twice() {
    let all: String = (0..4).map(prof).collect();
    let dir = directory(&[("run.prof", all.as_bytes()), ("run.2.prof", prof(2).as_bytes())]);
    let job = read(dir.path());
    assert_eq!((job.present, job.notes.len()), (1, 1));
    assert!(job.notes[0].contains("run.prof is left out"), "{:?}", job.notes);
    let whole = container(&[0, 1, 2, 3], &[]);
    let dir = directory(&[("run.prof", &whole), ("run.2.prof", prof(2).as_bytes())]);
    let job = read(dir.path());
    assert_eq!(job.summary.total(&[Kind::External]).count, 4 * 27);
    assert!(job.notes[0].contains("run.2.prof is left out"), "{:?}", job.notes);
}

/// A file that `aggregate_profile` leaves when it is run twice.
#[test]
fn repeated_texts_are_reported() {
    let all: String = [0, 1, 2, 3, 1, 2].map(prof).concat();
    let dir = directory(&[("run.prof", all.as_bytes())]);
    let job = read(dir.path());
    assert_eq!(job.notes, ["2 texts are of processes that have one already; they are added up"]);
    assert_eq!((job.present, job.summary.total(&[Kind::External]).count), (4, 6 * 27));
}

/// The writer of the monitoring component and this reader agree.
#[test]
fn what_the_component_writes_is_understood() {
    use mpit_format::TrafficSum;
    use mpit_format::messages::{PeerSnapshot, Row, bin};
    use mpit_format::profile::{Block, Label, Members, Profile, SumRow};

    let one = |bytes| PeerSnapshot::new([(bin(bytes), 1)].into_iter(), || bytes);
    let none = PeerSnapshot::default;
    let written = |count, bytes| TrafficSum { count, bytes };
    let row = |kind, to, sum| SumRow { kind, to, sum };
    let label = Label { name: "a \t name\n".into(), ..Label::default() };
    let profile = Profile {
        me: 2,
        messages: vec![
            Row { to: 0, external: none(), internal: one(17) },
            Row { to: 3, external: one(1 << 40), internal: one(0) },
        ],
        sums: vec![
            row(Kind::Sent, 1, written(7, 8)),
            row(Kind::Received, 1, written(9, 10)),
            row(Kind::Collective, 3, written(11, 12)),
        ],
        comms: vec![Block {
            one_to_all: written(1, 2),
            all_to_one: written(3, 4),
            all_to_all: written(5, 6),
            ..Block::new(label, Members::World(4))
        }],
        ..Profile::default()
    };
    let dir = directory(&[("x.2.prof", &profile.text(None))]);
    let job = read(dir.path());
    assert_eq!(problems(&job, dir.path()), [""; 0]);
    assert_eq!(job.matrix(Kind::External).single_cells(), [cell(2, 3, 1, 1 << 40)]);
    assert_eq!(job.matrix(Kind::Internal).single_cells(), [cell(2, 0, 1, 17), cell(2, 3, 1, 0)]);
    assert_eq!(job.matrix(Kind::Sent).single_cells(), [cell(2, 1, 7, 8)]);
    assert_eq!(job.matrix(Kind::Received).single_cells(), [cell(1, 2, 9, 10)]);
    assert_eq!(job.matrix(Kind::Collective).single_cells(), [cell(2, 3, 11, 12)]);
    assert_eq!((job.sizes[0], job.sizes[5], job.sizes[41]), (1, 1, 1));
    assert_eq!((job.comms[0].name.as_str(), job.comms[0].size), ("a   name ", 4));
    assert_eq!(job.comms[0].collectives[1], Traffic { count: 3, bytes: 4 });
}

#[test]
fn progress_adds_up_to_all_bytes() {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    let dir = profs(&[0, 1]);
    let run = &input::find(&[dir.path().to_owned()], false).unwrap()[0];
    let done = AtomicU64::new(0);
    run.read(&|bytes| _ = done.fetch_add(bytes, Relaxed));
    assert_eq!((done.into_inner(), run.bytes()), (run.bytes(), 2 * prof(0).len() as u64));
}
