//! Delivery of events to a tool that registers for them.

use std::ffi::c_void;
use std::ptr::{null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

use mpit::event::instance::{source_index, timestamp};
use mpit::event::{Abi, Delivery, DropReport, FreeNotice, Safety};
use mpit::internal::session::Interface;
use mpit::object::{Bind, Object};
use mpit::tool::Tool;

use crate::is_ours;

static RECEIVED: AtomicU64 = AtomicU64::new(0);
static LOST: AtomicI64 = AtomicI64::new(0);
static LAST: AtomicI64 = AtomicI64::new(0);
static SOURCES: AtomicU64 = AtomicU64::new(0);

extern "C" fn deliver(_function: *mut c_void, delivery: &Delivery) {
    RECEIVED.fetch_add(1, SeqCst);
    let time = timestamp(delivery.instance).expect("an instance");
    assert!(LAST.swap(time, SeqCst) <= time, "time goes on");
    let source = source_index(delivery.instance).expect("an instance");
    let tool = Tool::new();
    let name = tool.registry().source(source).map_or("", |source| source.name());
    SOURCES.fetch_add(name.len() as u64, SeqCst);
}

extern "C" fn report(_function: *mut c_void, report: &DropReport) {
    LOST.fetch_add(report.count, SeqCst);
}

extern "C" fn free_callback(_function: *mut c_void, _notice: &FreeNotice) {
    RECEIVED.fetch_add(1000, SeqCst);
}

// SAFETY: the functions expect the pointers that this tool registers.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

pub fn show() {
    let tool = Tool::new();
    let interface = Interface::global();
    for index in 0..tool.registry().event_count() {
        let Some(event) = tool.registry().event(index).filter(|event| is_ours(event.name())) else {
            continue;
        };
        for (comm, level) in [(5, Safety::ThreadSafe), (6, Safety::None), (5, Safety::None)] {
            let object = Object::world(comm, 2);
            let object = if event.bind() == Bind::Comm { Some(&object) } else { None };
            let id = interface.event_handle_alloc(index, object, &ABI).expect("a registration");
            let function = without_provenance_mut(1);
            // SAFETY: the functions of `ABI` ignore the pointer.
            unsafe { interface.event_register_callback(id, level, function, null_mut()) }
                .expect("a callback");
            // SAFETY: the functions of `ABI` ignore the pointer.
            unsafe { interface.event_set_dropped_handler(id, function) }.expect("a handler");
            tool.cvar("every_step").expect("the setting").write(&[2_u32]).expect("steps");
            // SAFETY: the functions of `ABI` ignore the pointer.
            unsafe { interface.event_handle_free(id, null_mut(), function) }.expect("the end");
            tool.cvar("every_step").expect("the setting").write(&[1_u32]).expect("a step");
            println!(
                "{} of {comm} at {level}: received {}, lost {}, letters of sources {}",
                event.name(),
                RECEIVED.swap(0, SeqCst),
                LOST.swap(0, SeqCst),
                SOURCES.swap(0, SeqCst)
            );
        }
    }
}
