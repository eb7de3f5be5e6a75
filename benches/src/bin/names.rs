//! Cost of finding a variable by its name, in nanoseconds: `find N` among N names, `map N` in a `HashMap`, and `walk N` for the
//! loop over the queried names, which both others contain.

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
        Self { registry, map, queries }
    }

    fn query(&self, turn: u32) -> &str {
        black_box(&self.queries[turn as usize])
    }

    fn blocks(&self) -> [(&'static str, Block<'_>); 3] {
        let walk = |turn| _ = black_box(self.query(turn));
        let find = |turn| _ = black_box(self.registry.pvar_index(self.query(turn), Class::Counter));
        let map = |turn| _ = black_box(self.map.get(self.query(turn)));
        [("walk", a_loop(QUERIES, walk)), ("find", a_loop(QUERIES, find)), ("map", a_loop(QUERIES, map))]
    }
}

fn main() {
    for size in SIZES {
        let names = Names::new(size);
        let labeled = names.blocks().map(|(what, block)| (format!("{what} {size}"), block));
        measure(BLOCKS, labeled);
    }
}
