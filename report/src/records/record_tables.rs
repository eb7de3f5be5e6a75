//! The tables of records and their columns: first those of numbers, then those of texts. None is ever null; a text that is not known is empty.

/// Defines the tables: name, columns of numbers, columns of texts.
macro_rules! tables {
    ($($(#[$meta:meta])* $table:ident $name:literal: $numbers:expr, $texts:expr;)+) => {
        /// A table of records.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum RecordTable {
            $($(#[$meta])* $table,)+
        }

        impl RecordTable {
            pub(super) const ALL: [Self; [$($name),+].len()] = [$(Self::$table),+];

            const fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name,)+
                }
            }

            /// Returns the columns of numbers.
            pub(super) const fn numbers(self) -> &'static [&'static str] {
                match self {
                    $(Self::$table => &$numbers,)+
                }
            }

            /// Returns the columns of texts.
            pub(super) const fn texts(self) -> &'static [&'static str] {
                match self {
                    $(Self::$table => &$texts,)+
                }
            }
        }
    };
}

tables! {
    /// The processes, in the order of their texts.
    Ranks "ranks": ["rank", "elapsed_ns", "clock_domain", "clock_error_ns"], ["host", "measured", "clock"];
    /// The traffic from rank to rank, by kind.
    Pairs "pairs": ["from", "to", "last_to", "messages", "bytes"], ["kind"];
    /// The messages from rank to rank, by size.
    Sizes "sizes": ["from", "to", "bytes_from", "messages"], [];
    /// The communicators, with the operations of the processes of a part.
    Comms "comms": ["size", "o2a", "o2a_bytes", "a2o", "a2o_bytes", "a2a", "a2a_bytes"], ["name", "members"];
    /// The calls, by process, communicator, region and site.
    Calls "calls": ["rank", "region", "site", "calls", "timed", "ns", "min_ns", "max_ns", "bytes"],
        ["call", "comm", "durations"];
    /// The times at which processes entered collective operations.
    Late "late": ["rank", "lineage", "base_ns"], ["comm", "operations"];
    /// The places in the program, by their numbers in a process.
    Sites "sites": ["rank", "site", "offset"], ["build_id", "module"];
    /// The regions of the program, by their numbers in a process.
    Regions "regions": ["rank", "region", "mismatches"], ["name"];
    /// The time in regions, by their numbers in a process. A table of its own, because older tables lack it.
    RegionTimes "region_times": ["rank", "region", "visits", "ns"], [];
    /// The calls by process, interval and area.
    Series "series": ["rank", "start_ns", "end_ns", "calls", "ns", "messages", "bytes"], ["area"];
    /// The values that `mpit run --read` requests.
    Values "values": ["rank", "elements"], ["name", "class", "object", "kind", "value", "first"];
    /// Facts about the job.
    Facts "facts": [], ["key", "value"];
    /// Lines of other components.
    Lines "lines": ["rank"], ["component", "text"];
}

impl RecordTable {
    /// Returns the name of the file in the directory of a part.
    pub(super) fn file(self) -> String {
        format!("{}.parquet", self.name())
    }
}
