//! The calls by place and region of the program.

use mpit_format::summary::{CallStat, Efficiency, Summary};
use mpit_format::times::PYTHON;

use super::number;
use super::time::seconds;
use crate::columns::rows;
use crate::job::Job;
pub use crate::origins::resolve::Code;
use crate::origins::resolve::Location;
use crate::origins::{self, OriginCalls, Origins, RegionStat};

rows! {
    /// The calls of one name at a place in the program, in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct Site {
        pub(crate) fn of(all: &Origins, summary: &Summary, of: &OriginCalls<origins::Site>) {
            let some = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
            let (module, build_id, offset) = match &of.origin {
                origins::Site::At { module, build_id, .. } if build_id.starts_with(PYTHON) => (some(module), None, None),
                origins::Site::At { module, build_id, offset } if !module.is_empty() => {
                    (some(module), some(build_id), Some(*offset))
                }
                _ => (None, None, None),
            };
            let Location { frames, problem } = all.locations.get(&of.origin).cloned().unwrap_or_default();
        }
        /// The place for users: source, function, or module and offset. `(other sites)` for places that were not distinguished.
        pub site: String = all.describe(&of.origin) => (Name "site"),
        /// The calls.
        #[serde(flatten)]
        pub calls: CallNumbers = CallNumbers::of(summary, of.call(), &of.stat) => (inside CallNumbers),
        /// The executable or library, or the source in Python; null if the place is not known.
        pub module: Option<String> = module,
        /// The build ID of the module in hexadecimal digits; null if it has none.
        pub build_id: Option<String> = build_id => (json),
        /// The offset of the return address in the module, as in the symbols of its file; null for places in Python.
        pub offset: Option<u64> = offset,
        /// The function that makes the call, then the one into which it is inlined, and so on; empty if the module has no symbols here.
        pub code: Vec<Code> = frames => (json),
        /// The reason why the code is empty.
        pub problem: Option<String> = problem => (json),
    }
}

rows! {
    /// The calls of one name in a region of the program, in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct Region {
        pub(crate) fn of(summary: &Summary, of: &OriginCalls<origins::Region>) {}
        /// The name; `(outside)` for calls outside of all regions.
        pub region: String = of.origin.name().to_owned() => (Name "region"),
        /// The calls.
        #[serde(flatten)]
        pub calls: CallNumbers = CallNumbers::of(summary, of.call(), &of.stat) => (inside CallNumbers),
    }
}

rows! {
    /// A region of the program: the time in which it is the innermost one, and the efficiencies of that time. A rank that was not in it has
    /// no useful time.
    #[serde(deny_unknown_fields)]
    pub struct RegionTime {
        pub(crate) fn of(all: &Origins, summary: &Summary, region: &origins::Region, stat: &RegionStat) {
            let ns = stat.elapsed.sum() as f64;
            let (elapsed, _) = stat.elapsed.max().unwrap_or_default();
            let (useful, rank) = stat.useful.max().unwrap_or_default();
            let efficiency = Efficiency::of(&stat.elapsed, &stat.useful, summary.processes);
        }
        /// The name; `(outside)` for the time outside of all regions.
        pub region: String = region.name().to_owned() => (Name "region"),
        /// The number of times that ranks began it.
        pub visits: u64 = number(stat.visits) => (Count "visits"),
        /// The number of ranks that were in it.
        pub ranks: u64 = stat.elapsed.ranks() => (Count "ranks"),
        /// The seconds in it, in all ranks.
        pub seconds: f64 = seconds(ns) => (Time "time"),
        /// These seconds divided by the elapsed seconds of all ranks; none if they are sums over threads.
        #[serde(skip)]
        pub share: Option<f64> = (!all.has_threads).then(|| ns / summary.elapsed.sum().max(1) as f64) => (shown Share "of run"),
        /// The longest time of a rank in it.
        pub elapsed: f64 = seconds(elapsed as f64) => (Time "elapsed"),
        /// The mean of the seconds outside of MPI, of all ranks.
        pub useful_mean: f64 = seconds(stat.useful.mean_of(summary.processes)) => (Time "useful"),
        /// The largest number of seconds outside of MPI.
        pub useful_max: f64 = seconds(useful as f64) => (Time "max"),
        /// The rank that has it.
        pub useful_max_rank: u32 = rank => (Plain "rank"),
        /// The product of load balance and communication efficiency; null without time.
        pub parallel_efficiency: Option<f64> = efficiency.map(|of| of.parallel) => (Share "efficiency"),
        /// The mean of useful time divided by its maximum.
        pub load_balance: Option<f64> = efficiency.map(|of| of.load_balance) => (Share "load balance"),
        /// The maximum of useful time divided by the longest time.
        pub communication_efficiency: Option<f64> = efficiency.map(|of| of.communication) => (Share "communication"),
    }
}

rows! {
    /// The name and numbers of calls from one part of the program.
    pub struct CallNumbers {
        pub(crate) fn of(summary: &Summary, call: String, stat: &CallStat) {
            let processes = summary.processes;
            let ns = stat.time.sum() as f64;
            let (longest, rank) = stat.time.max().unwrap_or_default();
        }
        /// The name of the call.
        pub call: String = call => (Name "call"),
        /// The number of calls.
        pub calls: u64 = number(stat.count) => (Count "calls"),
        /// The seconds in them, in all ranks.
        pub seconds: f64 = seconds(ns) => (Time "time"),
        /// These seconds divided by the elapsed seconds of all ranks.
        #[serde(skip)]
        pub share: f64 = ns / summary.elapsed.sum().max(1) as f64 => (shown Share "of run"),
        /// The mean of all ranks, in seconds.
        pub mean: f64 = seconds(stat.time.mean_of(processes)) => (Time "mean"),
        /// The largest time of a rank.
        pub max: f64 = seconds(longest as f64) => (Time "max"),
        /// The rank that has it.
        pub max_rank: u32 = rank => (Plain "rank"),
        /// 1 - mean / max: 0 if all ranks have the same time.
        pub imbalance: f64 = origins::imbalance(stat, processes) => (Share "imbalance"),
        /// The bytes that the calls were given to send, share or write.
        pub bytes: u64 = number(stat.bytes) => (Bytes "bytes"),
    }
}

impl Site {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        job.origins.sites.iter().map(|calls| Self::of(&job.origins, &job.summary, calls)).collect()
    }
}

impl Region {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        job.origins.regions.iter().map(|calls| Self::of(&job.summary, calls)).collect()
    }
}

impl RegionTime {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        let of = |(region, stat): &(origins::Region, RegionStat)| {
            Self::of(&job.origins, &job.summary, region, stat)
        };
        job.origins.region_times.iter().map(of).collect()
    }
}
