//! Safe code that misuses documented and hidden items ends in an error or a panic, and never in a write beyond a
//! buffer, a call of an unregistered function, or the end of the process.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::support::{cvar, leak, pvar};
use mpit::__private::{EventCell, SourceCell};
use mpit::Error;
use mpit::cell::{Counter, CounterValue};
use mpit::cvar::{Cvar, CvarValue};
use mpit::event::Safety;
use mpit::event::{Context, Event, instance::Payload};
use mpit::internal::desc::{Element, Metadata, SharedMetadata};
use mpit::internal::panic::catch_panic;
use mpit::internal::registry::Image;
use mpit::internal::session::{Interface, Limits};
use mpit::internal::vocabulary::SourceOrder;
use mpit::tool::{Class, Datatype, EventDesc, PvarDesc, Registry, SourceDesc, Tool};

fn tool_over(image: &Image) -> (Tool, Vec<mpit::internal::registry::Refusal>) {
    let registry = leak(Registry::new());
    let refusals = registry.add(image, &[]);
    (Tool::of(leak(Interface::new(registry, Limits::default()))), refusals)
}

/// Proves C54.
#[test]
fn datatype_has_the_cells_representation() {
    fn counter<T: CounterValue>(cell: &'static Counter<T>, datatype: Datatype) -> PvarDesc {
        pvar("count", Class::Counter, cell).with_datatype(datatype)
    }
    static NARROW: Counter<u32> = Counter::new();
    static WIDE: Counter<u64> = Counter::new();
    static SETTING: Cvar<i32> = Cvar::new(0);
    for datatype in Datatype::ALL.iter().copied() {
        let of_setting = || cvar("setting", &SETTING).with_datatype(datatype);
        let fit = [
            catch_panic(|| counter(&NARROW, datatype)).is_some(),
            catch_panic(|| counter(&WIDE, datatype)).is_some(),
            catch_panic(of_setting).is_some(),
        ];
        let expected = [
            matches!(datatype, Datatype::Unsigned | Datatype::Uint32),
            matches!(datatype, Datatype::UnsignedLong | Datatype::UnsignedLongLong | Datatype::Uint64),
            matches!(datatype, Datatype::Int | Datatype::Int32),
        ];
        assert_eq!(fit, expected, "{datatype}");
    }
}

/// A value whose functions panic.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
struct PanickingValue;

impl CvarValue for PanickingValue {
    type Element = i32;
    type Store = <i32 as CvarValue>::Store;

    fn from_elements(_: &[i32]) -> Option<Self> {
        panic!("the test panics on purpose")
    }

    fn to_elements(&self, _: &mut [i32]) {
        panic!("the test panics on purpose")
    }
}

/// Proves C54.
#[test]
fn panicking_value_is_an_error() {
    static SETTING: Cvar<PanickingValue> = Cvar::new(PanickingValue);
    let mut image = Image::new("test");
    image.cvars.push(leak(cvar("mood", &SETTING)));
    let (tool, refusals) = tool_over(&image);
    assert!(refusals.is_empty(), "{refusals:?}");
    let setting = tool.cvar("mood").unwrap();
    assert_eq!(setting.read::<i32>(), Err(Error::Invalid));
    assert_eq!(setting.write::<i32>(&[1]), Err(Error::Invalid));
}

static LINE: SourceCell = SourceCell::new();
static SHARED: SharedMetadata = SharedMetadata::new("test", file!());
static SOURCE: SourceDesc = SourceDesc::new(metadata("line"), SourceOrder::Unordered, &LINE);
static CELL: EventCell = EventCell::new();

const fn desc_of(name: &'static str, elements: &'static [Element]) -> EventDesc {
    EventDesc::new(metadata(name), elements, &SOURCE, &CELL)
}

const fn metadata(name: &'static str) -> Metadata {
    Metadata::new(name, name.len(), &SHARED, line!())
}

static SMALL: EventDesc = desc_of("rang", &[Element::new(Datatype::Int, 0)]);
/// Another event type with the same cell: of larger elements, beyond the payload.
static LARGE: EventDesc = desc_of("roared", &[Element::new(Datatype::Int64, 4096)]);
static DUPLICATE: EventDesc = desc_of("rang_again", &[]);
static RECEIVED: AtomicU32 = AtomicU32::new(0);

macro_rules! event {
    ($name:ident, $desc:expr) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Event for $name {
            const DESC: &'static EventDesc = $desc;

            fn fill(&self, payload: &mut Payload) {
                payload.put(0, 7_i32);
            }

            fn collect(_: &mpit::tool::EventInstance) -> mpit::Result<Self> {
                Ok(Self)
            }
        }
    };
}
event!(Small, &SMALL);
event!(Large, &LARGE);

/// Proves C54.
#[test]
fn event_cell_serves_one_descriptor() {
    let mut image = Image::new("test");
    image.events.push(&SMALL);
    let (tool, refusals) = tool_over(&image);
    assert!(refusals.is_empty(), "{refusals:?}");
    let listener = tool.listen("rang", None, Safety::None, |event| {
        assert_eq!(event.read::<i32>(0), Ok(7));
        RECEIVED.fetch_add(1, Relaxed);
    });
    let listener = listener.unwrap();
    Small::raise(Context::ANYWHERE, || Small);
    Large::raise(Context::ANYWHERE, || Large);
    drop(listener);
    assert_eq!(RECEIVED.load(Relaxed), 1, "only that of its own descriptor");

    let mut image = Image::new("another");
    image.events.push(&DUPLICATE);
    let refusals = tool_over(&image).1;
    assert_eq!(refusals.len(), 1, "{refusals:?}");
    assert!(refusals[0].why.contains("its cell serves another event type"), "{}", refusals[0].why);
}
