//! Reactions of monitoring to the lifecycle of the runtime, of communicators and of windows.

use mpit::component::{CommId, WindowId};
use mpit::internal::plugin::component;
use mpit_frameworks::comms::{self, Record};
use mpit_frameworks::diagnostics::warn;
use mpit_frameworks::{Observer, Subscription, World, windows};
use mpit_job::identity;

use crate::phase::subscriptions;
use crate::runtime::{RUNTIME, Recorder};
use crate::{coll, osc, output_directory, settings, times, whole_run};

impl Observer for Recorder {
    fn opening(&self, world: World) {
        component::on_change(|| RUNTIME.refresh());
        determine_identity(world);
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
                times::set_active(false);
            }
            1 => {
                subscriptions().into_iter().for_each(Subscription::resume);
                times::set_active(true);
            }
            2 => whole_run::write_now(),
            _ => {}
        }
    }
}

/// Determines the run and world of this process.
fn determine_identity(world: World) {
    let stem = settings::stem_of_files();
    let uncertain =
        identity::determine(world.rank, world.size, stem.as_deref(), output_directory::create_for);
    if let (0, Some(error), Some(stem)) = (world.rank, uncertain, stem) {
        warn(format_args!(
            "cannot create a file beside {}: {error}; a second step or spawned world of this run may overwrite its files",
            stem.display()
        ));
    }
}

impl comms::Observer for Recorder {
    fn created(&self, comm: &Record) {
        coll::STATS.created(comm);
    }

    fn renamed(&self, comm: &Record) {
        coll::STATS.renamed(comm);
        times::RECORDS.renamed(comm);
    }

    fn is_used(&self, comm: CommId) -> bool {
        coll::STATS.is_used(comm) || times::RECORDS.is_used(comm)
    }

    fn merge(&self, comm: CommId, target: &Record) {
        coll::STATS.merge(comm, target);
        times::RECORDS.merge(comm, target);
    }

    fn close(&self, comm: CommId) -> bool {
        times::RECORDS.close(comm);
        coll::STATS.close(comm)
    }
}

impl windows::Observer for Recorder {
    fn pinned(&self, window: WindowId) {
        osc::WINDOWS.add(window);
    }
}
