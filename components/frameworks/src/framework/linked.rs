//! Components linked into the program.

use mpit::component::ComponentDesc;

use crate::diagnostics::warn;

pub(crate) fn components<C: ?Sized + Send + Sync + 'static>(
    framework: &'static str,
) -> impl Iterator<Item = (&'static str, &'static C)> {
    mpit::components().filter(move |desc| desc.framework() == framework).filter_map(object)
}

fn object<C: ?Sized + Send + Sync + 'static>(
    desc: &'static ComponentDesc,
) -> Option<(&'static str, &'static C)> {
    let object = desc.object::<C>();
    if object.is_none() {
        warn(format_args!(
            "{}: component `{}` does not implement the trait of framework `{}`; ignored",
            desc.origin(),
            desc.name(),
            desc.framework()
        ));
    }
    object.map(|object| (desc.name(), object))
}
