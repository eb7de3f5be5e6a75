mpit::plugin!(name = "short");
/// Widgets that were made.
#[mpit::pvar(class = "COUNTER")]
pub static SHORT_WIDGETS: mpit::cell::Counter<u64> = mpit::cell::Counter::new();
/// Widgets in stock.
#[mpit::pvar(class = "LEVEL", highwatermark)]
pub static SHORT_STOCK: mpit::cell::Level<u64> = mpit::cell::Level::new();
/// The largest widget.
#[mpit::cvar]
pub static SHORT_LIMIT: mpit::cvar::Cvar<u32> = mpit::cvar::Cvar::new(8);
/// The factory.
#[mpit::source(ordered)]
pub struct ShortFactory;
/// A widget was made.
#[mpit::event(source = ShortFactory)]
pub struct ShortMade {
    pub size: u32,
}
