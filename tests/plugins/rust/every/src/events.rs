//! Events.

use std::ffi::c_char;

use mpit::{event, source};
use mpit::event::{Context, Event, Safety};

use crate::groups::{Every, Inner};

/// Steps, one after the other.
#[source(ordered)]
pub struct EverySteps;

/// Other events.
#[source(unordered, name = "every_else")]
pub struct Else;

/// A step was made.
#[event(source = EverySteps, category = [Every, Inner], verbosity = "USER_DETAIL")]
pub struct EveryStepped {
    /// The number of steps left.
    pub left: i32,
    /// A letter.
    pub letter: c_char,
    /// A share.
    pub share: f64,
    /// Something large.
    #[mpit(datatype = "UINT64_T")]
    pub large: u64,
}

/// An event about communicator 5.
#[event(source = Else, bind = "COMM")]
pub struct EveryConcern {
    pub number: u32,
}

/// An event without elements.
#[event(source = Else)]
pub struct EveryTick;

pub fn step(left: u32) {
    EveryStepped::raise(Context::requiring(Safety::MpiRestricted), || EveryStepped {
        left: left as i32,
        letter: b'e' as c_char,
        share: 0.5,
        large: u64::MAX - u64::from(left),
    });
    EveryConcern::raise(Context::ANYWHERE.about(5), || EveryConcern { number: left });
    EveryTick::raise(Context::ANYWHERE, || EveryTick);
}
