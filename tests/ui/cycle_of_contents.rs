use mpit::category;

#[category(name = "a", contains = [B])]
struct A;

#[category(name = "b", contains = [C])]
struct B;

#[category(name = "c", contains = [A])]
struct C;

fn main() {}

// Proves C41.
