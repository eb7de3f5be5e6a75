//! Replays the inputs in `seeds/` with every target, and in the second tier of the tests also mutations of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use mpit_fuzz::{container, interface, parameters, prof, store, tables};

const TIME: Duration = Duration::from_secs(2);

type Target = fn(&[u8]);

/// Marsaglia's xorshift64 with a fixed seed.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 as usize
    }

    fn below(&mut self, bound: usize) -> usize {
        self.next() % bound.max(1)
    }
}

fn seeds(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let entries = fs::read_dir(&directory).expect("seeds of each target");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file that can be read");
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}

/// Runs an input. After a failure its bytes are in a file, for `cargo fuzz`.
fn run(target: Target, name: &str, what: &str, bytes: &[u8]) {
    let outcome = std::panic::catch_unwind(|| target(bytes));
    if outcome.is_err() {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-{name}"));
        fs::write(&file, bytes).expect("a file for the input");
        panic!("{name}: {what} fails; the input is in {}", file.display());
    }
}

/// Mutates an input: changes, removes or repeats bytes, or replaces them by some of another input. One in four inputs is
/// random throughout.
fn changed(numbers: &mut Numbers, one: &[u8], other: &[u8]) -> Vec<u8> {
    const EDGES: [u8; 8] = [0, 1, 9, 10, b'0', 127, 128, 255];
    if numbers.below(4) == 0 {
        return (0..numbers.below(2048)).map(|_| numbers.next() as u8).collect();
    }
    let mut bytes = one.to_vec();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len());
        let len = numbers.below(32).min(bytes.len() - at);
        match numbers.below(5) {
            0 if at < bytes.len() => bytes[at] = numbers.next() as u8,
            1 if at < bytes.len() => bytes[at] = EDGES[numbers.below(EDGES.len())],
            2 => _ = bytes.drain(at..at + len),
            3 => bytes.extend_from_within(at..at + len),
            _ => {
                let from = numbers.below(other.len());
                let piece = &other[from..other.len().min(from + 32)];
                bytes.splice(at..at + len, piece.iter().copied());
            }
        }
    }
    bytes
}

/// The targets that read files and tables, by the directories of their inputs.
const READERS: [(&str, Target); 4] = [
    ("container", container::target),
    ("prof", prof::target),
    ("store", store::target),
    ("tables", tables::target),
];

/// The targets that set the control variables of this process.
const SETTERS: [(&str, Target); 2] = [("parameters", parameters::target), ("interface", interface::target)];

/// Held by the tests that set control variables.
static CONTROL_VARIABLES: Mutex<()> = Mutex::new(());

/// Replays the inputs in the target's directory.
fn replay((name, target): (&str, Target)) {
    let seeds = seeds(name);
    assert!(!seeds.is_empty(), "{name} has no seeds");
    for (path, bytes) in &seeds {
        run(target, name, &path.display().to_string(), bytes);
    }
}

/// Runs mutations of the inputs in the target's directory for two seconds.
fn mutate((name, target): (&str, Target)) {
    let seeds = seeds(name);
    let (mut numbers, begin, mut count) = (Numbers(0x9e37_79b9_7f4a_7c15), Instant::now(), 0);
    while begin.elapsed() < TIME {
        let [one, other] = [(); 2].map(|()| &seeds[numbers.below(seeds.len())].1);
        run(target, name, &format!("change {count}"), &changed(&mut numbers, one, other));
        count += 1;
    }
    println!("{name}: {count} changes of {} inputs", seeds.len());
}

#[test]
fn files_are_replayed() {
    READERS.into_iter().for_each(replay);
}

#[test]
fn calls_are_replayed() {
    let _one_at_a_time = CONTROL_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
    SETTERS.into_iter().for_each(replay);
}

#[test]
fn each_directory_has_a_target() {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds")).expect("seeds");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("a directory").file_name()).collect();
    names.sort();
    let mut targets: Vec<_> = READERS.iter().chain(&SETTERS).map(|(name, _)| *name).collect();
    targets.sort_unstable();
    assert_eq!(names, targets);
}

#[test]
fn stores_are_of_this_version() {
    for (path, bytes) in seeds("store") {
        // A file of another version is refused at its second word, so it would test nothing else.
        let refused =
            mpit_format::store::read(&bytes, None).err().map(|why| why.to_string()).unwrap_or_default();
        assert!(!refused.contains("version"), "{}: {refused}", path.display());
    }
}

/// Tests of the second tier.
mod second {
    use super::*;

    #[test]
    fn changed_files_are_read() {
        READERS.into_iter().for_each(mutate);
    }

    #[test]
    fn changed_calls_are_made() {
        let _one_at_a_time = CONTROL_VARIABLES.lock().unwrap_or_else(PoisonError::into_inner);
        SETTERS.into_iter().for_each(mutate);
    }
}
