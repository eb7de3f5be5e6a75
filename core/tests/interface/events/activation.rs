//! Events of a plug-in that is deactivated and activated again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::event::{Hints, Safety};
use mpit::internal::plugin::EpochCounter;

use super::fixture::{ABI, Delivered, EventFixture, then_free};
use crate::support::leak;

fn fixture() -> (EventFixture, &'static EpochCounter) {
    let epoch_counter = leak(EpochCounter::new());
    (EventFixture::with_epoch_counter(epoch_counter), epoch_counter)
}

fn end(fixture: &EventFixture, epoch_counter: &EpochCounter) {
    assert!(epoch_counter.end());
    fixture.interface().release(epoch_counter);
}

#[test]
fn a_registration_is_for_one_epoch() {
    let (fixture, epoch_counter) = fixture();
    let index = fixture.bench.registry().event_index("sent").unwrap();
    let alloc = || fixture.interface().event_handle_alloc(index, None, Hints::default(), &ABI);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    epoch_counter.begin();
    let old = fixture.listen('o').on(Safety::None).count_drops();
    fixture.send(1, Safety::None);
    end(&fixture, epoch_counter);
    fixture.send(2, Safety::None);
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(old.register(Safety::None, None), Err(Error::InvalidHandle));
    assert_eq!(old.handle_drops(None), Err(Error::InvalidHandle));
    assert_eq!(fixture.interface().event_handle_hints(old.id).err(), Some(Error::InvalidHandle));
    epoch_counter.begin();
    let new = fixture.listen('n').on(Safety::None);
    fixture.send(3, Safety::None);
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    fixture.assert_delivered(&[('o', event(1)), ('n', event(3))]);
    old.free().unwrap();
    fixture.assert_delivered(&[('o', Delivered::End)]);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    fixture.send(4, Safety::None);
    fixture.assert_delivered(&[('n', event(4))]);
    let again = fixture.listen('a').on(Safety::None);
    assert_ne!(again.id, old.id);
    new.free().unwrap();
    again.free().unwrap();
    fixture.assert_delivered(&[('n', Delivered::End), ('a', Delivered::End)]);
}

#[test]
fn an_epoch_ends_with_its_deliveries() {
    let (fixture, epoch_counter) = fixture();
    epoch_counter.begin();
    let waits = fixture.listen_with('w', Hints { defer: Some(true) }).on(Safety::None);
    let loses = fixture.listen('l').on(Safety::None).count_drops();
    fixture.send(1, Safety::ThreadSafe);
    fixture.send(2, Safety::ThreadSafe);
    fixture.assert_delivered(&[]);
    end(&fixture, epoch_counter);
    let mut delivered = fixture.log.take_deliveries();
    delivered.sort_by_key(|(label, _)| *label);
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    assert_eq!(delivered, [('l', Delivered::Drops(2)), ('w', event(1)), ('w', event(2))]);
    waits.free().unwrap();
    loses.free().unwrap();
    fixture.assert_delivered(&[('w', Delivered::End), ('l', Delivered::End)]);
}

#[test]
fn a_callback_may_end_its_epoch() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    static EPOCHS: EpochCounter = EpochCounter::new();
    let fixture = EventFixture::with_epoch_counter(&EPOCHS);
    EPOCHS.begin();
    let tool = fixture.listen('t').on_with(Safety::None, |delivery, callback_data| {
        ENDED.store(EPOCHS.end(), SeqCst);
        callback_data.fixture.interface().release(&EPOCHS);
        then_free(delivery, callback_data);
        callback_data.fixture.log.mark('c');
    });
    let other = fixture.listen('o').on(Safety::None);
    fixture.send(1, Safety::None);
    assert!(ENDED.load(SeqCst));
    // Later registrations receive nothing more of this raise; the free callback comes after the callback.
    let event = Delivered::Event(1, Safety::None, Safety::None);
    fixture.assert_delivered(&[('t', event), ('c', Delivered::End), ('t', Delivered::End)]);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    other.free().unwrap();
}

#[test]
fn the_interface_frees_abandoned_ones() {
    let (fixture, epoch_counter) = fixture();
    epoch_counter.begin();
    let old = fixture.listen('o').on(Safety::None);
    end(&fixture, epoch_counter);
    fixture.interface().finalize().unwrap();
    fixture.interface().init(mpit::internal::vocabulary::ThreadLevel::Multiple);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    epoch_counter.begin();
    let _new = fixture.listen('n').on(Safety::None);
    fixture.send(1, Safety::None);
    fixture.assert_delivered(&[('n', Delivered::Event(1, Safety::None, Safety::None))]);
}

#[test]
fn epochs_change_while_threads_raise() {
    let (fixture, epoch_counter) = fixture();
    let (on_interface, raised) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !on_interface.load(SeqCst) {
                fixture.send(raised.fetch_add(1, SeqCst), Safety::None);
            }
        });
        scope.spawn(|| {
            let index = fixture.bench.registry().event_index("sent").unwrap();
            let mut ids = Vec::new();
            while !on_interface.load(SeqCst) {
                match fixture.interface().event_handle_alloc(index, None, Hints::default(), &ABI) {
                    Ok(id) => ids.push(id),
                    Err(error) => assert_eq!(error, Error::InvalidIndex),
                }
                if ids.len() > 4 {
                    for id in ids.drain(..) {
                        let null = std::ptr::null_mut();
                        // SAFETY: null is permitted, and means that no free callback runs.
                        assert_eq!(unsafe { fixture.interface().event_handle_free(id, null, null) }, Ok(()));
                    }
                }
            }
            for id in ids {
                let null = std::ptr::null_mut();
                // SAFETY: null is permitted, and means that no free callback runs.
                assert_eq!(unsafe { fixture.interface().event_handle_free(id, null, null) }, Ok(()));
            }
        });
        for _ in 0..20_000 {
            epoch_counter.begin();
            let tool = fixture.listen('t').on(Safety::None);
            end(&fixture, epoch_counter);
            assert_eq!(tool.register(Safety::None, None), Err(Error::InvalidHandle));
            tool.free().unwrap();
        }
        on_interface.store(true, SeqCst);
    });
    epoch_counter.begin();
    fixture.log.take_deliveries();
    fixture.send(u64::MAX, Safety::None);
    fixture.assert_delivered(&[]);
    let index = fixture.bench.registry().event_index("sent").unwrap();
    let desc = fixture.bench.registry().event(index).unwrap();
    assert!(!desc.has_listeners(), "all registrations are gone");
}
