//! Memory and files do not grow with the number of objects that a program creates and frees.

use std::{collections::BTreeMap, env, fs, path::Path};

use mpit_tests::{Context, Failure, Finished, Job, Outcome, Stack};

use crate::for_each_in_dir;

const CYCLES: &str = "MPIT_TEST_CYCLES";

/// The default number of cycles, which makes a leak of a hundred bytes per cycle visible.
const DEFAULT_CYCLES: u32 = 4000;

/// The tolerated growth in bytes: allocators take memory in pieces of this order.
const NOISE: i64 = 128 * 1024;

/// The stacks that are tested with the default number of cycles.
const DEFAULT_STACKS: [&str; 2] = ["ompi4.1.4", "mpich5.0.2"];

/// Returns the growth of memory and file, by kind of object.
fn growth(finished: &Finished) -> Outcome<BTreeMap<String, [i64; 2]>> {
    let number = |word: Option<&str>| word.and_then(|word| word.parse().ok()).context(finished);
    let mut all = BTreeMap::new();
    for line in finished.stdout.lines() {
        let mut words = line.split(' ');
        let kind = words.next().unwrap_or_default().to_owned();
        all.insert(kind, [number(words.next())?, number(words.next())?]);
    }
    Ok(all)
}

fn soak(stack: &Stack, program: &Path, dir: &Path, cycles: u32) -> Job {
    let words = [&cycles.to_string(), "run.0.store"];
    Job::mpi(stack, 1).arg(program).args(words).dir(dir).seconds(300 + cycles / 400)
}

#[test]
fn memory_and_files_do_not_grow() -> Outcome {
    let cycles = env::var(CYCLES).ok().map(|cycles| cycles.parse::<u32>().context(CYCLES)).transpose()?;
    let applies = |stack: &Stack| cycles.is_some() || DEFAULT_STACKS.contains(&stack.label());
    for_each_in_dir("soak", applies, |stack, dir| {
        let program = stack.compile("soak")?;
        let cycles = cycles.unwrap_or(DEFAULT_CYCLES);
        let mut bare = None;
        for store in ["memory", "file"] {
            let settings = crate::written_with("run", &[("monitoring_store", store)]);
            let finished = soak(stack, &program, dir, cycles).under_mpit(&settings)?.succeed()?;
            let growth = growth(&finished)?;
            finished.expect(growth.len() == 9)?;
            let label = stack.label();
            println!("{label}, {cycles} cycles, store in {store}: growth of memory and file {growth:?}");
            for (kind, [memory, file]) in growth {
                Failure::unless(file == 0, || format!("{kind}: the store grew by {file} bytes\n{finished}"))?;
                if memory <= NOISE {
                    continue;
                }
                // Some libraries leak memory themselves.
                let of_library = match &bare {
                    Some(known) => known,
                    None => bare.insert(self::growth(&soak(stack, &program, dir, cycles).succeed()?)?),
                };
                let own = of_library.get(&kind).map_or(0, |[memory, _]| *memory);
                Failure::unless(memory - own <= NOISE, || {
                    format!("{kind}: memory grew by {memory} bytes, without mpit by {own}\n{finished}")
                })?;
            }
            let path = dir.join("run.0.prof");
            let size = fs::metadata(&path).context(path.display())?.len();
            Failure::unless(size < 16 * 1024, || format!("{} has {size} bytes", path.display()))?;
        }
        Ok(())
    })
}
