use mpit::category;

#[category(name = "net", parent = Net)]
struct Net;

#[category(name = "mem", contains = [Mem])]
struct Mem;

#[category(name = "io", parent = Net, contains = [Net])]
struct Io;

fn main() {}

// Proves C40.
