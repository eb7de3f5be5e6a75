//! Parts of file names that stand for facts about the job, such as `%j` for its number in the batch system.

use std::convert::Infallible;
use std::path::Path;

use mpit::internal::environment;

use super::{Identity, UNNAMED};

/// The variables of batch systems that number jobs.
pub const JOBS: [&str; 3] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID"];

/// The variable that numbers the steps of a job.
pub const STEPS: [&str; 1] = ["SLURM_STEP_ID"];

/// The variables with the name of the user.
pub const USERS: [&str; 2] = ["USER", "LOGNAME"];

/// Replaces `%` and a letter by the value of the letter, and `%%` by `%`. A letter without a value stays, with its `%`. A value is a part
/// of a name and no directory, so `/` in it becomes `_`.
///
/// # Errors
///
/// The errors of `value_of`.
pub fn replace<E>(text: &str, value_of: impl Fn(char) -> Option<Result<String, E>>) -> Result<String, E> {
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
pub(crate) fn of_job(text: &str, identity: Option<&Identity>) -> String {
    expand_in(text, identity, &|name| environment::var(name).filter(|value| !value.is_empty()))
}

fn expand_in(text: &str, identity: Option<&Identity>, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let first = |names: &[&str]| names.iter().find_map(|name| variable(name));
    let value = |letter: char| {
        let value = match letter {
            'j' => first(&JOBS).unwrap_or_else(|| name_of_run(identity)),
            's' => first(&STEPS).unwrap_or_else(|| name_of_world(identity)),
            'u' => first(&USERS).unwrap_or_else(|| mpit::internal::files::user().to_string()),
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

fn program() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    Path::new(&path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Identity, expand_in};

    #[test]
    fn parts_are_replaced() {
        let known = [("SLURM_JOB_ID", "17"), ("SLURM_STEP_ID", "2"), ("USER", "a/b")];
        let variable =
            |name: &str| known.iter().find(|(is, _)| *is == name).map(|(_, value)| (*value).to_owned());
        assert_eq!(expand_in("s/%u/%j.%s 100%% %q %", None, &variable), "s/a_b/17.2 100% %q %");
        let identity = |run: &str| {
            Identity::parse(&format!("{run}\tpmix a b/1\t4 ranks\t2026-11-22T08:15:00.123Z")).unwrap()
        };
        let without = |run| expand_in("%j.%s", Some(&identity(run)), &|_| None);
        assert_eq!(
            (without("-"), without("20261122T081500-vm-17")),
            ("pmix-a-b-1.pmix-a-b-1".into(), "20261122T081500-vm-17.pmix-a-b-1".into())
        );
        let own = expand_in("%u.%x", None, &|_| None);
        assert!(
            own.split_once('.')
                .is_some_and(|(user, program)| user.parse::<u32>().is_ok() && !program.is_empty())
        );
    }
}
