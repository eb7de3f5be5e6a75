//! Memory for messages: proportional to the receivers, independent of the size of the world.

use mpit_components::record::Messages;
use mpit_components::store::Store;

use super::in_own_process;

/// Returns the bytes of memory in use that are not of files: pages of code are of one, and come in groups that differ.
pub(super) fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let of = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse::<usize>().unwrap()
    };
    (of("RssAnon:") + of("RssShmem:")) * 1024
}

fn record(peers: u32, world: u32) -> Messages<'static> {
    let messages = Messages::new(Box::leak(Box::new(Store::new())));
    for peer in 0..peers {
        for bytes in [0, 8, 1000] {
            messages.record(peer * (world / peers), bytes, false);
        }
    }
    messages
}

#[test]
fn memory_grows_with_peers_only() {
    in_own_process(|| {
        const RECORDS: usize = 1000;
        let mut kept = Vec::with_capacity(2 * RECORDS);
        for world in [26, 1_000_000] {
            let before = resident();
            kept.extend((0..RECORDS).map(|_| record(26, world)));
            let each = (resident() - before) / RECORDS;
            println!("26 peers of {world}: {each} bytes");
            assert!(each < 16 * 1024, "26 peers of {world} took {each} bytes");
        }
        let before = resident();
        let all = record(100_000, 100_000);
        let each = (resident() - before) / 100_000;
        println!("100000 peers of 100000: {each} bytes each");
        assert!(each < 350, "each peer took {each} bytes; a dense table takes 608");
        drop((kept, all));
    });
}
