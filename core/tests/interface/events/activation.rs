//! Events of a plug-in that is deactivated.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::event::RegistrationId;
use mpit::internal::plugin::Activation;
use mpit::internal::vocabulary::Safety;

use super::fixture::{ABI, Delivered, EventFixture, event, then_free};
use crate::support::leak;

fn fixture() -> (EventFixture, &'static Activation) {
    let activation = leak(Activation::new());
    (EventFixture::with_activation(activation), activation)
}

#[test]
fn a_registration_ends_with_the_activation() {
    let (fixture, activation) = fixture();
    let index = fixture.bench.registry().event_index("sent").unwrap();
    let alloc = || fixture.interface().event_handle_alloc(index, None, &ABI);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    activation.begin();
    let old = fixture.listen('o').on(Safety::None).count_drops();
    fixture.send(1, Safety::None);
    fixture.bench.end(activation);
    fixture.send(2, Safety::None);
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(old.register(Safety::None, None), Err(Error::InvalidHandle));
    assert_eq!(old.handle_drops(None), Err(Error::InvalidHandle));
    assert_eq!(fixture.interface().event_check(old.id), Err(Error::InvalidHandle));
    fixture.assert_delivered(&[('o', event(1))]);
    old.free().unwrap();
    fixture.assert_delivered(&[('o', Delivered::End)]);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
}

#[test]
fn an_activation_ends_with_its_drops() {
    let (fixture, activation) = fixture();
    activation.begin();
    let loses = fixture.listen('l').on(Safety::None).count_drops();
    fixture.send(1, Safety::ThreadSafe);
    fixture.send(2, Safety::ThreadSafe);
    fixture.assert_delivered(&[]);
    fixture.bench.end(activation);
    fixture.assert_delivered(&[('l', Delivered::Drops(2))]);
    loses.free().unwrap();
    fixture.assert_delivered(&[('l', Delivered::End)]);
}

#[test]
fn a_callback_may_deactivate_its_plug_in() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    static ACTIVATION: Activation = Activation::new();
    let fixture = EventFixture::with_activation(&ACTIVATION);
    ACTIVATION.begin();
    let tool = fixture.listen('t').on_with(Safety::None, |delivery, callback_data| {
        ENDED.store(ACTIVATION.end(), SeqCst);
        callback_data.fixture.interface().release(&ACTIVATION);
        then_free(delivery, callback_data);
        callback_data.fixture.log.mark('c');
    });
    let other = fixture.listen('o').on(Safety::None);
    fixture.send(1, Safety::None);
    assert!(ENDED.load(SeqCst));
    // Later registrations receive nothing more of this raise; the free callback comes after the callback.
    fixture.assert_delivered(&[('t', event(1)), ('c', Delivered::End), ('t', Delivered::End)]);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    other.free().unwrap();
}

#[test]
fn the_interface_frees_abandoned_ones() {
    let (fixture, activation) = fixture();
    activation.begin();
    let old = fixture.listen('o').on(Safety::None);
    fixture.bench.end(activation);
    fixture.interface().finalize().unwrap();
    fixture.interface().init(mpit::internal::vocabulary::ThreadLevel::Multiple);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
}

#[test]
fn plug_ins_come_and_go_while_threads_raise() {
    for _ in 0..200 {
        let (fixture, activation) = fixture();
        let (index, is_over) =
            (fixture.bench.registry().event_index("sent").unwrap(), AtomicBool::new(false));
        let (raised, registered) = (AtomicU64::new(0), AtomicU64::new(0));
        activation.begin();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(SeqCst) {
                    fixture.send(raised.fetch_add(1, SeqCst), Safety::None);
                }
            });
            scope.spawn(|| {
                let mut ids = Vec::new();
                while !is_over.load(SeqCst) {
                    match fixture.interface().event_handle_alloc(index, None, &ABI) {
                        Ok(id) => ids.push(id),
                        Err(error) => assert_eq!(error, Error::InvalidIndex),
                    }
                    registered.fetch_add(1, SeqCst);
                    if ids.len() > 4 {
                        free_all(&fixture, &mut ids);
                    }
                }
                free_all(&fixture, &mut ids);
            });
            let tool = fixture.listen('t').on(Safety::None);
            while raised.load(SeqCst) == 0 || registered.load(SeqCst) == 0 {
                std::thread::yield_now();
            }
            fixture.bench.end(activation);
            assert_eq!(tool.register(Safety::None, None), Err(Error::InvalidHandle));
            tool.free().unwrap();
            is_over.store(true, SeqCst);
        });
        fixture.log.take_deliveries();
        fixture.send(u64::MAX, Safety::None);
        fixture.assert_delivered(&[]);
        let desc = fixture.bench.registry().event(index).unwrap();
        assert!(!desc.has_listeners(), "all registrations are gone");
    }
}

fn free_all(fixture: &EventFixture, ids: &mut Vec<RegistrationId>) {
    for id in ids.drain(..) {
        let null = std::ptr::null_mut();
        // SAFETY: null is permitted, and means that no free callback runs.
        assert_eq!(unsafe { fixture.interface().event_handle_free(id, null, null) }, Ok(()));
    }
}
