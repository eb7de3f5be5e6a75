//! Components of programs and of other images beside monitoring, each test in a process of its own.

#[path = "../../../core/tests/interface/support/process.rs"]
mod process;
#[path = "../support/mod.rs"]
mod support;

mod foreign;
mod foreign_lifecycle;
mod linked;

use mpit::internal::desc::Origin;
use mpit::internal::plugin::component::{Claim, ComponentInfo, ForeignComponent};
use mpit::internal::plugin::{Activation, abi};

use process::in_own_process;

/// Publishes a component of another image.
///
/// # Safety
///
/// The functions, their user data and the subscription are valid for the rest of the process.
#[allow(unsafe_code, reason = "passes functions of C")]
unsafe fn publish(
    functions: abi::Component,
    framework: &'static str,
    name: &'static str,
    activation: &'static Activation,
) {
    let origin = Origin::new(file!(), line!());
    let about = ComponentInfo { framework, name, description: "", origin, activation: Some(activation) };
    // SAFETY: the caller passes functions and a subscription that stay valid.
    let component = unsafe { ForeignComponent::new(functions, about) }.unwrap();
    let (claim, refusals) = Claim::new(vec![component]);
    assert!(refusals.is_empty(), "{refusals:?}");
    activation.begin();
    claim.publish();
}
