use mpit::source;

#[source(ordered)]
struct Generic<T>(T);

#[source(ordered)]
struct Fields {
    ticks: u64,
}

#[source(unordered)]
fn ticks() -> u64 {
    0
}

#[source(unordered, name = "a clock", component = "")]
struct Named;

fn main() {}

// Proves C36.
