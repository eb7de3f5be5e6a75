//! The vocabularies of the MPI tools interface: classes, datatypes, bindings, scopes, verbosity levels.
//!
//! They are written here once. The attributes (`mpit-macros`) look up spellings and rules; the registry of `mpit` and its check of
//! plug-ins apply the same rules; a test compares the names and numbers with `mpit_plugin.h`. Not a public interface: `mpit`
//! exports the types.
//!
//! The characters that no output contains as they are ([`is_deceptive`]) are written here once, too, and the measures of similar words are
//! chosen ([`distance`], [`similarity()`]).
//!
//! Attributes spell values as the standard does, without the prefix: `class = "HIGHWATERMARK"`, `bind = "COMM"`.

mod characters;

pub use characters::{is_deceptive, write_escaped};
/// Returns the similarity of Jaro and Winkler, from 0 to 1.
#[doc(inline)]
pub use strsim::jaro_winkler as similarity;
/// Returns the number of letters to add, to leave out, to change, or to swap with the next one, that make one word of the other.
#[doc(inline)]
pub use strsim::osa_distance as distance;

/// A vocabulary: an enum whose values are numbered from 0 in C.
#[doc(hidden)]
pub trait Vocabulary: Copy + PartialEq + 'static {
    /// The kind of value, for messages: "pvar class".
    const KIND: &'static str;
    /// The standard's prefix, which attributes omit.
    const PREFIX: &'static str;
    /// The prefix in `mpit_plugin.h`.
    const C_PREFIX: &'static str;
    /// All values, in the order of the standard.
    const VALUES: &'static [Self];

    /// Returns the standard's spelling, without its prefix.
    fn spelling(self) -> &'static str;

    /// Returns the name of the variant.
    fn variant(self) -> &'static str;
}

/// Declares one vocabulary: an enum, its kind in messages, its prefixes in the standard and in C, and the standard's spelling of
/// each value.
macro_rules! vocabulary {
    (
        $(#[$doc:meta])* $name:ident: $repr:ident, $kind:literal, $prefix:literal, $c_prefix:literal {
            $($(#[$item_doc:meta])* $item:ident = $word:literal,)+
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr($repr)]
        pub enum $name { $($(#[$item_doc])* $item,)+ }

        impl $name {
            /// All values, in the order of the standard.
            pub const ALL: &'static [Self] = &[$(Self::$item),+];

            /// Returns the standard's spelling, without its prefix.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$item => $word),+ }
            }

            /// Returns the value with the given spelling.
            #[must_use]
            pub fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|item| item.as_str() == word)
            }
        }

        impl Vocabulary for $name {
            const KIND: &'static str = $kind;
            const PREFIX: &'static str = $prefix;
            const C_PREFIX: &'static str = $c_prefix;
            const VALUES: &'static [Self] = Self::ALL;

            fn spelling(self) -> &'static str {
                self.as_str()
            }

            fn variant(self) -> &'static str {
                match self { $(Self::$item => stringify!($item)),+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.as_str())
            }
        }
    };
}

vocabulary! {
    /// The ten classes of performance variables (`MPI_T_PVAR_CLASS_*`).
    #[non_exhaustive]
    Class: u8, "pvar class", "MPI_T_PVAR_CLASS_", "MPIT_CLASS_" {
        /// One of a discrete set of states.
        State = "STATE",
        /// Present use of a resource.
        Level = "LEVEL",
        /// Size of a resource.
        Size = "SIZE",
        /// Used share of a resource, 0.0 to 1.0.
        Percentage = "PERCENTAGE",
        /// Highest use since the handle was started or reset.
        HighWatermark = "HIGHWATERMARK",
        /// Lowest use since the handle was started or reset.
        LowWatermark = "LOWWATERMARK",
        /// Number of occurrences.
        Counter = "COUNTER",
        /// Sum of amounts.
        Aggregate = "AGGREGATE",
        /// Sum of time spent.
        Timer = "TIMER",
        /// Anything else.
        Generic = "GENERIC",
    }
}

/// The rules of the classes.
impl Class {
    /// Returns the datatypes that variables of the class may have.
    #[must_use]
    pub const fn datatypes(self) -> &'static [Datatype] {
        use Datatype::{Double, Int, Unsigned, UnsignedLong, UnsignedLongLong};
        match self {
            Self::State => &[Int],
            Self::Percentage => &[Double],
            Self::Counter => &[Unsigned, UnsignedLong, UnsignedLongLong],
            Self::Generic => Datatype::ALL,
            Self::Level
            | Self::Size
            | Self::HighWatermark
            | Self::LowWatermark
            | Self::Aggregate
            | Self::Timer => &[Unsigned, UnsignedLong, UnsignedLongLong, Double],
        }
    }

    /// Returns true if variables of the class are sums: a handle shows what was added while it was started.
    #[must_use]
    pub const fn is_sum(self) -> bool {
        matches!(self, Self::Counter | Self::Aggregate | Self::Timer)
    }

    /// Returns true if variables of the class are extremes of a level since a handle was started or reset.
    #[must_use]
    pub const fn is_watermark(self) -> bool {
        matches!(self, Self::HighWatermark | Self::LowWatermark)
    }

    /// Returns true if variables of the class are stored as a level: levels and watermarks.
    #[must_use]
    pub const fn has_level(self) -> bool {
        matches!(self, Self::Level) || self.is_watermark()
    }

    /// Returns true if a variable of the class may be a sum: by its class, or by the flag `cumulative`.
    #[must_use]
    pub const fn can_be_cumulative(self) -> bool {
        self.is_sum() || matches!(self, Self::Level | Self::Size | Self::Generic)
    }
}

vocabulary! {
    /// The datatypes that variables and event elements may have.
    Datatype: u8, "datatype", "MPI_", "MPIT_" {
        /// C `int`.
        Int = "INT",
        /// C `int32_t`.
        Int32 = "INT32_T",
        /// C `int64_t`.
        Int64 = "INT64_T",
        /// C `unsigned`.
        Unsigned = "UNSIGNED",
        /// C `unsigned long`.
        UnsignedLong = "UNSIGNED_LONG",
        /// C `unsigned long long`.
        UnsignedLongLong = "UNSIGNED_LONG_LONG",
        /// C `uint32_t`.
        Uint32 = "UINT32_T",
        /// C `uint64_t`.
        Uint64 = "UINT64_T",
        /// `MPI_Count`, 64 bits everywhere.
        Count = "COUNT",
        /// A NUL-terminated string in a fixed number of bytes.
        Char = "CHAR",
        /// C `double`.
        Double = "DOUBLE",
    }
}

/// The datatypes that values of a Rust type can be published as. The first one is that of a definition without an explicit one:
/// unsigned types become the C `unsigned` types that the classes allow, never the fixed-width ones, which only GENERIC may have.
pub mod published_as {
    use super::Datatype::{
        self, Char, Count, Double, Int, Int32, Int64, Uint32, Uint64, Unsigned, UnsignedLong,
        UnsignedLongLong,
    };

    /// Datatypes of `u32`.
    pub const U32: &[Datatype] = &[Unsigned, Uint32];
    /// Datatypes of `u64`.
    pub const U64: &[Datatype] = &[UnsignedLongLong, UnsignedLong, Uint64];
    /// Datatypes of `i32`.
    pub const I32: &[Datatype] = &[Int, Int32];
    /// Datatypes of `i64`.
    pub const I64: &[Datatype] = &[Int64, Count];
    /// Datatypes of `f64`.
    pub const F64: &[Datatype] = &[Double];
    /// Datatypes of `c_char`, which is signed or unsigned, depending on the machine.
    pub const CHAR: &[Datatype] = &[Char];
}

impl Datatype {
    /// Returns the size of one element in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        match self {
            Self::Char => 1,
            Self::Int | Self::Int32 | Self::Unsigned | Self::Uint32 => 4,
            Self::UnsignedLong => size_of::<std::ffi::c_ulong>(),
            Self::Int64 | Self::UnsignedLongLong | Self::Uint64 | Self::Count | Self::Double => 8,
        }
    }

    /// Returns true if values of both datatypes have one C representation.
    #[must_use]
    pub const fn is_represented_as(self, other: Self) -> bool {
        self.size() == other.size()
            && self.is_signed() == other.is_signed()
            && self.is_double() == other.is_double()
    }

    const fn is_signed(self) -> bool {
        matches!(self, Self::Int | Self::Int32 | Self::Int64 | Self::Count)
    }

    const fn is_double(self) -> bool {
        matches!(self, Self::Double)
    }
}

vocabulary! {
    /// The kind of MPI object that a variable is bound to (`MPI_T_BIND_*`). The representation is that of `kind` in C's
    /// `struct mpit_object`.
    #[non_exhaustive]
    Bind: u32, "bind kind", "MPI_T_BIND_", "MPIT_BIND_" {
        /// No object.
        NoObject = "NO_OBJECT",
        /// A communicator.
        Comm = "COMM",
        /// A datatype.
        Datatype = "DATATYPE",
        /// An error handler.
        Errhandler = "ERRHANDLER",
        /// A file.
        File = "FILE",
        /// A group.
        Group = "GROUP",
        /// A reduction operator.
        Op = "OP",
        /// A request.
        Request = "REQUEST",
        /// A window.
        Win = "WIN",
        /// A matched message.
        Message = "MESSAGE",
        /// An info object.
        Info = "INFO",
        /// A session (MPI-4).
        Session = "SESSION",
    }
}

vocabulary! {
    /// The set of processes that must write a control variable together (`MPI_T_SCOPE_*`).
    #[non_exhaustive]
    Scope: u8, "scope", "MPI_T_SCOPE_", "MPIT_SCOPE_" {
        /// Never written; the value is fixed for the run.
        Constant = "CONSTANT",
        /// Never written through the interface; the value may change by itself.
        ReadOnly = "READONLY",
        /// Written in one process, for that process.
        Local = "LOCAL",
        /// Written in all processes of a group that the description names; values consistent.
        Group = "GROUP",
        /// `Group`, with equal values.
        GroupEq = "GROUP_EQ",
        /// Written in all connected processes; values consistent.
        All = "ALL",
        /// `All`, with equal values.
        AllEq = "ALL_EQ",
    }
}

vocabulary! {
    /// The audience of a variable and its level of detail (`MPI_T_VERBOSITY_*`), in ascending order.
    #[non_exhaustive]
    Verbosity: u8, "verbosity", "MPI_T_VERBOSITY_", "MPIT_VERBOSITY_" {
        /// Users, basic.
        UserBasic = "USER_BASIC",
        /// Users, detailed.
        UserDetail = "USER_DETAIL",
        /// Users, all.
        UserAll = "USER_ALL",
        /// Tuners, basic.
        TunerBasic = "TUNER_BASIC",
        /// Tuners, detailed. The default of a definition.
        TunerDetail = "TUNER_DETAIL",
        /// Tuners, all.
        TunerAll = "TUNER_ALL",
        /// MPI developers, basic.
        MpidevBasic = "MPIDEV_BASIC",
        /// MPI developers, detailed.
        MpidevDetail = "MPIDEV_DETAIL",
        /// MPI developers, all.
        MpidevAll = "MPIDEV_ALL",
    }
}

vocabulary! {
    /// The threads that may call the interface (`MPI_THREAD_*`), in ascending order.
    ThreadLevel: u8, "thread level", "MPI_THREAD_", "MPIT_THREAD_" {
        /// One thread.
        Single = "SINGLE",
        /// Several, of which one calls.
        Funneled = "FUNNELED",
        /// Several, one at a time.
        Serialized = "SERIALIZED",
        /// Several at once.
        Multiple = "MULTIPLE",
    }
}

vocabulary! {
    /// The order of a source's events by time stamp (`MPI_T_SOURCE_*`).
    SourceOrder: u8, "source order", "MPI_T_SOURCE_", "MPIT_SOURCE_" {
        /// Time stamps never decrease.
        Ordered = "ORDERED",
        /// Time stamps may decrease.
        Unordered = "UNORDERED",
    }
}

vocabulary! {
    /// A callback safety level (`MPI_T_CB_REQUIRE_*`), in ascending order. For a context: the requirement on callbacks that run
    /// there. For a callback: the highest requirement that it satisfies.
    #[non_exhaustive]
    Safety: u8, "safety level", "MPI_T_CB_REQUIRE_", "MPIT_SAFETY_" {
        /// No requirement: the callback may call anything.
        None = "NONE",
        /// The callback calls no MPI functions but MPI_T functions, MPI_Wtime and MPI_Wtick.
        MpiRestricted = "MPI_RESTRICTED",
        /// The callback is also reentrant and thread-safe.
        ThreadSafe = "THREAD_SAFE",
        /// The callback may also run in a signal handler.
        AsyncSignalSafe = "ASYNC_SIGNAL_SAFE",
    }
}
