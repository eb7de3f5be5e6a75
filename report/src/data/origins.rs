//! The calls by place and region of the program.

use mpit_format::summary::Summary;

use super::number;
use crate::columns::rows;
use crate::job::Job;
pub use crate::origins::resolve::Code;
use crate::origins::resolve::Location;
use crate::origins::{self, OriginCalls, Origins};

rows! {
    /// The calls of one name at a place in the program, in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct Site {
        /// The place for users: source, function, or module and offset. `(other sites)` for places that were not distinguished.
        pub site: String => (Name "site"),
        /// The calls.
        #[serde(flatten)]
        pub calls: CallNumbers => (inside CallNumbers),
        /// The executable or library; null if the place is not known.
        pub module: Option<String>,
        /// The build ID of the module in hexadecimal digits; null if it has none.
        pub build_id: Option<String> => (json),
        /// The offset of the return address in the module, as in the symbols of its file.
        pub offset: Option<u64>,
        /// The function that makes the call, then the one into which it is inlined, and so on; empty if the module has no symbols here.
        pub code: Vec<Code> => (json),
        /// The reason why the code is empty.
        pub problem: Option<String> => (json),
    }
}

rows! {
    /// The calls of one name in a region of the program, in all ranks.
    #[serde(deny_unknown_fields)]
    pub struct Region {
        /// The name; `(outside)` for calls outside of all regions.
        pub region: String => (Name "region"),
        /// The calls.
        #[serde(flatten)]
        pub calls: CallNumbers => (inside CallNumbers),
    }
}

rows! {
    /// The name and numbers of calls from one part of the program.
    pub struct CallNumbers {
        /// The name of the call.
        pub call: String => (Name "call"),
        /// The number of calls.
        pub calls: u64 => (Count "calls"),
        /// The seconds in them, in all ranks.
        pub seconds: f64 => (Time "time"),
        /// These seconds divided by the elapsed seconds of all ranks.
        #[serde(skip)]
        pub share: f64 => (shown Share "of run"),
        /// The mean of all ranks, in seconds.
        pub mean: f64 => (Time "mean"),
        /// The largest time of a rank.
        pub max: f64 => (Time "max"),
        /// The rank that has it.
        pub max_rank: u32 => (Plain "rank"),
        /// 1 - mean / max: 0 if all ranks have the same time.
        pub imbalance: f64 => (Share "imbalance"),
        /// The bytes that the calls were given to send, share or write.
        pub bytes: u64 => (Bytes "bytes"),
    }
}

impl CallNumbers {
    fn of<O>(summary: &Summary, calls: &OriginCalls<O>) -> Self {
        let (stat, processes) = (&calls.stat, summary.processes);
        let (max, max_rank) = stat.time.max().unwrap_or_default();
        Self {
            call: calls.call(),
            calls: number(stat.count),
            seconds: stat.time.sum() as f64 / 1e9,
            share: stat.time.sum() as f64 / summary.elapsed.sum().max(1) as f64,
            mean: stat.time.mean_of(processes) / 1e9,
            max: max as f64 / 1e9,
            max_rank,
            imbalance: origins::imbalance(stat, processes),
            bytes: number(stat.bytes),
        }
    }
}

impl Site {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        job.origins.sites.iter().map(|calls| Self::of(&job.origins, &job.summary, calls)).collect()
    }

    pub(crate) fn of(all: &Origins, summary: &Summary, of: &OriginCalls<origins::Site>) -> Self {
        let some = |text: &str| if text.is_empty() { None } else { Some(text.to_owned()) };
        let (module, build_id, offset) = match &of.origin {
            origins::Site::At { module, build_id, offset } if !module.is_empty() => {
                (some(module), some(build_id), Some(*offset))
            }
            _ => (None, None, None),
        };
        let Location { frames, problem } = all.locations.get(&of.origin).cloned().unwrap_or_default();
        Self {
            site: all.describe(&of.origin),
            calls: CallNumbers::of(summary, of),
            module,
            build_id,
            offset,
            code: frames,
            problem,
        }
    }
}

impl Region {
    pub(crate) fn all(job: &Job) -> Vec<Self> {
        job.origins.regions.iter().map(|calls| Self::of(&job.summary, calls)).collect()
    }

    pub(crate) fn of(summary: &Summary, of: &OriginCalls<origins::Region>) -> Self {
        Self { region: of.origin.name().to_owned(), calls: CallNumbers::of(summary, of) }
    }
}
