//! Cost of finding a variable by its name, in nanoseconds: `find N` among N names, `map N` in a `HashMap`, `loads N` for the
//! comparison with a name in a slot of a table whose number is known, and `walk N` for the loop over the queried names, which the
//! others contain.

use std::collections::HashMap;
use std::hint::black_box;

use mpit::tool::{Class, Registry};
use mpit_benches::{Block, a_loop, measure, variables};

const BLOCKS: u32 = 15;
const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

/// The number of queried names.
const QUERIES: u32 = 1 << 16;

/// A registry and a map with the same names.
struct Names {
    registry: Registry,
    map: HashMap<String, u32>,
    queries: Vec<String>,
    /// A table as large as that of the registry, with the names at places that caches do not predict.
    slots: Vec<&'static str>,
    /// The place of each query's name.
    places: Vec<usize>,
}

impl Names {
    fn new(count: usize) -> Self {
        let image = variables::image(count, &[]);
        let registry = Registry::new();
        let refusals = registry.add(&image, &[]);
        assert!(refusals.is_empty(), "{refusals:?}");
        let names = (0..registry.pvar_count()).filter_map(|at| Some((registry.pvar(at)?.name().into(), at)));
        let map: HashMap<String, u32> = names.collect();
        assert_eq!(map.len(), count, "names");
        // Spread over the registry in an order that caches do not predict.
        let some = (0..QUERIES as usize).map(|n| image.pvars[n * 7_368_787 % count].name().into());
        let queries: Vec<String> = some.collect();
        for name in &queries {
            assert_eq!(registry.pvar_index(name, Class::Counter), map.get(name).copied(), "{name}");
        }
        let mut slots = vec![""; (2 * count).next_power_of_two()];
        let place_of = |n: usize| n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - slots.len().ilog2());
        let mut is_taken = vec![false; slots.len()];
        let places: Vec<usize> = (0..count)
            .map(|n| {
                let mut place = place_of(n);
                while is_taken[place] {
                    place = (place + 1) % slots.len();
                }
                is_taken[place] = true;
                place
            })
            .collect();
        places.iter().zip(&image.pvars).for_each(|(place, pvar)| slots[*place] = pvar.name());
        let places = (0..QUERIES as usize).map(|n| places[n * 7_368_787 % count]).collect();
        Self { registry, map, queries, slots, places }
    }

    fn query(&self, turn: u32) -> &str {
        black_box(&self.queries[turn as usize])
    }

    fn blocks(&self) -> [(&'static str, Block<'_>); 4] {
        let walk = |turn| _ = black_box(self.query(turn));
        let find = |turn| _ = black_box(self.registry.pvar_index(self.query(turn), Class::Counter));
        let map = |turn| _ = black_box(self.map.get(self.query(turn)));
        let loads = |turn| {
            black_box(self.slots[self.places[turn as usize]] == self.query(turn));
        };
        [
            ("walk", a_loop(QUERIES, walk)),
            ("find", a_loop(QUERIES, find)),
            ("map", a_loop(QUERIES, map)),
            ("loads", a_loop(QUERIES, loads)),
        ]
    }
}

fn main() {
    for size in SIZES {
        let names = Names::new(size);
        let labeled = names.blocks().map(|(what, block)| (format!("{what} {size}"), block));
        measure(BLOCKS, labeled);
    }
}
