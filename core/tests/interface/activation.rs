//! Variables of a plug-in that is deactivated and activated again: handles are valid for one epoch.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use crate::support::metadata::variable;
use crate::support::{Bench, cvar, image, leak, pvar};
use mpit::cell::{Counter, Level, PeerArray};
use mpit::cvar::Cvar;
use mpit::internal::desc::PvarFlags;
use mpit::internal::plugin::EpochCounter;
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::object::Object;
use mpit::tool::Class;
use mpit::{Error, Result};

/// Ends the epoch and what tools made in it.
fn end(bench: Bench, epoch_counter: &EpochCounter) {
    assert!(epoch_counter.end());
    bench.interface.release(epoch_counter);
}

/// Proves R316.
#[test]
fn handles_of_a_past_epoch_can_be_freed() {
    let (epoch_counter, counter) = (leak(EpochCounter::new()), leak(Counter::<u64>::new()));
    let bench = Bench::of_pvars([
        pvar(variable("count").with_epoch_counter(epoch_counter), Class::Counter, counter)
            .with_flags(PvarFlags::ATOMIC),
        pvar("always", Class::Counter, leak(Counter::<u64>::new())),
    ]);
    let (session, registry) = (bench.session(), bench.registry());
    let index = registry.pvar_index("count", Class::Counter).unwrap();
    let alloc = || bench.interface.handle_alloc(session, index, None);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    epoch_counter.begin();
    let (old, _) = alloc().unwrap();
    bench.start(session, old).unwrap();
    counter.add(5);
    assert_eq!(bench.read(session, old), Ok(5_u64));
    end(bench, epoch_counter);
    assert!(!counter.watched(), "no update is kept for an invalid handle");
    let all_invalid = || {
        assert_eq!(bench.read::<u64>(session, old), Err(Error::InvalidHandle));
        assert_eq!(bench.start(session, old), Err(Error::InvalidHandle));
        assert_eq!(bench.stop(session, old), Err(Error::InvalidHandle));
        assert_eq!(bench.reset(session, old), Err(Error::InvalidHandle));
        assert_eq!(bench.write(session, old, 1_u64), Err(Error::InvalidHandle));
        assert_eq!(bench.read_and_reset::<u64>(session, old), Err(Error::InvalidHandle));
    };
    all_invalid();
    assert_eq!(alloc(), Err(Error::InvalidIndex));
    assert_eq!(registry.pvar_index("count", Class::Counter), Some(index), "it is still listed");
    // All handles of the session are those that are valid.
    let always = bench.handle(session, "always", Class::Counter);
    assert_eq!(bench.interface.start(session, HandleSelection::All), Ok(()));
    assert_eq!(bench.interface.reset(session, HandleSelection::All), Ok(()));
    epoch_counter.begin();
    all_invalid();
    let (new, _) = alloc().unwrap();
    bench.start(session, new).unwrap();
    bench.interface.handle_free(session, old).unwrap();
    assert_eq!(bench.interface.handle_free(session, old), Err(Error::InvalidHandle));
    counter.add(2);
    assert_eq!(bench.read(session, new), Ok(2_u64), "the old handle took no watcher of the new one");
    bench.interface.handle_free(session, new).unwrap();
    bench.interface.handle_free(session, always).unwrap();
    assert!(!counter.watched());
}

/// Proves R316.
#[test]
fn watermarks_pause_between_epochs() {
    let (epoch_counter, level) = (leak(EpochCounter::new()), leak(Level::<u64>::new()));
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([
        pvar(variable("high").with_epoch_counter(epoch_counter), Class::HighWatermark, level),
        pvar(variable("low").with_epoch_counter(epoch_counter), Class::LowWatermark, level)
            .with_flags(PvarFlags::CONTINUOUS),
        pvar(variable("peers").with_epoch_counter(epoch_counter), Class::Counter, peers),
    ]);
    let session = bench.session();
    let make = |bench: Bench| {
        let high = bench.handle(session, "high", Class::HighWatermark);
        let low = bench.handle(session, "low", Class::LowWatermark);
        let world = Object::world(0, 3);
        let (peers, _) = bench.bound(session, "peers", Class::Counter, &world);
        bench.start(session, high).unwrap();
        bench.start(session, peers).unwrap();
        (high, low, peers)
    };
    epoch_counter.begin();
    let old = make(bench);
    level.set(7);
    end(bench, epoch_counter);
    level.set(9);
    epoch_counter.begin();
    let new = make(bench);
    level.set(8);
    assert_eq!(bench.read(session, new.0), Ok(9_u64));
    assert_eq!(bench.read(session, new.1), Ok(8_u64));
    for old in [old.0, old.1, old.2] {
        assert_eq!(bench.read::<u64>(session, old), Err(Error::InvalidHandle));
        bench.interface.handle_free(session, old).unwrap();
    }
    level.set(12);
    peers.add(1, 3);
    assert_eq!(bench.read(session, new.0), Ok(12_u64));
    assert_eq!(bench.read_all(session, new.2, 3), Ok(vec![0, 3, 0_u64]));
    end(bench, epoch_counter);
    bench.interface.session_free(session).unwrap();
}

/// Proves R316.
#[test]
fn cvars_are_inaccessible_between_epochs() {
    let (epoch_counter, cell) = (leak(EpochCounter::new()), leak(Cvar::<u32>::new(4)));
    let bench =
        Bench::with(&image([], [cvar(variable("limit").with_epoch_counter(epoch_counter), cell)]), &[]);
    let index = bench.registry().cvar_index("limit").unwrap();
    assert_eq!(bench.interface.cvar_handle_alloc(index, None), Err(Error::InvalidIndex));
    epoch_counter.begin();
    let (old, _) = bench.cvar("limit");
    bench.cvar_write(old, 5_u32).unwrap();
    end(bench, epoch_counter);
    assert_eq!(bench.cvar_read::<u32>(old), Err(Error::InvalidHandle));
    assert_eq!(bench.cvar_write(old, 6_u32), Err(Error::InvalidHandle));
    epoch_counter.begin();
    assert_eq!(bench.cvar_read::<u32>(old), Err(Error::InvalidHandle));
    let (new, _) = bench.cvar("limit");
    assert_eq!(bench.cvar_read(new), Ok(5_u32), "the value is the plug-in's");
    bench.interface.cvar_handle_free(old).unwrap();
    bench.interface.cvar_handle_free(new).unwrap();
}

/// The number of epochs that have begun, or are about to, and of those that have ended.
#[derive(Default)]
struct Epochs {
    begun: AtomicU64,
    ended: AtomicU64,
    /// Reads that succeeded, and that failed.
    reads: [AtomicU64; 2],
}

/// Uses handles on one thread until the test is over.
fn use_handles(bench: Bench, names: &[(&str, Class)], epochs: &Epochs, on_interface: &AtomicBool) {
    let session = bench.session();
    let expected = |done: Result<()>| {
        // A level cannot be reset.
        assert!(matches!(done, Ok(()) | Err(Error::InvalidHandle | Error::PvarNoWrite)), "{done:?}");
    };
    // Each with a number of epochs of which one is its own.
    let mut handles: Vec<(u64, PvarHandle)> = Vec::new();
    for round in 0.. {
        if on_interface.load(SeqCst) {
            break;
        }
        let (name, class) = names[round % names.len()];
        let index = bench.registry().pvar_index(name, class).unwrap();
        match bench.interface.handle_alloc(session, index, None) {
            Ok((handle, _)) => handles.push((epochs.begun.load(SeqCst), handle)),
            Err(error) => assert_eq!(error, Error::InvalidIndex),
        }
        for (made, handle) in &handles {
            expected(bench.start(session, *handle));
            let ended = epochs.ended.load(SeqCst);
            let read = bench.read::<u64>(session, *handle).map(drop);
            expected(read);
            epochs.reads[usize::from(read.is_err())].fetch_add(1, SeqCst);
            assert!(*made > ended || read.is_err(), "a stale read");
            expected(bench.stop(session, *handle));
            expected(bench.start(session, *handle));
            expected(bench.reset(session, *handle));
        }
        expected(bench.interface.start(session, HandleSelection::All));
        if handles.len() == 6 {
            for (_, handle) in handles.drain(..) {
                bench.interface.handle_free(session, handle).unwrap();
            }
        }
    }
    free_all(bench, session, &handles);
}

fn free_all(bench: Bench, session: SessionId, handles: &[(u64, PvarHandle)]) {
    for (_, handle) in handles {
        bench.interface.handle_free(session, *handle).unwrap();
    }
    bench.interface.session_free(session).unwrap();
}

/// Proves R316.
#[test]
fn threads_use_handles_while_epochs_change() {
    let (epoch_counter, counter) = (leak(EpochCounter::new()), leak(Counter::<u64>::new()));
    let level = leak(Level::<u64>::new());
    let bench = Bench::of_pvars([
        pvar(variable("count").with_epoch_counter(epoch_counter), Class::Counter, counter),
        pvar(variable("high").with_epoch_counter(epoch_counter), Class::HighWatermark, level),
        pvar(variable("low").with_epoch_counter(epoch_counter), Class::LowWatermark, level)
            .with_flags(PvarFlags::CONTINUOUS),
        pvar(variable("level").with_epoch_counter(epoch_counter), Class::Level, level),
    ]);
    let names = [("count", Class::Counter), ("high", Class::HighWatermark), ("level", Class::Level)];
    let (epochs, on_interface) = (Epochs::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(|| use_handles(bench, &names, &epochs, &on_interface)));
        let has_failed = || workers.iter().any(std::thread::ScopedJoinHandle::is_finished);
        let are_enough = || epochs.reads.iter().all(|reads| reads.load(SeqCst) > 1000);
        let begun = std::time::Instant::now();
        for round in 0.. {
            if round >= 2000 && are_enough() && begun.elapsed().as_secs() >= 1 || has_failed() {
                break;
            }
            epochs.begun.fetch_add(1, SeqCst);
            epoch_counter.begin();
            counter.add(1);
            level.set(round);
            // On a machine with few processors the others come only then.
            std::thread::yield_now();
            end(bench, epoch_counter);
            epochs.ended.fetch_add(1, SeqCst);
        }
        on_interface.store(true, SeqCst);
    });
    assert!(!counter.watched(), "all handles are gone");
}
