//! The columns of the tables: first those of numbers, then those of texts. None is ever null; a text that is not known is empty.

/// A table of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// The processes, in the order of their texts.
    Ranks,
    /// The traffic from rank to rank, by kind.
    Pairs,
    /// The messages from rank to rank, by size.
    Sizes,
    /// The communicators, with the operations of the processes of a part.
    Comms,
    /// The calls, by process, communicator, region and site.
    Calls,
    /// The times at which processes entered collective operations.
    Late,
    /// The places in the program, by their numbers in a process.
    Sites,
    /// The regions of the program, by their numbers in a process.
    Regions,
    /// The calls by process, interval and area.
    Series,
    /// Facts about the job.
    Facts,
    /// Lines of other components.
    Lines,
}

struct Columns {
    name: &'static str,
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
}

impl Table {
    pub(super) const ALL: [Self; 11] = [
        Self::Ranks,
        Self::Pairs,
        Self::Sizes,
        Self::Comms,
        Self::Calls,
        Self::Late,
        Self::Sites,
        Self::Regions,
        Self::Series,
        Self::Facts,
        Self::Lines,
    ];

    const fn columns(self) -> Columns {
        let (name, numbers, texts): (_, &[_], &[_]) = match self {
            Self::Ranks => (
                "ranks",
                &["rank", "elapsed_ns", "clock_domain", "clock_error_ns"],
                &["host", "measured", "clock"],
            ),
            Self::Pairs => ("pairs", &["from", "to", "last_to", "messages", "bytes"], &["kind"]),
            Self::Sizes => ("sizes", &["from", "to", "bytes_from", "messages"], &[]),
            Self::Comms => (
                "comms",
                &["size", "o2a", "o2a_bytes", "a2o", "a2o_bytes", "a2a", "a2a_bytes"],
                &["name", "members"],
            ),
            Self::Calls => (
                "calls",
                &["rank", "region", "site", "calls", "timed", "ns", "min_ns", "max_ns", "bytes"],
                &["call", "comm", "durations"],
            ),
            Self::Late => ("late", &["rank", "lineage", "base_ns"], &["comm", "operations"]),
            Self::Sites => ("sites", &["rank", "site", "offset"], &["build_id", "module"]),
            Self::Regions => ("regions", &["rank", "region", "mismatches"], &["name"]),
            Self::Series => {
                ("series", &["rank", "start_ns", "end_ns", "calls", "ns", "messages", "bytes"], &["area"])
            }
            Self::Facts => ("facts", &[], &["key", "value"]),
            Self::Lines => ("lines", &["rank"], &["component", "text"]),
        };
        Columns { name, numbers, texts }
    }

    /// Returns the columns of numbers.
    pub(super) const fn numbers(self) -> &'static [&'static str] {
        self.columns().numbers
    }

    /// Returns the columns of texts.
    pub(super) const fn texts(self) -> &'static [&'static str] {
        self.columns().texts
    }

    /// Returns the name of the file in the directory of a part.
    pub(super) fn file(self) -> String {
        format!("{}.parquet", self.columns().name)
    }
}
