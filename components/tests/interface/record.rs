//! Records of messages against a simple model.

use std::collections::BTreeMap;

use mpit_components::record::{BINS, Messages, Row, bin};
use mpit_components::store::Store;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug)]
struct Message {
    to: u32,
    bytes: u64,
    internal: bool,
}

fn messages() -> impl Strategy<Value = Vec<Message>> {
    let to = prop_oneof![0..8_u32, any::<u32>()];
    let bytes = prop_oneof![
        Just(0),
        1..100_u64,
        (0..64_u32, -1..=1_i64).prop_map(|(k, off)| (1_u64 << k).wrapping_add_signed(off)),
    ];
    let message =
        (to, bytes, any::<bool>()).prop_map(|(to, bytes, internal)| Message { to, bytes, internal });
    prop::collection::vec(message, 0..200)
}

type Plain = [(u64, u64, Vec<u64>); 2];

fn plain(row: &Row) -> Plain {
    [&row.external, &row.internal].map(|figures| {
        let mut bins = [0; BINS];
        figures.add_sizes_to(&mut bins);
        (figures.count, figures.bytes, bins.to_vec())
    })
}

fn model(messages: &[Message]) -> BTreeMap<u32, Plain> {
    let mut rows = BTreeMap::new();
    for message in messages {
        let none = || [(0, 0, vec![0; BINS]), (0, 0, vec![0; BINS])];
        let row: &mut Plain = rows.entry(message.to).or_insert_with(none);
        let (count, bytes, bins) = &mut row[usize::from(message.internal)];
        *count += 1;
        *bytes = bytes.wrapping_add(message.bytes);
        bins[bin(message.bytes)] += 1;
    }
    rows
}

proptest! {
    #[test]
    fn rows_are_what_was_recorded(before in messages(), after in messages()) {
        let store = Store::new();
        let record = Messages::new(&store);
        let zero = record.snapshot();
        for message in &before {
            record.record(message.to, message.bytes, message.internal);
        }
        let middle = record.snapshot();
        for message in &after {
            record.record(message.to, message.bytes, message.internal);
        }
        let end = record.snapshot();

        let shown = |rows: Vec<Row>| rows.iter().map(|row| (row.to, plain(row))).collect::<Vec<_>>();
        let expected = |messages: &[Message]| model(messages).into_iter().collect::<Vec<_>>();
        prop_assert_eq!(shown(middle.since(&zero)), expected(&before));
        prop_assert_eq!(shown(end.since(&middle)), expected(&after));
        let all = [before, after].concat();
        prop_assert_eq!(shown(end.since(&zero)), expected(&all));
        prop_assert!(end.since(&end).is_empty());

        // Single rows have the same.
        for (to, [external, _]) in expected(&all) {
            let stats = record.external(to).unwrap();
            let bins: Vec<_> = stats.sizes().collect();
            let filled: Vec<_> = external.2.into_iter().enumerate().filter(|(_, count)| *count != 0).collect();
            prop_assert_eq!((stats.count(), stats.bytes(), bins), (external.0, external.1, filled));
        }
        let model = model(&all);
        prop_assert!(record.external(4_000_000_000).is_none() || model.contains_key(&4_000_000_000));
    }
}
