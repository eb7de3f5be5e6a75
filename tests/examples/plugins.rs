//! A program without MPI that looks at what there is, as any tool does, and reads what can be read.

use mpit::internal::plugin;
use mpit::object::{Bind, Object};
use mpit::tool::{Datatype, Tool};

fn main() {
    let tool = Tool::new();
    let registry = tool.registry();
    for plugin in plugin::all() {
        println!("plugin {} {} {}", plugin.number(), plugin.name(), plugin.path().display());
    }
    let session = tool.session().expect("sessions");
    let plain = |index: &u32| {
        registry.pvar(*index).is_some_and(|desc| {
            desc.bind() == Bind::NoObject && desc.datatype() == Datatype::UnsignedLongLong
        })
    };
    for index in (0..registry.pvar_count()).filter(plain) {
        let Some(desc) = registry.pvar(index) else { continue };
        let handle = session.handle(desc.name(), desc.class(), Some(&Object::NONE)).expect("a handle");
        println!("pvar {index} {} {:?}", desc.name(), handle.read::<u64>());
    }
    for index in 0..registry.category_count() {
        if let Some(category) = registry.category(index) {
            println!("category {index} {} {:?}", category.name(), category.with_members(Clone::clone));
        }
    }
    println!("done");
}
