use mpit::category;

#[category(name = "net", parent = Net)]
struct Net;

#[category(name = "mem", contains = [Mem])]
struct Mem;

#[category(name = "io", parent = Net, contains = [Net])]
struct Io;

#[category(name = "a", contains = [B])]
struct A;

#[category(name = "b", contains = [C])]
struct B;

#[category(name = "c", contains = [A])]
struct C;

#[category(name = "outer", parent = Link)]
struct Outer;

mod deeper {
    #[mpit::category(name = "link", parent = crate::Outer)]
    pub struct Link;
}

use deeper::Link;

fn main() {}

// Proves C40, C41, C42.
