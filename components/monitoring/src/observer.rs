//! Reactions of monitoring to the lifecycle of the runtime, of communicators and of windows.

use mpit::component::{CommId, WindowId};
use mpit::internal::plugin::component;
use mpit_frameworks::comms::{self, Record};
use mpit_frameworks::{Observer, Subscription, World, windows};

use crate::phase::subscriptions;
use crate::runtime::{RUNTIME, Recorder};
use crate::{coll, osc, run, settings, times, whole_run};

impl Observer for Recorder {
    fn opening(&self, world: World) {
        component::on_change(|| RUNTIME.refresh());
        run::determine(world, settings::stem_of_files().as_deref());
        whole_run::create_store(world);
    }

    fn opened(&self) {
        whole_run::begin();
        times::begin();
    }

    fn closing(&self) {
        whole_run::end();
    }

    fn pcontrol(&self, level: i32) {
        match level {
            0 => {
                subscriptions().into_iter().for_each(Subscription::pause);
                times::pause();
            }
            1 => {
                subscriptions().into_iter().for_each(Subscription::resume);
                times::resume();
            }
            2 => whole_run::write_now(),
            _ => {}
        }
    }
}

impl comms::Observer for Recorder {
    fn created(&self, comm: &Record) {
        coll::STATS.created(comm);
    }

    fn renamed(&self, comm: &Record) {
        coll::STATS.renamed(comm);
        times::renamed(comm);
    }

    fn is_used(&self, comm: CommId) -> bool {
        coll::STATS.is_used(comm) || times::is_used(comm)
    }

    fn merge(&self, comm: CommId, target: &Record) {
        coll::STATS.merge(comm, target);
        times::merge(comm, target);
    }

    fn close(&self, comm: CommId) -> bool {
        times::close(comm);
        coll::STATS.close(comm)
    }
}

impl windows::Observer for Recorder {
    fn pinned(&self, window: WindowId) {
        osc::WINDOWS.add(window);
    }
}
