use mpit::category;

#[category(name = "net", parent = Link)]
struct Net;

mod deeper {
    #[mpit::category(name = "link", parent = crate::Net)]
    pub struct Link;
}

use deeper::Link;

fn main() {}

// Proves C42.
