#![forbid(unsafe_code)]

use std::ptr::{dangling_mut, null_mut};

use mpit::cell::{Cell, Counter};
use mpit::cvar::{Cvar, CvarCell};
use mpit::event::{RegistrationId, Safety};
use mpit::internal::desc::{Metadata, SharedMetadata};
use mpit::internal::session::Interface;
use mpit::object::Object;
use mpit::tool::{Class, CvarDesc, Datatype, PvarDesc};

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

static SHARED: SharedMetadata = SharedMetadata::new("acme", file!());
static COUNT: Counter<u64> = Counter::new();
static LIMIT: Cvar<f64> = Cvar::new(0.5);

static WIDE: PvarDesc =
    PvarDesc::new(Metadata::new("count", 5, &SHARED, line!()), Class::Counter, &COUNT).with_datatype(Datatype::Char);
static NARROW: CvarDesc = CvarDesc::new(Metadata::new("limit", 5, &SHARED, line!()), &LIMIT).with_datatype(Datatype::Int);

// Apart from `main`: the compiler does not check for unsafe calls in a body with this error.
fn forge() {
    _ = RegistrationId(0x5200_0001_0000_0000);
}

fn main() {
    let (interface, of_another_tool) = (Interface::global(), RegistrationId::from_number(0x5200_0001_0000_0000));
    _ = interface.event_check(of_another_tool);
    _ = interface.event_register_callback(of_another_tool, Safety::None, dangling_mut(), null_mut());
    _ = interface.event_set_dropped_handler(of_another_tool, dangling_mut());
    _ = interface.event_handle_free(of_another_tool, null_mut(), dangling_mut());
    _ = mpit::internal::plugin::check::open();
    mpit::internal::os::mapping::allow();
}

// Proves C54.
