//! Control variables.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::cvar::{Cvar, ObjectCvar, Text};
use mpit::object::Comm;
use mpit::{Error, Result, cvar, pvar};

use crate::groups::{Every, Inner, Weather};
use crate::{events, values};

/// Has so many steps happen.
#[cvar(category = Every)]
static EVERY_STEP: Cvar<u32> = Cvar::new(0).range(0..=1000).on_set(steps);

/// A limit.
#[cvar(scope = "ALL_EQ", alias = ["every_bound", "every_most"], env = "EVERY_LIMIT_OF_OLD", verbosity = "USER_BASIC")]
static EVERY_LIMIT: Cvar<i32> = Cvar::new(-4).range(-10..=10);

/// A large number.
#[cvar(datatype = "COUNT", scope = "CONSTANT")]
static EVERY_LARGE: Cvar<i64> = Cvar::new(-1 << 40);

/// A long number.
#[cvar(datatype = "UNSIGNED_LONG", scope = "READONLY")]
static EVERY_LONG: Cvar<u64> = Cvar::new(1 << 40);

/// A share.
#[cvar(category = [Every, Inner])]
static EVERY_PART: Cvar<f64> = Cvar::new(0.75);

/// Yes or no.
#[cvar(settable = "before_init")]
static EVERY_SWITCH: Cvar<bool> = Cvar::new(true);

/// The wanted weather.
#[cvar]
static EVERY_WISH: Cvar<Weather> = Cvar::new(Weather::Between);

/// The label.
#[cvar]
static EVERY_LABEL: Cvar<Text<16>> = Cvar::new(Text::new("größe"));

/// Takes nothing.
#[cvar]
static EVERY_REFUSAL: Cvar<i32> = Cvar::new(1).on_set(refuse);

/// A quota of each communicator.
#[cvar(bind = "COMM")]
static EVERY_QUOTA: ObjectCvar<u32> = ObjectCvar::new(50).range(0..=1000);

/// A quota of each window.
#[cvar(bind = "WIN")]
static EVERY_WINDOW_QUOTA: ObjectCvar<u32> = ObjectCvar::new(50).range(0..=1000);

/// The quota of a communicator, as this library sees it.
#[pvar(class = "SIZE", bind = "COMM")]
fn every_quota_in_use(comm: &Comm<'_>) -> u64 {
    EVERY_QUOTA.get(comm.id()).into()
}

fn steps(count: u32) -> Result<()> {
    for left in (0..count).rev() {
        values::step(left);
        events::step(left);
    }
    Ok(())
}

fn refuse(value: i32) -> Result<()> {
    assert!(value != 13 || cfg!(panic = "abort"), "as the test expects");
    Err(Error::Invalid)
}

static ACTIVATIONS: AtomicU64 = AtomicU64::new(0);

/// The number of activations, and 100 for each deactivation.
#[pvar(class = "SIZE", name = "life_of_every")]
fn activations() -> u64 {
    ACTIVATIONS.load(Relaxed)
}

pub fn activated() -> Result<()> {
    ACTIVATIONS.fetch_add(1, Relaxed);
    Ok(())
}

pub fn deactivated() {
    ACTIVATIONS.fetch_add(100, Relaxed);
}
