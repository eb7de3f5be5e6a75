//! Variables in any number, defined at run time: a program that defines as many takes long to compile.

use mpit::cell::Counter;
use mpit::internal::desc::{CategoryDesc, Metadata, SharedMetadata};
use mpit::internal::registry::Image;
use mpit::tool::{Class, PvarDesc};

/// Returns an image with `count` variables, which are leaked; each is in these categories.
#[must_use]
pub fn image(count: usize, categories: &'static [&'static CategoryDesc]) -> Image {
    let cell = Box::leak(Box::new(Counter::<u64>::new()));
    let common = Box::leak(Box::new(SharedMetadata::new("component", file!()).with_categories(categories)));
    let mut image = Image::new("bench");
    image.pvars = (0..count)
        .map(|number| {
            let name = format!("component_{}_variable_{number}", number % 97).leak();
            let metadata = Metadata::of(name, "What it counts.", common, line!());
            &*Box::leak(Box::new(PvarDesc::new(metadata, Class::Counter, cell)))
        })
        .collect();
    image
}
