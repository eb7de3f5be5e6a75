//! Variables of a plug-in that is deactivated: handles are valid until then.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use crate::support::metadata::variable;
use crate::support::{Bench, cvar, image, leak, pvar};
use mpit::cell::{Counter, Level, PeerArray};
use mpit::cvar::Cvar;
use mpit::internal::desc::PvarFlags;
use mpit::internal::plugin::Activation;
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::object::Object;
use mpit::tool::Class;
use mpit::{Error, Result};

/// Proves R316.
#[test]
fn handles_are_freed_after_the_activation() {
    let (activation, counter) = (leak(Activation::new()), leak(Counter::<u64>::new()));
    let bench = Bench::of_pvars([
        pvar(variable("count").with_activation(activation), Class::Counter, counter)
            .with_flags(PvarFlags::ATOMIC),
        pvar("always", Class::Counter, leak(Counter::<u64>::new())),
    ]);
    let (session, registry) = (bench.session(), bench.registry());
    let index = registry.pvar_index("count", Class::Counter).unwrap();
    let alloc = || bench.interface.handle_alloc(session, index, None);
    assert_eq!(alloc(), Err(Error::InvalidIndex), "not active yet");
    activation.begin();
    let (old, _) = alloc().unwrap();
    bench.start(session, old).unwrap();
    counter.add(5);
    assert_eq!(bench.read(session, old), Ok(5_u64));
    bench.end(activation);
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
    bench.interface.handle_free(session, old).unwrap();
    assert_eq!(bench.interface.handle_free(session, old), Err(Error::InvalidHandle));
    bench.interface.handle_free(session, always).unwrap();
}

/// Proves R316.
#[test]
fn watermarks_end_with_the_activation() {
    let (activation, level) = (leak(Activation::new()), leak(Level::<u64>::new()));
    let peers = leak(PeerArray::<u64>::new());
    let bench = Bench::of_pvars([
        pvar(variable("high").with_activation(activation), Class::HighWatermark, level),
        pvar(variable("low").with_activation(activation), Class::LowWatermark, level)
            .with_flags(PvarFlags::CONTINUOUS),
        pvar(variable("peers").with_activation(activation), Class::Counter, peers),
        pvar("top", Class::HighWatermark, level),
    ]);
    let session = bench.session();
    activation.begin();
    let high = bench.handle(session, "high", Class::HighWatermark);
    let low = bench.handle(session, "low", Class::LowWatermark);
    let (sums, _) = bench.bound(session, "peers", Class::Counter, &Object::world(0, 3));
    let top = bench.handle(session, "top", Class::HighWatermark);
    for handle in [high, sums, top] {
        bench.start(session, handle).unwrap();
    }
    level.set(7);
    peers.add(1, 3);
    assert_eq!(bench.read(session, low), Ok(0_u64));
    assert_eq!(bench.read_all(session, sums, 3), Ok(vec![0, 3, 0_u64]));
    bench.end(activation);
    level.set(9);
    for old in [high, low, sums] {
        assert_eq!(bench.read::<u64>(session, old), Err(Error::InvalidHandle));
        bench.interface.handle_free(session, old).unwrap();
    }
    assert_eq!(bench.read(session, top), Ok(9_u64), "another one of the level goes on");
    bench.interface.session_free(session).unwrap();
}

/// Proves R316.
#[test]
fn cvars_end_with_the_activation() {
    let (activation, cell) = (leak(Activation::new()), leak(Cvar::<u32>::new(4)));
    let bench = Bench::with(&image([], [cvar(variable("limit").with_activation(activation), cell)]), &[]);
    let index = bench.registry().cvar_index("limit").unwrap();
    assert_eq!(bench.interface.cvar_handle_alloc(index, None), Err(Error::InvalidIndex));
    activation.begin();
    let (handle, _) = bench.cvar("limit");
    bench.cvar_write(handle, 5_u32).unwrap();
    bench.end(activation);
    assert_eq!(bench.cvar_read::<u32>(handle), Err(Error::InvalidHandle));
    assert_eq!(bench.cvar_write(handle, 6_u32), Err(Error::InvalidHandle));
    assert_eq!(bench.interface.cvar_handle_alloc(index, None), Err(Error::InvalidIndex));
    assert_eq!(cell.get(), 5, "the value is the plug-in's");
    bench.interface.cvar_handle_free(handle).unwrap();
}

/// The variables of a plug-in.
struct Plugin {
    activation: &'static Activation,
    counter: &'static Counter<u64>,
    level: &'static Level<u64>,
    indices: Vec<u32>,
}

/// Plug-ins that are activated and deactivated one after the other.
#[derive(Default)]
struct Progress {
    /// The plug-in that is active, or about to be.
    current: AtomicUsize,
    /// The number of plug-ins that were deactivated.
    ended: AtomicUsize,
    /// Reads that succeeded, and that failed.
    reads: [AtomicUsize; 2],
    is_over: AtomicBool,
}

impl Progress {
    fn reads(&self) -> usize {
        self.reads.iter().map(|reads| reads.load(SeqCst)).sum()
    }
}

/// Uses handles on one thread until the test is over.
fn use_handles(bench: Bench, plugins: &[Plugin], progress: &Progress) {
    let session = bench.session();
    let expected = |done: Result<()>| {
        // A level cannot be reset.
        assert!(matches!(done, Ok(()) | Err(Error::InvalidHandle | Error::PvarNoWrite)), "{done:?}");
    };
    // Each with its plug-in.
    let mut handles: Vec<(usize, PvarHandle)> = Vec::new();
    for round in 0.. {
        if progress.is_over.load(SeqCst) {
            break;
        }
        let current = progress.current.load(SeqCst);
        let indices = &plugins[current].indices;
        match bench.interface.handle_alloc(session, indices[round % indices.len()], None) {
            Ok((handle, _)) => handles.push((current, handle)),
            Err(error) => assert_eq!(error, Error::InvalidIndex),
        }
        for (plugin, handle) in &handles {
            expected(bench.start(session, *handle));
            let ended = progress.ended.load(SeqCst);
            let read = bench.read::<u64>(session, *handle).map(drop);
            expected(read);
            progress.reads[usize::from(read.is_err())].fetch_add(1, SeqCst);
            assert!(*plugin >= ended || read.is_err(), "a stale read");
            expected(bench.stop(session, *handle));
            expected(bench.start(session, *handle));
            expected(bench.reset(session, *handle));
        }
        expected(bench.interface.start(session, HandleSelection::All));
        if handles.len() >= 6 {
            free_all(bench, session, &mut handles);
        }
    }
    free_all(bench, session, &mut handles);
    bench.interface.session_free(session).unwrap();
}

fn free_all(bench: Bench, session: SessionId, handles: &mut Vec<(usize, PvarHandle)>) {
    for (_, handle) in handles.drain(..) {
        bench.interface.handle_free(session, handle).unwrap();
    }
}

/// Proves R316.
#[test]
fn threads_use_handles_of_many_plug_ins() {
    let mut pvars = Vec::new();
    let mut plugins: Vec<_> = (0..500)
        .map(|number| {
            let activation = leak(Activation::new());
            let (counter, level) = (leak(Counter::<u64>::new()), leak(Level::<u64>::new()));
            let of_plugin =
                |what: &str| variable(leak(format!("{what}{number}"))).with_activation(activation);
            pvars.extend([
                pvar(of_plugin("count"), Class::Counter, counter),
                pvar(of_plugin("high"), Class::HighWatermark, level),
                pvar(of_plugin("low"), Class::LowWatermark, level).with_flags(PvarFlags::CONTINUOUS),
                pvar(of_plugin("level"), Class::Level, level),
            ]);
            Plugin { activation, counter, level, indices: Vec::new() }
        })
        .collect();
    let bench = Bench::of_pvars(pvars);
    for (number, plugin) in plugins.iter_mut().enumerate() {
        let names = [("count", Class::Counter), ("high", Class::HighWatermark), ("level", Class::Level)];
        let index = |(what, class)| bench.registry().pvar_index(&format!("{what}{number}"), class).unwrap();
        plugin.indices = names.map(index).into();
    }
    let progress = Progress::default();
    std::thread::scope(|scope| {
        let workers = [(); 2].map(|()| scope.spawn(|| use_handles(bench, &plugins, &progress)));
        let has_failed = || workers.iter().any(std::thread::ScopedJoinHandle::is_finished);
        for (number, plugin) in plugins.iter().enumerate() {
            progress.current.store(number, SeqCst);
            plugin.activation.begin();
            plugin.counter.add(1);
            plugin.level.set(number as u64);
            let before = progress.reads();
            while progress.reads() < before + 8 && !has_failed() {
                std::thread::yield_now();
            }
            bench.end(plugin.activation);
            progress.ended.store(number + 1, SeqCst);
        }
        progress.is_over.store(true, SeqCst);
    });
    assert!(progress.reads.iter().all(|reads| reads.load(SeqCst) > 100));
    assert!(plugins.iter().all(|plugin| !plugin.counter.watched()), "all handles are gone");
}
