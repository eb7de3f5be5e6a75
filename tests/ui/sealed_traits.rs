#![forbid(unsafe_code)]

use mpit::cell::Cell;
use mpit::cvar::CvarCell;
use mpit::event::RegistrationId;
use mpit::object::Object;

struct Mine;

impl Cell for Mine {
    type Value = u64;

    fn fill(&self, _: &Object<'_>, _: &mut [u64]) -> mpit::Result<()> {
        Ok(())
    }
}

impl CvarCell for Mine {
    type Value = u64;
    const IS_BOUND: bool = false;
    const DATATYPE: mpit::tool::Datatype = mpit::tool::Datatype::Char;
    const COUNT: usize = 1;
    const ENUMERATION: Option<&'static mpit::tool::EnumDesc> = None;
}

fn main() {
    _ = RegistrationId(0x5200_0001_0000_0000);
}

// Proves C54.
