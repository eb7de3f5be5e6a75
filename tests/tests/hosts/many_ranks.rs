//! Costs of communicators with 100,000 ranks, counted by a stub library that reports so many.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, stubs};

use crate::library_detection::{OBJECTS, STANDARD, recording};

/// The steps of the program whose cost is independent of the number of ranks: all except the first collective
/// operation of a group of processes, whose list later ones share.
const STEPS: &str = "dup dup:message dup:again dup:collective split split:message split:again split:dup \
    split:dup:message split:dup:again split:dup:collective create create:message create:again free";

#[test]
fn communicators_cost_the_same_at_any_size() -> Outcome {
    for stub in [STANDARD, OBJECTS] {
        let program = stubs::program_of_many_ranks(&stub)?;
        let dir = program.parent().context("the program's directory")?;
        let finished = recording(dir, "run")?.arg(&program).succeed()?;
        let mut steps = Vec::new();
        for line in finished.stdout.lines().filter(|line| !line.starts_with('-')) {
            let (name, numbers) = line.split_once(' ').context(&finished)?;
            let numbers: Vec<i64> =
                numbers.split(' ').map(|number| number.parse().context(&finished)).collect::<Outcome<_>>()?;
            let [calls, ranks, bytes] = numbers[..] else { return Err(Failure::new(finished.to_string())) };
            let is_cheap = match name.strip_suffix(":first-collective") {
                // Queries all members once, and stores 4 bytes for each.
                Some(_) => ranks <= 100_000 + 100 && bytes < 4 * 100_000 + 8192,
                None => calls <= 16 && ranks <= 1 && bytes < 4096,
            };
            Failure::unless(is_cheap, || format!("{}: {line}\n{finished}", stub.label))?;
            steps.push(name);
        }
        let path = dir.join("run.0.prof");
        let text = fs::read_to_string(&path).context(path.display())?;
        let members: Vec<_> = text.lines().filter(|line| line.starts_with("D\t")).collect();
        let is_short = members.iter().all(|line| line.len() < 100);
        Failure::unless(is_short && members.contains(&"D\tMPI_COMM_WORLD\tprocs: 0-99999"), || {
            format!("{}: {:?}", path.display(), members.iter().map(|line| line.len()).collect::<Vec<_>>())
        })?;
        let missing = STEPS.split(' ').find(|step| !steps.contains(step));
        Failure::unless(missing.is_none(), || format!("no step {missing:?}\n{finished}"))?;
    }
    Ok(())
}
