//! A library with a counter, a control variable and an event, and a tool that uses them.

use mpit::prelude::*;

/// Packets sent.
#[pvar(class = "COUNTER")]
static PACKETS: Counter<u64> = Counter::new();

/// Bytes of a packet.
#[cvar]
static PACKET_BYTES: Cvar<u64> = Cvar::new(4096);

/// The network.
#[source(ordered)]
struct Network;

/// A packet was sent.
#[event(source = Network)]
struct Packet {
    bytes: u64,
}

fn main() -> mpit::Result<()> {
    // The tool.
    let tool = Tool::new();
    let session = tool.session()?;
    let packets = session.handle_of(&PACKETS)?;
    let _listener = tool.on(|packet: &Packet| println!("a packet of {} bytes", packet.bytes))?;
    packets.start()?;
    tool.setting_of(&PACKET_BYTES)?.set(100)?;

    // The library.
    PACKETS.increment();
    Packet::raise(Context::ANYWHERE, || Packet { bytes: PACKET_BYTES.get() });

    // The tool again.
    println!("{} packet", packets.get()?);
    Ok(())
}
