//! Findings: obstacles to recording, each with its remedy.

use std::collections::BTreeSet;

use super::Diagnosis;
use super::processes::Process;
use super::watch::ObservedProgram;
use crate::elf::Program;
use crate::run::collect::no_files;

pub(super) fn of(diagnosis: &Diagnosis<'_>) -> Vec<String> {
    let mut all = BTreeSet::new();
    for process in &diagnosis.processes {
        all.extend(of_process(diagnosis, process));
    }
    let reported: BTreeSet<_> = diagnosis.processes.iter().map(Process::own_number).collect();
    for observed in diagnosis.observed.iter().filter(|observed| !reported.contains(&observed.own_number)) {
        all.extend(of_unreported(observed));
    }
    all.extend(of_job(diagnosis));
    let mut all: Vec<_> = all.into_iter().collect();
    if all.is_empty() && diagnosis.processes.is_empty() {
        all.push(no_files::reason_by_command(&diagnosis.args.command, diagnosis.status));
    }
    all
}

fn of_process(diagnosis: &Diagnosis<'_>, process: &Process) -> Vec<String> {
    let mut all: Vec<String> = process.unknown.clone();
    let program = &process.program;
    match &process.mpi {
        None => {
            return vec![format!(
                "{program} calls MPI, and no MPI library is loaded: the linker dropped it (--as-needed); link with \
                 -Wl,--no-as-needed in front of -lmpi"
            )];
        }
        Some(mpi) if mpi.abi.is_none() => {
            return vec![format!(
                "the ABI of {} is unknown, so mpit forwards all calls and records nothing; use a library with a known ABI: \"{}\"",
                mpi.file, mpi.version
            )];
        }
        Some(_) => {}
    }
    if let (Some(stem), Some(why)) = (&process.stem, &process.unwritable) {
        all.push(format!(
            "cannot write files {}.* on {}: {why}; choose another --output",
            stem.display(),
            process.host
        ));
    }
    if process.native {
        all.push(
            "Open MPI's own monitoring is enabled as well: remove pml_monitoring_enable from its parameter files (mca-params.conf)"
                .into(),
        );
    }
    if !process.finalized {
        all.push(format!(
            "{program} did not call MPI_Finalize, which writes the files: keep its records with --crash-safe"
        ));
    }
    let arrived = process.settings.iter().any(|(_, _, source)| source == "--set");
    if !arrived {
        all.push(format!(
            "settings did not reach {program} on {}: pass MPIT_SET on (Open MPI: mpiexec -x MPIT_SET; srun: --export=ALL)",
            process.host
        ));
    } else if diagnosis.target.is_some() && !process.records {
        all.push(format!(
            "{program} records nothing: a setting disables it; change it (see its settings above)"
        ));
    }
    all
}

fn of_unreported(observed: &ObservedProgram) -> Option<String> {
    let program = observed.program.display();
    match observed.kind {
        Some(kind @ (Program::Static | Program::OtherLibc)) => kind.obstacle(&observed.program),
        Some(kind @ Program::Privileged) if observed.has_mpi => kind.obstacle(&observed.program),
        _ if !observed.has_mpi => None,
        _ if !observed.is_requested => Some(format!(
            "LD_PRELOAD did not reach {program}: pass the environment on in its launcher and in scripts (Open MPI: mpiexec \
             -x LD_PRELOAD -x MPIT_SET -x MPIT_RUN; srun: --export=ALL; `env -i` and `sudo` remove it)"
        )),
        _ if !observed.has_library => Some(format!(
            "{program} has LD_PRELOAD{} in its environment, but did not load the library: read the message of the dynamic linker \
             on standard error",
            if observed.has_settings { " and MPIT_SET" } else { "" }
        )),
        _ => Some(match observed.foreign_launcher {
            Some(launcher) => format!(
                "{program} loaded the library and did not initialize MPI: it was started by {launcher}, which belongs to another \
                 MPI library than the program; use the mpiexec of that library"
            ),
            None => format!(
                "{program} loaded the library, which intercepted no MPI call: the program ended before MPI_Init, or found the \
                 functions of MPI by dlopen and dlsym, or MPIT_DOCTOR did not reach it"
            ),
        }),
    }
}

fn of_job(diagnosis: &Diagnosis<'_>) -> Option<String> {
    let sizes: BTreeSet<u32> =
        diagnosis.processes.iter().filter_map(|process| process.world).map(|(_, size)| size).collect();
    let ranks = diagnosis.processes.iter().filter(|process| process.world.is_some()).count();
    if ranks > 1 && sizes.iter().eq([&1]) {
        let launcher = diagnosis.processes.iter().find_map(|process| process.launcher.as_ref());
        let launcher = launcher.map_or("the launcher", |(name, _)| name);
        return Some(format!(
            "{ranks} processes are each alone in MPI_COMM_WORLD: they were started by {launcher}, which probably belongs to another \
             MPI library than the one above; use the mpiexec of that library"
        ));
    }
    let size = *sizes.first()?;
    if sizes.len() > 1 || ranks >= size as usize {
        return None;
    }
    Some(format!(
        "{} of {size} processes sent no report: they are probably on other machines; pass the environment on (Open MPI: mpiexec -x \
         LD_PRELOAD -x MPIT_SET -x MPIT_DOCTOR), and use a directory that all machines share",
        size as usize - ranks
    ))
}
