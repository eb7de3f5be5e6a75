//! Handles against a straightforward model of them (rules R114 to R121, R141 to R145, R153, R158 to R182): whatever is
//! done in whatever order, each handle shows what the model of it alone shows.

use crate::support::process::in_own_process;
use crate::support::{Bench, leak, pvar};
use mpit::cell::{Aggregate, Counter, Level, Size};
use mpit::internal::desc::PvarFlags;
use mpit::internal::session::{HandleSelection, PvarHandle, SessionId};
use mpit::internal::threads;
use mpit::tool::Class;
use mpit::{Error, Result};
use proptest::prelude::*;

/// The variables, each of another kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Narrow,
    Wide,
    Amount,
    Level,
    High,
    Low,
    Size,
}

use Kind::{Amount, High, Low, Narrow, Size as Extent, Wide};

const KINDS: [Kind; 7] = [Narrow, Wide, Amount, Kind::Level, High, Low, Extent];

impl Kind {
    fn class(self) -> Class {
        match self {
            Narrow | Wide => Class::Counter,
            Amount => Class::Aggregate,
            Kind::Level => Class::Level,
            High => Class::HighWatermark,
            Low => Class::LowWatermark,
            Extent => Class::Size,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Narrow => "narrow",
            Wide => "wide",
            Amount => "amount",
            Kind::Level | High | Low => "use",
            Extent => "size",
        }
    }

    fn is_sum(self) -> bool {
        matches!(self, Narrow | Wide | Amount)
    }
}

/// The value that a handle should show, in whole numbers of quarters.
#[derive(Clone, Copy, Debug)]
struct Model {
    kind: Kind,
    runs: bool,
    /// True if the handle was started, reset or written.
    touched: bool,
    /// The value of a sum or watermark; for present values, the one at the last stop.
    value: u64,
    /// The value that was written while it ran, and the cell's value then.
    written: Option<(u64, u64)>,
}

impl Model {
    fn new(kind: Kind) -> Self {
        Self { kind, runs: false, touched: false, value: 0, written: None }
    }

    fn event(&mut self, kind: Kind, amount: u64) {
        if self.runs && self.kind == kind {
            self.value = self.value.wrapping_add(amount);
        }
    }

    fn level(&mut self, level: u64) {
        match self.kind {
            High if self.runs => self.value = self.value.max(level),
            Low if self.runs => self.value = self.value.min(level),
            _ => {}
        }
    }

    /// Returns the value to show when the cell has `present`.
    fn shows(&self, present: u64) -> u64 {
        let shown = match (self.kind, self.written) {
            (Narrow | Wide | Amount, _) => self.value,
            _ if !self.touched => present,
            (High | Low, _) => self.value,
            _ if !self.runs => self.value,
            (_, Some((value, when))) if when == present => value,
            _ => present,
        };
        if self.kind == Narrow { shown & 0xffff_ffff } else { shown }
    }

    fn start(&mut self, present: u64) {
        if !self.runs {
            let first = !self.touched;
            (self.runs, self.touched, self.written) = (true, true, None);
            if first && !self.kind.is_sum() {
                self.value = present;
            }
            self.level(present);
        }
    }

    fn stop(&mut self, present: u64) {
        if self.runs {
            self.value = self.shows(present);
            self.runs = false;
        }
    }

    fn reset(&mut self, present: u64) -> Result<()> {
        if self.kind == Kind::Level {
            return Err(Error::PvarNoWrite);
        }
        (self.touched, self.written) = (true, None);
        self.value = if self.kind.is_sum() { 0 } else { present };
        Ok(())
    }

    fn write(&mut self, value: u64, present: u64) -> Result<()> {
        if matches!(self.kind, Kind::Level | High | Low) {
            return Err(Error::PvarNoWrite);
        }
        (self.touched, self.value) = (true, value);
        self.written = Some((value, present));
        Ok(())
    }
}

#[derive(Clone, Debug)]
enum Step {
    Count(u32),
    Add(u16),
    SetLevel(u16),
    SetSize(u8),
    Start(usize),
    Stop(usize),
    Reset(usize),
    Write(usize, u32),
    ReadAndReset(usize),
    StartAll(usize),
    StopAll(usize),
    ResetAll(usize),
    Replace(usize),
}

/// Handles of each kind: two in the first session, one in the second.
const HANDLES: usize = 3 * KINDS.len();

fn step() -> impl Strategy<Value = Step> {
    let handle = || 0..HANDLES;
    prop_oneof![
        4 => any::<u32>().prop_map(Step::Count),
        4 => any::<u16>().prop_map(Step::Add),
        6 => any::<u16>().prop_map(Step::SetLevel),
        3 => (0..3_u8).prop_map(Step::SetSize),
        8 => handle().prop_map(Step::Start),
        6 => handle().prop_map(Step::Stop),
        4 => handle().prop_map(Step::Reset),
        4 => (handle(), any::<u32>()).prop_map(|(handle, value)| Step::Write(handle, value)),
        2 => handle().prop_map(Step::ReadAndReset),
        2 => (0..2_usize).prop_map(Step::StartAll),
        1 => (0..2_usize).prop_map(Step::StopAll),
        1 => (0..2_usize).prop_map(Step::ResetAll),
        2 => handle().prop_map(Step::Replace),
    ]
}

/// The real thing, and the model of each handle.
struct Pair {
    bench: Bench,
    narrow: &'static Counter<u32>,
    wide: &'static Counter<u64>,
    amount: &'static Aggregate<f64>,
    level: &'static Level<u64>,
    size: &'static Size<u64>,
    sessions: [SessionId; 2],
    handles: Vec<(usize, PvarHandle, Model)>,
}

impl Pair {
    fn new() -> Self {
        let (narrow, wide, amount) = (leak(Counter::new()), leak(Counter::new()), leak(Aggregate::new()));
        let (level, size) = (leak(Level::new()), leak(Size::new()));
        let bench = Bench::of_pvars([
            pvar("narrow", Class::Counter, narrow),
            pvar("wide", Class::Counter, wide).with_flags(PvarFlags::ATOMIC),
            pvar("amount", Class::Aggregate, amount),
            pvar("use", Class::Level, level),
            pvar("use", Class::HighWatermark, level),
            pvar("use", Class::LowWatermark, level),
            pvar("size", Class::Size, size).writable(),
        ]);
        let sessions = [bench.session(), bench.session()];
        let handles = (0..HANDLES).map(|at| {
            let (kind, session) = (KINDS[at % KINDS.len()], usize::from(at >= 2 * KINDS.len()));
            (session, bench.handle(sessions[session], kind.name(), kind.class()), Model::new(kind))
        });
        Self { handles: handles.collect(), bench, narrow, wide, amount, level, size, sessions }
    }

    /// Returns the value of a kind's cell, where it has a present value.
    fn present(&self, kind: Kind) -> u64 {
        if kind == Extent { self.size.get() } else { self.level.get() }
    }

    fn read(&self, at: usize) -> u64 {
        let (session, handle, model) = self.handles[at];
        let session = self.sessions[session];
        match model.kind {
            Narrow => self.bench.read::<u32>(session, handle).unwrap().into(),
            Amount => (self.bench.read::<f64>(session, handle).unwrap() * 4.0) as u64,
            _ => self.bench.read::<u64>(session, handle).unwrap(),
        }
    }

    fn happens(&mut self, kind: Kind, amount: u64) {
        self.handles.iter_mut().for_each(|(_, _, model)| model.event(kind, amount));
    }

    fn take(&mut self, step: &Step) {
        let (bench, sessions) = (self.bench, self.sessions);
        match *step {
            Step::Count(amount) => {
                self.narrow.add(amount);
                self.wide.add(u64::from(amount) << 20);
                self.happens(Narrow, amount.into());
                self.happens(Wide, u64::from(amount) << 20);
            }
            Step::Add(quarters) => {
                self.amount.add(f64::from(quarters) / 4.0);
                self.happens(Amount, quarters.into());
            }
            Step::SetLevel(level) => {
                let level = u64::from(level);
                match level % 4 {
                    0 => self.level.raise(level.saturating_sub(self.level.get())),
                    1 => self.level.lower(self.level.get().saturating_sub(level)),
                    _ => self.level.set(level),
                }
                let level = self.level.get();
                self.handles.iter_mut().for_each(|(_, _, model)| model.level(level));
            }
            Step::SetSize(size) => self.size.set(size.into()),
            Step::Start(at) | Step::Stop(at) | Step::Reset(at) | Step::Write(at, _) => self.act(step, at),
            Step::ReadAndReset(at) => {
                let (session, handle, model) = self.handles[at];
                let taken = bench.read_and_reset::<u64>(sessions[session], handle);
                if model.kind == Wide {
                    assert_eq!(taken, Ok(model.value));
                    self.handles[at].2.reset(0).unwrap();
                } else {
                    assert_eq!(taken, Err(Error::PvarNoAtomic));
                }
            }
            Step::StartAll(session) | Step::StopAll(session) | Step::ResetAll(session) => {
                let all = sessions[session];
                match step {
                    Step::StartAll(_) => bench.interface.start(all, HandleSelection::All),
                    Step::StopAll(_) => bench.interface.stop(all, HandleSelection::All),
                    _ => bench.interface.reset(all, HandleSelection::All),
                }
                .unwrap();
                for at in 0..HANDLES {
                    let present = self.present(self.handles[at].2.kind);
                    let (of, _, model) = &mut self.handles[at];
                    if *of != session {
                        continue;
                    }
                    match step {
                        Step::StartAll(_) => model.start(present),
                        Step::StopAll(_) => model.stop(present),
                        // What is read-only is left as it is.
                        _ => _ = model.reset(present),
                    }
                }
            }
            Step::Replace(at) => {
                let (session, handle, model) = self.handles[at];
                bench.interface.handle_free(sessions[session], handle).unwrap();
                let handle = bench.handle(sessions[session], model.kind.name(), model.kind.class());
                self.handles[at] = (session, handle, Model::new(model.kind));
            }
        }
    }

    fn act(&mut self, step: &Step, at: usize) {
        let present = self.present(self.handles[at].2.kind);
        let (session, handle, model) = &mut self.handles[at];
        let (bench, session, handle) = (self.bench, self.sessions[*session], *handle);
        match *step {
            Step::Start(_) => {
                bench.start(session, handle).unwrap();
                model.start(present);
            }
            Step::Stop(_) => {
                bench.stop(session, handle).unwrap();
                model.stop(present);
            }
            Step::Reset(_) => assert_eq!(bench.reset(session, handle), model.reset(present)),
            Step::Write(_, value) => {
                let written = match model.kind {
                    Narrow => bench.write(session, handle, value),
                    Amount => bench.write(session, handle, f64::from(value) / 4.0),
                    _ => bench.write(session, handle, u64::from(value)),
                };
                assert_eq!(written, model.write(value.into(), present));
            }
            _ => unreachable!("not about one handle"),
        }
    }
}

fn compare(steps: &[Step]) -> std::result::Result<(), TestCaseError> {
    let mut pair = Pair::new();
    for (number, step) in steps.iter().enumerate() {
        pair.take(step);
        for at in 0..HANDLES {
            let (session, _, model) = pair.handles[at];
            let expected = model.shows(pair.present(model.kind));
            let kind = model.kind;
            prop_assert_eq!(
                pair.read(at),
                expected,
                "{:?} in {} after {}: {:?}",
                kind,
                session,
                number,
                step
            );
        }
    }
    Ok(())
}

#[test]
fn handles_show_what_their_model_shows() {
    in_own_process(|| {
        let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
        // First with locked instructions, then without.
        for concurrent in [true, false] {
            threads::set_concurrent(concurrent);
            let mut runner = proptest::test_runner::TestRunner::new(config.clone());
            runner
                .run(&prop::collection::vec(step(), 1..120), |steps| compare(&steps))
                .unwrap_or_else(|fault| panic!("concurrent: {concurrent}\n{fault}"));
        }
    });
}
