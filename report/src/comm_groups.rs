//! The collective operations on the communicators of a job.

use hashbrown::HashMap;
use mpit_format::parse;
use mpit_format::summary::Traffic;

/// Collective operations on a communicator in the order of the files: one to all, all to one, all to all.
pub type Collectives = [Traffic; 3];

/// Adds the sums of operations to others.
pub(crate) fn add(sums: &mut Collectives, others: Collectives) {
    for (sum, other) in sums.iter_mut().zip(others) {
        sum.add(other);
    }
}

/// The communicators with the same name and size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommGroup {
    /// The name.
    pub name: String,
    /// The number of processes of each.
    pub size: u32,
    /// The number of different lists of members.
    pub groups: u32,
    /// The operations of all processes on all of them.
    pub collectives: Collectives,
}

/// Returns the communicators with equal names and sizes, larger ones first. The keys are the lines that introduce them.
pub(crate) fn groups(comms: &HashMap<Box<[u8]>, (parse::Comm, Collectives)>) -> Vec<CommGroup> {
    let mut groups: HashMap<(&[u8], u32), (u32, Collectives)> = HashMap::new();
    for (line, (comm, operations)) in comms {
        let (number, collectives) = groups.entry((&line[..comm.name_len], comm.size)).or_default();
        *number += 1;
        add(collectives, *operations);
    }
    let mut groups: Vec<_> = groups
        .into_iter()
        .map(|((name, size), (groups, collectives))| CommGroup {
            name: String::from_utf8_lossy(name).into_owned(),
            size,
            groups,
            collectives,
        })
        .collect();
    groups.sort_by(|a, b| b.size.cmp(&a.size).then_with(|| a.name.cmp(&b.name)));
    groups
}
