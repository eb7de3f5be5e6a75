//! Third-party components, on each framework, beside the crate's own.

use std::sync::Mutex;

use mpit::component;
use mpit_components::coll::{self, Operation, Root, Volume};
use mpit_components::comms::{self, CommId};
use mpit_components::host::{self, World};
use mpit_components::osc::{self, Access};
use mpit_components::pml::{self, Mode, Send};
use mpit_components::{Lifecycle, Subscription, control, windows};

use super::in_own_process;
use super::support::{access, create_world, operate};

const ME: World = World::new(0, 3);

static RECEIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn receive(what: String) {
    RECEIVED.lock().unwrap().push(what);
}

macro_rules! always {
    ($name:ident, $subscription:expr) => {
        struct $name;

        impl Lifecycle for $name {
            fn subscription(&self) -> &'static Subscription {
                static SUBSCRIPTION: Subscription = $subscription;
                &SUBSCRIPTION
            }

            fn open(&self, world: World) -> bool {
                self.subscription().add();
                receive(format!("{} opens on {} of {}", stringify!($name), world.rank, world.size));
                true
            }

            fn pcontrol(&self, level: i32) {
                receive(format!("{} receives level {level}", stringify!($name)));
            }

            fn close(&self) {
                self.subscription().remove();
                receive(format!("{} closes", stringify!($name)));
            }
        }
    };
}

always!(Messages, Subscription::pml());
always!(Accesses, Subscription::osc());
always!(Operations, Subscription::coll());
always!(Second, Subscription::coll());

/// Listens to messages.
#[component(framework = "pml", name = "test")]
impl pml::Component for Messages {
    fn sent(&self, send: &Send) {
        receive(format!("{:?} of {} bytes to {}", send.mode, send.bytes, send.to));
    }
}

/// Listens to one-sided accesses.
#[component(framework = "osc", name = "test")]
impl osc::Component for Accesses {
    fn accessed(&self, access: &Access) {
        receive(format!("{:?} {}/{} at {}", access.kind, access.sent, access.received, access.target));
    }
}

/// Listens to collective operations.
#[component(framework = "coll", name = "test")]
impl coll::Component for Operations {
    fn done(&self, operation: &Operation<'_>) {
        let volumes: Vec<_> = (0..3).map(|rank| operation.volume.with(rank)).collect();
        receive(format!("{:?} {volumes:?}", operation.kind));
    }

    fn freed(&self, _comm: CommId) {
        receive("Freed".to_owned());
    }
}

/// Listens to collective operations, too.
#[component(framework = "coll", name = "second")]
impl coll::Component for Second {
    fn done(&self, operation: &Operation<'_>) {
        receive(format!("{:?} again", operation.kind.pattern()));
    }
}

fn report(comm: CommId) {
    pml::sent(&Send::new(comm, 2, 2, 64, 0, Mode::Synchronous));
    let window = windows::created(3);
    access(window, 1, osc::Kind::Get, 0, 12);
    for (kind, volume) in [
        (coll::Kind::Bcast, Volume::Each(8)),
        (coll::Kind::Alltoallv, Volume::By(&|rank| u64::from(rank) * 4)),
    ] {
        operate(ME, comm, kind, Root::Here, volume);
    }
}

#[test]
fn every_listener_is_notified() {
    in_own_process(|| {
        let comm = create_world(3);
        report(comm);
        assert!(!pml::active() && !osc::active() && !coll::active());
        assert!(RECEIVED.lock().unwrap().is_empty());

        host::initialized(ME);
        host::initialized(World::new(1, 3));
        assert_eq!(host::world(), Some(ME));
        // Recording by mpit itself pauses; components of others are only notified.
        control::pcontrol(0);
        assert!(pml::active() && osc::active() && coll::active());
        report(comm);
        host::finalizing();
        host::finalizing();
        assert!(!pml::active() && !osc::active() && !coll::active());
        report(comm);
        // Delivered even to those that do not listen.
        comms::freed(comm);

        assert_eq!(
            *RECEIVED.lock().unwrap(),
            [
                "Messages opens on 0 of 3",
                "Accesses opens on 0 of 3",
                "Second opens on 0 of 3",
                "Operations opens on 0 of 3",
                "Messages receives level 0",
                "Accesses receives level 0",
                "Second receives level 0",
                "Operations receives level 0",
                "Synchronous of 64 bytes to 2",
                "Get 0/12 at 1",
                "OneToAll again",
                "Bcast [8, 8, 8]",
                "AllToAll again",
                "Alltoallv [0, 4, 8]",
                // In the reverse order of their opening.
                "Operations closes",
                "Second closes",
                "Accesses closes",
                "Messages closes",
                "Freed",
            ]
        );
        // Two of this file's, and the crate's own.
        assert_eq!(mpit::components().filter(|component| component.framework() == "coll").count(), 3);
    });
}
