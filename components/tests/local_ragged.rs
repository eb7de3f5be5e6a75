//! Collective operations in which parts have lengths of their own, and those on the ranks up to one's own.

use mpit_components::local::{self, Comm, Error, Outcome};

/// Something that differs from rank to rank and place to place.
fn value(rank: usize, at: usize) -> u64 {
    (rank * 1_000_003 + at * 7 + 1) as u64
}

/// So many values of a rank.
fn values(rank: usize, count: usize) -> Vec<u64> {
    (0..count).map(|at| value(rank, at)).collect()
}

/// Lengths of which none, one or several are 0.
fn lengths(size: usize, round: usize) -> Vec<usize> {
    (0..size).map(|rank| (rank * 3 + round * 5) % 7 * round).collect()
}

fn check(world: &Comm) -> Outcome {
    let (rank, size) = (world.rank(), world.size());
    for round in 0..5 {
        let counts = lengths(size, round);
        let mine = values(rank, counts[rank]);
        let all: Vec<_> = (0..size).flat_map(|rank| values(rank, counts[rank])).collect();
        for root in 0..size {
            let at_root = rank == root;
            let gathered = world.gatherv(&mine, at_root.then_some(&counts[..]), root)?;
            assert_eq!(gathered, at_root.then(|| all.clone()));
            let mut part = vec![0; counts[rank]];
            world.scatterv(at_root.then_some((&all[..], &counts[..])), &mut part, root)?;
            assert_eq!(part, mine);
        }
        assert_eq!(world.allgatherv(&mine, &counts)?, all);

        // Rank r sends r + c + round values to rank c.
        let between: Vec<_> = (0..size).map(|other| rank + other + round).collect();
        let sent: Vec<_> = (0..size).flat_map(|to| values(rank * size + to, between[to])).collect();
        let came: Vec<_> = (0..size).flat_map(|from| values(from * size + rank, between[from])).collect();
        assert_eq!(world.alltoallv(&sent, &between, &between)?, came);

        let whole: usize = counts.iter().sum();
        let sums: Vec<u64> = (0..whole).map(|at| (0..size).map(|rank| value(rank, at)).sum()).collect();
        let before: usize = counts[..rank].iter().sum();
        let reduced = world.reduce_scatter(&values(rank, whole), &counts, |a, b| a + b)?;
        assert_eq!(reduced, sums[before..][..counts[rank]]);
        let block = world.reduce_scatter_block(&values(rank, size * round), |a, b| a + b)?;
        let sum = |at| (0..size).map(|rank| value(rank, at)).sum::<u64>();
        assert!(block.into_iter().eq((0..round).map(|at| sum(rank * round + at))));
    }
    Ok(())
}

#[test]
fn one_rank() {
    local::test(1, check);
}

#[test]
fn two_ranks() {
    local::test(2, check);
}

#[test]
fn five_ranks() {
    local::test(5, check);
}

#[test]
fn prefixes_are_combined_in_the_order_of_the_ranks() {
    local::test(5, |world| {
        // The composition of affine maps x -> a x + b is associative, but not commutative.
        let then = |f: [i64; 2], g: [i64; 2]| [f[0] * g[0], f[1] * g[0] + g[1]];
        let map = |rank: usize| [rank as i64 + 2, rank as i64 - 7];
        let up_to = |rank: usize| (1..rank).map(map).fold(map(0), then);
        let rank = world.rank();
        assert_eq!(world.scan(&[map(rank), map(rank)], then)?, [up_to(rank + 1); 2]);
        assert_eq!(world.exscan(&[map(rank)], then)?, (rank > 0).then(|| vec![up_to(rank)]));
        assert_eq!(world.scan(&[0_u8; 0], u8::max)?, []);
        Ok(())
    });
}

#[test]
fn mistakes_are_refused() {
    local::test(2, |world| {
        let (own, other) = (world.rank(), 1 - world.rank());
        let one = [1_u8];
        let mut part = one;
        assert!(matches!(world.gatherv(&one, None, 2), Err(Error::NoSuchRank { rank: 2, size: 2 })));
        assert!(matches!(world.gatherv(&one, None, own), Err(Error::NotTheRoot)));
        assert!(matches!(world.gatherv(&one, Some(&[1, 1]), other), Err(Error::NotTheRoot)));
        let few = world.gatherv(&one, Some(&[1]), own);
        assert!(matches!(few, Err(Error::Counts { given: 1, needed: 2 })));
        let wrong = world.gatherv(&one, Some(&[3, 3]), own);
        assert!(matches!(wrong, Err(Error::Disagreement { given: 1, needed: 3 })));

        assert!(matches!(world.scatterv(None, &mut part, own), Err(Error::NotTheRoot)));
        let short = world.scatterv(Some((&one, &[1, 1])), &mut part, own);
        assert!(matches!(short, Err(Error::Sum { given: 1, needed: 2 })));
        let wrong = world.scatterv(Some((&[1; 4], &[2, 2])), &mut part, own);
        assert!(matches!(wrong, Err(Error::Disagreement { given: 2, needed: 1 })));

        assert!(matches!(world.allgatherv(&one, &[1]), Err(Error::Counts { .. })));
        assert!(matches!(world.allgatherv(&one, &[2, 2]), Err(Error::Disagreement { .. })));
        assert!(matches!(world.alltoallv(&one, &[1, 1], &[1, 1]), Err(Error::Sum { .. })));
        assert!(matches!(world.alltoallv(&one, &[1, 0], &[1]), Err(Error::Counts { .. })));
        assert!(matches!(world.reduce_scatter(&one, &[1, 1], u8::max), Err(Error::Sum { .. })));
        let odd = world.reduce_scatter_block(&one, u8::max);
        assert!(matches!(odd, Err(Error::Division { given: 1, needed: 2 })));

        // What only the other one can know comes to light when the parts meet.
        let copy = world.dup()?;
        let mine = vec![0_u8; own + 1];
        let result = copy.gatherv(&mine, (own == 0).then_some(&[1, 1]), 0);
        assert_eq!(own == 0, matches!(result, Err(Error::Disagreement { given: 2, needed: 1 })));
        let mut counts = [1; 2];
        counts[own] = 2;
        let own_part = world.dup()?.alltoallv(&[0_u8; 3], &counts, &[1; 2]);
        assert!(matches!(own_part, Err(Error::Disagreement { given: 2, needed: 1 })));
        Ok(())
    });
}

#[test]
fn who_is_gone_gives_nothing() {
    local::test(2, |world| {
        if world.rank() == 0 {
            assert!(matches!(world.gatherv(&[0_u8], Some(&[1; 2]), 0), Err(Error::Finalized(1))));
            assert!(matches!(world.allgatherv(&[0_u8], &[1; 2]), Err(Error::Finalized(1))));
            assert!(matches!(world.alltoallv(&[0_u8], &[1, 0], &[1; 2]), Err(Error::Finalized(1))));
            assert!(matches!(world.reduce_scatter(&[0_u8], &[1, 0], u8::max), Err(Error::Finalized(1))));
        }
        Ok(())
    });
}
