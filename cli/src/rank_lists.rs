//! Lists of ranks in messages.

/// Formats ascending ranks as `rank 2` or `ranks 0-3,7`.
pub(crate) fn ranks(all: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in all {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *rank => *last = *rank,
            _ => runs.push((*rank, *rank)),
        }
    }
    rank_ranges(&runs)
}

/// Formats ascending ranges of ranks in the same way.
pub(crate) fn rank_ranges(all: &[(u32, u32)]) -> String {
    let range = |(first, last): &(u32, u32)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    let is_one = matches!(all, [(first, last)] if first == last);
    let list = all.iter().map(range).collect::<Vec<_>>().join(",");
    format!("rank{} {list}", if is_one { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn ranks_are_listed_in_runs() {
        assert_eq!(ranks(&[2]), "rank 2");
        assert_eq!(ranks(&[0, 1]), "ranks 0-1");
        assert_eq!(ranks(&[0, 1, 2, 5, 7, 8]), "ranks 0-2,5,7-8");
    }
}
