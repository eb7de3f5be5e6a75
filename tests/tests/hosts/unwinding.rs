//! Calls that end by unwinding: exceptions, and threads that end, with each unwinder that a program may have.

use std::process::Command;

use mpit_tests::{Failure, Job, Outcome, Stack, build, record, stacks};

use crate::{recorded, rows};

/// A way to link a program with an unwinder.
struct Linked {
    name: &'static str,
    options: &'static [&'static str],
    /// The library that the machine must have, and its package.
    library: Option<(&'static str, &'static str)>,
    /// True if exceptions need files.
    opens_files: bool,
}

const UNWINDERS: [Linked; 4] = [
    Linked { name: "shared", options: &[], library: None, opens_files: false },
    // The functions of its unwinder are hidden, and it may load another one, for the cancellation of threads.
    Linked {
        name: "static",
        options: &["-static-libgcc", "-static-libstdc++"],
        library: None,
        opens_files: false,
    },
    Linked {
        name: "llvm",
        options: &["-Wl,--push-state,--no-as-needed", "-l:libunwind.so.1", "-Wl,--pop-state"],
        library: Some(("libunwind.so.1", "libunwind-19")),
        opens_files: false,
    },
    Linked {
        name: "nongnu",
        options: &["-Wl,--push-state,--no-as-needed", "-l:libunwind.so.8", "-Wl,--pop-state"],
        library: Some(("libunwind.so.8", "libunwind8")),
        opens_files: true,
    },
];

impl Linked {
    /// Returns the package that is missing, if one is.
    fn missing_package(&self) -> Outcome<Option<&'static str>> {
        let Some((library, package)) = self.library else { return Ok(None) };
        let [path, _] = build::run(Command::new("cc").arg(format!("-print-file-name={library}")))?;
        Ok(if path.contains('/') { None } else { Some(package) })
    }
}

#[test]
fn calls_may_be_left_by_any_unwinder() -> Outcome {
    let mut unwinders = Vec::new();
    for linked in &UNWINDERS {
        match linked.missing_package()? {
            Some(package) => {
                let why = format!("no {package} (Debian; see `cargo xtask setup`)");
                record::not_run(&format!("calls that are left by the unwinder `{}`", linked.name), &why)?;
            }
            None => unwinders.push(linked),
        }
    }
    let run = |stack: &Stack, unwinders: &[&Linked]| {
        let mut failures = Vec::new();
        for Linked { name, options, opens_files, .. } in unwinders {
            let program = stack.compile_cxx_with("unwinding", &format!("unwinding_{name}"), options)?;
            let dir = stack.scratch(&format!("unwinding_{name}"))?;
            let words: &[&str] = if *opens_files { &["."] } else { &[".", "no_files"] };
            let job = || Job::mpi(stack, 1).arg(&program).args(words);
            let bare = job().dir(&dir).succeed()?;
            bare.expect(bare.stdout.contains("right") && !bare.stdout.contains("wrong"))?;
            let under_mpit = recorded(job(), &dir, 1).and_then(|(finished, profs)| {
                finished.expect(finished.stdout == bare.stdout)?;
                rows::match_expected(&dir, &profs)
            });
            failures.extend(under_mpit.err().map(|failure| format!("{name}: {failure}")));
        }
        Failure::unless(failures.is_empty(), || failures.join("\n"))
    };
    // The first one needs nothing, and is that of most programs.
    let (usual, others) = unwinders.split_at(1);
    stacks::on_each("unwinding", |stack| run(stack, usual))?;
    stacks::on_each_family("unwinding_otherwise", |stack| run(stack, others))
}
