//! The places in the program that make calls, and its regions: their numbers, and their blocks in the store.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use mpit_format::files::cut_off;
use mpit_format::store::blocks::{BlockKind, Encoded};
use mpit_format::times::{OTHER_REGIONS, OTHER_SITES, SiteRow};
use mpit_sync::lock::{Mutex, Once};
use mpit_sync::memory;

use super::loaded_objects;
use crate::store::OF_PROCESS;

/// The maximum number of places. Each takes memory for each communicator and thread with which it is used.
const MAX_SITES: usize = 4096;

/// The maximum number of return addresses whose places are kept. Those of a program with more are *other sites*.
const MAX_ADDRESSES: usize = 4 * MAX_SITES;

/// The maximum number of regions.
const MAX_REGIONS: usize = 255;

/// The maximum length of a region's name in bytes.
const MAX_NAME: usize = 64;

/// The region of calls outside of all regions.
pub const NO_REGION: u16 = 0;

/// The number of regions that are not distinguished.
pub const OTHERS: u16 = OTHER_REGIONS as u16;

/// The part of the program that makes a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// The number of the region, or [`NO_REGION`].
    pub region: u16,
    /// The return address of the call; 0 if places are not distinguished.
    pub return_address: u64,
}

static SITES: Mutex<Sites> = Mutex::new(Sites { generation: 0, numbers: BTreeMap::new(), all: Vec::new() });

static REGIONS: Mutex<Regions> =
    Mutex::new(Regions { numbers: BTreeMap::new(), all: Vec::new(), is_stored: false });

static DESCRIBE: Once<fn(u64) -> DescribedSite> = Once::new();

/// A place in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DescribedSite {
    /// The line, whose number is ignored.
    pub row: SiteRow,
    /// Device and inode of a file without a build ID; empty for others.
    pub file: Box<str>,
}

impl DescribedSite {
    fn is_same(&self, other: &Self) -> bool {
        let key =
            |site: &Self| (site.row.offset, Arc::clone(&site.row.build_id), Arc::clone(&site.row.module));
        key(self) == key(other) && self.file == other.file
    }
}

struct Sites {
    /// The [generation](loaded_objects::generation) of the return addresses.
    generation: u64,
    /// By return address.
    numbers: BTreeMap<u64, u64>,
    all: Vec<KnownSite>,
}

struct KnownSite {
    described: DescribedSite,
    row: SiteRow,
}

impl Sites {
    /// Returns the number of the place with a return address, if it is known in a generation.
    fn number(&mut self, return_address: u64, generation: u64) -> Option<u64> {
        if self.generation != generation {
            self.numbers.clear();
            self.generation = generation;
        }
        self.numbers.get(&return_address).copied()
    }

    /// Returns the number of a place, which gets one if it has none.
    fn number_of(&mut self, described: DescribedSite) -> u64 {
        if let Some(known) = self.all.iter().find(|known| known.described.is_same(&described)) {
            return known.row.number;
        }
        if self.all.len() >= MAX_SITES || memory::is_short() {
            return OTHER_SITES;
        }
        let number = self.all.len() as u64 + 1;
        let row = SiteRow { number, module: self.module_of(&described), ..described.row.clone() };
        let text = Encoded::default().number(row.offset).name(&row.build_id).name(&row.module);
        if OF_PROCESS.add(BlockKind::Site, number, 0, text.words()).is_none() {
            return OTHER_SITES;
        }
        self.all.push(KnownSite { described, row });
        number
    }

    /// Returns the path of a place's module, with a number if other files without build IDs had this path before.
    fn module_of(&self, described: &DescribedSite) -> Arc<str> {
        let path = &described.row.module;
        let mut files: Vec<&str> = Vec::new();
        let of_path = self.all.iter().map(|known| &known.described).filter(|known| known.row.module == *path);
        for known in of_path.filter(|known| !known.file.is_empty()) {
            if !files.contains(&&*known.file) {
                files.push(&known.file);
            }
        }
        let position = files.iter().position(|file| **file == *described.file).unwrap_or(files.len());
        if described.file.is_empty() || position == 0 {
            return Arc::clone(path);
        }
        format!("{path} (file {})", position + 1).into()
    }
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
        let text = Encoded::default().name(&self.name);
        self.stored =
            OF_PROCESS.add(BlockKind::Region, number.into(), 1, text.words()).and_then(<[_]>::first);
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
pub fn set_describe(describe: fn(u64) -> DescribedSite) {
    DESCRIBE.get_or_init(|| describe);
}

/// Returns the number of the place with a return address, which gets one if it has none. Takes locks and allocates.
pub(super) fn site(return_address: u64) -> u64 {
    if return_address == 0 {
        return 0;
    }
    // Read before the object is found, which stays loaded during the call.
    let generation = loaded_objects::generation();
    if let Some(generation) = generation {
        let mut sites = SITES.lock();
        if let Some(number) = sites.number(return_address, generation) {
            return number;
        }
        if sites.numbers.len() >= MAX_ADDRESSES || memory::is_short() {
            return OTHER_SITES;
        }
    }
    // The dynamic linker, which finds the module, has a lock of its own.
    let site = DESCRIBE.get().map(|describe| describe(return_address)).unwrap_or_default();
    let mut sites = SITES.lock();
    let number = sites.number_of(site);
    // The map belongs to another generation if an object was closed meanwhile.
    if generation.is_some_and(|generation| sites.generation == generation) {
        sites.numbers.insert(return_address, number);
    }
    number
}

/// Returns the number of the region with a name, which gets one if it has none. Takes locks and allocates.
#[must_use]
pub fn region(name: &str) -> u16 {
    let name = cut_off(name, MAX_NAME).replace(char::is_control, " ");
    let mut regions = REGIONS.lock();
    if let Some(number) = regions.numbers.get(name.as_str()) {
        return *number;
    }
    if regions.all.len() >= MAX_REGIONS || memory::is_short() {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{DescribedSite, SiteRow, Sites};

    /// The files have one path, one after the other, and no build ID.
    #[test]
    fn replaced_files_are_other_modules() {
        let mut sites = Sites { generation: 0, numbers: BTreeMap::new(), all: Vec::new() };
        let site = |file: &str, offset: u64| {
            let row = SiteRow { number: 0, offset, build_id: "".into(), module: "/lib/a.so".into() };
            DescribedSite { row, file: file.into() }
        };
        let all = [("8:1 5", 1), ("8:1 6", 1), ("8:1 5", 2), ("8:1 6", 1), ("8:1 6", 3), ("8:1 5", 1)];
        let numbers = all.map(|(file, offset)| sites.number_of(site(file, offset)));
        assert_eq!(numbers, [1, 2, 3, 2, 4, 1]);
        let modules: Vec<&str> = sites.all.iter().map(|known| &*known.row.module).collect();
        assert_eq!(modules, ["/lib/a.so", "/lib/a.so (file 2)", "/lib/a.so", "/lib/a.so (file 2)"]);
    }

    #[test]
    fn addresses_are_kept_for_a_generation() {
        let mut sites = Sites { generation: 1, numbers: BTreeMap::from([(7, 1)]), all: Vec::new() };
        assert_eq!([1, 2, 1].map(|generation| sites.number(7, generation)), [Some(1), None, None]);
    }
}
