//! Uses of the entries that a table registered.

use mpit::internal::session::{HandleSelection, Interface, Limits, PvarHandle, SessionId};
use mpit::internal::vocabulary::ThreadLevel;
use mpit::object::{Bind, Object};
use mpit::tool::Registry;

/// Reads and writes all variables, as tools do.
pub(super) fn use_all(registry: &'static Registry) {
    let interface = Interface::new(registry, Limits::default());
    interface.init(ThreadLevel::Single);
    let session = interface.session_create().expect("a session");
    for index in 0..registry.pvar_count() {
        let desc = registry.pvar(index).expect("an index below the count");
        let found = registry.pvar_index(desc.name(), desc.class());
        assert_eq!(found, Some(index), "{}", desc.name());
        let ranks = [0.into(), 1.into()];
        let object = match desc.bind() {
            Bind::NoObject => Object::NONE,
            Bind::Comm => Object::comm(7, &ranks),
            kind => Object::new(kind, 7),
        };
        if let Ok((handle, count)) = interface.handle_alloc(session, index, Some(&object)) {
            assert!(count > 0, "{} has no element", desc.name());
            use_handle(&interface, session, handle, count * desc.datatype().size());
        }
    }
    for index in 0..registry.cvar_count() {
        use_setting(&interface, index);
    }
    for index in 0..registry.category_count() {
        let category = registry.category(index).expect("an index below the count");
        assert_eq!(registry.category_index(category.name()), Some(index));
    }
    interface.session_free(session).expect("the session is there");
    interface.finalize().expect("the interface is up");
}

/// Returns memory for a value, exactly as long, so that the sanitizer detects accesses behind it; none for a large value.
fn memory(bytes: usize) -> Option<Box<[u64]>> {
    if bytes > 1 << 16 { None } else { Some(vec![0; bytes.div_ceil(8)].into()) }
}

fn use_handle(interface: &Interface, session: SessionId, handle: PvarHandle, bytes: usize) {
    let Some(mut value) = memory(bytes) else { return };
    let buffer = value.as_mut_ptr().cast::<u8>();
    let _ = interface.start(session, HandleSelection::One(handle));
    // SAFETY: the buffer has the size of all elements.
    let _ = unsafe { interface.read(session, handle, buffer) };
    // SAFETY: the buffer has the size of all elements.
    let _ = unsafe { interface.write(session, handle, buffer) };
    // SAFETY: the buffer has the size of all elements.
    let _ = unsafe { interface.readreset(session, handle, buffer) };
    let _ = interface.reset(session, HandleSelection::One(handle));
    let _ = interface.stop(session, HandleSelection::All);
    // SAFETY: the buffer has the size of all elements.
    let _ = unsafe { interface.read(session, handle, buffer) };
    interface.handle_free(session, handle).expect("the handle is there");
}

fn use_setting(interface: &Interface, index: u32) {
    let desc = interface.registry().cvar(index).expect("an index below the count");
    let object = Object::new(desc.bind(), 7);
    let (handle, count) = interface.cvar_handle_alloc(index, Some(&object)).expect("a handle");
    let Some(mut value) = memory(count * desc.datatype().size()) else { return };
    let buffer = value.as_mut_ptr().cast::<u8>();
    // SAFETY: the buffer has the size of all elements.
    if unsafe { interface.cvar_read(handle, buffer) }.is_ok() {
        // SAFETY: the buffer has the size of all elements.
        let _ = unsafe { interface.cvar_write(handle, buffer) };
    }
    interface.object_freed(object.kind(), object.id());
    interface.cvar_handle_free(handle).expect("the handle is there");
}
