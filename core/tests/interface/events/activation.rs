//! Events of a plug-in that is deactivated and activated again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::Error;
use mpit::event::Hints;
use mpit::plugin::Life;
use mpit::words::Safety;

use super::stage::{ABI, Stage, Told, then_free};
use crate::support::leak;

fn stage() -> (Stage, &'static Life) {
    let life = leak(Life::new());
    (Stage::living(life), life)
}

fn end(stage: &Stage, life: &Life) {
    assert!(life.end());
    stage.interface().release(life);
}

#[test]
fn a_registration_is_for_one_epoch() {
    let (stage, life) = stage();
    let index = stage.bench.registry().event_index("sent").unwrap();
    let alloc = || stage.interface().event_handle_alloc(index, None, Hints::default(), &ABI);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    life.begin();
    let old = stage.listen('o').on(Safety::None).count_drops();
    stage.send(1, Safety::None);
    end(&stage, life);
    stage.send(2, Safety::None);
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(old.register(Safety::None, None), Err(Error::InvalidHandle));
    assert_eq!(old.handle_drops(None), Err(Error::InvalidHandle));
    assert_eq!(stage.interface().event_handle_hints(old.id).err(), Some(Error::InvalidHandle));
    life.begin();
    let new = stage.listen('n').on(Safety::None);
    stage.send(3, Safety::None);
    let event = |number| Told::Event(number, Safety::None, Safety::None);
    stage.assert_told(&[('o', event(1)), ('n', event(3))]);
    old.free().unwrap();
    stage.assert_told(&[('o', Told::End)]);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    stage.send(4, Safety::None);
    stage.assert_told(&[('n', event(4))]);
    let again = stage.listen('a').on(Safety::None);
    assert_ne!(again.id, old.id);
    new.free().unwrap();
    again.free().unwrap();
    stage.assert_told(&[('n', Told::End), ('a', Told::End)]);
}

#[test]
fn an_epoch_ends_with_its_deliveries() {
    let (stage, life) = stage();
    life.begin();
    let waits = stage.listen_with('w', Hints { defer: Some(true) }).on(Safety::None);
    let loses = stage.listen('l').on(Safety::None).count_drops();
    stage.send(1, Safety::ThreadSafe);
    stage.send(2, Safety::ThreadSafe);
    stage.assert_told(&[]);
    end(&stage, life);
    let mut told = stage.book.look();
    told.sort_by_key(|(who, _)| *who);
    let event = |number| Told::Event(number, Safety::None, Safety::None);
    assert_eq!(told, [('l', Told::Drops(2)), ('w', event(1)), ('w', event(2))]);
    waits.free().unwrap();
    loses.free().unwrap();
    stage.assert_told(&[('w', Told::End), ('l', Told::End)]);
}

#[test]
fn a_callback_may_end_its_epoch() {
    static ENDED: AtomicBool = AtomicBool::new(false);
    static LIFE: Life = Life::new();
    let stage = Stage::living(&LIFE);
    LIFE.begin();
    let tool = stage.listen('t').on_then(Safety::None, |delivery, notes| {
        ENDED.store(LIFE.end(), SeqCst);
        notes.stage.interface().release(&LIFE);
        then_free(delivery, notes);
        notes.stage.book.note('c');
    });
    let other = stage.listen('o').on(Safety::None);
    stage.send(1, Safety::None);
    assert!(ENDED.load(SeqCst));
    // Later registrations receive nothing more of this raise; the free callback comes after the callback.
    let event = Told::Event(1, Safety::None, Safety::None);
    stage.assert_told(&[('t', event), ('c', Told::End), ('t', Told::End)]);
    assert_eq!(tool.free(), Err(Error::InvalidHandle));
    other.free().unwrap();
}

#[test]
fn the_interface_frees_abandoned_ones() {
    let (stage, life) = stage();
    life.begin();
    let old = stage.listen('o').on(Safety::None);
    end(&stage, life);
    stage.interface().finalize().unwrap();
    stage.interface().init(mpit::words::ThreadLevel::Multiple);
    assert_eq!(old.free(), Err(Error::InvalidHandle));
    life.begin();
    let _new = stage.listen('n').on(Safety::None);
    stage.send(1, Safety::None);
    stage.assert_told(&[('n', Told::Event(1, Safety::None, Safety::None))]);
}

#[test]
fn epochs_change_while_threads_raise() {
    let (stage, life) = stage();
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
            life.begin();
            let tool = stage.listen('t').on(Safety::None);
            end(&stage, life);
            assert_eq!(tool.register(Safety::None, None), Err(Error::InvalidHandle));
            tool.free().unwrap();
        }
        over.store(true, SeqCst);
    });
    life.begin();
    stage.book.look();
    stage.send(u64::MAX, Safety::None);
    stage.assert_told(&[]);
    let index = stage.bench.registry().event_index("sent").unwrap();
    let desc = stage.bench.registry().event(index).unwrap();
    assert!(!desc.has_listeners(), "all registrations are gone");
}
