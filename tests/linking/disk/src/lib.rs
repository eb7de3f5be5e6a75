//! A component crate that the program names with `use ... as _`, and does not call.

/// The measurements of the crate.
#[mpit::category(name = "linking.disk")]
struct Disk;

mod blocks {
    use mpit::cell::{Aggregate, Counter, Timer};

    /// Bytes that were written.
    #[mpit::pvar(class = "AGGREGATE", category = crate::Disk)]
    static DISK_WRITTEN: Aggregate<u64> = Aggregate::new();

    /// Widgets, as the disk counts them.
    #[mpit::pvar(class = "COUNTER")]
    static WIDGETS: Counter<u64> = Counter::new();

    mod cache {
        /// Blocks in the cache.
        #[mpit::pvar(class = "SIZE", category = crate::Disk)]
        fn disk_cached() -> u64 {
            0
        }

        /// Blocks that fit into the cache.
        #[mpit::cvar(scope = "LOCAL", category = crate::Disk)]
        static DISK_CACHE: mpit::cvar::Cvar<u64> = mpit::cvar::Cvar::new(64);
    }

    #[expect(dead_code, reason = "only its definitions matter")]
    impl super::Discard {
        fn flush() {
            /// Seconds spent on it.
            #[mpit::pvar(class = "TIMER", category = crate::Disk)]
            static DISK_FLUSHING: Timer<f64> = Timer::new();

            DISK_FLUSHING.add(0.5);
        }
    }
}

/// The trait of the disk's components.
trait Sink: Send + Sync {}

/// Writes nothing.
struct Discard;

mod component {
    #[mpit::component(framework = "disk", name = "discard")]
    impl super::Sink for super::Discard {}

    /// The clock of the disk.
    #[mpit::source(unordered, name = "disk_clock")]
    struct Clock;

    /// A block was written.
    #[mpit::event(source = Clock, category = crate::Disk)]
    struct DiskWrote {
        block: u64,
        bytes: u32,
    }
}
