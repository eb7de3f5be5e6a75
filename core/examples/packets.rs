//! A library with a counter, a control variable and an event, and a tool in the same program.
//!
//!     cargo run -p mpit --example packets

use mpit::prelude::*;

/// Packets sent.
#[pvar(class = "COUNTER")]
static PACKETS: Counter<u64> = Counter::new();

/// Packets of up to so many bytes are sent.
#[cvar(scope = "LOCAL")]
static LIMIT: Cvar<u32> = Cvar::new(4096);

/// The network.
#[source(ordered)]
struct Network;

/// A packet was sent.
#[event(source = Network)]
struct Packet {
    bytes: u32,
}

fn send(bytes: u32) {
    if bytes <= LIMIT.get() {
        PACKETS.increment();
        Packet::raise(Context::ANYWHERE, || Packet { bytes });
    }
}

fn main() -> mpit::Result<()> {
    let tool = Tool::new();
    let session = tool.session()?;
    let packets = session.handle_of(&PACKETS)?;
    packets.start()?;
    let _listener = tool.on(|packet: &Packet| println!("a packet of {} bytes", packet.bytes))?;
    tool.setting_of(&LIMIT)?.set(100)?;
    [8, 1000, 16].into_iter().for_each(send);
    println!("{} packets", packets.get()?);
    Ok(())
}
