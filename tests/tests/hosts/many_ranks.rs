//! Costs of communicators with 100,000 ranks, counted by a stub library that reports so many.

use std::fs;

use mpit_tests::{Context, Failure, Outcome, launch::Job, stubs};

use crate::library_detection::{OBJECTS, STANDARD};

/// The steps of the program whose cost is independent of the number of ranks: all except the first collective
/// operation of a group of processes, whose list later ones share.
const STEPS: [&str; 15] = [
    "dup",
    "dup:message",
    "dup:again",
    "dup:collective",
    "split",
    "split:message",
    "split:again",
    "split:dup",
    "split:dup:message",
    "split:dup:again",
    "split:dup:collective",
    "create",
    "create:message",
    "create:again",
    "free",
];

#[test]
fn communicators_cost_the_same_at_any_size() -> Outcome {
    for stub in [STANDARD, OBJECTS] {
        let program = stubs::program_of_many_ranks(&stub)?;
        let dir = program.parent().context("the program's directory")?;
        let mut job = Job::plain(&[&program.display().to_string()]).dir(dir).preloaded()?;
        for (name, value) in crate::written_to("run") {
            job = job.env(&format!("MPIT_{}", name.to_uppercase()), value);
        }
        let finished = job.succeed()?;
        let mut steps = Vec::new();
        for line in finished.stdout.lines().filter(|line| !line.starts_with('-')) {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, calls, ranks, bytes] = *words.as_slice() else {
                return Err(Failure::new(finished.to_string()));
            };
            let number = |word: &str| word.parse::<i64>().context(&finished);
            let (calls, ranks, bytes) = (number(calls)?, number(ranks)?, number(bytes)?);
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
        let missing = STEPS.iter().find(|step| !steps.contains(*step));
        Failure::unless(missing.is_none(), || format!("no step {missing:?}\n{finished}"))?;
    }
    Ok(())
}
