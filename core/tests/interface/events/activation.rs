//! Events of a plug-in that is deactivated.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::event::{Hints, RegistrationId};
use mpit::plugin::Activation;
use mpit::vocabulary::Safety;

use super::stage::{ABI, Delivered, Stage, then_free};
use crate::support::leak;

fn stage() -> (Stage, &'static Activation) {
    let activation = leak(Activation::new());
    (Stage::with_activation(activation), activation)
}

fn end(stage: &Stage, activation: &Activation) {
    assert!(activation.end());
    stage.interface().release(activation);
}

#[test]
fn a_registration_ends_with_the_activation() {
    let (stage, activation) = stage();
    let index = stage.bench.registry().event_index("sent").unwrap();
    let alloc = || stage.interface().event_handle_alloc(index, None, Hints::default(), &ABI);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    activation.begin();
    let old = stage.listen('o').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    end(&stage, activation);
    stage.send(2, Safety::None);
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(old.register(Safety::None, None), Err(Error::InvalidHandle));
    assert_eq!(old.handle_drops(None), Err(Error::InvalidHandle));
    assert_eq!(stage.interface().event_handle_hints(old.id).err(), Some(Error::InvalidHandle));
    let event = Delivered::Event(1, Safety::None, Safety::None);
    stage.assert_told(&[('o', event)]);
    old.free().unwrap();
    stage.assert_told(&[('o', Delivered::End)]);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
}

#[test]
fn an_activation_ends_with_its_deliveries() {
    let (stage, activation) = stage();
    activation.begin();
    let waits = stage.listen_with('w', Hints { defer: Some(true) }).on(Safety::None);
    let loses = stage.listen('l').on(Safety::None).count_drops();
    stage.send(1, Safety::ThreadSafe);
    stage.send(2, Safety::ThreadSafe);
    stage.assert_told(&[]);
    end(&stage, activation);
    let mut delivered = stage.book.take_deliveries();
    delivered.sort_by_key(|(who, _)| *who);
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    assert_eq!(delivered, [('l', Delivered::Drops(2)), ('w', event(1)), ('w', event(2))]);
    waits.free().unwrap();
    loses.free().unwrap();
    stage.assert_told(&[('w', Delivered::End), ('l', Delivered::End)]);
}

#[test]
fn a_callback_may_deactivate_its_plug_in() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    static ACTIVATION: Activation = Activation::new();
    let stage = Stage::with_activation(&ACTIVATION);
    ACTIVATION.begin();
    let tool = stage.listen('t').on_then(Safety::None, |delivery, notes| {
        ENDED.store(ACTIVATION.end(), SeqCst);
        notes.stage.interface().release(&ACTIVATION);
        then_free(delivery, notes);
        notes.stage.book.note('c');
    });
    let other = stage.listen('o').on(Safety::None);
    stage.send(1, Safety::None);
    assert!(ENDED.load(SeqCst));
    // Later registrations receive nothing more of this raise; the free callback comes after the callback.
    let event = Delivered::Event(1, Safety::None, Safety::None);
    stage.assert_told(&[('t', event), ('c', Delivered::End), ('t', Delivered::End)]);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    other.free().unwrap();
}

#[test]
fn the_interface_frees_abandoned_ones() {
    let (stage, activation) = stage();
    activation.begin();
    let old = stage.listen('o').on(Safety::None);
    end(&stage, activation);
    stage.interface().finalize().unwrap();
    stage.interface().init(mpit::vocabulary::ThreadLevel::Multiple);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
}

#[test]
fn plug_ins_come_and_go_while_threads_raise() {
    for _ in 0..200 {
        let (stage, activation) = stage();
        let (index, is_over) = (stage.bench.registry().event_index("sent").unwrap(), AtomicBool::new(false));
        let (raised, registered) = (AtomicU64::new(0), AtomicU64::new(0));
        activation.begin();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(SeqCst) {
                    stage.send(raised.fetch_add(1, SeqCst), Safety::None);
                }
            });
            scope.spawn(|| {
                let mut ids = Vec::new();
                while !is_over.load(SeqCst) {
                    match stage.interface().event_handle_alloc(index, None, Hints::default(), &ABI) {
                        Ok(id) => ids.push(id),
                        Err(error) => assert_eq!(error, Error::InvalidIndex),
                    }
                    registered.fetch_add(1, SeqCst);
                    if ids.len() > 4 {
                        free_all(&stage, &mut ids);
                    }
                }
                free_all(&stage, &mut ids);
            });
            let tool = stage.listen('t').on(Safety::None);
            while raised.load(SeqCst) == 0 || registered.load(SeqCst) == 0 {
                std::thread::yield_now();
            }
            end(&stage, activation);
            assert_eq!(tool.register(Safety::None, None), Err(Error::InvalidHandle));
            tool.free().unwrap();
            is_over.store(true, SeqCst);
        });
        stage.book.take_deliveries();
        stage.send(u64::MAX, Safety::None);
        stage.assert_told(&[]);
        let desc = stage.bench.registry().event(index).unwrap();
        assert!(!desc.has_listeners(), "all registrations are gone");
    }
}

fn free_all(stage: &Stage, ids: &mut Vec<RegistrationId>) {
    for id in ids.drain(..) {
        let null = std::ptr::null_mut();
        // SAFETY: without a free callback nothing is called.
        assert_eq!(unsafe { stage.interface().event_handle_free(id, null, null) }, Ok(()));
    }
}
