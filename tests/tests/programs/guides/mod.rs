//! The guides of `docs/guides`, followed literally: each file is written and each command run in an initially
//! empty directory, and the output is compared with the guide.
//!
//! `trycmd` does not serve: the steps of a guide are lines of one shell, some write files, and they run on several MPI libraries,
//! whose launchers mix their error output with that of the programs.

mod expected_output;
mod installed;
mod links;
mod page;
mod reader;

use std::process::Command;
use std::{env, fs};

use mpit_tests::cluster::{Session, Shape, one_by_one};
use mpit_tests::{Context, Failure, Outcome, Stack, build, paths, record, stacks};

use page::{Step, steps};

/// The stacks on which guides that run MPI programs are followed: Debian's packages, which readers are likely
/// to have, and the newest of both vendors.
const GUIDE_STACKS: [&str; 4] = ["ompi4.1.4", "ompi5.0.11", "mpich4.0.2", "mpich5.0.2"];

/// The stacks for guides whose output depends on mpit alone: one of each vendor and origin.
const TWO_STACKS: [[&str; 2]; 2] = [["ompi4.1.4", "mpich5.0.2"], ["ompi5.0.11", "mpich4.0.2"]];

/// Follows a page of the workspace's documentation without an MPI library.
fn follow_without_mpi(page: &str) -> Outcome {
    installed::reader(None)?.follow(&steps(&read(page)?, "").context(page)?).context(page)
}

fn follow(page: &str, labels: &[&str]) -> Outcome {
    follow_text(page, &read(page)?, labels)
}

/// Follows a page, or a section of it, on each of these MPI libraries that is installed.
fn follow_text(page: &str, text: &str, labels: &[&str]) -> Outcome {
    let found = stacks::found();
    let is_meant = |stack: &Stack| labels.contains(&stack.label());
    // A restriction of the tests may leave out all of these libraries.
    let is_restricted = env::var_os(stacks::RESTRICT).is_some();
    Failure::unless(is_restricted || found.stacks.iter().any(is_meant), || {
        let missing = found.missing.iter().filter(|missing| labels.contains(&missing.label));
        let reasons: Vec<_> =
            missing.map(|missing| format!("{}: {}", missing.label, missing.reason)).collect();
        format!("{page} wants an MPI library that is not here ({})", reasons.join("; "))
    })?;
    let follow = |stack: &Stack| {
        installed::reader(Some(stack))?.follow(&steps(text, stack.label()).context(page)?).context(page)
    };
    stacks::for_each(page.trim_end_matches(".md"), is_meant, follow)
}

fn read(page: &str) -> Outcome<String> {
    let path = paths::workspace().join(page);
    fs::read_to_string(&path).context(path.display())
}

/// The guides with parts in Rust that other tests follow: one needs a compiler wrapper of an MPI library from the beginning, and one needs none
/// at all.
const ELSEWHERE: [&str; 2] = ["embed.md", "variable.md"];

/// Returns true if a step is a command of an MPI library, or uses what one has made.
fn needs_mpi(step: &Step) -> bool {
    match step {
        Step::File { .. } => false,
        Step::Command { command, .. } => ["mpicc", "mpiexec"].iter().any(|name| command.contains(name)),
    }
}

/// Follows the guides with parts in Rust, without the commands that need an MPI library.
#[test]
fn parts_without_mpi() -> Outcome {
    let mut count = 0;
    for entry in fs::read_dir(paths::workspace().join("docs/guides")).context("docs/guides")? {
        let name = entry.context("docs/guides")?.file_name().display().to_string();
        let page = format!("docs/guides/{name}");
        let text = read(&page)?;
        if !text.contains("\n```rust") || ELSEWHERE.contains(&name.as_str()) {
            continue;
        }
        count += 1;
        let mut steps = steps(&text, "").context(&page)?;
        steps.retain(|step| !needs_mpi(step));
        installed::reader(None)?.follow(&steps).context(&page)?;
    }
    Failure::unless(count >= 4, || format!("{count} guides have parts in Rust"))
}

#[test]
fn a_variable_of_a_component_in_rust() -> Outcome {
    follow_without_mpi("docs/guides/variable.md")
}

/// Tests of the second tier: whole pages, on MPI libraries.
mod second {
    use super::*;

    #[test]
    fn tools_in_c_and_rust() -> Outcome {
        follow("docs/guides/tool.md", &TWO_STACKS[1])
    }

    #[test]
    fn doctor_page() -> Outcome {
        follow("docs/doctor.md", &["ompi4.1.4", "mpich4.0.2"])
    }

    /// Follows the page on the first of four hosts.
    #[test]
    fn jobs_on_a_cluster() -> Outcome {
        const PAGE: &str = "docs/cluster.md";
        let Some(session) = Session::start(&Shape { hosts: 4, latency: None, bandwidth: None })? else {
            return Ok(());
        };
        let cluster = session.cluster();
        if let Some(reason) = cluster.without_slurm() {
            return record::not_run(PAGE, &reason);
        }
        one_by_one(
            PAGE,
            |stack| ["ompi4.1.4", "mpich5.0.2"].contains(&stack.label()),
            |stack| {
                installed::reader_on(stack, cluster)?
                    .follow(&steps(&read(PAGE)?, stack.label())?)
                    .context(PAGE)
            },
        )
    }

    /// Follows the page with a tarball of what `cargo build` makes.
    #[test]
    fn installation_from_a_tarball() -> Outcome {
        const PAGE: &str = "docs/install.md";
        let tarballs = installed::tarballs()?;
        let downloads = format!("```console\n$ cp {}/{{*-local*,SHA256SUMS}} .\n```\n", tarballs.display());
        let text = downloads + &read(PAGE)?.replace("x86_64-linux", "x86_64-linux-local");
        installed::reader(None)?.follow(&steps(&text, "").context(PAGE)?).context(PAGE)
    }

    /// Follows the page with the wheel of what `cargo build` makes, in the place of downloads.
    #[test]
    fn runs_in_python() -> Outcome {
        const PAGE: &str = "docs/guides/python.md";
        const TARBALL: &str = concat!("mpit-", env!("CARGO_PKG_VERSION"), "-x86_64-linux-local.tar.xz");
        let Some(python) = paths::python_with_tables() else {
            return record::not_run(PAGE, "no Python with its packages; see `cargo xtask setup`");
        };
        if build::run(Command::new("python3").args(["-c", "import ensurepip"])).is_err() {
            return record::not_run(PAGE, "Python makes no environments with pip; install python3-venv");
        }
        let (tarball, wheels) = (installed::tarballs()?.join(TARBALL), paths::target().join("guides/wheels"));
        build::run(build::cargo().args(["xtask", "wheel"]).arg(&tarball).arg("--output").arg(&wheels))?;
        // The packages that the wheel needs are found in the environment of the tests.
        let code = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let [packages, _] = build::run(Command::new(python).args(["-c", code]))?;
        let text = format!(
            "```console\n$ cp {}/*-linux_*.whl .\n$ export PIP_NO_INDEX=1 PYTHONPATH={}\n```\n{}\n{}",
            wheels.display(),
            packages.trim(),
            read(PAGE)?.replace("manylinux2014_", "linux_"),
            // The wheel has the library of this option, too.
            "```console\n$ mpit run --quiet --regions kokkos -- echo hello\nhello\n```\n"
        );
        follow_text(PAGE, &text, &TWO_STACKS[0])
    }

    #[test]
    fn a_program_that_hangs() -> Outcome {
        follow("docs/guides/hang.md", &TWO_STACKS[0])
    }

    #[test]
    fn a_program_that_is_slow() -> Outcome {
        follow("docs/guides/slow.md", &TWO_STACKS[1])
    }

    #[test]
    fn regions_of_a_program() -> Outcome {
        follow("docs/guides/regions.md", &TWO_STACKS[0])
    }

    #[test]
    fn tools_that_read_a_part() -> Outcome {
        follow("docs/guides/other-tools.md", &["ompi4.1.4", "mpich4.0.2"])
    }

    #[test]
    fn the_tool_for_late_receives() -> Outcome {
        let with_intel = [&GUIDE_STACKS[..], &["impi2021.19"]].concat();
        follow("examples/unexpected/README.md", &with_intel)
    }

    #[test]
    fn a_program_and_a_library_with_variables() -> Outcome {
        follow("docs/guides/middleware.md", &TWO_STACKS[0])
    }

    #[test]
    fn a_program_in_cplusplus() -> Outcome {
        follow("docs/guides/cplusplus.md", &TWO_STACKS[1])
    }

    #[test]
    fn a_program_in_fortran() -> Outcome {
        follow("docs/guides/fortran.md", &["ompi4.1.4", "mpich4.0.2"])
    }

    #[test]
    fn an_mpi_library_that_embeds_mpit() -> Outcome {
        follow("docs/guides/embed.md", &["mpich5.0.2-abi"])
    }

    #[test]
    fn a_plug_in_in_rust() -> Outcome {
        let page = "docs/guides/rust-plugin.md";
        check_line_count(page, &["Cargo.toml", "src/lib.rs"], 25)?;
        follow(page, &TWO_STACKS[0])
    }

    #[test]
    fn a_plug_in_in_c() -> Outcome {
        let page = "docs/guides/c-plugin.md";
        check_line_count(page, &["large.c"], 40)?;
        follow(page, &TWO_STACKS[1])
    }

    /// Follows the three commands of the README with a program that passes a token around.
    #[test]
    fn the_commands_of_the_readme() -> Outcome {
        let text = read("README.md")?;
        let (_, section) =
            text.split_once("\n## Three commands\n").context("README.md has no three commands")?;
        let section = section.split("\n## ").next().unwrap_or_default();
        let program = "```console\n$ mpicc /src/mpit/tests/hosts/c/ring.c -o app\n```\n";
        follow_text("README.md", &format!("{program}{section}"), &GUIDE_STACKS)
    }

    #[test]
    fn a_component_in_rust_and_in_c() -> Outcome {
        follow("docs/guides/component.md", &TWO_STACKS[1])
    }
}

/// Counts the lines that the reader has to write: those of the given files, without empty ones.
fn check_line_count(page: &str, files: &[&str], most: usize) -> Outcome {
    let lines_of = |step: &Step| match step {
        Step::File { path, text, .. } if files.contains(&path.as_str()) => {
            Some(text.lines().filter(|line| !line.trim().is_empty()).count())
        }
        _ => None,
    };
    let counts: Vec<_> = steps(&read(page)?, "")?.iter().filter_map(lines_of).collect();
    let lines: usize = counts.iter().sum();
    Failure::unless(counts.len() == files.len() && lines <= most, || {
        format!("{page}: {files:?} have {lines} lines, and {most} are the most")
    })
}

#[test]
fn every_guide_is_tested() -> Outcome {
    for entry in fs::read_dir(paths::workspace().join("docs/guides")).context("docs/guides")? {
        let name = entry.context("docs/guides")?.file_name().display().to_string();
        // The first page only lists the others.
        let is_followed =
            name == "README.md" || include_str!("mod.rs").contains(&format!("\"docs/guides/{name}\""));
        Failure::unless(is_followed, || format!("no test follows docs/guides/{name}"))?;
    }
    Ok(())
}
