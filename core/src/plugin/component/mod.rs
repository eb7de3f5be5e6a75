//! Components that other images bring, as whoever reports traffic tells them.
//!
//! Such a component is functions of C and perhaps a switch of its own image. Here it becomes a [`ForeignComponent`], which
//! implements the traits of [`traffic`](crate::traffic) and has a switch like any other, and is kept in a list that only
//! grows. Who tells components looks at the list whenever something [changed](on_change).
//!
//! Life of one: it is [claimed](Claim), which binds its switch; published, when all that came with it is there; opened by
//! its framework, if that is up and selects it, which wakes its switch up; closed when MPI goes down or its plug-in is
//! deactivated; opened again when that is activated again.

mod list;

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{from_mut, from_ref, null_mut};
use std::sync::atomic::{
    AtomicBool, AtomicU8,
    Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst},
};

pub use list::{Claim, all, changed, on_change};

use super::abi;
use super::life::{Lease, Life};
use super::read::placed_to_change;
use super::texts::{DESCRIPTION, borrowed};
use crate::desc::Origin;
use crate::registry::{Fault, Refusal, text_fault};
use crate::traffic::{CommId, Framework, Lifecycle, Lines, Switch, World, coll, osc, pml};

/// What is said of a component, as it was read from its table.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name of its framework.
    pub framework: &'static str,
    /// Its name within the framework.
    pub name: &'static str,
    /// What it does.
    pub description: &'static str,
    /// Where it is defined.
    pub origin: Origin,
    /// The life of its plug-in; none is for ever.
    pub life: Option<&'static Life>,
}

/// A component of another image.
#[derive(Debug)]
pub struct ForeignComponent {
    about: About,
    framework: Framework,
    functions: abi::Component,
    /// The switch in its image; without one it always listens.
    reasons: Option<&'static abi::Switch>,
    /// Asleep unless it is open.
    switch: &'static Switch,
    is_open: AtomicBool,
    stage: AtomicU8,
}

/// Others may not see it yet,
const CLAIMED: u8 = 0;
/// it is there for ever,
const PUBLISHED: u8 = 1;
/// or what came with it was refused.
const DROPPED: u8 = 2;

// SAFETY: its pointers are to functions that any thread may call, with data that stays for ever, as `new` demands.
unsafe impl Send for ForeignComponent {}
// SAFETY: as above.
unsafe impl Sync for ForeignComponent {}

impl ForeignComponent {
    /// The component of these functions, which is nowhere listed yet.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    ///
    /// # Safety
    ///
    /// The switch is null or stays for ever, and so do the functions, which any thread may call as `mpit_plugin.h` says.
    pub unsafe fn new(functions: abi::Component, about: About) -> Result<Self, Fault> {
        let framework = Framework::ALL.into_iter().find(|framework| framework.name() == about.framework);
        let Some(framework) = framework else {
            let why = format!("there is no framework `{}`, but pml, osc and coll", about.framework);
            return Err(Fault::of("C4", why));
        };
        if let Some(fault) = text_fault(about.name, "") {
            return Err(fault);
        }
        if !functions.listening.is_null() {
            placed_to_change("its switch", functions.listening)?;
        }
        // SAFETY: null, or aligned and there for ever by the caller's promise; all its members are atomic.
        let reasons = unsafe { functions.listening.as_ref() };
        let switch: &'static Switch = Box::leak(Box::new(framework.switch()));
        switch.pause();
        let (is_open, stage) = (AtomicBool::new(false), AtomicU8::new(CLAIMED));
        Ok(Self { about, framework, functions, reasons, switch, is_open, stage })
    }

    /// What it listens to.
    #[must_use]
    pub fn framework(&self) -> Framework {
        self.framework
    }

    /// Its name within the framework.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.about.name
    }

    /// What it does.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.about.description
    }

    /// Where it is defined.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.about.origin
    }

    /// The time that its plug-in is active in: another number for each; `None` while it is not active.
    #[must_use]
    pub fn epoch(&self) -> Option<u64> {
        Lease::begin(self.about.life).ok().map(Lease::epoch)
    }

    fn refusal(&self, why: &str) -> Refusal {
        Refusal::new(self.label(), self.origin(), why)
    }

    fn label(&self) -> String {
        format!("component `{}` of `{}`", self.name(), self.framework.name())
    }

    /// Whether it has a function for what its framework tells.
    fn has_ears(&self) -> bool {
        match self.framework {
            Framework::Pml => self.functions.sent.is_some(),
            Framework::Osc => self.functions.accessed.is_some(),
            Framework::Coll => self.functions.done.is_some(),
        }
    }

    /// Puts its image's switch in the place of ours; whether it serves no other component.
    fn bind(&'static self) -> bool {
        let Some(reasons) = self.reasons else { return true };
        let host = from_ref(self).cast_mut().cast();
        let is_free = reasons.host.compare_exchange(null_mut(), host, AcqRel, Acquire).is_ok();
        if is_free {
            reasons.turn.store(turn as *mut c_void, Release);
        }
        is_free
    }

    fn unbind(&self) {
        if let Some(reasons) = self.reasons {
            reasons.turn.store(null_mut(), Release);
            reasons.host.store(null_mut(), Release);
        }
    }

    /// Takes over the reasons to listen. What nobody hears must not cost anything.
    fn follow(&self) {
        if self.has_ears() {
            let reasons = || self.reasons.map_or(1, |switch| switch.reasons.load(SeqCst));
            keep_up(reasons, |reasons| self.switch.set(reasons));
        }
    }

    fn user_data(&self) -> *mut c_void {
        self.functions.user_data
    }
}

/// Takes a number over. Several threads may do so at once: whoever comes last sees what there was when it had set its own.
fn keep_up(number: impl Fn() -> u32, set: impl Fn(u32)) {
    loop {
        let seen = number();
        set(seen);
        if number() == seen {
            break;
        }
    }
}

/// What `mpit_switch.turn` is. The count says more than the change.
unsafe extern "C" fn turn(host: *const c_void, _more: c_int) {
    // SAFETY: null, or stored by `bind`, which has it for ever.
    if let Some(component) = unsafe { host.cast::<ForeignComponent>().as_ref() } {
        component.follow();
    }
}

/// The function that a component adds a line with.
unsafe extern "C" fn add_line(lines: *mut c_void, line: *const c_char) {
    // SAFETY: null, or the `Lines` that `report` handed out and that nothing else uses during the call.
    let lines = unsafe { lines.cast::<Lines>().as_mut() };
    // SAFETY: null, or a string that ends with a NUL, as the header demands.
    let line = unsafe { borrowed("its line", line, DESCRIPTION) };
    if let (Some(lines), Ok(line)) = (lines, line) {
        lines.add(line);
    }
}

impl Lifecycle for ForeignComponent {
    fn switch(&self) -> &'static Switch {
        self.switch
    }

    fn open(&self, world: World) -> bool {
        let outcome = self.functions.open.map_or(0, |open| {
            // SAFETY: as `new` demands.
            unsafe { open(self.user_data(), world.rank, world.size) }
        });
        self.is_open.store(outcome == 0, Relaxed);
        outcome == 0
    }

    fn pcontrol(&self, level: i32) {
        if let Some(pcontrol) = self.functions.pcontrol.filter(|_| self.is_open.load(Relaxed)) {
            // SAFETY: as `new` demands.
            unsafe { pcontrol(self.user_data(), level) };
        }
    }

    fn report(&self, lines: &mut Lines) {
        if let Some(report) = self.functions.report.filter(|_| self.is_open.load(Relaxed)) {
            // SAFETY: as `new` demands; `add_line` gets back the lines, which live until the call returns.
            unsafe { report(self.user_data(), add_line, from_mut(lines).cast()) };
        }
    }

    fn close(&self) {
        let was_open = self.is_open.swap(false, Relaxed);
        if let Some(close) = self.functions.close.filter(|_| was_open) {
            // SAFETY: as `new` demands.
            unsafe { close(self.user_data()) };
        }
    }
}

impl pml::Component for ForeignComponent {
    fn sent(&self, send: &pml::Send) {
        if let Some(sent) = self.functions.sent {
            // SAFETY: as `new` demands.
            unsafe { sent(self.user_data(), &send.into()) };
        }
    }
}

impl osc::Component for ForeignComponent {
    fn accessed(&self, access: &osc::Access) {
        if let Some(accessed) = self.functions.accessed {
            // SAFETY: as `new` demands.
            unsafe { accessed(self.user_data(), &access.into()) };
        }
    }
}

impl coll::Component for ForeignComponent {
    fn done(&self, operation: &coll::Operation<'_>) {
        if let Some(done) = self.functions.done {
            // SAFETY: as `new` demands.
            abi::Operation::show(operation, |shown| unsafe { done(self.user_data(), shown) });
        }
    }

    fn freed(&self, comm: CommId) {
        if let Some(freed) = self.functions.freed.filter(|_| self.is_open.load(Relaxed)) {
            // SAFETY: as `new` demands.
            unsafe { freed(self.user_data(), comm.get()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::keep_up;

    #[test]
    fn what_another_thread_changes_meanwhile_is_seen() {
        let (number, taken) = (Cell::new(1), RefCell::new(Vec::new()));
        keep_up(
            || number.get(),
            |seen| {
                // As another thread does that is done before this one sets what it saw.
                if number.replace(0) == 1 {
                    taken.borrow_mut().push(0);
                }
                taken.borrow_mut().push(seen);
            },
        );
        assert_eq!(*taken.borrow(), [0, 1, 0]);
    }
}
