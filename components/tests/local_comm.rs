//! Communicators: who is in them, what they are called, and how they come and go.

use mpit::words::Bind;
use mpit_components::comms::{self, Ranks};
use mpit_components::local::{self, Error, Request};

#[test]
fn the_first_two() {
    local::test(3, |world| {
        assert_eq!((world.size(), world.name().as_str()), (3, "MPI_COMM_WORLD"));
        let alone = world.comm_self();
        assert_eq!((alone.rank(), alone.size(), alone.name().as_str()), (0, 1, "MPI_COMM_SELF"));
        assert_eq!(alone.comm_self().id(), alone.id());
        let known: Vec<_> = comms::live().into_iter().map(|record| (record.id, record.ranks)).collect();
        let own = Ranks::List([world.rank() as u32].into());
        assert_eq!(known, [(world.id(), Ranks::World(3)), (alone.id(), own)]);
        alone.free();
        assert!(comms::get(world.comm_self().id()).is_some());

        let object = world.object();
        assert_eq!((object.kind(), object.id()), (Bind::Comm, world.id().get()));
        Ok(())
    });
}

#[test]
fn dup_has_the_same_ranks() {
    local::test(3, |world| {
        let copy = world.dup()?;
        assert_eq!((copy.rank(), copy.size()), (world.rank(), 3));
        assert_eq!(copy.name(), "MPI COMM 3 DUP FROM 0");
        let again = copy.dup()?;
        assert_eq!(again.name(), "MPI COMM 4 DUP FROM 3");
        assert_eq!(again.allreduce(&[1], |a, b| a + b)?, [3]);
        assert_eq!(comms::get(again.id()).map(|record| record.ranks), Some(Ranks::World(3)));
        Ok(())
    });
}

#[test]
fn split_orders_by_key_and_rank() {
    local::test(5, |world| {
        let rank = world.rank();
        // 0, 2, 4 in reverse; 1 alone; 3 in none.
        let color = [Some(7), Some(9), Some(7), None, Some(7)][rank];
        let part = world.split(color, -(rank as i32))?;
        match part {
            None => assert_eq!(rank, 3),
            Some(part) if rank == 1 => assert_eq!((part.rank(), part.size()), (0, 1)),
            Some(part) => {
                assert_eq!((part.rank(), part.size()), (2 - rank / 2, 3));
                assert_eq!(part.name(), "MPI COMM 3 SPLIT FROM 0");
                let record = comms::get(part.id()).ok_or("it is not freed")?;
                assert_eq!(record.ranks, Ranks::List([4, 2, 0].into()));
                assert_eq!(part.allgather(&[rank])?, [4, 2, 0]);
                for (there, here) in [4, 2, 0].into_iter().enumerate() {
                    assert_eq!(part.translate(there, world)?, Some(here));
                    assert_eq!(world.translate(here, &part)?, Some(there));
                }
                assert_eq!(world.translate(1, &part)?, None);
                assert!(matches!(part.translate(3, world), Err(Error::NoSuchRank { rank: 3, size: 3 })));

                // A part of a part: 4 and 0, in the order of the world again.
                let inner = part.split((rank != 2).then_some(0), rank as i32)?;
                assert_eq!(inner.is_none(), rank == 2);
                if let Some(inner) = inner {
                    assert_eq!(inner.allgather(&[rank])?, [0, 4]);
                    assert_eq!(inner.name(), "MPI COMM 4 SPLIT FROM 3");
                }
            }
        }
        // Some have used one context more than others: they agree on one that all have free.
        let next = world.dup()?;
        assert_eq!(next.name(), "MPI COMM 5 DUP FROM 0");
        next.barrier()?;
        Ok(())
    });
}

#[test]
fn everything_in_its_old_order_is_the_world() {
    local::test(3, |world| {
        let same = world.split(Some(0), 0)?.ok_or("all gave a colour")?;
        assert_eq!(comms::get(same.id()).map(|record| record.ranks), Some(Ranks::World(3)));
        let reversed = world.split(Some(0), -(world.rank() as i32))?.ok_or("all gave a colour")?;
        let list = Ranks::List([2, 1, 0].into());
        assert_eq!(comms::get(reversed.id()).map(|record| record.ranks), Some(list));
        Ok(())
    });
}

#[test]
fn names_are_what_they_are_set_to() {
    local::test(2, |world| {
        let copy = world.dup()?;
        copy.set_name("halo");
        world.set_name("all");
        assert_eq!((copy.name(), world.name()), ("halo".into(), "all".into()));
        assert_eq!(comms::get(copy.id()).map(|record| record.name.to_string()), Some("halo".into()));
        world.comm_self().set_name("me");
        assert_eq!(world.comm_self().name(), "me");
        Ok(())
    });
}

#[test]
fn freed_ones_are_gone_but_requests_on_them_end() {
    local::test(2, |world| {
        let other = 1 - world.rank();
        let copy = world.dup()?;
        let id = copy.id();
        let mut value = 0_usize;
        let mut request = copy.irecv(&mut value, other, 0)?;
        copy.send(&world.rank(), other, 0)?;
        copy.free();
        assert!(comms::get(id).is_none());
        request.wait()?;
        assert_eq!(value, other);

        let id = world.dup()?.id();
        assert!(comms::get(id).is_none(), "dropping one frees it");
        Ok(())
    });
}

#[test]
fn requests_on_several_freed_ones_end_together() {
    local::test(1, |world| {
        let mut values = [0_u8; 4];
        let mut requests = Vec::new();
        for value in &mut values {
            let copy = world.dup()?;
            requests.push(copy.irecv(value, 0, 0)?);
            copy.send(&7_u8, 0, 0)?;
        }
        Request::wait_all(&mut requests)?;
        assert_eq!(values, [7; 4]);
        Ok(())
    });
}
