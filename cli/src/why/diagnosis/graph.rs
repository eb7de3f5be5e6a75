//! Detection of deadlocks: the processes that can never make progress, and the groups of them that wait for no others.

use std::collections::{BTreeMap, BTreeSet};

use super::waits::{Edge, Wait};

/// Returns the processes among `waits` that can make progress, given those that can without others: the least fixed point.
pub(super) fn can_progress(waits: &BTreeMap<u32, Wait>, free: &BTreeSet<u32>) -> BTreeSet<u32> {
    let mut progress = free.clone();
    loop {
        let more: Vec<u32> = waits
            .iter()
            .filter(|(rank, wait)| !progress.contains(rank) && is_satisfied(wait, &progress))
            .map(|(rank, _)| *rank)
            .collect();
        if more.is_empty() {
            return progress.into_iter().filter(|rank| waits.contains_key(rank)).collect();
        }
        progress.extend(more);
    }
}

fn is_satisfied(wait: &Wait, progress: &BTreeSet<u32>) -> bool {
    match wait {
        Wait::Ready | Wait::Unknown(_) => true,
        Wait::On(edge) => progress.contains(&edge.to),
        Wait::All(waits) => waits.iter().all(|wait| is_satisfied(wait, progress)),
        Wait::Any(waits) => waits.iter().any(|wait| is_satisfied(wait, progress)),
    }
}

/// Returns the edges of a condition in its order.
pub(super) fn edges(wait: &Wait) -> Vec<&Edge> {
    match wait {
        Wait::Ready | Wait::Unknown(_) => Vec::new(),
        Wait::On(edge) => vec![edge],
        Wait::All(waits) | Wait::Any(waits) => waits.iter().flat_map(edges).collect(),
    }
}

/// Returns the strongly connected groups of `nodes` without an edge to another group. `next` gives the neighbors, which may
/// be outside of `nodes`; these count as groups of their own.
pub(super) fn last_groups(nodes: &BTreeSet<u32>, next: impl Fn(u32) -> Vec<u32>) -> Vec<BTreeSet<u32>> {
    let order = finishing_order(nodes, &next);
    let mut reverse: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for &node in nodes {
        for to in next(node) {
            reverse.entry(to).or_default().push(node);
        }
    }
    let mut group_of: BTreeMap<u32, usize> = BTreeMap::new();
    let mut groups: Vec<BTreeSet<u32>> = Vec::new();
    for &start in order.iter().rev() {
        if group_of.contains_key(&start) {
            continue;
        }
        let mut group = BTreeSet::new();
        let mut left = vec![start];
        while let Some(node) = left.pop() {
            if !nodes.contains(&node) || group_of.contains_key(&node) {
                continue;
            }
            group_of.insert(node, groups.len());
            group.insert(node);
            left.extend(reverse.get(&node).into_iter().flatten());
        }
        groups.push(group);
    }
    let is_last =
        |group: &BTreeSet<u32>| group.iter().all(|node| next(*node).iter().all(|to| group.contains(to)));
    groups.into_iter().filter(is_last).collect()
}

/// Returns the nodes in the order in which a depth-first search leaves them.
fn finishing_order(nodes: &BTreeSet<u32>, next: &impl Fn(u32) -> Vec<u32>) -> Vec<u32> {
    let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
    for &start in nodes {
        if !seen.insert(start) {
            continue;
        }
        let mut path = vec![(start, next(start))];
        while let Some((node, rest)) = path.last_mut() {
            match rest.pop() {
                Some(to) if nodes.contains(&to) && seen.insert(to) => path.push((to, next(to))),
                Some(_) => {}
                None => {
                    order.push(*node);
                    path.pop();
                }
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::last_groups;

    #[test]
    fn last_groups_have_no_way_out() {
        // 0 -> 1 <-> 2, 3 -> 4 -> 3, 5 -> 3 and 9, which is no node.
        let next = |node: u32| match node {
            0 | 2 => vec![1],
            1 => vec![2],
            3 => vec![4],
            4 => vec![3],
            _ => vec![3, 9],
        };
        let nodes: BTreeSet<u32> = (0..6).collect();
        let mut groups = last_groups(&nodes, next);
        groups.sort();
        assert_eq!(groups, [BTreeSet::from([1, 2]), BTreeSet::from([3, 4])]);
    }
}
