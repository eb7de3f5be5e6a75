//! Findings: obstacles to recording, each with its remedy.

use std::collections::BTreeSet;

use mpit_ffi::doctor::Process;

use super::Case;
use super::watch::Seen;
use crate::elf::Program;
use crate::run::nothing;

/// Returns all obstacles.
pub(super) fn of(case: &Case<'_>) -> Vec<String> {
    let mut all = BTreeSet::new();
    for process in &case.processes {
        all.extend(of_process(case, process));
    }
    let reported: BTreeSet<u32> = case.processes.iter().map(|process| process.pid).collect();
    for seen in case.seen.iter().filter(|seen| !reported.contains(&seen.pid)) {
        all.extend(of_seen(seen));
    }
    all.extend(of_job(case));
    let mut all: Vec<_> = all.into_iter().collect();
    if all.is_empty() && case.processes.is_empty() {
        let failure =
            case.status.code().filter(|code| *code != 0).map(|code| format!("ended with exit status {code}"));
        all.push(nothing::by_words(&case.args.command, failure.as_deref()));
    }
    all
}

fn of_process(case: &Case<'_>, process: &Process) -> Vec<String> {
    let mut all: Vec<String> = process.unknown.clone();
    let program = &process.program;
    match &process.mpi {
        None => {
            return vec![format!(
                "{program} calls MPI and has no MPI library: the linker left it out (--as-needed); link with -Wl,--no-as-needed \
                 in front of -lmpi"
            )];
        }
        Some(mpi) if mpi.abi.is_none() => {
            return vec![format!(
                "the ABI of {} is not known, so mpit passes all calls on and records nothing: \"{}\"",
                mpi.file, mpi.version
            )];
        }
        Some(_) => {}
    }
    if let (Some(stem), Some(why)) = (&process.stem, &process.unwritable) {
        all.push(format!(
            "files {}.* cannot be written on {}: {why}; choose another --output",
            stem.display(),
            process.host
        ));
    }
    if process.native {
        all.push(
            "Open MPI's own monitoring is on as well: take pml_monitoring_enable out of its parameter files (mca-params.conf)".into(),
        );
    }
    if !process.finalized {
        all.push(format!(
            "{program} did not come to MPI_Finalize, which writes the files: what it records is kept with --crash-safe"
        ));
    }
    let arrived = process.settings.iter().any(|(_, _, source)| source == "--set");
    if !arrived {
        all.push(format!(
            "settings did not arrive at {program} on {}: MPIT_SET is not handed on (Open MPI: mpiexec -x MPIT_SET; srun: \
             --export=ALL)",
            process.host
        ));
    } else if case.target.is_some() && !process.records {
        all.push(format!("{program} records nothing: a setting switches it off (see its settings above)"));
    }
    all
}

/// Returns the obstacles in a process that did not report.
fn of_seen(seen: &Seen) -> Option<String> {
    let program = seen.program.display();
    match seen.kind {
        Some(Program::Static) => Some(format!(
            "{program} is linked statically, and nothing can be preloaded into it: link it with shared libraries"
        )),
        Some(Program::Privileged) if seen.has_mpi => Some(format!(
            "{program} runs with the rights of its owner, and nothing is preloaded into such programs"
        )),
        _ if !seen.has_mpi => None,
        _ if !seen.is_asked_for => Some(format!(
            "LD_PRELOAD did not arrive at {program}: its launcher or a script does not hand the environment on (Open MPI: mpiexec \
             -x LD_PRELOAD -x MPIT_SET -x MPIT_RUN; srun: --export=ALL; `env -i` and `sudo` keep it back)"
        )),
        _ if !seen.has_library => Some(format!(
            "{program} has LD_PRELOAD{} in its environment, and the library is not loaded: the dynamic linker says why on standard \
             error",
            if seen.has_settings { " and MPIT_SET" } else { "" }
        )),
        _ => Some(format!(
            "{program} has the library, and made no MPI call that it sees: it ended before MPI_Init, or found the functions of \
             MPI by dlopen and dlsym, or MPIT_DOCTOR did not arrive there"
        )),
    }
}

/// Returns the obstacles of the job as a whole.
fn of_job(case: &Case<'_>) -> Option<String> {
    let sizes: BTreeSet<u32> =
        case.processes.iter().filter_map(|process| process.world).map(|(_, size)| size).collect();
    let ranks = case.processes.iter().filter(|process| process.world.is_some()).count();
    if ranks > 1 && sizes.iter().eq([&1]) {
        let launcher = case.processes.iter().find_map(|process| process.launcher.as_ref());
        let launcher = launcher.map_or("the launcher", |(name, _)| name);
        return Some(format!(
            "{ranks} processes are each alone in MPI_COMM_WORLD: they were started by {launcher}, which is probably of another MPI than \
             the library above; take that one's own mpiexec"
        ));
    }
    let size = *sizes.first()?;
    if sizes.len() > 1 || ranks >= size as usize {
        return None;
    }
    Some(format!(
        "{} of {size} processes said nothing: they are probably on other machines, where LD_PRELOAD or MPIT_DOCTOR did not \
         arrive (Open MPI: mpiexec -x LD_PRELOAD -x MPIT_SET -x MPIT_DOCTOR), or which do not see this directory",
        size as usize - ranks
    ))
}
