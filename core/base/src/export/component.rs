//! Export of components.

use std::ffi::{CString, c_int, c_void};
use std::ptr::from_ref;

use super::guarded;
use super::text::{ExportResult, optional, text};
use crate::abi::{self, AddLine};
use crate::component::coll::{self, Operation, Root, Volume};
use crate::component::osc::{self, Access};
use crate::component::pml::{self, Send};
use crate::component::{CommId, ComponentDesc, Lifecycle, Lines, WindowId, World};
use crate::leak::leak;

/// The `user_data` of the exported functions: the component, under the trait of its framework.
enum Listener {
    Pml(&'static dyn pml::Component),
    Osc(&'static dyn osc::Component),
    Coll(&'static dyn coll::Component),
}

impl Listener {
    /// Returns the object of a component, or the reason why it cannot be exported.
    fn of(desc: &ComponentDesc) -> Result<Self, String> {
        let listener = match desc.framework() {
            "pml" => desc.object::<dyn pml::Component>().map(Self::Pml),
            "osc" => desc.object::<dyn osc::Component>().map(Self::Osc),
            "coll" => desc.object::<dyn coll::Component>().map(Self::Coll),
            other => return Err(format!("there is no framework `{other}`, but pml, osc and coll")),
        };
        listener.ok_or_else(|| {
            format!("it does not implement `mpit::component::{}::Component`", desc.framework())
        })
    }

    fn lifecycle(&self) -> &'static dyn Lifecycle {
        match *self {
            Self::Pml(component) => component,
            Self::Osc(component) => component,
            Self::Coll(component) => component,
        }
    }
}

/// Returns the C struct of a component, or the reason why it is left out.
pub(super) fn entry(desc: &'static ComponentDesc) -> ExportResult<Result<abi::Component, String>> {
    let listener = match Listener::of(desc) {
        Ok(listener) => listener,
        Err(why) => return Ok(Err(why)),
    };
    let mut component = abi::Component {
        framework: text(desc.framework())?,
        name: text(desc.name())?,
        description: optional(desc.description())?,
        listening: listener.lifecycle().subscription().shared(),
        open: Some(open),
        close: Some(close),
        file: text(desc.origin().file())?,
        line: desc.origin().line(),
        pcontrol: Some(pcontrol),
        report: Some(report),
        ..abi::Component::EMPTY
    };
    match listener {
        Listener::Pml(_) => component.sent = Some(sent),
        Listener::Osc(_) => component.accessed = Some(accessed),
        Listener::Coll(_) => {
            component.done = Some(done);
            component.freed = Some(freed);
        }
    }
    component.user_data = from_ref::<Listener>(leak(listener)).cast_mut().cast();
    Ok(Ok(component))
}

/// Returns the component that an exported function is called for.
///
/// # Safety
///
/// `user_data` is the pointer that [`entry`] stored in the struct.
unsafe fn listener(user_data: *mut c_void) -> &'static Listener {
    // SAFETY: the pointer that `entry` stored is a `&'static Listener`, and the caller ensures that it is this one.
    unsafe { &*user_data.cast_const().cast() }
}

// The functions of `struct mpit_component`. As `mpit_plugin.h` requires, the host passes the `user_data` that `entry` stored, and
// null or the struct of its type for any other pointer.

unsafe extern "C" fn open(user_data: *mut c_void, rank: u32, size: u32) -> c_int {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let listener = unsafe { listener(user_data) };
    let takes_part = guarded(false, || listener.lifecycle().open(World { rank, size }));
    c_int::from(!takes_part)
}

unsafe extern "C" fn close(user_data: *mut c_void) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let listener = unsafe { listener(user_data) };
    guarded((), || listener.lifecycle().close());
}

unsafe extern "C" fn pcontrol(user_data: *mut c_void, level: c_int) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let listener = unsafe { listener(user_data) };
    guarded((), || listener.lifecycle().pcontrol(level));
}

/// Adds the component's lines to the output: `report`. `add` takes `lines` and a string that ends with a NUL.
unsafe extern "C" fn report(user_data: *mut c_void, add: AddLine, lines: *mut c_void) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let listener = unsafe { listener(user_data) };
    let mut own = Lines::new();
    guarded((), || listener.lifecycle().report(&mut own));
    for line in own.iter().filter_map(|line| CString::new(line).ok()) {
        // SAFETY: `add` takes these `lines` and a string that ends with a NUL, which `line` is: the host ensures it.
        unsafe { add(lines, line.as_ptr()) };
    }
}

unsafe extern "C" fn sent(user_data: *mut c_void, message: *const abi::Message) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let Listener::Pml(component) = (unsafe { listener(user_data) }) else { return };
    // SAFETY: null, or a message that is valid during the call: the host ensures it.
    let Some(message) = (unsafe { message.as_ref() }) else { return };
    // A mode that this version does not know, from a later standard, is reported as the standard mode.
    let mode = pml::Mode::ALL.get(message.mode as usize).copied().unwrap_or_default();
    let comm = CommId::from_number(message.comm);
    let abi::Message { bytes, dest, to, tag, .. } = *message;
    guarded((), || component.sent(&Send { comm, dest, to, bytes, tag, mode }));
}

unsafe extern "C" fn accessed(user_data: *mut c_void, access: *const abi::Access) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let Listener::Osc(component) = (unsafe { listener(user_data) }) else { return };
    // SAFETY: null, or an access that is valid during the call: the host ensures it.
    let Some(access) = (unsafe { access.as_ref() }) else { return };
    // A kind that this version does not know is not reported.
    let Some(kind) = osc::Kind::ALL.get(access.kind as usize).copied() else { return };
    let window = WindowId::from_number(access.window);
    let abi::Access { sent, received, rank, target, .. } = *access;
    guarded((), || component.accessed(&Access { window, rank, target, kind, sent, received }));
}

unsafe extern "C" fn done(user_data: *mut c_void, operation: *const abi::Operation) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let Listener::Coll(component) = (unsafe { listener(user_data) }) else { return };
    // SAFETY: null, or an operation that is valid during the call: the host ensures it.
    let Some(operation) = (unsafe { operation.as_ref() }) else { return };
    // A kind that this version does not know is not reported.
    let Some(kind) = coll::Kind::ALL.get(operation.kind as usize).copied() else { return };
    let root = match operation.root_is {
        1 => Root::Here,
        2 => Root::At(operation.root),
        _ => Root::None,
    };
    let with = |rank| match operation.with {
        // SAFETY: `with` takes the `volumes` of its struct while the call of `done` lasts (`mpit_plugin.h`), and `done` has not
        // returned.
        Some(with) => unsafe { with(operation.volumes, rank) },
        None => operation.bytes,
    };
    let volume = if operation.with.is_some() { Volume::By(&with) } else { Volume::Each(operation.bytes) };
    let abi::Operation { rank, size, .. } = *operation;
    let (comm, in_place) = (CommId::from_number(operation.comm), operation.in_place != 0);
    guarded((), || component.done(&Operation { comm, kind, rank, size, root, volume, in_place }));
}

unsafe extern "C" fn freed(user_data: *mut c_void, comm: u64) {
    // SAFETY: the host passes the `user_data` of the struct, as `mpit_plugin.h` requires.
    let Listener::Coll(component) = (unsafe { listener(user_data) }) else { return };
    guarded((), || component.freed(CommId::from_number(comm)));
}
