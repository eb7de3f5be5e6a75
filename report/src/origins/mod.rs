//! The calls of a job by the place in the program that makes them, and by its regions.
//!
//! Numbers of places and regions are those of one process. Places of several processes are the same if module, build ID and offset
//! are, and regions if their names are.

pub(crate) mod resolve;

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;
use mpit_format::calls::CALLS;
use mpit_format::summary::{CallStat, CallSum, RankStat};
use mpit_format::times::{CallRow, OTHER_REGIONS, OTHER_SITES, RegionRow, RegionTimeRow, SiteRow, TimeRow};

use resolve::Location;

/// The number of regions that a note names.
const NAMED: usize = 5;

/// The part of the elapsed time by which the times of regions may exceed it by rounding.
const ROUNDING: u64 = 100;

/// A place in the program, as all of its processes know it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Site {
    /// In a module.
    At {
        /// The path of the module; empty for code that is in no file.
        module: Arc<str>,
        /// The build ID; empty if there is none.
        build_id: Arc<str>,
        /// The offset of the return address.
        offset: u64,
    },
    /// Places that were not distinguished, because there were too many.
    Others,
    /// A place that is not known.
    Unknown,
}

/// A region of the program.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Region {
    Named(Arc<str>),
    /// Regions that were not distinguished, because there were too many.
    Others,
    /// Outside of all regions.
    Outside,
}

impl Region {
    /// Returns the name in reports.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Named(name) => name,
            Self::Others => "(other regions)",
            Self::Outside => "(outside)",
        }
    }
}

/// The calls of one name by a part of the program.
#[derive(Clone, Debug)]
pub(crate) struct OriginCalls<O> {
    pub(crate) origin: O,
    /// The index of the call.
    pub(crate) call: u16,
    pub(crate) stat: CallStat,
}

/// The time in a region of the program, of the ranks that were in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct RegionStat {
    /// The number of times that it began; 0 outside of all regions.
    pub(crate) visits: u128,
    /// The nanoseconds in which it was the innermost region.
    pub(crate) elapsed: RankStat,
    /// The nanoseconds of these outside of MPI.
    pub(crate) useful: RankStat,
}

impl RegionStat {
    fn add(&mut self, rank: u32, visits: u64, elapsed: u64, in_mpi: u64) {
        self.visits += u128::from(visits);
        self.elapsed.add(rank, elapsed);
        self.useful.add(rank, elapsed.saturating_sub(in_mpi));
    }

    fn merge(&mut self, other: &Self) {
        self.visits += other.visits;
        self.elapsed.merge(&other.elapsed);
        self.useful.merge(&other.useful);
    }
}

impl<O> OriginCalls<O> {
    /// Returns the name of the call.
    pub(crate) fn call(&self) -> String {
        format!("MPI_{}", CALLS.get(usize::from(self.call)).map_or("", |call| call.name))
    }
}

/// Returns the share of the longest time of a rank that the mean of all ranks is below it: 0 if all ranks have the same time.
pub(crate) fn imbalance(stat: &CallStat, processes: u64) -> f64 {
    match stat.time.max() {
        Some((max, _)) if max > 0 => 1.0 - stat.time.mean_of(processes) / max as f64,
        _ => 0.0,
    }
}

/// The calls of a job by place and region, and its regions, those with the most time first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Origins {
    pub(crate) sites: Vec<OriginCalls<Site>>,
    pub(crate) regions: Vec<OriginCalls<Region>>,
    /// The time in each region.
    pub(crate) region_times: Vec<(Region, RegionStat)>,
    /// True if these are sums over several threads of a process.
    pub(crate) has_threads: bool,
    /// The source code of places, once it is found.
    pub(crate) locations: HashMap<Site, Location>,
    /// Notes for the user.
    pub(crate) notes: Vec<String>,
}

/// The calls that were read so far.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The process whose lines are read, and its numbers.
    rank: u32,
    calls: Vec<(u16, u32, u64, CallSum)>,
    places: HashMap<u64, Site>,
    regions: HashMap<u32, Arc<str>>,
    region_times: Vec<RegionTimeRow>,
    elapsed: u64,
    sums: Sums,
}

#[derive(Debug, Default)]
struct Sums {
    sites: HashMap<(Site, u16), CallStat>,
    regions: HashMap<(Region, u16), CallStat>,
    region_times: HashMap<Region, RegionStat>,
    /// The number of mismatched ends by region.
    mismatches: BTreeMap<Arc<str>, u64>,
    /// The number of processes with calls at places that were not distinguished.
    with_other_sites: u64,
    /// True if any process has calls in regions or times of regions, and true if one has such times. The others were outside.
    has_regions: bool,
    has_region_times: bool,
    /// The number of processes whose threads were in regions at once.
    with_threads: u64,
}

impl Reading {
    pub(crate) fn add_call(&mut self, rank: u32, row: &CallRow) {
        self.of_rank(rank);
        if row.call.is_outside() {
            return;
        }
        if let Some(call) = CALLS.iter().position(|call| call == row.call) {
            let sum = CallSum { count: row.count, ns: row.ns, bytes: row.bytes };
            self.calls.push((call as u16, row.region, row.site, sum));
        }
    }

    pub(crate) fn add_site(&mut self, rank: u32, row: SiteRow) {
        self.of_rank(rank);
        let SiteRow { number, offset, build_id, module } = row;
        self.places.insert(number, Site::At { module, build_id, offset });
    }

    pub(crate) fn add_region(&mut self, rank: u32, row: &RegionRow) {
        self.of_rank(rank);
        self.regions.insert(row.number, Arc::clone(&row.name));
        if row.mismatches > 0 {
            let ends = self.sums.mismatches.entry(Arc::clone(&row.name)).or_default();
            *ends = ends.saturating_add(row.mismatches);
        }
    }

    pub(crate) fn add_region_time(&mut self, rank: u32, row: RegionTimeRow) {
        self.of_rank(rank);
        self.region_times.push(row);
    }

    pub(crate) fn add_time(&mut self, rank: u32, row: &TimeRow) {
        self.of_rank(rank);
        self.elapsed = self.elapsed.saturating_add(row.elapsed);
    }

    fn of_rank(&mut self, rank: u32) {
        if self.rank != rank {
            self.end_rank();
            self.rank = rank;
        }
    }

    /// Adds the calls and times of a process to those of others. All of its lines are read.
    fn end_rank(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        let (places, regions) = (std::mem::take(&mut self.places), std::mem::take(&mut self.regions));
        let times = std::mem::take(&mut self.region_times);
        let elapsed = std::mem::take(&mut self.elapsed);
        let region_of = |number| match (number, regions.get(&number)) {
            (0, _) => Region::Outside,
            (OTHER_REGIONS, _) | (_, None) => Region::Others,
            (_, Some(name)) => Region::Named(Arc::clone(name)),
        };
        let mut by_site = HashMap::<(Site, u16), CallSum>::new();
        let mut by_region = HashMap::<(Region, u16), CallSum>::new();
        let has_sites = calls.iter().any(|(_, _, site, _)| *site != 0);
        self.sums.has_region_times |= !times.is_empty();
        self.sums.has_regions |= !times.is_empty() || calls.iter().any(|(_, region, ..)| *region != 0);
        self.sums.with_other_sites += u64::from(calls.iter().any(|(_, _, site, _)| *site == OTHER_SITES));
        let mut in_mpi = HashMap::<u32, u64>::new();
        for (call, region, site, sum) in calls {
            if has_sites {
                let site = match site {
                    OTHER_SITES => Site::Others,
                    number => places.get(&number).cloned().unwrap_or(Site::Unknown),
                };
                by_site.entry((site, call)).or_default().add(sum);
            }
            by_region.entry((region_of(region), call)).or_default().add(sum);
            let ns = in_mpi.entry(region).or_default();
            *ns = ns.saturating_add(sum.ns);
        }
        for (key, sum) in by_site {
            self.sums.sites.entry(key).or_default().add(self.rank, sum);
        }
        for (key, sum) in by_region {
            self.sums.regions.entry(key).or_default().add(self.rank, sum);
        }
        if times.is_empty() && elapsed == 0 {
            return;
        }
        let inside = times.iter().fold(0_u64, |sum, row| sum.saturating_add(row.ns));
        // Times of one thread add up to no more, apart from rounding.
        self.sums.with_threads += u64::from(inside.saturating_sub(elapsed) > elapsed / ROUNDING);
        let outside = RegionTimeRow { number: 0, visits: 0, ns: elapsed.saturating_sub(inside) };
        for RegionTimeRow { number, visits, ns } in times.into_iter().chain([outside]) {
            let in_mpi = in_mpi.get(&number).copied().unwrap_or(0);
            self.sums.region_times.entry(region_of(number)).or_default().add(self.rank, visits, ns, in_mpi);
        }
    }

    pub(crate) fn absorb(&mut self, mut other: Self) {
        self.end_rank();
        other.end_rank();
        for (key, stat) in other.sums.sites {
            self.sums.sites.entry(key).or_default().merge(&stat);
        }
        for (key, stat) in other.sums.regions {
            self.sums.regions.entry(key).or_default().merge(&stat);
        }
        for (region, stat) in other.sums.region_times {
            self.sums.region_times.entry(region).or_default().merge(&stat);
        }
        for (name, ends) in other.sums.mismatches {
            let own = self.sums.mismatches.entry(name).or_default();
            *own = own.saturating_add(ends);
        }
        self.sums.with_other_sites += other.sums.with_other_sites;
        self.sums.has_regions |= other.sums.has_regions;
        self.sums.has_region_times |= other.sums.has_region_times;
        self.sums.with_threads += other.sums.with_threads;
    }

    /// Returns the calls of the job.
    pub(crate) fn finish(mut self) -> Origins {
        self.end_rank();
        let mut notes = Vec::new();
        if !self.sums.mismatches.is_empty() {
            let names: Vec<&str> = self.sums.mismatches.keys().take(NAMED).map(|name| &**name).collect();
            let more = if self.sums.mismatches.len() > NAMED { " and others" } else { "" };
            let ends = self.sums.mismatches.values().fold(0_u64, |sum, ends| sum.saturating_add(*ends));
            notes.push(format!(
                "{ends} ends of regions do not fit to the last begin: {}{more}; correct the order of begins and ends",
                names.join(", ")
            ));
        }
        if self.sums.with_other_sites > 0 {
            notes.push(format!(
                "{} ranks call MPI from more places than are distinguished: the rest are `(other sites)`",
                self.sums.with_other_sites
            ));
        }
        if !self.sums.has_regions {
            self.sums.regions.clear();
        }
        if !self.sums.has_region_times {
            self.sums.region_times.clear();
        }
        let has_threads = self.sums.with_threads > 0;
        if has_threads {
            self.sums.region_times.remove(&Region::Outside);
            notes.push(format!(
                "threads of {} ranks were in regions at once: the times of regions are sums over threads, and have no share of the run",
                self.sums.with_threads
            ));
        }
        let mut region_times: Vec<_> = self.sums.region_times.into_iter().collect();
        region_times.sort_by(|(one, of_one), (other, of_other)| {
            of_other.elapsed.sum().cmp(&of_one.elapsed.sum()).then_with(|| one.cmp(other))
        });
        Origins {
            sites: in_order(self.sums.sites),
            regions: in_order(self.sums.regions),
            region_times,
            has_threads,
            locations: HashMap::new(),
            notes,
        }
    }
}

/// Returns the calls with the most time first.
fn in_order<O: Ord>(sums: HashMap<(O, u16), CallStat>) -> Vec<OriginCalls<O>> {
    let mut all: Vec<_> =
        sums.into_iter().map(|((origin, call), stat)| OriginCalls { origin, call, stat }).collect();
    all.sort_by(|one, other| {
        let key = |of: &OriginCalls<O>| (of.stat.time.sum(), of.stat.count);
        key(other).cmp(&key(one)).then_with(|| (&one.origin, one.call).cmp(&(&other.origin, other.call)))
    });
    all
}
