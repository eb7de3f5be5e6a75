use mpit::cell::Counter;
use mpit::pvar;

#[pvar(
    class = "COUNTER",
    name = "an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_an_awfully_long_name_that_goes_on_and_on_and_then_stops"
)]
static LOST: Counter<u64> = Counter::new();

fn main() {}

// Proves C3.
