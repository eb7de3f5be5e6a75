//! Values that a tool reads before, during and after steps.

use std::sync::atomic::AtomicU32;

use mpit::Result;
use mpit::cell::Value;
use mpit::object::{Bind, Object};
use mpit::tool::{Class, Datatype, Handle, Session, Setting, Tool};

use crate::is_ours;

/// A communicator of three processes, in another order than the world.
static RANKS: [AtomicU32; 3] = [AtomicU32::new(2), AtomicU32::new(0), AtomicU32::new(7)];

fn text<T: Value + std::fmt::Debug>(read: Result<Vec<T>>) -> Result<String> {
    read.map(|elements| format!("{elements:?}"))
}

/// The value of a handle, whatever its type.
fn numbers(handle: &Handle<'_>) -> String {
    let shown = match handle.desc().datatype() {
        Datatype::Int | Datatype::Int32 => text(handle.read::<i32>()),
        Datatype::Int64 | Datatype::Count => text(handle.read::<i64>()),
        Datatype::Unsigned | Datatype::Uint32 => text(handle.read::<u32>()),
        Datatype::Double => text(handle.read::<f64>()),
        _ => text(handle.read::<u64>()),
    };
    shown.unwrap_or_else(|error| format!("{error:?}"))
}

/// Handles on everything that a tool can have a handle on.
fn handles<'s>(session: &'s Session<'_>, tool: &Tool) -> Vec<Handle<'s>> {
    let registry = tool.registry();
    let comm = Object::comm(5, &RANKS);
    let mut handles = Vec::new();
    for index in 0..registry.pvar_count() {
        let Some(pvar) = registry.pvar(index).filter(|pvar| is_ours(pvar.name())) else { continue };
        let object = match pvar.bind() {
            Bind::NoObject => None,
            Bind::Comm => Some(comm),
            kind => Some(Object::new(kind, 9)),
        };
        match session.handle_at(index, object.as_ref()) {
            Ok(handle) => handles.push(handle),
            Err(error) => println!("no handle on {}: {error:?}", pvar.name()),
        }
    }
    handles
}

fn show_all(when: &str, handles: &[Handle<'_>]) {
    for handle in handles {
        let desc = handle.desc();
        println!("{when}: {} {} x{} = {}", desc.name(), desc.class(), handle.count(), numbers(handle));
    }
}

fn steps(tool: &Tool, count: u32) {
    tool.cvar("every_step").expect("the setting").write(&[count]).expect("steps");
    // Of another plug-in, if it is there.
    if let Ok(first) = tool.cvar("first_step_of_every") {
        first.write(&[count.cast_signed()]).expect("steps");
    }
}

pub fn show() {
    let tool = Tool::new();
    let session = tool.session().expect("a session");
    let other = tool.session().expect("another session");
    // Its queue exists only then.
    steps(&tool, 1);
    let all = handles(&session, &tool);
    let late = handles(&other, &tool);
    show_all("at first", &all);
    steps(&tool, 2);
    show_all("not started", &all);
    for handle in &all {
        println!("start {}: {:?}", handle.desc().name(), handle.start());
    }
    steps(&tool, 3);
    show_all("started", &all);
    for handle in &late {
        let _ = handle.start();
    }
    steps(&tool, 1);
    show_all("started late", &late);
    for handle in all.iter().filter(|handle| handle.desc().class() != Class::Generic) {
        let desc = handle.desc();
        println!("reset {} {}: {:?}", desc.name(), desc.class(), handle.reset());
        let again = match desc.datatype() {
            Datatype::Double => text(handle.read_and_reset::<f64>()),
            _ => text(handle.read_and_reset::<u64>()),
        };
        println!("read and reset {} {}: {again:?}", desc.name(), desc.class());
    }
    steps(&tool, 2);
    show_all("after a reset", &all);
    show_all("not reset", &late);
    for handle in &all {
        println!("stop {}: {:?}", handle.desc().name(), handle.stop());
    }
    steps(&tool, 4);
    show_all("stopped", &all);
    show_all("not stopped", &late);
    for handle in &all {
        let written = match handle.desc().datatype() {
            Datatype::Unsigned | Datatype::Uint32 => handle.write(&vec![6_u32; handle.count()]),
            Datatype::Double => handle.write(&vec![6.5_f64; handle.count()]),
            Datatype::UnsignedLong | Datatype::UnsignedLongLong => handle.write(&vec![6_u64; handle.count()]),
            _ => continue,
        };
        println!("write {}: {written:?} {}", handle.desc().name(), numbers(handle));
    }
    wrong_objects(&tool, &session);
    show_settings(&tool);
}

fn wrong_objects(tool: &Tool, session: &Session<'_>) {
    let registry = tool.registry();
    for pvar in (0..registry.pvar_count()).filter_map(|index| registry.pvar(index)) {
        if is_ours(pvar.name()) && pvar.bind() != Bind::NoObject {
            let wrong = session.handle(pvar.name(), pvar.class(), Some(&Object::new(Bind::Op, 1)));
            println!("{} of an operator: {:?}", pvar.name(), wrong.map(|handle| handle.count()));
            let empty = session.handle(pvar.name(), pvar.class(), Some(&Object::comm(6, &[])));
            println!("{} of no process: {:?}", pvar.name(), empty.map(|handle| handle.count()));
        }
    }
}

fn show_settings(tool: &Tool) {
    let setting = |name: &str| tool.cvar(name).expect("a setting");
    let try_all = |name: &str, values: &[i32]| {
        for value in values {
            let written = setting(name).write(&[*value]);
            println!("{name} to {value}: {written:?} {:?}", setting(name).read::<i32>());
        }
    };
    try_all("every_limit", &[7, 11, -11, 3]);
    try_all("every_wish", &[3, 4, -1]);
    try_all("every_switch", &[0, 2, 1]);
    try_all("every_refusal", &[2, 13]);
    try_one("every_large", &setting("every_large"), 1_i64);
    try_one("every_long", &setting("every_long"), 1_u64);
    try_one("every_part", &setting("every_part"), -0.25);
    let label: Setting<'_> = setting("every_label");
    for text in ["", "fünfzehn Bytes", "these are sixteen bytes"] {
        println!("every_label to {text:?}: {:?} {:?}", label.write_text(text), label.read_text());
    }
}

fn try_one<T: Value + std::fmt::Debug>(name: &str, setting: &Setting<'_>, value: T) {
    println!("{name}: {:?} {:?}", setting.write(&[value]), setting.read::<T>());
}
