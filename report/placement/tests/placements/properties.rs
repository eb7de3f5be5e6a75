//! Properties of placements.

use mpit_placement::{
    Cell, Gain, Matrix, Random, block, bytes_between_nodes, bytes_of_busiest_node, fits, place,
};
use mpit_tests::patterns;

fn cell(from: u32, to: u32, bytes: u64) -> Cell {
    Cell { from, to, count: 1, bytes }
}

/// Returns a random matrix, cores, and a present placement.
fn random_case(random: &mut Random) -> (Matrix, Vec<u32>, Vec<u32>) {
    let ranks = 1 + random.below(60) as u32;
    let cells = (0..random.below(400)).map(|_| {
        let [from, to] = [(); 2].map(|()| random.below(ranks as usize) as u32);
        cell(from, to, random.next_number() >> random.below(64))
    });
    let matrix = Matrix::new(cells.collect());
    let mut cores = Vec::new();
    while cores.iter().sum::<u32>() < ranks {
        cores.push(random.below(12) as u32);
    }
    for _ in 0..random.below(3) {
        cores.push(random.below(12) as u32);
    }
    let slots: Vec<u32> = (0..).zip(&cores).flat_map(|(node, cores)| vec![node; *cores as usize]).collect();
    let present = random.permutation(slots.len()).into_iter().map(|at| slots[at as usize]);
    let present = present.take(ranks as usize).collect();
    (matrix, cores, present)
}

#[test]
fn random_cases_fit_and_are_never_worse() {
    let mut random = Random::new(1);
    let mut better = 0;
    for case in 0..50 {
        let (matrix, cores, present) = random_case(&mut random);
        let placed = place(&matrix, &cores, &present);
        assert_eq!(placed.len(), present.len(), "case {case}");
        assert!(fits(&placed, &cores), "case {case}: {placed:?} on {cores:?}");
        let gain = Gain::of(&matrix, &present, &placed);
        assert!(gain.after <= gain.now && gain.now <= gain.total, "case {case}: {gain:?}");
        better += u32::from(gain.after < gain.now);
        // The bytes, counted in another way.
        let mut sum = 0;
        for cell in matrix.cells() {
            if placed[cell.from as usize] != placed[cell.to as usize] {
                sum += u128::from(cell.bytes);
            }
        }
        assert_eq!((sum, gain.after), (gain.after, bytes_between_nodes(&matrix, &placed)), "case {case}");
    }
    assert!(better > 30, "{better}");
}

#[test]
fn busiest_node_has_the_most_bytes() {
    // Ranks 0 and 1 share a node, rank 2 has one, and rank 3 has none.
    let matrix =
        Matrix::new(vec![cell(0, 1, 900), cell(0, 2, 5), cell(1, 2, 6), cell(2, 1, 8), cell(2, 3, 700)]);
    assert_eq!(bytes_of_busiest_node(&matrix, &[0, 0, 1]), 11);
    assert_eq!(bytes_of_busiest_node(&matrix, &[0, 1, 1]), 905);
    assert_eq!(bytes_of_busiest_node(&matrix, &[1, 1, 1]), 0);
    assert_eq!(bytes_of_busiest_node(&matrix, &[]), 0);
    let gain = Gain::of(&matrix, &[0, 0, 1], &[0, 1, 0]);
    assert_eq!((gain.busiest_now, gain.busiest_after), (11, 908));
}

#[test]
fn placements_do_not_depend_on_threads() {
    let matrix = patterns::shuffled(&patterns::stencil([6, 5, 4], 3, [100, 70, 30], false), 120, 1);
    let cores = [vec![5; 12], vec![16; 5]].concat();
    let present = block(120, &cores).unwrap();
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| place(&matrix, &cores, &present))
    };
    let one = with(1);
    assert_eq!((&with(4), &with(1)), (&one, &one));
}

#[test]
fn regular_grids_are_cut_along_planes() {
    for (dims, cores, pairs) in
        [([8, 8, 8], 64, 192), ([16, 16, 1], 16, 96), ([12, 6, 6], 54, 180), ([64, 1, 1], 16, 3)]
    {
        let ranks: u32 = dims.iter().product();
        let matrix = patterns::shuffled(&patterns::stencil(dims, 1, [1; 3], false), ranks, 1);
        let cores = vec![cores; (ranks / cores) as usize];
        let placed = place(&matrix, &cores, &block(ranks, &cores).unwrap());
        // Each pair exchanges a byte in both directions.
        assert_eq!(bytes_between_nodes(&matrix, &placed), 2 * pairs, "{dims:?}");
    }
}

#[test]
fn groups_stay_together_on_more_nodes() {
    // Groups of 12 ranks do not fill nodes of 16 cores: fewest nodes would divide them.
    let matrix = patterns::shuffled(&patterns::groups(48, 12, 1, 5), 48, 3);
    let cores = [16; 5];
    let placed = place(&matrix, &cores, &block(48, &cores).unwrap());
    assert_eq!(bytes_between_nodes(&matrix, &placed), 0);
    // Nodes have their first ranks in order.
    let firsts: Vec<_> = (0..5).filter_map(|node| placed.iter().position(|other| *other == node)).collect();
    assert!(firsts.is_sorted() && firsts[0] == 0, "{placed:?}");
}

#[test]
fn all_to_all_has_nothing_to_gain() {
    for ranks in [2, 64, 100] {
        let matrix = patterns::all_to_all(ranks);
        let cores = vec![10; ranks.div_ceil(10) as usize];
        let present = block(ranks, &cores).unwrap();
        let placed = place(&matrix, &cores, &present);
        assert!(!Gain::of(&matrix, &present, &placed).is_worthwhile(), "{ranks}");
    }
    let gain = |now, after| Gain { total: 1000, now, after, busiest_now: 0, busiest_after: 0 };
    assert!(gain(1000, 950).is_worthwhile() && !gain(1000, 951).is_worthwhile());
    assert!(!gain(0, 0).is_worthwhile() && !gain(10, 10).is_worthwhile());
}

#[test]
fn traffic_of_all_hides_no_other() {
    let stencil = patterns::stencil([8, 4, 4], 1, [50; 3], false);
    let both = patterns::shuffled(&Matrix::sum([&stencil, &patterns::all_to_all(128)]), 128, 2);
    let cores = [16; 8];
    let present = block(128, &cores).unwrap();
    let inside = patterns::shuffled(&stencil, 128, 2);
    let gain = Gain::of(&inside, &present, &place(&both, &cores, &present));
    // 8 blocks of 4 x 2 x 2 ranks.
    assert_eq!(gain.after, 2 * 50 * (16 + 32 + 32), "{gain:?}");
}

#[test]
fn sums_of_large_numbers_do_not_overflow() {
    let matrix = Matrix::sum([&Matrix::new(
        patterns::groups(32, 4, 8, u64::MAX).cells().chain([cell(0, 1, 1)]).collect(),
    )]);
    let placed = place(&matrix, &[4; 8], &block(32, &[4; 8]).unwrap());
    assert_eq!(bytes_between_nodes(&matrix, &placed), 1);
}

#[test]
fn small_and_empty_cases_stay_as_they_are() {
    let none = Matrix::default();
    assert_eq!(place(&none, &[1], &[0]), [0]);
    assert_eq!(place(&none, &[2, 2], &[1, 0, 1]), [1, 0, 1]);
    assert_eq!(place(&Matrix::new(vec![cell(7, 9, 3), cell(0, 0, 2)]), &[2], &[0, 0]), [0, 0]);
    assert_eq!(place(&Matrix::new(vec![cell(0, 2, 3)]), &[2, 1], &[0, 0, 1]), [0, 1, 0]);
    assert_eq!((block(3, &[1, 1]), block(3, &[2, 0, 2])), (None, Some(vec![0, 0, 2])));
    assert!(fits(&[0, 1, 0], &[2, 1]) && !fits(&[0, 0, 0], &[2, 1]) && !fits(&[2], &[2, 1]));
}
