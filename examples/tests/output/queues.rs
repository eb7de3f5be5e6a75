//! Output of the example with queues and a window.

use crate::{example, printed};

#[test]
fn queues_are_shown_with_late_receives() {
    let expected = "           longest queue   late receives
rank 0                 6               2
rank 1                 3               0
rank 2                 4               0
rank 3                 5               1
";
    assert_eq!(printed(&mut example("queues")), expected);
}
