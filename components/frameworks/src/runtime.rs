//! A runtime: the state of one host, from the initialization of MPI to its end.

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

use mpit::component::{CommId, Lines, World};
use mpit::internal::registry::{misspelled, unknown};
use mpit::tool::Registry;

use crate::comms::{Comms, Description};
use crate::diagnostics::warn;
use crate::framework::{self, AnyFramework};
use crate::windows::Windows;
use crate::{calls, coll, comms, osc, pml, windows};

/// A host's communicators, windows and components.
pub struct Runtime {
    world: OnceLock<World>,
    ended: AtomicBool,
    /// The dispatch of messages.
    pub pml: pml::Dispatch,
    /// The dispatch of one-sided accesses.
    pub osc: osc::Dispatch,
    /// The dispatch of collective operations.
    pub coll: coll::Dispatch,
    /// The communicators.
    pub comms: Comms,
    /// The windows.
    pub windows: Windows,
    observer: &'static dyn Observer,
}

/// Notifications of a runtime's owner: of its lifecycle, of communicators and of windows.
pub trait Observer: comms::Observer + windows::Observer {
    /// Prepares the run: MPI is initialized, and the components are about to be opened.
    fn opening(&self, world: World);

    /// Begins the run: all components are open.
    fn opened(&self);

    /// Ends the run: MPI is about to be finalized, and all components are still open.
    fn closing(&self);

    /// Handles a call of `MPI_Pcontrol`, of which the open components are notified already.
    fn pcontrol(&self, level: i32);
}

thread_local! {
    /// True while this thread runs functions of components.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// True if such a function loaded or deactivated plug-ins.
    static CHANGED: Cell<bool> = const { Cell::new(false) };
}

impl Runtime {
    /// Creates the runtime of a host that has not initialized MPI.
    #[must_use]
    pub const fn new(observer: &'static dyn Observer) -> Self {
        Self {
            world: OnceLock::new(),
            ended: AtomicBool::new(false),
            pml: pml::Dispatch::new(),
            osc: osc::Dispatch::new(),
            coll: coll::Dispatch::new(),
            comms: Comms::new(observer),
            windows: Windows::new(observer),
            observer,
        }
    }

    /// Opens the selected components: MPI is initialized. Only the first call has an effect.
    pub fn initialized(&'static self, world: World) {
        self.outermost(|| {
            if self.world.set(world).is_ok() {
                // The first use of the registry gives settings their values.
                let _ = Registry::global();
                self.observer.opening(world);
                for framework in self.frameworks() {
                    framework.open(world);
                }
                self.observer.opened();
                // A launcher passes the same settings to all processes, so one of them reports for all.
                if world.rank == 0 {
                    misspelled(Registry::global()).into_iter().for_each(warn);
                }
                mpit::internal::host::set_initialized();
            }
        });
    }

    /// Closes the components, which write their output: MPI is about to be finalized. Errors go to standard error, one line
    /// each. Only the first call after [`initialized`](Self::initialized) has an effect.
    pub fn finalizing(&'static self) {
        self.outermost(|| {
            if let Some(world) = self.world()
                && !self.ended.swap(true, SeqCst)
            {
                self.observer.closing();
                if world.rank == 0 {
                    unknown(Registry::global()).into_iter().for_each(warn);
                }
                framework::close_all(&self.frameworks());
            }
        });
    }

    /// Adapts to plug-ins that were loaded or deactivated. The owner of the runtime requests this of
    /// [`on_change`](mpit::internal::plugin::component::on_change).
    pub fn refresh(&'static self) {
        CHANGED.set(true);
        self.outermost(|| ());
    }

    /// Runs functions of components, and then the changes that these requested. A nested call on the same thread does
    /// nothing, since [`refresh`](Self::refresh) has recorded its request before, so components are opened one after the
    /// other. Other threads do not wait, because a function of a component may wait for them.
    fn outermost(&'static self, what: impl FnOnce()) {
        if INSIDE.replace(true) {
            return;
        }
        let _leave = Leave;
        what();
        while CHANGED.take() {
            for framework in self.frameworks() {
                framework.refresh();
            }
        }
    }

    fn frameworks(&'static self) -> [&'static dyn AnyFramework; 3] {
        [&self.pml.0, &self.osc.0, &self.coll.framework]
    }

    /// Returns true if the selection lists in effect admit components of this name, in at least one framework.
    #[must_use]
    pub fn is_selected(&'static self, component: &str) -> bool {
        // The first use of the registry gives settings their values.
        let _ = Registry::global();
        self.frameworks().iter().any(|framework| framework.selection().admits(component))
    }

    /// Returns the rank of this process and the size of the world; `None` before [`initialized`](Self::initialized).
    #[must_use]
    pub fn world(&self) -> Option<World> {
        self.world.get().copied()
    }

    /// Handles a call of `MPI_Pcontrol`: notifies the open components of every level. Level 0 pauses recording of the
    /// variables of [`calls`], and level 1 resumes it.
    pub fn pcontrol(&'static self, level: i32) {
        for framework in self.frameworks() {
            framework.pcontrol(level);
        }
        self.observer.pcontrol(level);
        match level {
            0 => calls::pause(),
            1 => calls::resume(),
            _ => {}
        }
    }

    /// Returns the lines that the open components add to the output, with the components' full names.
    #[must_use]
    pub fn report(&'static self) -> Vec<(String, Lines)> {
        self.frameworks().into_iter().flat_map(AnyFramework::report).collect()
    }

    /// Registers a new communicator. The caller [announces](Comms::announce) it once other threads can use it.
    pub fn register_comm(&self, what: Description<'_>) -> CommId {
        let comm = self.comms.register(what);
        self.coll.created(comm);
        comm
    }

    /// Frees a communicator and notifies tools as [`Comms::announce`] does.
    pub fn free_comm(&'static self, comm: CommId) {
        self.comms.freed(comm, self.world(), || self.coll.freed(comm));
    }
}

impl fmt::Debug for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runtime").field("world", &self.world()).finish_non_exhaustive()
    }
}

struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use mpit::component::{CommId, WindowId, World};

    use super::{Observer, Runtime};
    use crate::comms::{self, Description, Ranks, Record};
    use crate::windows;

    struct Notified(Mutex<Vec<&'static str>>);

    impl Notified {
        const fn new() -> Self {
            Self(Mutex::new(Vec::new()))
        }

        fn add(&self, what: &'static str) {
            self.0.lock().unwrap().push(what);
        }

        fn take(&self) -> Vec<&'static str> {
            std::mem::take(&mut self.0.lock().unwrap())
        }
    }

    impl Observer for Notified {
        fn opening(&self, _world: World) {
            self.add("opening");
        }

        fn opened(&self) {
            self.add("opened");
        }

        fn closing(&self) {
            self.add("closing");
        }

        fn pcontrol(&self, _level: i32) {
            self.add("pcontrol");
        }
    }

    impl comms::Observer for Notified {
        fn created(&self, _comm: &Record) {
            self.add("created");
        }

        fn renamed(&self, _comm: &Record) {
            self.add("renamed");
        }

        fn is_used(&self, _comm: CommId) -> bool {
            true
        }

        fn merge(&self, _comm: CommId, _target: &Record) {
            self.add("merge");
        }

        fn close(&self, _comm: CommId) -> bool {
            self.add("close");
            true
        }
    }

    impl windows::Observer for Notified {
        fn pinned(&self, _window: WindowId) {
            self.add("pinned");
        }
    }

    static OBSERVERS: [Notified; 2] = [const { Notified::new() }; 2];
    static ONE: Runtime = Runtime::new(&OBSERVERS[0]);
    static OTHER: Runtime = Runtime::new(&OBSERVERS[1]);

    #[test]
    fn runtimes_are_independent() {
        let world = World::new(1, 4);
        ONE.initialized(world);
        ONE.initialized(World::new(2, 4));
        assert_eq!((ONE.world(), OTHER.world()), (Some(world), None));
        assert_eq!(OBSERVERS[0].take(), ["opening", "opened"]);
        // Not initialized: nothing to end.
        OTHER.finalizing();

        let reader = ONE.comms.reader();
        let created = |runtime: &Runtime| {
            let comm = runtime.register_comm(Description::new(Ranks::World(4), "some"));
            runtime.comms.announce(comm);
            comm
        };
        let (first, second, foreign) = (created(&ONE), created(&ONE), created(&OTHER));
        assert_eq!(first, foreign);
        ONE.comms.renamed(second, "other");
        ONE.comms.renamed(second, "some");
        ONE.free_comm(first);
        ONE.free_comm(second);
        // A reader keeps both, as one record; the slot of the merged one is released.
        let kept: Vec<_> = reader.comms().into_iter().map(|comm| (comm.id, comm.alike)).collect();
        assert_eq!(kept, [(first, 2)]);
        drop(reader);
        let notified = ["created", "created", "renamed", "renamed", "merge", "close", "close"];
        assert_eq!(OBSERVERS[0].take(), notified);

        let window = OTHER.windows.register();
        OTHER.windows.announce(window, 4);
        OTHER.windows.pin(window);
        OTHER.windows.pin(window);
        OTHER.pcontrol(7);
        // No reader: nothing is kept.
        OTHER.free_comm(foreign);
        assert_eq!(OBSERVERS[1].take(), ["created", "pinned", "pcontrol", "close"]);

        ONE.finalizing();
        ONE.finalizing();
        assert_eq!(OBSERVERS[0].take(), ["closing"]);
    }
}
