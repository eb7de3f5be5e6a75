//! Rules R269 and R286: events raised by their own callbacks, until there are no more instances.
//!
//! Alone in its process, because the instances of a process are shared: other tests would find none.

use super::fixture::{Delivered, EventFixture, event, number_of};
use crate::support::process::in_own_process;
use mpit::event::Safety;

/// Proves R269, R286.
#[test]
fn recursion_beyond_the_limit_is_counted() {
    in_own_process(|| {
        let fixture = EventFixture::new();
        // Each callback raises the next event, so without an end to instances this would not come back.
        let tool = fixture.listen('a').on_with(Safety::None, |delivery, callback_data| {
            let number = number_of(delivery.instance).unwrap();
            if number < 1000 {
                callback_data.fixture.send(number + 1, Safety::None);
            }
            assert_eq!(number_of(delivery.instance), Ok(number));
        });
        let tool = tool.count_drops();
        fixture.send(1, Safety::None);
        tool.free().unwrap();
        let delivered = fixture.log.take_deliveries();
        let count =
            delivered.iter().filter(|(_, delivered)| matches!(delivered, Delivered::Event(..))).count();
        let lost: i64 = delivered
            .iter()
            .map(|(_, delivered)| if let Delivered::Drops(count) = delivered { *count } else { 0 })
            .sum();
        assert!((200..1000).contains(&count), "{count} at once");
        // The one that found no place, and was not there to raise more.
        assert_eq!(lost, 1);
        fixture.listen('b').on(Safety::None);
        fixture.send(2000, Safety::None);
        fixture.assert_delivered(&[('b', event(2000))]);
    });
}
