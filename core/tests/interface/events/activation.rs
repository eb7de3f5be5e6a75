//! Events of a plug-in that is deactivated and activated again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::event::{Hints, Safety};
use mpit::internal::plugin::EpochCounter;

use super::stage::{ABI, Delivered, Stage, then_free};
use crate::support::leak;

fn stage() -> (Stage, &'static EpochCounter) {
    let epoch_counter = leak(EpochCounter::new());
    (Stage::with_epoch_counter(epoch_counter), epoch_counter)
}

fn end(stage: &Stage, epoch_counter: &EpochCounter) {
    assert!(epoch_counter.end());
    stage.interface().release(epoch_counter);
}

#[test]
fn a_registration_is_for_one_epoch() {
    let (stage, epoch_counter) = stage();
    let index = stage.bench.registry().event_index("sent").unwrap();
    let alloc = || stage.interface().event_handle_alloc(index, None, Hints::default(), &ABI);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    epoch_counter.begin();
    let old = stage.listen('o').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    end(&stage, epoch_counter);
    stage.send(2, Safety::None);
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(old.register(Safety::None, None), Err(Error::InvalidHandle));
    assert_eq!(old.handle_drops(None), Err(Error::InvalidHandle));
    assert_eq!(stage.interface().event_handle_hints(old.id).err(), Some(Error::InvalidHandle));
    epoch_counter.begin();
    let new = stage.listen('n').on(Safety::None);
    stage.send(3, Safety::None);
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    stage.assert_told(&[('o', event(1)), ('n', event(3))]);
    old.free().unwrap();
    stage.assert_told(&[('o', Delivered::End)]);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    stage.send(4, Safety::None);
    stage.assert_told(&[('n', event(4))]);
    let again = stage.listen('a').on(Safety::None);
    assert_ne!(again.id, old.id);
    new.free().unwrap();
    again.free().unwrap();
    stage.assert_told(&[('n', Delivered::End), ('a', Delivered::End)]);
}

#[test]
fn an_epoch_ends_with_its_deliveries() {
    let (stage, epoch_counter) = stage();
    epoch_counter.begin();
    let waits = stage.listen_with('w', Hints { defer: Some(true) }).on(Safety::None);
    let loses = stage.listen('l').on(Safety::None).count_drops();
    stage.send(1, Safety::ThreadSafe);
    stage.send(2, Safety::ThreadSafe);
    stage.assert_told(&[]);
    end(&stage, epoch_counter);
    let mut delivered = stage.book.take_deliveries();
    delivered.sort_by_key(|(who, _)| *who);
    let event = |number| Delivered::Event(number, Safety::None, Safety::None);
    assert_eq!(delivered, [('l', Delivered::Drops(2)), ('w', event(1)), ('w', event(2))]);
    waits.free().unwrap();
    loses.free().unwrap();
    stage.assert_told(&[('w', Delivered::End), ('l', Delivered::End)]);
}

#[test]
fn a_callback_may_end_its_epoch() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    static EPOCHS: EpochCounter = EpochCounter::new();
    let stage = Stage::with_epoch_counter(&EPOCHS);
    EPOCHS.begin();
    let tool = stage.listen('t').on_then(Safety::None, |delivery, notes| {
        ENDED.store(EPOCHS.end(), SeqCst);
        notes.stage.interface().release(&EPOCHS);
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
    let (stage, epoch_counter) = stage();
    epoch_counter.begin();
    let old = stage.listen('o').on(Safety::None);
    end(&stage, epoch_counter);
    stage.interface().finalize().unwrap();
    stage.interface().init(mpit::internal::vocabulary::ThreadLevel::Multiple);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    epoch_counter.begin();
    let _new = stage.listen('n').on(Safety::None);
    stage.send(1, Safety::None);
    stage.assert_told(&[('n', Delivered::Event(1, Safety::None, Safety::None))]);
}

#[test]
fn epochs_change_while_threads_raise() {
    let (stage, epoch_counter) = stage();
    let (over, raised) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(SeqCst) {
                stage.send(raised.fetch_add(1, SeqCst), Safety::None);
            }
        });
        scope.spawn(|| {
            let index = stage.bench.registry().event_index("sent").unwrap();
            let mut ids = Vec::new();
            while !over.load(SeqCst) {
                match stage.interface().event_handle_alloc(index, None, Hints::default(), &ABI) {
                    Ok(id) => ids.push(id),
                    Err(error) => assert_eq!(error, Error::InvalidIndex),
                }
                if ids.len() > 4 {
                    for id in ids.drain(..) {
                        let null = std::ptr::null_mut();
                        // SAFETY: without a free callback nothing is called.
                        assert_eq!(unsafe { stage.interface().event_handle_free(id, null, null) }, Ok(()));
                    }
                }
            }
            for id in ids {
                let null = std::ptr::null_mut();
                // SAFETY: without a free callback nothing is called.
                assert_eq!(unsafe { stage.interface().event_handle_free(id, null, null) }, Ok(()));
            }
        });
        for _ in 0..20_000 {
            epoch_counter.begin();
            let tool = stage.listen('t').on(Safety::None);
            end(&stage, epoch_counter);
            assert_eq!(tool.register(Safety::None, None), Err(Error::InvalidHandle));
            tool.free().unwrap();
        }
        over.store(true, SeqCst);
    });
    epoch_counter.begin();
    stage.book.take_deliveries();
    stage.send(u64::MAX, Safety::None);
    stage.assert_told(&[]);
    let index = stage.bench.registry().event_index("sent").unwrap();
    let desc = stage.bench.registry().event(index).unwrap();
    assert!(!desc.has_listeners(), "all registrations are gone");
}
