//! Launchers by the environment variables of a process.

use mpit_base::internal::os::environment::{var, var_os};

use super::launchers::VARIABLES;

/// Returns the name of the launcher that started a process, and the variable with the number of processes. Launchers may run below others.
pub fn of_variables(is_set: impl Fn(&str) -> bool) -> Option<(&'static str, Option<&'static str>)> {
    let is_sign = |variable: Option<&'static str>| variable.is_some_and(&is_set);
    let found = VARIABLES.iter().find(|(_, known)| is_sign(known.size.or(known.rank.first().copied())));
    found.map(|(name, known)| (*name, known.size))
}

/// Returns the variables in which launchers number the processes of a job.
pub fn ranks() -> impl Iterator<Item = &'static str> {
    VARIABLES.iter().flat_map(|(_, known)| known.rank).copied()
}

/// Returns the rank of a process and the number of processes, by its variables.
pub fn rank_and_size<'a>(value: impl Fn(&str) -> Option<&'a str>) -> Option<(u32, u32)> {
    let number = |name: &str| value(name)?.parse::<u32>().ok();
    VARIABLES.iter().find_map(|(_, known)| {
        let size = number(known.size?)?;
        Some((known.rank.iter().find_map(|rank| number(rank))?, size))
    })
}

/// Returns the rank of the process that this command starts, behind a launcher.
#[must_use]
pub fn rank() -> Option<u32> {
    ranks().find_map(|name| var(name)?.parse().ok())
}

/// Returns true if a launcher started this command. Then each process of the job runs one, and they share the files.
#[must_use]
pub fn is_inside_a_job() -> bool {
    let marks = VARIABLES.iter().filter_map(|(_, known)| known.mark);
    ranks().chain(marks).any(|name| var_os(name).is_some())
}
