//! The parts of the program in the summary at the end of a run.

use mpit_format::profile::Profile;
use mpit_format::summary::Summary;

use super::{OriginCalls, Origins, Reading, Site, imbalance};
use crate::units::{aligned, duration, grouped, ratio};

/// The number of places that are listed.
const SITES_SHOWN: usize = 5;

/// The calls of a job by place and region of the program, from the records of its processes.
#[derive(Debug, Default)]
pub struct ProgramParts(Reading);

impl ProgramParts {
    /// Adds the calls of a process.
    pub fn add_profile(&mut self, profile: &Profile) {
        for row in &profile.calls {
            self.0.add_call(profile.me, row);
        }
        for site in &profile.sites {
            self.0.add_site(profile.me, site.clone());
        }
        for region in &profile.regions {
            self.0.add_region(profile.me, region);
        }
    }

    /// Returns the lines about places, at most six, and about ends of regions that do not fit.
    #[must_use]
    pub fn lines(self, summary: &Summary) -> Vec<String> {
        let mut origins = self.0.finish();
        origins.sites.truncate(SITES_SHOWN);
        // The report names the modules that cannot be read.
        let _ = origins.resolve();
        lines(&origins, summary)
    }
}

/// Returns the lines about places, and notes for the user.
pub(crate) fn lines(origins: &Origins, summary: &Summary) -> Vec<String> {
    sites(origins, summary).into_iter().chain(origins.notes.iter().cloned()).collect()
}

fn sites(origins: &Origins, summary: &Summary) -> Vec<String> {
    const HEADS: [&str; 6] = ["site", "call", "calls", "time", "of run", "imbalance"];
    if origins.sites.is_empty() {
        return Vec::new();
    }
    let run = summary.elapsed.sum().max(1) as f64;
    let row = |calls: &OriginCalls<Site>| {
        let stat = &calls.stat;
        [
            origins.describe(&calls.origin),
            calls.call(),
            grouped(stat.count),
            duration(stat.time.sum() as f64),
            ratio(stat.time.sum() as f64 / run),
            ratio(imbalance(stat, summary.processes)),
        ]
    };
    let rows: Vec<_> = std::iter::once(HEADS.map(str::to_owned))
        .chain(origins.sites.iter().take(SITES_SHOWN).map(row))
        .collect();
    aligned(&rows)
}
