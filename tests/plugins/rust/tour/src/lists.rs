//! Lists of definitions, in the order of indices.

use mpit::cvar::ValueSource;
use mpit::tool::{EnumDesc, Tool};

use crate::is_ours;

pub fn show() {
    let tool = Tool::new();
    let registry = tool.registry();
    let pvars = (0..).map_while(|index| registry.pvar(index)).filter(|pvar| is_ours(pvar.name()));
    for pvar in pvars {
        println!(
            "pvar {} {} {} {} {} {:?} {:?} in {:?} of {} at {}: {}",
            pvar.name(),
            pvar.class(),
            pvar.datatype(),
            pvar.bind(),
            pvar.verbosity(),
            pvar.flags(),
            pvar.behavior(),
            pvar.categories().iter().map(|category| category.name()).collect::<Vec<_>>(),
            pvar.component(),
            pvar.origin(),
            pvar.description()
        );
        show_names(pvar.enumeration());
    }
    let cvars = (0..).map_while(|index| Some((index, registry.cvar(index)?)));
    for (index, cvar) in cvars.filter(|(_, cvar)| is_ours(cvar.name())) {
        println!(
            "cvar {} {} {} {} {} x{} {:?} {:?} {:?} in {:?} of {} at {} = {} by {:?}: {}",
            cvar.name(),
            cvar.datatype(),
            cvar.bind(),
            cvar.scope(),
            cvar.verbosity(),
            cvar.count(),
            cvar.is_before_init(),
            cvar.aliases(),
            cvar.environment(),
            cvar.categories().iter().map(|category| category.name()).collect::<Vec<_>>(),
            cvar.component(),
            cvar.origin(),
            cvar.value_as_text(),
            registry.cvar_source(index).unwrap_or(ValueSource::Default),
            cvar.description()
        );
        show_names(cvar.enumeration());
    }
    let sources = (0..).map_while(|index| registry.source(index)).filter(|source| is_ours(source.name()));
    for source in sources {
        println!(
            "source {} {} of {} at {}: {}",
            source.name(),
            source.order(),
            source.component(),
            source.origin(),
            source.description()
        );
    }
    let events = (0..).map_while(|index| registry.event(index)).filter(|event| is_ours(event.name()));
    for event in events {
        println!(
            "event {} {} {} {:?} from {} in {:?} of {} at {}: {}",
            event.name(),
            event.bind(),
            event.verbosity(),
            event.elements(),
            event.source().name(),
            event.categories().iter().map(|category| category.name()).collect::<Vec<_>>(),
            event.component(),
            event.origin(),
            event.description()
        );
        show_names(event.element_names());
    }
    let category_name = |index: u32| registry.category(index).map_or("", |category| category.name());
    for category in (0..).map_while(|index| registry.category(index)).filter(|one| is_ours(one.name())) {
        let pvars = |index: &u32| registry.pvar(*index).map_or("", |pvar| pvar.name());
        let cvars = |index: &u32| registry.cvar(*index).map_or("", |cvar| cvar.name());
        let events = |index: &u32| registry.event(*index).map_or("", |event| event.name());
        category.with_members(|members| {
            println!(
                "category {}: {:?} {:?} {:?} {:?}: {}",
                category.name(),
                members.categories.iter().map(|index| category_name(*index)).collect::<Vec<_>>(),
                members.pvars.iter().map(pvars).collect::<Vec<_>>(),
                members.cvars.iter().map(cvars).collect::<Vec<_>>(),
                members.events.iter().map(events).collect::<Vec<_>>(),
                category.description()
            );
        });
    }
}

fn show_names(names: Option<&EnumDesc>) {
    if let Some(names) = names {
        let items: Vec<_> = names.items().iter().map(|item| (item.value(), item.name())).collect();
        println!("  named by {} {items:?}", names.name());
    }
}
