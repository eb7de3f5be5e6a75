//! The parts of `--output` that stand for facts about the job, such as `%j` for the number of the job.

use std::ffi::OsString;
use std::path::Path;

use mpit_components::run::template::{JOBS, STEPS, USERS, replace};

use super::no_files::programs;
use crate::elf::Program;
use crate::node::this_node;

/// The variables in which launchers number the processes of a job.
const RANKS: [&str; 4] = ["PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMI_ID"];

/// Returns the number of the process that this command starts, behind a launcher.
pub(super) fn rank() -> Option<u32> {
    RANKS.iter().find_map(|name| std::env::var(name).ok()?.parse().ok())
}

/// Replaces `%j` (job), `%s` (step), `%h` (machine), `%r` (rank), `%u` (user), `%x` (program) and `%%`. Others stay as they are.
pub(crate) fn expand(text: &str, words: &[OsString]) -> Result<String, String> {
    expand_in(text, words, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Returns the beginning of file names for a setting in whose value the library replaces parts as well: it finds none there, neither in
/// the name that the user escaped nor in the values of other parts.
pub(super) fn escaped(stem: &str) -> String {
    stem.replace('%', "%%")
}

fn expand_in(
    text: &str,
    words: &[OsString],
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let of = |names: &[&str], advice: &str| {
        names.iter().find_map(|name| variable(name)).ok_or_else(|| advice.to_owned())
    };
    replace(text, |letter| {
        Some(match letter {
            'j' => of(&JOBS, "%j: this is not in a job of a batch system"),
            's' => of(&STEPS, "%s is known behind srun only: `srun mpit run ...`"),
            'r' => of(&RANKS, "%r is known behind the launcher only: `srun mpit run ...`"),
            'u' => of(&USERS, "%u: neither USER nor LOGNAME is set"),
            'h' => match this_node() {
                name if name.is_empty() => Err("%h: the name of this machine is not known".to_owned()),
                name => Ok(name),
            },
            'x' => Ok(program(words)),
            _ => return None,
        })
    })
}

/// Returns the name of the program that a command runs: the first one with MPI, or the first word.
fn program(words: &[OsString]) -> String {
    let of_mpi = programs(words).into_iter().find(|(_, kind)| *kind == Program::Mpi).map(|(path, _)| path);
    let path = of_mpi.unwrap_or_else(|| words.first().map(Into::into).unwrap_or_default());
    Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use mpit_components::run::template::replace;

    use super::{escaped, expand_in};

    #[test]
    fn parts_are_replaced() {
        let known = [("SLURM_JOB_ID", "17"), ("SLURM_STEP_ID", "2"), ("PMI_RANK", "3"), ("USER", "a/b")];
        let variable =
            |name: &str| known.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned());
        let of = |text: &str| expand_in(text, &["dir/app".into()], &variable);
        assert_eq!(of("prof/%j.%s/%u-%x.%r").unwrap(), "prof/17.2/a_b-app.3");
        assert_eq!(of("100%% %q %").unwrap(), "100% %q %");
        assert_eq!(of("%%j %%%j").unwrap(), "%j %17");
        let host = of("%h").unwrap();
        assert!(!host.is_empty() && !host.contains('%'), "{host}");
    }

    #[test]
    fn escaped_names_have_no_parts() {
        for stem in ["dir/%j", "%", "%%j", "100%/run", "plain"] {
            let by_library = replace(&escaped(stem), |_| Some(Ok::<_, Infallible>("value".into())));
            assert_eq!(by_library.unwrap(), stem);
        }
    }

    #[test]
    fn unknown_parts_are_refused() {
        for text in ["%j", "a/%s", "%r"] {
            let why = expand_in(text, &[], &|_| None).unwrap_err();
            assert!(why.starts_with(text.trim_start_matches("a/")), "{why}");
        }
    }
}
