#![forbid(unsafe_code)]

use std::ptr::{dangling_mut, null_mut};

use mpit::event::{RegistrationId, Safety};
use mpit::internal::session::Interface;

fn main() {
    let (interface, of_another_tool) = (Interface::global(), RegistrationId::from_number(0x5200_0001_0000_0000));
    _ = interface.event_check(of_another_tool);
    _ = interface.event_register_callback(of_another_tool, Safety::None, dangling_mut(), null_mut());
    _ = interface.event_set_dropped_handler(of_another_tool, dangling_mut());
    _ = interface.event_handle_free(of_another_tool, null_mut(), dangling_mut());
    _ = mpit::internal::plugin::check::open();
    mpit::internal::mapping::allow();
}

// Proves C54.
