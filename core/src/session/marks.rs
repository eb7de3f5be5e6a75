//! Watermarks: the extreme level of each handle's own time.
//!
//! The cell knows the extremes of its present interval ([`Gauge`]). When a handle is started or reset, the interval
//! is cut: its extremes are folded into the marks of the handles that run, and a new interval begins at the
//! present level. A running handle's value is the more extreme of its mark and the present interval. Changes on one
//! gauge are made by one caller at a time; who finds the gauge taken leaves his wishes in his handle, and the one
//! who is at it sees to them.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

use super::handle::{Handle, View};
use crate::cell::Gauge;
use crate::desc::Behaviour;
use crate::{Error, Result};

impl View<'_> {
    fn more_extreme(&self, a: u64, b: u64) -> u64 {
        if self.desc.behaviour() == Behaviour::Highest { a.max(b) } else { a.min(b) }
    }

    fn extreme_of(&self, gauge: &Gauge) -> u64 {
        if self.desc.behaviour() == Behaviour::Highest { gauge.high() } else { gauge.low() }
    }

    /// What a tool reads.
    pub(super) fn mark(&self) -> Result<u64> {
        let gauge = self.desc.gauge().ok_or(Error::InvalidHandle)?;
        let mark = self.section(0).first().ok_or(Error::InvalidHandle)?;
        let control = self.handle.control();
        if !control.touched() {
            return Ok(gauge.level());
        }
        if !control.runs() {
            return Ok(mark.load(Acquire));
        }
        // First the interval, then the mark: an interval that is cut in between is in the mark by then.
        let extreme = self.extreme_of(gauge);
        std::sync::atomic::fence(Acquire);
        Ok(self.more_extreme(extreme, mark.load(Acquire)))
    }

    fn wants_change(&self) -> bool {
        self.handle.wants_reset.load(SeqCst)
            || self.handle.wants_to_run.load(SeqCst) != self.handle.control().runs()
    }

    /// Sees to what this handle wants; `all` gives every handle there is.
    pub(super) fn settle_mark<'h, I>(&self, all: impl Fn() -> I) -> Result<()>
    where
        I: Iterator<Item = (u64, &'h Handle)>,
    {
        let gauge = self.desc.gauge().ok_or(Error::InvalidHandle)?;
        let on_gauge =
            || all().filter(|(_, handle)| handle.watches(gauge)).filter_map(|(id, handle)| handle.view(id));
        while on_gauge().any(|view| view.wants_change()) {
            if gauge.cutting.swap(true, SeqCst) {
                // Whoever is at it looks again before he is done.
                return Ok(());
            }
            for view in on_gauge().filter(View::wants_change) {
                view.change_mark(gauge, &on_gauge);
            }
            gauge.cutting.store(false, SeqCst);
        }
        Ok(())
    }

    /// Starts, stops or resets. Only for the holder of the gauge.
    fn change_mark<'h, I>(&self, gauge: &Gauge, on_gauge: &impl Fn() -> I)
    where
        I: Iterator<Item = View<'h>>,
    {
        let Some(mark) = self.section(0).first() else { return };
        let control = self.handle.control();
        if self.handle.wants_reset.swap(false, SeqCst) {
            let level = if control.runs() { cut(gauge, on_gauge) } else { gauge.level() };
            mark.store(level, Release);
            self.handle.set_control(control.next(control.runs(), false));
        }
        let control = self.handle.control();
        let run = self.handle.wants_to_run.load(SeqCst);
        if run && !control.runs() {
            let level = cut(gauge, on_gauge);
            let started =
                if control.touched() { self.more_extreme(mark.load(Relaxed), level) } else { level };
            mark.store(started, Release);
            self.handle.set_control(control.next(true, false));
        } else if !run && control.runs() {
            mark.store(self.more_extreme(mark.load(Relaxed), self.extreme_of(gauge)), Release);
            self.handle.set_control(control.next(false, false));
        }
    }
}

/// Ends the present interval: folds it into the running handles' marks. Returns the level the new one begins at.
fn cut<'h, I>(gauge: &Gauge, on_gauge: &impl Fn() -> I) -> u64
where
    I: Iterator<Item = View<'h>>,
{
    loop {
        let (high, low) = (gauge.high(), gauge.low());
        for view in on_gauge().filter(|view| view.handle.control().runs()) {
            if let Some(mark) = view.section(0).first() {
                match view.desc.behaviour() {
                    Behaviour::Highest => mark.fetch_max(high, Release),
                    _ => mark.fetch_min(low, Release),
                };
            }
        }
        // An update that came in between is folded in the next round.
        if let Ok(level) = gauge.cut(high, low) {
            return level;
        }
    }
}
