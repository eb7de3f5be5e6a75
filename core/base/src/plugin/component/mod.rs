//! Components of other images, adapted to the traits that frameworks notify.
//!
//! Such a component is a set of C functions and perhaps a subscription in its own image. Here it becomes a [`ForeignComponent`],
//! which implements the traits of [`component`](mod@crate::component), has a subscription like any other, and is kept in a
//! list. Frameworks iterate over the list whenever it [changed](on_change).
//!
//! States of a component: it is [claimed](Claim), which binds its subscription; published, after all that came with it is
//! registered; opened by its framework, if MPI is initialized and the selection list admits it, which resumes its subscription;
//! closed when MPI is finalized or its plug-in is deactivated.

mod list;

use std::ffi::{c_char, c_int, c_void};
use std::ptr::{from_mut, from_ref, null_mut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};

pub use list::{Claim, all, changed, on_change};

use super::c_strings::{DESCRIPTION, borrowed};
use super::c_structs::{Specified, member, shared_cell};
use crate::abi;
use crate::component::{CommId, Framework, Lifecycle, Lines, Subscription, World, coll, osc, pml};
use crate::desc::{Activation, Origin};
use crate::leak::leak;
use crate::os::readable::Pages;
use crate::registry::{Fault, Refusal, Rule, check_text};

/// The description of a component, as read from its table.
#[derive(Clone, Copy, Debug)]
pub struct ComponentInfo {
    /// The name of its framework.
    pub framework: &'static str,
    /// Its name within the framework.
    pub name: &'static str,
    /// The description for users.
    pub description: &'static str,
    /// The place of the definition.
    pub origin: Origin,
    /// The activation of its plug-in; `None` if it is always active.
    pub activation: Option<&'static Activation>,
}

/// A component of another image.
#[derive(Debug)]
pub struct ForeignComponent {
    about: ComponentInfo,
    framework: Framework,
    /// `new` received functions that any thread may call at any time, with the `user_data` beside them.
    functions: abi::Component,
    /// The subscription in its image; without one it always listens.
    reasons: Option<&'static abi::Subscription>,
    /// The subscription in this image, paused unless the component is open.
    subscription: &'static Subscription,
    is_open: AtomicBool,
    is_published: AtomicBool,
}

// SAFETY: its pointers lead to functions that any thread may call and to data that is valid for the rest of the process
// (conditions of `new`).
unsafe impl Send for ForeignComponent {}
// SAFETY: several threads may call its functions at once (conditions of `new`), and its own state is atomic.
unsafe impl Sync for ForeignComponent {}

impl ForeignComponent {
    /// Creates a component that is not listed yet.
    ///
    /// # Errors
    ///
    /// The fault of the description.
    ///
    /// # Safety
    ///
    /// The subscription is null or valid for the rest of the process, and so are the functions, which any thread may call as
    /// `mpit_plugin.h` specifies.
    pub unsafe fn new(functions: abi::Component, about: ComponentInfo) -> Result<Self, Fault> {
        let framework = Framework::ALL.into_iter().find(|framework| framework.name() == about.framework);
        let Some(framework) = framework else {
            let why = format!("there is no framework `{}`, but pml, osc and coll", about.framework);
            return Err(Fault::of(Rule::Framework, why));
        };
        check_text(about.name, "")?;
        // SAFETY: the caller ensures that the subscription and the functions satisfy `mpit_plugin.h`.
        let from = unsafe { Specified::new(functions) };
        let reasons = if functions.listening.is_null() {
            None
        } else {
            Some(shared_cell(&mut Pages::default(), "its switch", member!(&from, listening))?)
        };
        let subscription: &'static Subscription = leak(framework.subscription());
        subscription.pause();
        let [is_open, is_published] = [const { AtomicBool::new(false) }; 2];
        Ok(Self { about, framework, functions, reasons, subscription, is_open, is_published })
    }

    /// Returns the framework.
    pub fn framework(&self) -> Framework {
        self.framework
    }

    /// Returns the name within the framework.
    pub fn name(&self) -> &'static str {
        self.about.name
    }

    /// Returns the description for users.
    pub fn description(&self) -> &'static str {
        self.about.description
    }

    /// Returns the place of the definition.
    pub fn origin(&self) -> Origin {
        self.about.origin
    }

    /// Returns true while the plug-in is active.
    pub fn is_active(&self) -> bool {
        self.about.activation.is_none_or(Activation::is_active)
    }

    fn refusal(&self, why: &str) -> Refusal {
        Refusal::new(self.label(), self.origin(), why)
    }

    fn label(&self) -> String {
        format!("component `{}` of `{}`", self.name(), self.framework.name())
    }

    /// Returns true if the component has a function for the traffic of its framework.
    fn listens(&self) -> bool {
        match self.framework {
            Framework::Pml => self.functions.sent.is_some(),
            Framework::Osc => self.functions.accessed.is_some(),
            Framework::Coll => self.functions.done.is_some(),
        }
    }

    /// Binds the subscription in its image to this component. Returns false if the subscription is bound to another component.
    fn bind(&'static self) -> bool {
        let Some(reasons) = self.reasons else { return true };
        let host = from_ref(self).cast_mut().cast();
        let is_free = reasons.host.compare_exchange(null_mut(), host, AcqRel, Acquire).is_ok();
        if is_free {
            reasons.turn.store(reasons_changed as *mut c_void, Release);
        }
        is_free
    }

    fn unbind(&self) {
        if let Some(reasons) = self.reasons {
            reasons.turn.store(null_mut(), Release);
            reasons.host.store(null_mut(), Release);
        }
    }

    /// Copies the number of reasons to listen from the image's subscription. A component without a function for its traffic has none.
    fn copy_reasons(&self) {
        if !self.listens() {
            return;
        }
        match self.reasons {
            Some(reasons) => {
                copy_until_stable(|| reasons.reasons.load(SeqCst), |count| self.subscription.set(count));
            }
            // Without a subscription of its own it always listens.
            None => self.subscription.set(1),
        }
    }

    fn user_data(&self) -> *mut c_void {
        self.functions.user_data
    }
}

/// Copies a number that may change meanwhile, from several threads at once: the last one to set it sees the latest number.
fn copy_until_stable(number: impl Fn() -> u32, set: impl Fn(u32)) {
    loop {
        let seen = number();
        set(seen);
        if number() == seen {
            break;
        }
    }
}

/// Handles a change of the reasons: `turn` of a `struct mpit_switch`. The present number is read, so the change is not needed.
unsafe extern "C" fn reasons_changed(host: *const c_void, _more: c_int) {
    // SAFETY: null, or the `&'static ForeignComponent` that `bind` stored.
    if let Some(component) = unsafe { host.cast::<ForeignComponent>().as_ref() } {
        component.copy_reasons();
    }
}

/// Adds a line to the [`Lines`] that `report` passed to a component.
unsafe extern "C" fn add_line(lines: *mut c_void, line: *const c_char) {
    // SAFETY: null, or the `Lines` that `report` passed to the component, which it borrows exclusively until the call returns.
    let lines = unsafe { lines.cast::<Lines>().as_mut() };
    // SAFETY: null, or a string that ends with a NUL: `mpit_plugin.h` requires it of the component.
    let line = borrowed(&mut Pages::default(), "its line", unsafe { Specified::new(line) }, DESCRIPTION);
    if let (Some(lines), Ok(line)) = (lines, line) {
        lines.add(line);
    }
}

/// Calls a function of a component, if it has this one. Arguments that are pointers are valid during the call.
macro_rules! call {
    ($component:ident.$function:ident($($argument:ident),*)) => {
        $component.functions.$function.map(|function| {
            let user_data = $component.user_data();
            // SAFETY: any thread may call the component's functions with its `user_data` (conditions of `new`). Other arguments are
            // numbers, or pointers to what the caller borrows until the call returns.
            unsafe { function(user_data, $($argument),*) }
        })
    };
}

impl Lifecycle for ForeignComponent {
    fn subscription(&self) -> &'static Subscription {
        self.subscription
    }

    fn open(&self, world: World) -> bool {
        let World { rank, size, .. } = world;
        let outcome = call!(self.open(rank, size)).unwrap_or(0);
        self.is_open.store(outcome == 0, Relaxed);
        outcome == 0
    }

    fn pcontrol(&self, level: i32) {
        if self.is_open.load(Relaxed) {
            call!(self.pcontrol(level));
        }
    }

    fn report(&self, lines: &mut Lines) {
        if self.is_open.load(Relaxed) {
            // The component passes `lines` back to `add_line` only before it returns (`mpit_plugin.h`).
            let lines = from_mut(lines).cast();
            call!(self.report(add_line, lines));
        }
    }

    fn close(&self) {
        if self.is_open.swap(false, Relaxed) {
            call!(self.close());
        }
    }
}

impl pml::Component for ForeignComponent {
    fn sent(&self, send: &pml::Send) {
        let message = &send.into();
        call!(self.sent(message));
    }
}

impl osc::Component for ForeignComponent {
    fn accessed(&self, access: &osc::Access) {
        let access = &access.into();
        call!(self.accessed(access));
    }
}

impl coll::Component for ForeignComponent {
    fn done(&self, operation: &coll::Operation<'_>) {
        if self.functions.done.is_some() {
            abi::Operation::show(operation, |shown| call!(self.done(shown)));
        }
    }

    fn freed(&self, comm: CommId) {
        if self.is_open.load(Relaxed) {
            let comm = comm.get();
            call!(self.freed(comm));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use super::copy_until_stable;

    #[test]
    fn changes_of_other_threads_are_seen() {
        let (number, taken) = (Cell::new(1), RefCell::new(Vec::new()));
        copy_until_stable(
            || number.get(),
            |seen| {
                // Simulates another thread that finishes before this one sets the number that it read.
                if number.replace(0) == 1 {
                    taken.borrow_mut().push(0);
                }
                taken.borrow_mut().push(seen);
            },
        );
        assert_eq!(*taken.borrow(), [0, 1, 0]);
    }
}
