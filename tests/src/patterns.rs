//! Communication matrices of common kinds of programs, for tests and for the comparison with Scotch.

use mpit_placement::{Cell, Matrix, Random};

/// A matrix, and the nodes that it is placed on.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The name.
    pub name: String,
    /// The number of ranks.
    pub ranks: u32,
    /// The number of cores of each node.
    pub cores: Vec<u32>,
    /// The bytes between ranks.
    pub matrix: Matrix,
}

fn cell(from: u32, to: u32, bytes: u64) -> Cell {
    Cell { from, to, count: 1, bytes }
}

/// Returns the exchange of each rank of a periodic or open grid with its neighbors: at most `reach` steps along all axes together.
/// Neighbors in one axis exchange `faces` bytes for that axis, and others one percent of that for an edge or corner.
pub fn stencil(dims: [u32; 3], reach: u32, faces: [u64; 3], periodic: bool) -> Matrix {
    let mut cells = Vec::new();
    let [x, y, z] = dims.map(i64::from);
    let number = |at: [i64; 3]| ((at[0] * y + at[1]) * z + at[2]) as u32;
    let steps = |axis: usize| if dims[axis] == 1 { 0..=0 } else { -1..=1_i64 };
    for at in (0..x).flat_map(|i| (0..y).flat_map(move |j| (0..z).map(move |k| [i, j, k]))) {
        for step in steps(0).flat_map(|i| steps(1).flat_map(move |j| steps(2).map(move |k| [i, j, k]))) {
            let axes = step.iter().filter(|step| **step != 0).count() as u32;
            if axes == 0 || axes > reach {
                continue;
            }
            let mut to = [0, 1, 2].map(|axis| at[axis] + step[axis]);
            if periodic {
                to = [0, 1, 2].map(|axis| to[axis].rem_euclid(i64::from(dims[axis])));
            }
            if (0..3).any(|axis| to[axis] < 0 || to[axis] >= i64::from(dims[axis]))
                || number(to) == number(at)
            {
                continue;
            }
            let face = (0..3).filter(|axis| step[*axis] != 0).map(|axis| faces[axis]).min().unwrap_or(0);
            let bytes = if axes == 1 { face } else { face / 10_u64.pow(axes - 1) };
            cells.push(cell(number(at), number(to), bytes.max(1)));
        }
    }
    Matrix::new(cells)
}

/// Returns the matrix with other numbers for the ranks, as a batch system or `MPI_Cart_create` may give them.
pub fn shuffled(matrix: &Matrix, ranks: u32, seed: u64) -> Matrix {
    let names = Random::new(seed).permutation(ranks as usize);
    let renamed = |cell: Cell| Cell { from: names[cell.from as usize], to: names[cell.to as usize], ..cell };
    Matrix::new(matrix.cells().map(renamed).collect())
}

/// Returns an exchange of each rank with its parent in a tree in which each rank has `degree` children.
pub fn tree(ranks: u32, degree: u32) -> Matrix {
    let both = |rank: u32| [cell(rank, (rank - 1) / degree, 1000), cell((rank - 1) / degree, rank, 1000)];
    Matrix::new((1..ranks).flat_map(both).collect())
}

/// Returns an exchange with ranks at distances of powers of two: in the binomial tree of rank 0, or of each rank.
pub fn binomial(ranks: u32, each: bool) -> Matrix {
    let mut cells = Vec::new();
    for rank in 0..ranks {
        for bit in 0..32 {
            let other = rank ^ (1 << bit);
            if other < ranks && other > rank && (each || rank < (1 << bit)) {
                cells.extend([cell(rank, other, 1000), cell(other, rank, 1000)]);
            }
        }
    }
    Matrix::new(cells)
}

/// Returns messages from each rank to `degree` random others, of random sizes up to `most` bytes.
pub fn random(ranks: u32, degree: u32, most: usize, seed: u64) -> Matrix {
    let mut random = Random::new(seed);
    let mut cells = Vec::new();
    for from in 0..ranks {
        for _ in 0..degree {
            let to = random.below(ranks as usize) as u32;
            if to != from {
                cells.push(cell(from, to, 1 + random.below(most) as u64));
            }
        }
    }
    Matrix::new(cells)
}

/// Returns exchanges of random points in a square with all points within a distance, with `degree` of them on average.
pub fn geometric(ranks: u32, degree: u32, seed: u64) -> Matrix {
    let mut random = Random::new(seed);
    let points: Vec<_> = (0..ranks).map(|_| [(); 2].map(|()| random.below(1_000_000) as f64 / 1e6)).collect();
    let limit = f64::from(degree) / (std::f64::consts::PI * f64::from(ranks));
    let mut cells = Vec::new();
    for (from, one) in (0..).zip(&points) {
        for (to, other) in (0..).zip(&points) {
            let distance = (one[0] - other[0]).powi(2) + (one[1] - other[1]).powi(2);
            if from != to && distance < limit {
                cells.push(cell(from, to, 1000));
            }
        }
    }
    Matrix::new(cells)
}

/// Returns exchanges among all ranks of each group of `size` ranks that follow each other at a distance.
pub fn groups(ranks: u32, size: u32, distance: u32, bytes: u64) -> Matrix {
    let group = |rank: u32| rank / (size * distance) * distance + rank % distance;
    let mut cells = Vec::new();
    for from in 0..ranks {
        let begin = from / (size * distance) * size * distance;
        let others = (begin..(begin + size * distance).min(ranks))
            .filter(|to| group(*to) == group(from) && *to != from);
        cells.extend(others.map(|to| cell(from, to, bytes)));
    }
    Matrix::new(cells)
}

/// Returns messages of equal size from all to all.
pub fn all_to_all(ranks: u32) -> Matrix {
    groups(ranks, ranks, 1, 1000)
}

/// Returns the matrices of the comparison with Scotch.
pub fn all() -> Vec<Pattern> {
    const EQUAL: [u64; 3] = [1000; 3];
    let mut all = Vec::new();
    let mut add = |name: &str, ranks: u32, cores: Vec<u32>, matrix: Matrix| {
        all.push(Pattern { name: name.into(), ranks, cores, matrix });
    };
    let grid = |dims: [u32; 3], reach| stencil(dims, reach, EQUAL, false);
    add("2D, 5 points, 32 x 32", 1024, vec![32; 32], grid([32, 32, 1], 1));
    add("2D, 5 points, 64 x 64", 4096, vec![64; 64], grid([64, 64, 1], 1));
    add("2D, 5 points, 60 x 50, 48 cores", 3000, vec![48; 63], grid([60, 50, 1], 1));
    add("2D, 9 points, 64 x 64", 4096, vec![64; 64], grid([64, 64, 1], 2));
    add("2D, periodic, 48 x 48", 2304, vec![36; 64], stencil([48, 48, 1], 1, EQUAL, true));
    add("2D, 5 points, 64 x 64, shuffled", 4096, vec![64; 64], shuffled(&grid([64, 64, 1], 1), 4096, 1));
    add("2D, unequal faces, 64 x 64", 4096, vec![64; 64], stencil([64, 64, 1], 1, [100, 1600, 1], false));
    add("3D, 7 points, 8 x 8 x 8", 512, vec![16; 32], grid([8, 8, 8], 1));
    add("3D, 7 points, 8 x 8 x 8, shuffled", 512, vec![16; 32], shuffled(&grid([8, 8, 8], 1), 512, 2));
    add("3D, 7 points, 16 x 16 x 16", 4096, vec![64; 64], grid([16, 16, 16], 1));
    add(
        "3D, 7 points, 16 x 16 x 16, shuffled",
        4096,
        vec![64; 64],
        shuffled(&grid([16, 16, 16], 1), 4096, 3),
    );
    add("3D, 7 points, 15 x 14 x 13, 48 cores", 2730, vec![48; 57], grid([15, 14, 13], 1));
    add("3D, periodic, 12 x 12 x 12", 1728, vec![27; 64], stencil([12, 12, 12], 1, EQUAL, true));
    add(
        "3D, unequal faces, 16 x 16 x 8",
        2048,
        vec![32; 64],
        stencil([16, 16, 8], 1, [4000, 1000, 250], false),
    );
    add("3D, 27 points, 12 x 12 x 12", 1728, vec![27; 64], grid([12, 12, 12], 3));
    add("3D, 27 points, 16 x 16 x 16", 4096, vec![64; 64], grid([16, 16, 16], 3));
    add(
        "3D, 27 points, 16 x 16 x 16, shuffled",
        4096,
        vec![64; 64],
        shuffled(&grid([16, 16, 16], 3), 4096, 4),
    );
    add("3D, 27 points, 10 x 9 x 7, unequal nodes", 630, [[64, 32, 48]; 5].concat(), grid([10, 9, 7], 3));
    add("tree of degree 2", 1023, vec![32; 32], tree(1023, 2));
    add("tree of degree 8, shuffled", 1024, vec![32; 32], shuffled(&tree(1024, 8), 1024, 5));
    add("binomial tree", 1024, vec![32; 32], binomial(1024, false));
    add("hypercube, shuffled", 1024, vec![32; 32], shuffled(&binomial(1024, true), 1024, 6));
    add("random, 4 peers", 1024, vec![32; 32], random(1024, 4, 1000, 7));
    add("random, 16 peers", 2048, vec![64; 32], random(2048, 16, 1000, 8));
    add("random points in a square, 8 peers", 2048, vec![32; 64], geometric(2048, 8, 9));
    add("random points in a square, 30 peers", 1024, vec![64; 16], geometric(1024, 30, 10));
    add("groups of 16, cyclic numbers", 1024, vec![32; 32], groups(1024, 16, 64, 1000));
    let pencils = Matrix::sum([&groups(1024, 32, 1, 1000), &groups(1024, 32, 32, 500)]);
    add("all to all in rows and columns, shuffled", 1024, vec![64; 16], shuffled(&pencils, 1024, 11));
    let with_all = Matrix::sum([&grid([8, 8, 4], 1), &groups(256, 256, 1, 10)]);
    add("3D, 7 points, 8 x 8 x 4, and all to all", 256, vec![16; 16], shuffled(&with_all, 256, 12));
    add("all to all", 512, vec![16; 32], all_to_all(512));
    all
}
