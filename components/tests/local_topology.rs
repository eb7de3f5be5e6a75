//! Neighbors, and what they give each other.

use mpit_components::comms;
use mpit_components::local::{self, Comm, Error, Outcome, PROC_NULL};

/// The processes that a communicator is said to send to.
fn told(comm: &Comm) -> Vec<u32> {
    comms::get(comm.id()).map(|record| record.neighbors.to_vec()).unwrap_or_default()
}

#[test]
fn a_grid_has_neighbors_behind_and_ahead() {
    local::test(6, |world| {
        let rank = world.rank();
        let grid = world.cart_create(&[(2, false), (3, true)])?.ok_or("all have a place")?;
        let (row, column) = (rank / 3, rank % 3);
        assert_eq!(grid.cart_coords(rank)?, [row, column]);
        let (up, down) = if row == 0 { (PROC_NULL, rank + 3) } else { (rank - 3, PROC_NULL) };
        let (left, right) = (3 * row + (column + 2) % 3, 3 * row + (column + 1) % 3);
        let neighbors = [up, down, left, right];
        assert_eq!(grid.neighbors(), Some((&neighbors[..], &neighbors[..])));
        assert_eq!(told(&grid), neighbors.map(|rank| u32::try_from(rank).unwrap_or(u32::MAX)));
        assert_eq!(grid.cart_shift(0, 1)?, (up, down));
        assert_eq!(grid.cart_shift(1, -1)?, (right, left));
        assert_eq!(grid.cart_shift(1, 3)?, (rank, rank));

        let ranks: Vec<_> = neighbors.iter().map(|rank| if *rank == PROC_NULL { 0 } else { *rank }).collect();
        assert_eq!(grid.neighbor_allgather(&[rank])?, ranks);
        // To each neighbor: who it is from, and in which direction.
        let sent: Vec<_> = (0..4).flat_map(|direction| [10 * rank + direction, rank]).collect();
        let came: Vec<_> = neighbors
            .iter()
            .zip([1, 0, 3, 2])
            .flat_map(|(from, direction)| match *from {
                PROC_NULL => [0, 0],
                from => [10 * from + direction, from],
            })
            .collect();
        assert_eq!(grid.neighbor_alltoall(&sent, 2)?, came);

        // A copy is the same grid, a part of it is none.
        let copy = grid.dup()?;
        assert_eq!((copy.neighbors(), told(&copy)), (grid.neighbors(), told(&grid)));
        assert_eq!(copy.neighbor_allgather(&[rank])?, ranks);
        let part = grid.split(Some(0), 0)?.ok_or("all gave a colour")?;
        assert_eq!((part.neighbors(), told(&part)), (None, vec![]));
        Ok(())
    });
}

#[test]
fn a_ring_of_one_or_two_keeps_its_directions_apart() {
    local::test(2, |world| {
        let (rank, other) = (world.rank() as u32, 1 - world.rank() as u32);
        let ring = world.cart_create(&[(2, true), (1, true)])?.ok_or("all have a place")?;
        let sent = [1, 2, 3, 4].map(|direction| 10 * rank + direction);
        // What goes ahead comes from behind.
        let came = [10 * other + 2, 10 * other + 1, 10 * rank + 4, 10 * rank + 3];
        assert_eq!(ring.neighbor_alltoall(&sent, 1)?, came);
        assert_eq!(ring.neighbor_alltoallv(&sent, &[1; 4], &[1; 4])?, came);
        Ok(())
    });
}

#[test]
fn who_finds_no_place_gets_no_communicator() {
    local::test(3, |world| {
        let pair = world.cart_create(&[(2, false)])?;
        assert_eq!(pair.is_some(), world.rank() < 2);
        let point = world.cart_create(&[])?;
        assert_eq!(point.is_some(), world.rank() == 0);
        if let Some(point) = point {
            assert_eq!((point.size(), point.neighbors()), (1, Some((&[][..], &[][..]))));
            assert_eq!(point.neighbor_alltoall(&[0_u8; 0], 3)?, []);
        }
        world.barrier()?;
        Ok(())
    });
}

/// 0 -> 1 twice, 1 -> 2, 2 -> 2, 0 -> 2; nobody sends to 0.
fn graph(world: &Comm) -> local::Result<Comm> {
    let (sources, destinations): (&[usize], &[usize]) = match world.rank() {
        0 => (&[], &[1, 2, 1]),
        1 => (&[0, 0], &[2]),
        _ => (&[2, 0, 1], &[2]),
    };
    world.dist_graph_create_adjacent(sources, destinations)
}

fn graph_operations(world: &Comm) -> Outcome {
    let graph = graph(world)?;
    let rank = world.rank();
    assert_eq!(told(&graph), [&[1, 2, 1][..], &[2], &[2]][rank]);
    let (gathered, alltoall): (&[u32], &[u32]) = match rank {
        0 => (&[], &[]),
        1 => (&[0, 0, 0, 0], &[1, 3]),
        _ => (&[2, 2, 0, 0, 1, 1], &[201, 2, 101]),
    };
    assert_eq!(graph.neighbor_allgather(&[rank as u32; 2])?, gathered);
    let sent = [&[1, 2, 3][..], &[101], &[201]][rank];
    assert_eq!(graph.neighbor_alltoall(sent, 1)?, alltoall);

    // Rank r gives r + 1 values to each neighbor.
    let counts: Vec<_> =
        graph.neighbors().map_or(&[][..], |(sources, _)| sources).iter().map(|from| from + 1).collect();
    let mine = vec![rank as u8; rank + 1];
    let expected: &[u8] = [&[][..], &[0, 0], &[2, 2, 2, 0, 1, 1]][rank];
    assert_eq!(graph.neighbor_allgatherv(&mine, &counts)?, expected);
    // To the first neighbor nothing, to the second one value, and so on.
    let (sent, send_counts, recv_counts): (&[u8], &[usize], &[usize]) = match rank {
        0 => (&[1, 2, 3], &[0, 1, 2], &[]),
        1 => (&[], &[0], &[0, 2]),
        _ => (&[], &[0], &[0, 1, 0]),
    };
    let expected: &[u8] = [&[][..], &[2, 3], &[1]][rank];
    assert_eq!(graph.neighbor_alltoallv(sent, send_counts, recv_counts)?, expected);
    Ok(())
}

#[test]
fn a_graph_may_have_any_edges() {
    local::test(3, graph_operations);
}

#[test]
fn mistakes_are_refused() {
    local::test(3, |world| {
        for dimensions in
            [&[(4, false)][..], &[(2, true), (2, true)], &[(0, true)], &[(usize::MAX, true), (2, true)]]
        {
            assert!(matches!(world.cart_create(dimensions), Err(Error::Grid { size: 3 })));
        }
        assert!(matches!(world.neighbor_allgather(&[0]), Err(Error::NoTopology)));
        assert!(matches!(world.cart_coords(0), Err(Error::NoTopology)));
        assert!(matches!(
            world.dist_graph_create_adjacent(&[3], &[]),
            Err(Error::NoSuchRank { rank: 3, .. })
        ));
        let odd = [&[1_usize][..], &[], &[]][world.rank()];
        assert!(matches!(world.dist_graph_create_adjacent(odd, &[]), Err(Error::Edges)));

        let graph = graph(world)?;
        assert!(matches!(graph.cart_shift(0, 1), Err(Error::NoTopology)));
        assert!(matches!(graph.neighbor_alltoall(&[0; 9], 1), Err(Error::Sum { given: 9, .. })));
        assert!(matches!(graph.neighbor_allgatherv(&[0], &[1; 9]), Err(Error::Counts { given: 9, .. })));
        let line = world.cart_create(&[(3, false)])?.ok_or("all have a place")?;
        assert!(matches!(line.cart_coords(3), Err(Error::NoSuchRank { .. })));
        let far = line.cart_shift(1, 1);
        assert!(matches!(far, Err(Error::NoSuchDimension { dimension: 1, dimensions: 1 })));
        assert!(matches!(line.neighbor_alltoallv(&[0], &[1; 2], &[1; 2]), Err(Error::Sum { .. })));
        assert!(matches!(line.neighbor_alltoallv(&[0], &[1; 1], &[1; 2]), Err(Error::Counts { .. })));
        world.barrier()?;
        Ok(())
    });
}

#[test]
fn a_neighbor_that_is_gone_gives_nothing() {
    local::test(3, |world| {
        let line = world.cart_create(&[(3, false)])?.ok_or("all have a place")?;
        if world.rank() == 2 {
            return Ok(());
        }
        assert!(matches!(world.recv(&mut 0_u8, 2, 0), Err(Error::Finalized(2))));
        // Rank 0 is no neighbor of it, and does not mind.
        let gathered = line.neighbor_allgather(&[world.rank() as u8]);
        match world.rank() {
            0 => assert_eq!(gathered?, [0, 1]),
            _ => assert!(matches!(gathered, Err(Error::Finalized(2)))),
        }
        Ok(())
    });
}
