//! The text of `.prof` files, byte for byte.

use super::{Block, Label, Members, Profile};
use crate::messages::{BINS, PeerSnapshot, Row, bin};
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
    let mut text = Vec::new();
    profile.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
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
    blocks[0].sums[2] = TrafficSum { count: 3, bytes: 36 };

    let profile = profile_of(0, rows, blocks);
    assert_eq!(text(&profile), include_str!("golden.prof"));
}

#[test]
fn empty_records_are_written() {
    let profile = profile_of(7, Vec::new(), Vec::new());
    assert_eq!(text(&profile), "# POINT TO POINT\n# OSC\n# COLLECTIVES\n");
}

#[derive(Default)]
struct Pieces(Vec<usize>);

impl std::io::Write for Pieces {
    fn write(&mut self, piece: &[u8]) -> std::io::Result<usize> {
        self.0.push(piece.len());
        Ok(piece.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The members of a communicator of these ranks, as they are written.
fn members(members: Members, in_container: bool) -> String {
    let profile = profile_of(0, Vec::new(), vec![comm("some", members)]);
    let mut text = Vec::new();
    if in_container { profile.write_for_container(&mut text) } else { profile.write(&mut text) }.unwrap();
    let text = String::from_utf8(text).unwrap();
    text.split_once("\tprocs: ").unwrap().1.lines().next().unwrap().to_owned()
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

#[test]
#[cfg_attr(miri, ignore = "Miri takes too long to fill pieces of 64 KiB number by number")]
fn members_are_written_in_pieces() {
    // Without a pattern: nothing to say in short.
    let list: Vec<u32> = (0..300_000_u32).map(|rank| rank.wrapping_mul(2_654_435_761) % 1_000_000).collect();
    let comms = vec![comm("some", Members::List(list.into()))];
    let mut pieces = Pieces::default();
    profile_of(0, Vec::new(), comms).write(&mut pieces).unwrap();
    assert!(pieces.0.len() > 20 && pieces.0.iter().all(|bytes| *bytes < 70_000));
}

#[test]
fn equal_communicators_share_a_block() {
    let line = |name: &str, first, last| {
        let label = Label { name: name.into(), first, last };
        let block = Block { alike: 3, ..Block::new(label, Members::World(2)) };
        let text = text(&profile_of(0, Vec::new(), vec![block]));
        text.lines().find(|line| line.starts_with("D\t")).unwrap().to_owned()
    };
    assert_eq!(line("mine", 0, 0), "D\tmine\tprocs: 0,1\tcomms: 3");
    let split = "split of MPI_COMM_WORLD";
    assert_eq!(line(split, 4, 6), "D\tsplit of MPI_COMM_WORLD, 4 to 6\tprocs: 0,1\tcomms: 3");
    assert_eq!(line(split, 0, 3), "D\tsplit of MPI_COMM_WORLD\tprocs: 0,1\tcomms: 3");
    assert_eq!(line("", 0, 0), "D\t(no-name)\tprocs: 0,1\tcomms: 3");
}

#[test]
fn a_sink_that_fails_is_reported() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let profile = profile_of(0, Vec::new(), Vec::new());
    assert_eq!(profile.write(Full).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
