//! A private module, with more of them inside.

mod waiting {
    mod priority {
        use mpit::cell::Level;
        use mpit::cvar::Cvar;

        /// Packets that wait and are urgent.
        #[mpit::pvar(class = "LEVEL", highwatermark, category = crate::Net)]
        static NET_URGENT: Level<u64> = Level::new();

        /// At most so many urgent packets wait.
        #[mpit::cvar(category = crate::Net)]
        static NET_URGENT_LIMIT: Cvar<u32> = Cvar::new(8).range(1..=64);
    }

    /// The order in which a queue is served.
    #[derive(Clone, Copy, mpit::MpitEnum)]
    #[mpit(name = "linking_order")]
    #[repr(i32)]
    enum Order {
        First,
        Last,
    }

    /// The present order of the queue.
    #[mpit::pvar(class = "STATE", category = crate::Net)]
    fn net_order() -> Order {
        if std::env::args_os().len() > 99 { Order::Last } else { Order::First }
    }

    /// The clock of the queue.
    #[mpit::source(ordered, name = "net_clock")]
    struct Clock;

    /// A packet was dropped.
    #[mpit::event(source = Clock, category = crate::Net)]
    struct NetDropped {
        bytes: u64,
    }
}
