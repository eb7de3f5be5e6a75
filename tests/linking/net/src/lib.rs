//! A component crate: its definitions stand at the top, in private modules, and in bodies of functions.
//!
//! The program calls one function of it, which touches one of the definitions.

mod queues;

use mpit::cell::Counter;

/// The measurements of the crate.
#[mpit::category(name = "linking.net")]
pub struct Net;

/// Packets that were sent.
#[mpit::pvar(class = "COUNTER", category = Net)]
static NET_PACKETS: Counter<u64> = Counter::new();

/// Widgets, as the network counts them. The crate of the disk defines the same variable; neither knows of the other.
#[mpit::pvar(class = "COUNTER")]
static WIDGETS: Counter<u64> = Counter::new();

/// The trait of the network's components.
pub trait Listener: Send + Sync {}

/// A listener.
struct Echo;

#[mpit::component(framework = "net", name = "echo")]
impl Listener for Echo {}

/// Sends a packet.
pub fn send() {
    NET_PACKETS.increment();
}

/// Never called: what is defined in it is there all the same.
#[expect(dead_code, reason = "only its definitions matter")]
fn unused() {
    /// Packets that came back.
    #[mpit::pvar(class = "COUNTER", category = Net)]
    static NET_ECHOES: Counter<u64> = Counter::new();

    NET_ECHOES.increment();
}
