//! Rule R149: handles end with their session, or with the last finalization, also while they are being allocated.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock};
use std::thread;

use crate::support::{Bench, image, leak, pvar};
use mpit::cell::{Counter, Custom, HandleId, HighWatermark};
use mpit::internal::desc::PvarFlags;
use mpit::internal::registry::Registry;
use mpit::internal::session::{HandleSelection, Limits, SessionId};
use mpit::internal::vocabulary::{Class, ThreadLevel};
use mpit::object::Object;
use mpit::{Error, Result};

#[derive(Default)]
struct CallLog(Mutex<Vec<String>>);

impl CallLog {
    fn note(&self, what: &str) {
        self.0.lock().unwrap().push(what.into());
    }
}

impl Custom for CallLog {
    type Value = i64;
    const COUNT: usize = 1;

    fn bind(&self, _: HandleId, _: &Object<'_>) -> Result<()> {
        self.note("bind");
        Ok(())
    }

    fn unbind(&self, _: HandleId) {
        self.note("unbind");
    }

    fn start(&self, _: HandleId) -> Result<()> {
        self.note("start");
        Ok(())
    }
}

/// Proves R149.
#[test]
fn freeing_a_session_frees_its_handles() {
    let call_log = leak(CallLog::default());
    let counter = leak(Counter::<u64>::new());
    let level = leak(HighWatermark::<u64>::new());
    let bench = Bench::of_pvars([
        pvar("call_log", Class::Generic, call_log),
        pvar("sum", Class::Counter, counter),
        pvar("mark", Class::HighWatermark, level),
    ]);
    let (ends, stays) = (bench.session(), bench.session());
    let open = |session| {
        bench.handle(session, "call_log", Class::Generic);
        let sum = bench.handle(session, "sum", Class::Counter);
        let mark = bench.handle(session, "mark", Class::HighWatermark);
        bench.interface.start(session, HandleSelection::All).unwrap();
        (sum, mark)
    };
    let (sum, _) = open(ends);
    let (kept_sum, kept_mark) = open(stays);
    bench.interface.session_free(ends).unwrap();
    assert_eq!(call_log.0.lock().unwrap().as_slice(), ["bind", "start", "bind", "start", "unbind"]);
    assert_eq!(bench.read::<u64>(stays, sum), Err(Error::InvalidHandle));
    counter.add(2);
    level.set(9);
    level.set(1);
    assert_eq!(bench.read(stays, kept_sum), Ok(2_u64));
    assert_eq!(bench.read(stays, kept_mark), Ok(9_u64));
    assert!(counter.watched());
    bench.interface.session_free(stays).unwrap();
    assert!(!counter.watched(), "no handle is started any more");
}

/// Proves R149.
#[test]
fn last_finalize_frees_sessions_and_handles() {
    let counter = leak(Counter::<u64>::new());
    let (bench, session, [handle]) = Bench::open([pvar("sum", Class::Counter, counter)]);
    bench.start(session, handle).unwrap();
    bench.interface.init(ThreadLevel::Single);
    bench.interface.finalize().unwrap();
    assert_eq!(bench.read(session, handle), Ok(0_u64), "one reference is left");
    bench.interface.finalize().unwrap();
    assert!(!counter.watched());
    assert_eq!(bench.read::<u64>(session, handle), Err(Error::NotInitialized));
    assert_eq!(bench.interface.session_create(), Err(Error::NotInitialized));
    assert_eq!(bench.interface.finalize(), Err(Error::NotInitialized));
    bench.interface.init(ThreadLevel::Single);
    assert_eq!(bench.read::<u64>(session, handle), Err(Error::InvalidSession));
    assert_eq!(bench.read::<u64>(bench.session(), handle), Err(Error::InvalidHandle));
}

/// Frees the session of a handle, or all sessions, while the handle is allocated.
#[derive(Default)]
struct FreesInBind {
    call_log: CallLog,
    of: OnceLock<(Bench, Option<SessionId>)>,
}

impl Custom for FreesInBind {
    type Value = i64;
    const COUNT: usize = 1;

    fn bind(&self, _: HandleId, _: &Object<'_>) -> Result<()> {
        self.call_log.note("bind");
        let (Bench { interface }, session) = *self.of.get().unwrap();
        match session {
            Some(session) => interface.session_free(session)?,
            None => interface.finalize()?,
        }
        self.call_log.note("bound");
        Ok(())
    }

    fn unbind(&self, _: HandleId) {
        self.call_log.note("unbind");
    }

    fn start(&self, _: HandleId) -> Result<()> {
        self.call_log.note("start");
        Ok(())
    }
}

/// Proves R149.
#[test]
fn a_handle_begins_before_it_ends() {
    for is_last in [false, true] {
        let frees_in_bind = leak(FreesInBind::default());
        let bench = Bench::of_pvars([
            pvar("frees_in_bind", Class::Generic, frees_in_bind).with_flags(PvarFlags::CONTINUOUS)
        ]);
        let session = bench.session();
        let _ = frees_in_bind.of.set((bench, if is_last { None } else { Some(session) }));
        assert_eq!(bench.interface.handle_alloc(session, 0, None), Err(Error::InvalidSession));
        assert_eq!(
            *frees_in_bind.call_log.0.lock().unwrap(),
            ["bind", "bound", "start", "unbind"],
            "{is_last}"
        );
    }
}

#[derive(Default)]
struct HandleCounter {
    bound: AtomicU64,
    unbound: AtomicU64,
    now: Mutex<HashSet<HandleId>>,
    /// Calls of `unbind` for handles that were not bound.
    unmatched: AtomicU64,
}

impl Custom for HandleCounter {
    type Value = i64;
    const COUNT: usize = 1;

    fn bind(&self, handle: HandleId, _: &Object<'_>) -> Result<()> {
        self.bound.fetch_add(1, SeqCst);
        // The session may be freed now.
        thread::yield_now();
        self.now.lock().unwrap().insert(handle);
        Ok(())
    }

    fn unbind(&self, handle: HandleId) {
        self.unbound.fetch_add(1, SeqCst);
        if !self.now.lock().unwrap().remove(&handle) {
            self.unmatched.fetch_add(1, SeqCst);
        }
    }
}

/// Proves R149.
#[test]
fn no_handle_outlives_a_session_being_freed() {
    const ROUNDS: u64 = 500;
    let (handle_counter, counter) = (leak(HandleCounter::default()), leak(Counter::<u64>::new()));
    let registry = Registry::new();
    let sum = pvar("sum", Class::Counter, counter).with_flags(PvarFlags::CONTINUOUS);
    registry.add(&image([pvar("handle_counter", Class::Generic, handle_counter), sum], []), &[]);
    // Few handles, since freeing a session iterates over all.
    let bench = Bench::over(registry, Limits { sessions: 4, handles: 64 });
    let session = AtomicU64::new(bench.session().0);
    thread::scope(|scope| {
        for index in [0, 0, 1] {
            let session = &session;
            scope.spawn(move || {
                loop {
                    let session = session.load(SeqCst);
                    if session == 0 {
                        break;
                    }
                    let _ = bench.interface.handle_alloc(SessionId(session), index, None);
                }
            });
        }
        for _ in 0..ROUNDS {
            // Preferably while a handle begins. The other variable's handles may take all slots.
            let bound = handle_counter.bound.load(SeqCst);
            let mut attempts = 0;
            while attempts < 100 && handle_counter.bound.load(SeqCst) == bound {
                thread::yield_now();
                attempts += 1;
            }
            let before = session.swap(bench.session().0, SeqCst);
            bench.interface.session_free(SessionId(before)).unwrap();
        }
        bench.interface.session_free(SessionId(session.swap(0, SeqCst))).unwrap();
    });
    assert_eq!(handle_counter.unmatched.load(SeqCst), 0);
    assert_eq!(handle_counter.bound.load(SeqCst), handle_counter.unbound.load(SeqCst));
    assert!(!counter.watched(), "a handle of no session is started");
}
