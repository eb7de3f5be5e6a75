//! Cost of a variable at program start, in microseconds: registration, checks, and the index of names.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use mpit::internal::desc::{CategoryDesc, Origin};
use mpit::internal::registry::Image;
use mpit::tool::Registry;
use mpit_benches::{Block, measure, variables};

const BLOCKS: u32 = 40;
const VARIABLES: usize = 10_000;

static ALL: CategoryDesc = CategoryDesc::new("all", "All of them.", &[], &[], Origin::new(file!(), line!()));
static CATEGORIES: &[&CategoryDesc] = &[&ALL];

/// Returns the microseconds per variable. The result of `make` is dropped after the clock has stopped.
fn each<T>(make: impl Fn() -> T) -> f64 {
    let start = Instant::now();
    let result = black_box(make());
    let took = start.elapsed();
    drop(result);
    took.as_secs_f64() * 1e6 / VARIABLES as f64
}

fn registry(image: &Image) -> Registry {
    let registry = Registry::new();
    let refusals = registry.add(image, &[]);
    assert!(refusals.is_empty() && registry.pvar_count() as usize == VARIABLES, "{refusals:?}");
    registry
}

fn registering(image: &Image) -> Block<'_> {
    Box::new(move || each(|| registry(image)))
}

fn main() {
    let alone = variables::image(VARIABLES, &[]);
    let together = variables::image(VARIABLES, CATEGORIES);
    let map = || {
        let mut map = HashMap::new();
        for (desc, index) in alone.pvars.iter().zip(0_u32..) {
            map.insert(desc.name().to_owned(), index);
        }
        map
    };
    measure(
        BLOCKS,
        [
            ("map", Box::new(|| each(map))),
            ("alone", registering(&alone)),
            ("together", registering(&together)),
        ],
    );
}
