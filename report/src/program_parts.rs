//! The parts of the program in the summary at the end of a run.

use mpit_format::profile::Profile;
use mpit_format::summary::Summary;

use crate::columns;
use crate::data::Site;
use crate::job::Job;
use crate::origins::{Origins, Reading};

/// The number of places that are listed.
const SITES_SHOWN: usize = 5;

/// The calls of a job by place and region of the program, from the records of its processes.
#[derive(Debug, Default)]
pub struct ProgramParts(Reading);

impl ProgramParts {
    /// Adds the calls of a process.
    pub fn add_profile(&mut self, profile: &Profile) {
        if let Some(time) = &profile.time {
            self.0.add_time(profile.me, time);
        }
        for row in &profile.calls {
            self.0.add_call(profile.me, row);
        }
        for site in &profile.sites {
            self.0.add_site(profile.me, site.clone());
        }
        for region in &profile.regions {
            self.0.add_region(profile.me, region);
        }
        for row in &profile.region_times {
            self.0.add_region_time(profile.me, *row);
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

impl Job {
    /// Returns the lines about parts of the program for the summary at the end of a run, once its places are resolved.
    #[must_use]
    pub fn part_lines(&self) -> Vec<String> {
        lines(&self.origins, &self.summary)
    }
}

/// Returns the lines about places, and notes for the user.
fn lines(origins: &Origins, summary: &Summary) -> Vec<String> {
    sites(origins, summary).into_iter().chain(origins.notes.iter().cloned()).collect()
}

fn sites(origins: &Origins, summary: &Summary) -> Vec<String> {
    let sites = origins.sites.iter().take(SITES_SHOWN).map(|calls| Site::of(origins, summary, calls));
    columns::lines(sites, &["site", "call", "calls", "seconds", "share", "imbalance"])
}
