//! Parts of file names that stand for facts about the job, such as `%j` for its number in the batch system.

use std::convert::Infallible;
use std::path::Path;

use mpit_base::internal::os::{environment, files};
use mpit_format::identity::{Identity, UNNAMED};

use crate::launcher;
use crate::node::this_node;

/// The variables of batch systems that number jobs.
const JOBS: [&str; 3] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"];

/// The variable that numbers the steps of a job.
const STEPS: [&str; 1] = ["SLURM_STEP_ID"];

/// The variables with the name of the user.
const USERS: [&str; 2] = ["USER", "LOGNAME"];

/// Replaces `%` and a letter by the value of the letter, and `%%` by `%`. A letter without a value stays, with its `%`. A value is a part
/// of a name and no directory, so `/` in it becomes `_`.
fn replace<E>(text: &str, value_of: impl Fn(char) -> Option<Result<String, E>>) -> Result<String, E> {
    let mut all = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        all.push_str(before);
        let value = match after.chars().next() {
            Some('%') => Some(Ok("%".into())),
            Some(letter) => value_of(letter),
            None => None,
        };
        if let Some(value) = value {
            all.push_str(&value?.replace('/', "_"));
            rest = &after[1..];
        } else {
            all.push('%');
            rest = after;
        }
    }
    all.push_str(rest);
    Ok(all)
}

/// Replaces the parts in the name of a file of the whole job: `%j` (job), `%s` (step), `%u` (user) and `%x` (program). Without a batch
/// system, `%j` is the name of the run, or else of the world. Without steps, `%s` is the name of the world.
#[must_use]
pub fn of_job(text: &str, identity: Option<&Identity>) -> String {
    of_job_in(text, identity, &variable)
}

fn variable(name: &str) -> Option<String> {
    environment::var(name).filter(|value| !value.is_empty())
}

fn of_job_in(text: &str, identity: Option<&Identity>, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let value = |letter: char| {
        let value = match letter {
            'j' => first(&JOBS).unwrap_or_else(|| name_of_run(identity)),
            's' => first(&STEPS).unwrap_or_else(|| name_of_world(identity)),
            'u' => first(&USERS).unwrap_or_else(|| files::user().to_string()),
            'x' => program(),
            _ => return None,
        };
        Some(Ok::<_, Infallible>(value))
    };
    match replace(text, value) {
        Ok(text) => text,
    }
}

fn name_of_run(identity: Option<&Identity>) -> String {
    match identity {
        Some(identity) if identity.is_named() => identity.run.clone(),
        _ => name_of_world(identity),
    }
}

/// Returns the name without characters that need quotes in a shell.
fn name_of_world(identity: Option<&Identity>) -> String {
    let name = identity.map_or(UNNAMED, |identity| &identity.world);
    name.replace(|char: char| !char.is_ascii_alphanumeric() && !"-._@".contains(char), "-")
}

/// Replaces `%j` (job), `%s` (step), `%h` (machine), `%r` (rank), `%u` (user), `%x` (program) and `%%` for a command. Others stay as they
/// are.
///
/// # Errors
///
/// Fails with a message for a part that has no value here.
pub fn of_command(text: &str, program: impl Fn() -> String) -> Result<String, String> {
    of_command_in(text, program, &variable)
}

fn of_command_in(
    text: &str,
    program: impl Fn() -> String,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let of = |names: &[&str], advice: &str| {
        names.iter().find_map(|name| variable(name)).ok_or_else(|| advice.to_owned())
    };
    let ranks = || launcher::ranks().collect::<Vec<_>>();
    replace(text, |letter| {
        Some(match letter {
            'j' => of(&JOBS, "%j: this is not in a job of a batch system"),
            's' => of(&STEPS, "%s is known behind srun only: `srun mpit run ...`"),
            'r' => of(&ranks(), "%r is known behind the launcher only: `srun mpit run ...`"),
            'u' => of(&USERS, "%u: neither USER nor LOGNAME is set"),
            'h' => match this_node() {
                name if name.is_empty() => Err("%h: the name of this machine is not known".to_owned()),
                name => Ok(name),
            },
            'x' => Ok(program()),
            _ => return None,
        })
    })
}

/// Returns the beginning of file names for a setting in whose value the library replaces parts as well: it finds none there, neither in
/// the name that the user escaped nor in the values of other parts.
#[must_use]
pub fn escaped(stem: &str) -> String {
    stem.replace('%', "%%")
}

fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::{Identity, escaped, of_command_in, of_job_in, replace};

    const KNOWN: [(&str, &str); 4] =
        [("SLURM_JOB_ID", "17"), ("SLURM_STEP_ID", "2"), ("PMI_RANK", "3"), ("USER", "a/b")];

    fn variable(name: &str) -> Option<String> {
        KNOWN.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn parts_are_replaced_in_processes() {
        assert_eq!(of_job_in("s/%u/%j.%s 100%% %q %", None, &variable), "s/a_b/17.2 100% %q %");
        let identity = |run: &str| {
            Identity::parse(&format!("{run}\tpmix a b/1\t4 ranks\t2026-11-22T08:15:00.123Z")).unwrap()
        };
        let without = |run| of_job_in("%j.%s", Some(&identity(run)), &|_| None);
        assert_eq!(
            (without("-"), without("20261122T081500-vm-17")),
            ("pmix-a-b-1.pmix-a-b-1".into(), "20261122T081500-vm-17.pmix-a-b-1".into())
        );
        let own = of_job_in("%u.%x", None, &|_| None);
        assert!(
            own.split_once('.')
                .is_some_and(|(user, program)| user.parse::<u32>().is_ok() && !program.is_empty())
        );
    }

    #[test]
    fn parts_are_replaced_in_commands() {
        let of = |text: &str| of_command_in(text, || "app".into(), &variable);
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
            let why = of_command_in(text, String::new, &|_| None).unwrap_err();
            assert!(why.starts_with(text.trim_start_matches("a/")), "{why}");
        }
    }
}
