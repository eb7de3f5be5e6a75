//! State of several words that is updated without locks.

use std::convert::Infallible;
use std::rc::Rc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, Release},
};

use std::harness::Model;

use super::at_once;
use crate::atomic_record::{AtomicRecord, Control, Flags};

pub(super) const MODELS: &[Model] = &[
    Model::new("records::changes_add_up", changes_add_up),
    Model::new("records::readers_see_one_state", readers_see_one_state),
    Model::new("records::only_the_seen_state_is_stopped", only_the_seen_state_is_stopped),
    Model::new("records::claims_are_released", claims_are_released),
];

/// The present record, and one for each of two changes.
const RECORDS: usize = 3;

/// A state of two words that are equal after each change.
struct State {
    control: AtomicRecord,
    records: [[AtomicU64; 2]; RECORDS],
}

impl State {
    fn new() -> Rc<Self> {
        Rc::new(Self {
            control: AtomicRecord::new(),
            records: [const { [const { AtomicU64::new(0) }; 2] }; RECORDS],
        })
    }

    fn load(&self, control: Control) -> [u64; 2] {
        self.records[control.record()].each_ref().map(|word| word.load(Relaxed))
    }

    /// Adds to both words, as accounts of handles are changed.
    fn add(&self) {
        let changed = self.control.change::<Infallible>(RECORDS, |seen, record| {
            let before = self.load(seen);
            for (to, from) in self.records[record].iter().zip(before) {
                to.store(from + 1, Release);
            }
            Ok(Some(Flags::TOUCHED))
        });
        assert_eq!(changed, Some(Ok(true)));
    }

    fn read(&self) -> [u64; 2] {
        loop {
            let seen = self.control.control();
            let words = self.load(seen);
            if self.control.unchanged(seen) {
                return words;
            }
        }
    }
}

/// Changes at once take effect one after the other.
fn changes_add_up() {
    let state = State::new();
    at_once(&state, [|state| state.add(), |state| state.add()]);
    assert_eq!(state.read(), [2, 2]);
    state.add();
    assert_eq!(state.read(), [3, 3]);
}

/// A reader sees both words of one state, while changes reuse the records.
fn readers_see_one_state() {
    let state = State::new();
    at_once(
        &state,
        [
            |state| {
                state.add();
                state.add();
                state.add();
            },
            |state| {
                let [one, other] = state.read();
                assert_eq!(one, other);
            },
        ],
    );
}

/// A state that was stopped and started again meanwhile is not stopped for its earlier control word.
fn only_the_seen_state_is_stopped() {
    struct Running {
        control: AtomicRecord,
        seen: Control,
        /// The number of stops that took effect.
        stops: AtomicU64,
    }
    let control = AtomicRecord::new();
    control.change_flags(|_| Some(Flags::RUNS));
    let seen = control.control();
    let running = Rc::new(Running { control, seen, stops: AtomicU64::new(0) });
    at_once(
        &running,
        [
            |running| {
                if running.control.stop_if(running.seen) == Some(true) {
                    running.stops.fetch_add(1, Relaxed);
                }
            },
            |running| {
                if running.control.change_flags(|seen| seen.runs().then_some(Flags::NONE)) {
                    running.stops.fetch_add(1, Relaxed);
                }
                running.control.change_flags(|_| Some(Flags::RUNS));
            },
        ],
    );
    assert!(running.control.control().runs(), "the later state was stopped");
    assert_eq!(running.stops.load(Relaxed), 1);
}

/// A record is claimed by one change at a time, which sees what the last one stored in it.
fn claims_are_released() {
    fn turn((control, owner): &(AtomicRecord, AtomicU64)) {
        if let Some(claim) = control.try_claim(2) {
            assert_eq!(owner.load(Relaxed), 0, "the record is claimed twice");
            owner.store(1, Relaxed);
            owner.store(0, Relaxed);
            drop(claim);
        }
    }
    let shared = Rc::new((AtomicRecord::new(), AtomicU64::new(0)));
    at_once(&shared, [turn, turn, turn]);
    assert!(shared.0.try_claim(2).is_some());
}
