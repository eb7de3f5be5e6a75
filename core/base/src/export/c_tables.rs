//! Export of all definitions of an image.

use super::enums::Enums;
use super::text::{self, ExportResult, structs};
use super::{component, cvar, event, groups, pvar};
use crate::abi;
use crate::component::ComponentDesc;
use crate::desc::Origin;
use crate::leak::leak;
use crate::registry::{Definition, Fault, Image, Refusal, Rule};

#[derive(Debug, Default)]
pub(super) struct Tables {
    component: &'static str,
    pvars: Vec<abi::Pvar>,
    cvars: Vec<abi::Cvar>,
    sources: Vec<abi::Source>,
    events: Vec<abi::Event>,
    categories: Vec<abi::Category>,
    components: Vec<abi::Component>,
}

impl Tables {
    /// Converts all definitions to structs. Returns them with the definitions that cannot be exported.
    pub(super) fn of(
        component: &'static str,
        image: &Image,
        components: &[&'static ComponentDesc],
    ) -> ExportResult<(Self, Vec<Refusal>)> {
        let (mut tables, mut enums) = (Self { component, ..Self::default() }, Enums::default());
        let mut left_out = Vec::new();
        for desc in &image.pvars {
            if let Some(why) = pvar::fault(desc) {
                left_out.push(refusal(desc.label(), desc.origin(), why));
                continue;
            }
            tables.pvars.push(pvar::entry(desc, &mut enums).map_err(within(*desc))?);
        }
        for desc in &image.cvars {
            tables.cvars.push(cvar::entry(desc, &mut enums).map_err(within(*desc))?);
        }
        for desc in image.all_sources() {
            tables.sources.push(event::source(desc).map_err(within(desc))?);
        }
        for desc in &image.events {
            if let Some(why) = event::claim_cell(desc) {
                left_out.push(refusal(desc.label(), desc.origin(), why));
                continue;
            }
            tables.events.push(event::entry(desc).map_err(within(*desc))?);
        }
        for desc in image.all_categories() {
            tables.categories.extend(groups::entries(desc).map_err(within(desc))?);
        }
        for desc in components {
            let what = format!("component `{}` of {}", desc.name(), desc.framework());
            match component::entry(desc).map_err(|why| format!("{what} at {}: {why}", desc.origin()))? {
                Ok(entry) => tables.components.push(entry),
                Err(why) => left_out.push(refusal(what, desc.origin(), &why)),
            }
        }
        Ok((tables, left_out))
    }

    pub(super) fn leak(self) -> *const abi::Table {
        let pvars = structs(self.pvars);
        let sources = structs(self.sources);
        let events = structs(self.events);
        let categories = structs(self.categories);
        let settings = structs(self.cvars);
        let components = structs(self.components);
        leak(abi::Table {
            component: text::or_empty(self.component),
            pvars: pvars.0,
            num_pvars: pvars.1,
            sources: sources.0,
            num_sources: sources.1,
            events: events.0,
            num_events: events.1,
            categories: categories.0,
            num_categories: categories.1,
            cvars: settings.0,
            num_cvars: settings.1,
            components: components.0,
            num_components: components.1,
            ..abi::Table::EMPTY
        })
    }
}

/// Returns a function that prefixes a message with the definition that has the fault.
fn within(desc: &impl Definition) -> impl FnOnce(String) -> String {
    move |why| format!("{} at {}: {why}", desc.label(), desc.origin())
}

fn refusal(what: String, origin: Origin, why: &str) -> Refusal {
    Refusal::new(what, origin, Fault::of(Rule::Plugin, why))
}
