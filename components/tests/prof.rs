//! The text of `.prof` files, byte for byte.

use mpit::object::OUTSIDE;
use mpit_components::comms::{self, Ranks};
use mpit_components::prof::{Block, Profile, Sum};
use mpit_components::record::{Messages, Row, Snapshot};
use mpit_components::store::Store;

fn rows(record: &Messages<'_>) -> Vec<Row> {
    record.snapshot().since(&Snapshot::default())
}

fn profile(me: u32, messages: Vec<Row>, comms: Vec<Block>) -> Profile {
    Profile { me, messages, comms, ..Profile::default() }
}

fn text(profile: &Profile) -> String {
    let mut text = Vec::new();
    profile.write(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn golden() {
    let store = Store::new();
    let record = Messages::new(&store);
    // The token ring of four processes and 25 rounds, on rank 0.
    (0..27).for_each(|_| record.record(1, 4, false));
    // One that only the library talked to, one that both did.
    (0..2).for_each(|_| record.record(3, 0, true));
    record.record(2, 1000, false);
    record.record(2, 1 << 20, true);
    record.record(OUTSIDE, 8, false);

    let world = comms::created(comms::Description::new(Ranks::World(4), "MPI_COMM_WORLD"));
    let odd =
        comms::created(comms::Description::new(Ranks::List([3, 1, OUTSIDE].into()), "odd\tones\nof all"));
    let nameless = comms::created(comms::Description::new(Ranks::List([0].into()), ""));
    let mut blocks: Vec<Block> = [world, odd, nameless].map(|id| Block::from(comms::get(id).unwrap())).into();
    blocks[0].all_to_all = Sum { count: 3, bytes: 36 };

    let said = profile(0, rows(&record), blocks);
    assert_eq!(text(&said), include_str!("golden.prof"));
}

#[test]
fn nothing_happened() {
    let said = profile(7, Vec::new(), Vec::new());
    assert_eq!(text(&said), "# POINT TO POINT\n# OSC\n# COLLECTIVES\n");
}

/// Counts the pieces that it is handed.
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

#[test]
fn a_million_ranks_are_written_in_pieces() {
    let id = comms::created(comms::Description::new(Ranks::World(1_000_000), "everybody"));
    let comms = vec![Block::from(comms::get(id).unwrap())];
    let mut pieces = Pieces::default();
    profile(0, Vec::new(), comms).write(&mut pieces).unwrap();
    assert!(pieces.0.len() > 50 && pieces.0.iter().all(|bytes| *bytes < 70_000));
    let digits = |from: usize, to: usize, each| (to - from) * each;
    let ranks = digits(0, 10, 1)
        + digits(10, 100, 2)
        + digits(100, 1000, 3)
        + digits(1000, 10_000, 4)
        + digits(10_000, 100_000, 5)
        + digits(100_000, 1_000_000, 6);
    let blocks = "D\teverybody\tprocs: \n".len() + 3 * "O2A\t0\t0 bytes\t0 msgs sent\n".len();
    let headings = "# POINT TO POINT\n# OSC\n# COLLECTIVES\n".len();
    assert_eq!(pieces.0.iter().sum::<usize>(), ranks + 999_999 + blocks + headings);
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
    let said = profile(0, Vec::new(), Vec::new());
    assert_eq!(said.write(Full).unwrap_err().kind(), std::io::ErrorKind::StorageFull);
}
