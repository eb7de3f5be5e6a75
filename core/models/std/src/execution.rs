//! One execution of a model, and the atomics that exist in it.
//!
//! loom gives each atomic an initial store by the thread that creates it. An atomic that was created when a thread first used it
//! would have no order with the accesses of other threads. So each execution begins with the creation of as many atomics as it
//! may need, by initial value, and an atomic of the model is bound to one of them when it is first used. The numbers are learned:
//! an execution that runs out of atomics restarts the process with larger ones.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::mem;
use std::os::unix::process::CommandExt;
use std::process::{self, Command};
use std::rc::Rc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst},
};
use std::time::Duration;
use std::{env, panic};

use loom::sync::atomic as model;
use loom::thread::ThreadId;

/// The extent of the exploration by loom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Orders of accesses, and all values that a load may return. Orders of several loads and a store may be missing.
    Narrow,
    /// All orders and all values, by means of companions.
    Wide,
    /// Orders of accesses. Loads return the latest value, as on a machine without weak memory.
    Latest,
}

/// A value that no model stores, for compare-exchanges that always fail.
const NEVER: u64 = 0x5ca1_ab1e_0ddb_a115;

/// The environment variable for the numbers of atomics by initial value: `0:12,1:3`.
const SUPPLY: &str = "MPIT_MODEL_SUPPLY";

/// The atomic of an execution that an atomic of the model is bound to: the number of the execution, and a position in it.
#[derive(Debug, Default)]
pub(crate) struct Binding(AtomicU64);

const POSITION_BITS: u32 = 20;

impl Binding {
    pub(crate) const fn new() -> Self {
        Self(AtomicU64::new(0))
    }
}

/// A read-modify-write of a word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Exchange { current: u64, new: u64 },
    Swap(u64),
    Add(u64),
    Sub(u64),
    And(u64),
    Or(u64),
    Max(u64),
    Min(u64),
}

impl Change {
    fn apply(self, word: &model::AtomicU64, success: Ordering, failure: Ordering) -> Result<u64, u64> {
        match self {
            Self::Exchange { current, new } => word.compare_exchange(current, new, success, failure),
            Self::Swap(new) => Ok(word.swap(new, success)),
            Self::Add(more) => Ok(word.fetch_add(more, success)),
            Self::Sub(less) => Ok(word.fetch_sub(less, success)),
            Self::And(bits) => Ok(word.fetch_and(bits, success)),
            Self::Or(bits) => Ok(word.fetch_or(bits, success)),
            Self::Max(other) => Ok(word.fetch_max(other, success)),
            Self::Min(other) => Ok(word.fetch_min(other, success)),
        }
    }

    /// Returns the value that the change makes of another one.
    fn result(self, before: u64) -> u64 {
        match self {
            Self::Exchange { new, .. } | Self::Swap(new) => new,
            Self::Add(more) => before.wrapping_add(more),
            Self::Sub(less) => before.wrapping_sub(less),
            Self::And(bits) => before & bits,
            Self::Or(bits) => before | bits,
            Self::Max(other) => before.max(other),
            Self::Min(other) => before.min(other),
        }
    }
}

/// An atomic of an execution.
#[derive(Debug)]
pub(crate) struct Place {
    word: model::AtomicU64,
    /// Makes all accesses depend on each other; see [`widen`](Place::widen).
    companion: model::AtomicU64,
    /// The values since the latest sequentially consistent store, which sequentially consistent loads return; empty if there was
    /// none.
    seq_cst: RefCell<Vec<u64>>,
    /// The thread that read and modified it, and true if several did.
    modifier: Cell<Option<(ThreadId, bool)>>,
}

/// Returns the order of an access in loom, which lacks sequentially consistent ones: [`Place`] adds their total order.
fn order_in_loom(order: Ordering, without: Ordering) -> Ordering {
    if order == SeqCst { without } else { order }
}

impl Place {
    fn new(initial: u64) -> Self {
        Self {
            word: model::AtomicU64::new(initial),
            companion: model::AtomicU64::new(0),
            seq_cst: RefCell::default(),
            modifier: Cell::new(None),
        }
    }

    /// Makes loom try all orders of this access and others of the same atomic.
    fn widen(&self) {
        if MODE.get() == Mode::Wide {
            let _ = self.companion.compare_exchange(NEVER, NEVER, Relaxed, Relaxed);
        }
    }

    /// Returns the latest value.
    fn latest(&self, order: Ordering) -> u64 {
        match self.word.compare_exchange(NEVER, NEVER, order, order) {
            Ok(value) | Err(value) => value,
        }
    }

    pub(crate) fn load(&self, order: Ordering) -> u64 {
        receive();
        self.widen();
        let in_loom = order_in_loom(order, Acquire);
        if MODE.get() == Mode::Latest {
            return self.latest(in_loom);
        }
        let value = self.word.load(in_loom);
        let is_too_old = {
            let stored = self.seq_cst.borrow();
            order == SeqCst && !stored.is_empty() && !stored.contains(&value)
        };
        if is_too_old { self.latest(in_loom) } else { value }
    }

    pub(crate) fn store(&self, value: u64, order: Ordering) {
        receive();
        self.widen();
        let modified_by_others =
            self.modifier.get().is_some_and(|(by, several)| several || by != loom::thread::current().id());
        let in_loom = order_in_loom(order, Release);
        if order == SeqCst || modified_by_others {
            self.word.swap(value, in_loom);
        } else {
            self.word.store(value, in_loom);
        }
        self.remember(value, order);
    }

    pub(crate) fn modify(&self, change: Change, success: Ordering, failure: Ordering) -> Result<u64, u64> {
        receive();
        self.widen();
        let result =
            change.apply(&self.word, order_in_loom(success, AcqRel), order_in_loom(failure, Acquire));
        if let Ok(before) = result {
            let me = loom::thread::current().id();
            let several = self.modifier.get().is_some_and(|(by, several)| several || by != me);
            self.modifier.set(Some((me, several)));
            self.remember(change.result(before), success);
        }
        result
    }

    /// Adds a value to those that sequentially consistent loads return.
    fn remember(&self, value: u64, order: Ordering) {
        let mut values = self.seq_cst.borrow_mut();
        if order == SeqCst {
            values.clear();
            values.push(value);
        } else if !values.is_empty() {
            values.push(value);
        }
    }
}

/// The content of the running execution.
#[derive(Default)]
struct Execution {
    number: u64,
    places: Vec<Rc<Place>>,
    locks: Vec<&'static loom::sync::Mutex<()>>,
    /// Atomics that are not bound yet, by initial value.
    free: BTreeMap<u64, Vec<Rc<Place>>>,
    /// The number of atomics to create, by initial value.
    supply: BTreeMap<u64, usize>,
    /// True if an atomic was missing.
    is_short: bool,
    fence: Option<Rc<Place>>,
    /// 1 after the signal was sent.
    signal: Option<Rc<Place>>,
    /// The thread that receives the signal, and its handler.
    handler: Option<(ThreadId, fn())>,
    /// The thread-local values, by thread and by the address of the key.
    locals: Vec<(ThreadId, usize, Rc<dyn Any>)>,
}

thread_local! {
    static CURRENT: RefCell<Execution> = RefCell::default();
    static MODE: Cell<Mode> = const { Cell::new(Mode::Wide) };
}

/// Returns the atomic that a binding stands for in this execution.
pub(crate) fn place(binding: &Binding, initial: u64) -> Rc<Place> {
    CURRENT.with_borrow_mut(|execution| {
        let bound = binding.0.load(Relaxed);
        if bound >> POSITION_BITS == execution.number {
            let position = bound & ((1 << POSITION_BITS) - 1);
            return execution.places[position as usize].clone();
        }
        let place = execution.free.get_mut(&initial).and_then(Vec::pop).unwrap_or_else(|| {
            execution.is_short = true;
            *execution.supply.entry(initial).or_default() += 1;
            Rc::new(Place::new(initial))
        });
        binding.0.store(execution.number << POSITION_BITS | execution.places.len() as u64, Relaxed);
        execution.places.push(place.clone());
        place
    })
}

/// Ends a binding, and returns the latest value of its atomic; `None` if it has none in this execution.
pub(crate) fn take(binding: &mut Binding) -> Option<u64> {
    let bound = mem::take(binding.0.get_mut());
    let place = CURRENT.with_borrow(|execution| {
        let position = bound & ((1 << POSITION_BITS) - 1);
        if bound >> POSITION_BITS == execution.number {
            execution.places.get(position as usize).cloned()
        } else {
            None
        }
    })?;
    // SAFETY: the caller has exclusive access to the atomic. loom fails the execution if a store of another thread does not
    // happen before this.
    Some(unsafe { place.word.unsync_load() })
}

/// Returns the lock that a binding stands for in this execution.
pub(crate) fn lock(binding: &Binding) -> &'static loom::sync::Mutex<()> {
    CURRENT.with_borrow_mut(|execution| {
        let bound = binding.0.load(Relaxed);
        if bound >> POSITION_BITS == execution.number {
            return execution.locks[(bound & ((1 << POSITION_BITS) - 1)) as usize];
        }
        let lock: &'static _ = Box::leak(Box::new(loom::sync::Mutex::new(())));
        binding.0.store(execution.number << POSITION_BITS | execution.locks.len() as u64, Relaxed);
        execution.locks.push(lock);
        lock
    })
}

/// Returns the value of this thread for a key, which `initial` creates at its first use.
pub(crate) fn local<T: 'static>(key: usize, initial: fn() -> T) -> Rc<T> {
    let me = loom::thread::current().id();
    CURRENT.with_borrow_mut(|execution| {
        let found = execution.locals.iter().find(|(thread, of, _)| *thread == me && *of == key);
        let known = found.map(|(_, _, value)| value.clone());
        let value = known.unwrap_or_else(|| {
            let value: Rc<dyn Any> = Rc::new(initial());
            execution.locals.push((me, key, value.clone()));
            value
        });
        value.downcast().expect("a key has values of one type")
    })
}

/// Makes loom try all orders of sequentially consistent fences.
pub(crate) fn fence(order: Ordering) {
    if order == SeqCst {
        let place = CURRENT.with_borrow(|execution| execution.fence.clone());
        place.expect("a model runs").widen();
    }
    model::fence(order);
}

/// Makes this thread run a function before one of its later accesses, once another thread has called [`send`].
pub fn handle(handler: fn()) {
    let me = loom::thread::current().id();
    CURRENT.with_borrow_mut(|execution| execution.handler = Some((me, handler)));
}

/// Sends the signal, which is received once at most.
///
/// # Panics
///
/// Panics outside of a model.
pub fn send() {
    let signal = CURRENT.with_borrow(|execution| execution.signal.clone()).expect("a model runs");
    signal.word.store(1, Relaxed);
}

/// Runs the handler if this thread has one and the signal was sent. Called before each access, so that loom tries all places.
fn receive() {
    let handler = CURRENT.with_borrow(|execution| execution.handler.zip(execution.signal.clone()));
    let Some(((thread, handler), signal)) = handler else { return };
    if thread == loom::thread::current().id() && signal.word.swap(0, Relaxed) == 1 {
        CURRENT.with_borrow_mut(|execution| execution.handler = None);
        handler();
    }
}

/// Begins an execution: to be called first in each.
fn begin() {
    // Creates nothing while the content is borrowed, since loom may switch threads.
    let supply = CURRENT.with_borrow(|execution| execution.supply.clone());
    let make = |(initial, count)| (initial, (0..count).map(|_| Rc::new(Place::new(initial))).collect());
    let free = supply.clone().into_iter().map(make).collect();
    let [fence, signal] = [(); 2].map(|()| Some(Rc::new(Place::new(0))));
    CURRENT.with_borrow_mut(|execution| {
        let number = execution.number + 1;
        *execution = Execution { number, free, supply, fence, signal, ..Execution::default() };
    });
}

/// Restarts the process with more atomics if some were missing.
fn restart_if_short() {
    let (is_short, supply) = CURRENT.with_borrow(|execution| (execution.is_short, execution.supply.clone()));
    if !is_short {
        return;
    }
    let supply: Vec<String> = supply.iter().map(|(initial, count)| format!("{initial}:{count}")).collect();
    let program = env::current_exe().expect("the program has a path");
    let failure = Command::new(program).args(env::args_os().skip(1)).env(SUPPLY, supply.join(",")).exec();
    panic!("cannot restart: {failure}");
}

fn supply() -> BTreeMap<u64, usize> {
    let text = env::var(SUPPLY).unwrap_or_default();
    let pair = |pair: &str| {
        let (initial, count) = pair.split_once(':')?;
        Some((initial.parse().ok()?, count.parse().ok()?))
    };
    text.split(',').filter_map(pair).collect()
}

/// The number of executions between two looks at the clock.
const CLOCK_INTERVAL: usize = 100;

/// Runs all executions of a model, or as many as fit in a time; returns their number. Panics if one of them does.
pub fn explore(
    bound: Option<usize>,
    mode: Mode,
    time: Option<Duration>,
    model: impl Fn() + Send + Sync + 'static,
) -> u64 {
    MODE.set(mode);
    CURRENT.with_borrow_mut(|execution| execution.supply = supply());
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        restart_if_short();
        report(info);
        // Unwinding would run code of the model outside of its execution.
        process::exit(101);
    }));
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = bound;
    builder.max_branches = 100_000;
    builder.checkpoint_interval = CLOCK_INTERVAL;
    builder.max_duration = time;
    builder.check(move || {
        begin();
        model();
        restart_if_short();
    });
    CURRENT.with_borrow(|execution| execution.number)
}
