//! Lists everything that is defined in this program, under its index. Two crates in it define the same variable.

use mpit::tool::Tool;
use {mpit_components as _, mpit_tests_left as _, mpit_tests_right as _};

fn main() {
    let tool = Tool::new();
    let registry = tool.registry();
    for (index, pvar) in (0..).map_while(|index| Some((index, registry.pvar(index)?))) {
        println!("pvar {index} {} {}: {}", pvar.name(), pvar.class(), pvar.description());
    }
    for (index, cvar) in (0..).map_while(|index| Some((index, registry.cvar(index)?))) {
        println!("cvar {index} {}: {}", cvar.name(), cvar.description());
    }
    for (index, category) in (0..).map_while(|index| Some((index, registry.category(index)?))) {
        let members = category.with_members(Clone::clone);
        println!("category {index} {}: {members:?}", category.name());
    }
}
