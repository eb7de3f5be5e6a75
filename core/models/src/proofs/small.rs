//! Small structures: subscriptions, references, the index of names, the wait for a completion, and values of control variables.

use std::rc::Rc;
use std::sync::atomic::{
    AtomicU32, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

use std::harness::Model;
use std::time::Duration;

use super::at_once;
use crate::barrier;
use crate::component::Subscription;
use crate::cvar::{Cvar, ObjectCvar};
use crate::probe_table::ProbeTable;
use crate::static_ref::StaticRef;

pub(super) const MODELS: &[Model] = &[
    Model::new("subscription::awake_ones_are_counted", awake_ones_are_counted),
    Model::new("static_ref::targets_are_whole", targets_are_whole),
    Model::new("name_index::names_stay_while_it_grows", names_stay_while_it_grows),
    Model::new("probe_table::contents_are_published", contents_are_published),
    Model::new("completion::values_are_complete", values_are_complete),
    Model::new("cvar::values_are_whole", values_are_whole),
    Model::new("object_cvar::objects_are_separate", objects_are_separate),
    Model::new("object_cvar::values_are_set_once", values_are_set_once),
];

/// The number of awake subscriptions is right after changes at once.
fn awake_ones_are_counted() {
    static ACTIVE: AtomicU32 = AtomicU32::new(0);
    static SUBSCRIPTION: Subscription = Subscription::new(&ACTIVE);
    SUBSCRIPTION.add();
    at_once(
        &Rc::new(()),
        [
            |()| {
                SUBSCRIPTION.add();
                SUBSCRIPTION.remove();
            },
            |()| SUBSCRIPTION.remove(),
            |()| {
                SUBSCRIPTION.pause();
                SUBSCRIPTION.resume();
            },
        ],
    );
    assert_eq!((SUBSCRIPTION.is_active(), ACTIVE.load(Relaxed)), (false, 0));
}

/// A reader of a reference sees its target as it was when the reference was set.
fn targets_are_whole() {
    static TARGETS: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];
    static REFERENCE: StaticRef<AtomicU64> = StaticRef::new();
    at_once(
        &Rc::new(()),
        [
            |()| {
                for target in &TARGETS {
                    target.store(7, Relaxed);
                    REFERENCE.set(Some(target));
                }
            },
            |()| {
                let target = REFERENCE.get().map(|target| target.load(Relaxed));
                assert!(target.is_none_or(|target| target == 7));
            },
        ],
    );
}

/// The index, which is private to the registry, once more.
#[allow(clippy::duplicate_mod, reason = "the index is private to the registry")]
#[path = "../../../base/src/registry/name_index.rs"]
mod name_index;

/// Entries are found by name while another thread replaces the table by a larger one, and are whole.
fn names_stay_while_it_grows() {
    /// The number of entries that the first table takes.
    const FULL: u32 = 32;
    struct Entries {
        index: name_index::NameIndex,
        /// The number of entries that exist.
        len: AtomicU32,
    }
    fn key(index: u32) -> name_index::Key<'static> {
        const NAMES: &str = "names of which each is a prefix of the next one";
        name_index::Key::new(&NAMES[..=index as usize])
    }
    impl Entries {
        fn find(&self, wanted: u32) -> Option<u32> {
            let found = self.index.find(key(wanted));
            if let Some(index) = found {
                assert!(index < self.len.load(Relaxed), "the entry is not there yet");
            }
            found
        }
    }
    let entries = Rc::new(Entries { index: name_index::NameIndex::default(), len: AtomicU32::new(FULL) });
    for index in 0..FULL {
        entries.index.insert(key(index), index);
    }
    at_once(
        &entries,
        [
            |entries| {
                // The first needs a larger table; the second finds it there.
                for index in [FULL, FULL + 1] {
                    entries.len.store(index + 1, Relaxed);
                    entries.index.insert(key(index), index);
                }
            },
            |entries| {
                assert_eq!(entries.find(5), Some(5));
                assert!(entries.find(FULL + 1).is_none_or(|index| index == FULL + 1));
            },
        ],
    );
    assert!((0..FULL + 2).all(|index| entries.find(index) == Some(index)));
}

/// A reader that finds a number in a table sees what was written before it was inserted.
fn contents_are_published() {
    struct Shared {
        table: ProbeTable<AtomicU64>,
        data: AtomicU64,
    }
    let shared = Rc::new(Shared { table: ProbeTable::new(), data: AtomicU64::new(0) });
    shared.table.replace(4, std::iter::empty());
    at_once(
        &shared,
        [
            |shared| {
                shared.data.store(7, Relaxed);
                shared.table.insert(1, 1);
            },
            |shared| {
                if shared.table.find(1, Some).is_some() {
                    assert_eq!(shared.data.load(Relaxed), 7);
                }
            },
        ],
    );
}

/// The wait for a completion, which is private to the registry, once more.
#[allow(clippy::duplicate_mod, reason = "the wait is private to the registry")]
#[path = "../../../base/src/registry/completion.rs"]
mod completion;

/// A thread that waits for the completion of a value sees the complete value.
fn values_are_complete() {
    static VALUE: AtomicU64 = AtomicU64::new(0);
    let shared = Rc::new(completion::Completion::new());
    // In the thread that runs the first function below.
    shared.begin();
    at_once(
        &shared,
        [
            |completion| completion.run(&VALUE, || VALUE.store(7, Relaxed)),
            |completion| {
                // The limit is never reached: only a thread that does not run would make the wait as long.
                assert!(completion.wait(&VALUE, Duration::from_secs(3600)));
                assert_eq!(VALUE.load(Relaxed), 7);
            },
        ],
    );
    assert!(shared.get().is_some());
}

/// A reader of a control variable sees the default or a value that was set.
fn values_are_whole() {
    static VALUE: Cvar<u32> = Cvar::new(1);
    at_once(
        &Rc::new(()),
        [
            |()| VALUE.set(7).expect("there is no range"),
            |()| {
                let value = VALUE.get();
                assert!([1, 7].contains(&value), "{value}");
            },
        ],
    );
    assert_eq!(VALUE.get(), 7);
}

/// A reader of an object's value sees no value of another object that reuses its memory.
fn objects_are_separate() {
    // The fence of a lock's light barrier would replace those of the variable.
    barrier::IS_LIGHT_CHEAP.store(true, Relaxed);
    let value: ObjectCvar<u64> = ObjectCvar::new(0);
    value.set(1, 10).expect("there is memory");
    at_once(
        &Rc::new(value),
        [
            |value| {
                value.unset(1);
                value.set(2, 20).expect("there is memory");
            },
            |value| {
                let of_first = value.get(1);
                assert!([0, 10].contains(&of_first), "{of_first} of the first object");
                let of_second = value.get(2);
                assert!([0, 20].contains(&of_second), "{of_second} of the second object");
            },
        ],
    );
}

/// Threads that set the value of an object at once leave one value, which is gone with the object.
fn values_are_set_once() {
    let value = Rc::new((ObjectCvar::new(0_u64), AtomicU64::new(0)));
    at_once(
        &value,
        [
            |(value, _)| value.set(1, 10).expect("there is memory"),
            |(value, _)| value.set(1, 20).expect("there is memory"),
        ],
    );
    let (value, last) = &*value;
    last.store(value.get(1), SeqCst);
    assert!([10, 20].contains(&last.load(SeqCst)));
    value.unset(1);
    assert_eq!(value.get(1), 0);
}
