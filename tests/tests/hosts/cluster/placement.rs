//! The effect of a placement by `mpit map` on the bytes that hosts send.

use mpit_tests::cluster::placement::{Placed, Program, expect_near};
use mpit_tests::{Context, Outcome};

use super::on_each_family;

/// The size of messages and the number of steps: large enough that the bytes of the launcher and of connections do not count.
const BYTES: u32 = 1 << 20;
const STEPS: u32 = 4;

/// The part by which the measured gain may differ, for the heads of packets, acknowledgments and the launcher.
const TOLERANCE: f64 = 0.1;

/// Bytes are compared instead of times, which depend on the load of the machine.
#[test]
fn bytes_decrease_as_predicted() -> Outcome {
    on_each_family("cluster_placement", |cluster, stack, dir| {
        let program = Program::neighbor_exchange(stack, "cube", BYTES, STEPS)?;
        let placed = Placed::plan(stack, cluster, dir, program)?;
        let (now, after) = (placed.run_now()?, placed.run_placed()?);
        let context = format!("{:?}: {now:?}, {after:?}", placed.prediction);
        let check = |measured, predicted| expect_near(measured, predicted, TOLERANCE).context(&context);
        check(now.busiest / after.busiest, placed.prediction.busiest.gain())?;
        check(now.sent / after.sent, placed.prediction.between.gain())?;
        // The prediction is about these bytes, and not about others.
        check(now.busiest, placed.prediction.busiest.now)
    })
}
