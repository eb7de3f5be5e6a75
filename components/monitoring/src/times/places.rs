//! The places in the program that make calls, and its regions: their numbers, and their blocks in the store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit::internal::lock::{Mutex, Once};
use mpit_format::store::TimeRecords;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::times::{OTHER_REGIONS, OTHER_SITES, RegionRow, SiteRow};

use crate::store::OF_PROCESS;

/// The maximum number of places. Each takes memory for each communicator and thread with which it is used.
const MAX_SITES: usize = 4096;

/// The maximum number of regions.
const MAX_REGIONS: usize = 255;

/// The maximum length of a region's name in bytes.
const MAX_NAME: usize = 64;

/// The region of calls outside of all regions.
pub const NO_REGION: u16 = 0;

const OTHERS: u16 = OTHER_REGIONS as u16;

/// The part of the program that makes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The number of the region, or [`NO_REGION`].
    pub region: u16,
    /// The return address of the call; 0 if places are not distinguished.
    pub return_address: u64,
}

static SITES: Mutex<Sites> = Mutex::new(Sites { numbers: BTreeMap::new(), rows: Vec::new() });

static REGIONS: Mutex<Regions> =
    Mutex::new(Regions { numbers: BTreeMap::new(), all: Vec::new(), is_stored: false });

static DESCRIBE: Once<fn(u64) -> SiteRow> = Once::new();

struct Sites {
    /// By return address.
    numbers: BTreeMap<u64, u64>,
    rows: Vec<SiteRow>,
}

struct Regions {
    numbers: BTreeMap<Arc<str>, u16>,
    all: Vec<Region>,
    /// True once regions are in the store of the process.
    is_stored: bool,
}

struct Region {
    name: Arc<str>,
    mismatches: u64,
    /// The number of mismatches in the store.
    stored: Option<&'static AtomicU64>,
}

impl Region {
    fn store(&mut self, number: u16) {
        let text = Encoded::of_name(&self.name);
        self.stored = OF_PROCESS.add(BlockKind::Region, number.into(), 1, text.words()).first();
        self.count(0);
    }

    fn count(&mut self, mismatches: u64) {
        self.mismatches += mismatches;
        if let Some(stored) = self.stored {
            stored.store(self.mismatches, Relaxed);
        }
    }
}

/// Sets the function that finds the module and the offset of a return address. The first call counts.
pub fn set_describe(describe: fn(u64) -> SiteRow) {
    DESCRIBE.get_or_init(|| describe);
}

/// Returns the number of the place with a return address, which gets one if it has none. Takes locks and allocates.
pub(super) fn site(return_address: u64) -> u64 {
    if return_address == 0 {
        return 0;
    }
    {
        let sites = SITES.lock();
        if let Some(number) = sites.numbers.get(&return_address) {
            return *number;
        }
        if sites.rows.len() >= MAX_SITES {
            return OTHER_SITES;
        }
    }
    // The dynamic linker, which finds the module, has a lock of its own.
    let row = DESCRIBE.get().map(|describe| describe(return_address)).unwrap_or_default();
    let mut sites = SITES.lock();
    let number = sites.rows.len() as u64 + 1;
    if let Some(number) = sites.numbers.get(&return_address) {
        return *number;
    }
    let is_same = |known: &&SiteRow| SiteRow { number: known.number, ..row.clone() } == **known;
    let known = sites.rows.iter().find(is_same).map(|known| known.number);
    if let Some(known) = known {
        sites.numbers.insert(return_address, known);
        return known;
    }
    let row = SiteRow { number, ..row };
    let _ = OF_PROCESS.add(BlockKind::Site, number, 0, Encoded::of_site(&row).words());
    sites.numbers.insert(return_address, number);
    sites.rows.push(row);
    number
}

/// Returns the number of the region with a name, which gets one if it has none. Takes locks and allocates.
#[must_use]
pub fn region(name: &str) -> u16 {
    let end = (0..=name.len().min(MAX_NAME)).rev().find(|end| name.is_char_boundary(*end));
    let name = name[..end.unwrap_or(0)].replace(char::is_control, " ");
    let mut regions = REGIONS.lock();
    if let Some(number) = regions.numbers.get(name.as_str()) {
        return *number;
    }
    if regions.all.len() >= MAX_REGIONS {
        return OTHERS;
    }
    let name: Arc<str> = name.into();
    let number = regions.all.len() as u16 + 1;
    let mut region = Region { name: Arc::clone(&name), mismatches: 0, stored: None };
    if regions.is_stored {
        region.store(number);
    }
    regions.all.push(region);
    regions.numbers.insert(name, number);
    number
}

/// Counts an end of a region that does not fit to the last begin.
pub fn count_mismatch(region: u16) {
    if let Some(region) = REGIONS.lock().all.get_mut(usize::from(region).wrapping_sub(1)) {
        region.count(1);
    }
}

/// Puts the regions so far into the store of the process.
pub(super) fn begin() {
    let mut regions = REGIONS.lock();
    regions.is_stored = true;
    for (region, number) in regions.all.iter_mut().zip(1..) {
        region.store(number);
    }
}

/// Adds the places and regions to the records.
pub(super) fn add_to(records: &mut TimeRecords) {
    for site in &SITES.lock().rows {
        records.add_site(site.clone());
    }
    for (region, number) in REGIONS.lock().all.iter().zip(1..) {
        let (mismatches, name) = (region.mismatches, Arc::clone(&region.name));
        records.add_region(RegionRow { number, mismatches, name });
    }
}
