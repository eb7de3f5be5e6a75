//! Categories and enumerations.

use mpit::{MpitEnum, category};

/// All that the plug-in has.
#[category(name = "every")]
pub struct Every;

/// Another one at the top, which says itself what is in it.
#[category(name = "every_other", contains = [Contained])]
pub struct Other;

/// In both of them.
#[category(name = "every_inner", parent = [Every, Other])]
pub struct Inner;

/// Named by its parent.
#[category(name = "every_contained")]
pub struct Contained;

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, MpitEnum)]
#[mpit(name = "every_weather")]
#[repr(i32)]
pub enum Weather {
    Fair = 3,
    Foul = -1,
    #[mpit(name = "in_between")]
    Between = 7,
}
