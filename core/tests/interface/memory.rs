//! Rule R315: handles and sessions come and go in the same memory.
//!
//! Alone in its process, because the measured memory is that of the whole process.

use crate::support::process::in_own_process;
use crate::support::{Bench, leak, pvar};
use mpit::Error;
use mpit::cell::{Counter, Level, PeerArray};
use mpit::object::Object;
use mpit::tool::Class;

/// Proves R315.
#[test]
fn handles_and_sessions_reuse_memory() {
    in_own_process(|| {
        let (counter, level) = (leak(Counter::<u64>::new()), leak(Level::<u64>::new()));
        let peers = leak(PeerArray::<u64>::new());
        let bench = Bench::of_pvars([
            pvar("a", Class::Counter, counter),
            pvar("b", Class::HighWatermark, level),
            pvar("c", Class::Counter, peers),
        ]);
        let world = Object::world(0, 100);
        let cycle = |round: u32| {
            let session = bench.session();
            let (handle, _) = bench.interface.handle_alloc(session, round % 3, Some(&world)).unwrap();
            bench.start(session, handle).unwrap();
            if round.is_multiple_of(2) {
                bench.interface.handle_free(session, handle).unwrap();
            }
            bench.interface.session_free(session).unwrap();
            assert_eq!(bench.start(session, handle), Err(Error::InvalidSession));
            handle
        };
        let first = cycle(0);
        (1..1000).for_each(|round| _ = cycle(round));
        let before = resident_pages();
        (0..1_000_000).for_each(|round| _ = cycle(round));
        let grown = resident_pages().saturating_sub(before);
        assert!(grown < 256, "{grown} pages more");
        let session = bench.session();
        assert_eq!(bench.read::<u64>(session, first), Err(Error::InvalidHandle));
        assert!(!counter.watched(), "all handles are gone");
    });
}

fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    statm.split(' ').nth(1).unwrap().parse().unwrap()
}
