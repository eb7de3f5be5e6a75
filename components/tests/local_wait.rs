//! Waiting for several requests, and asking about them.

use mpit_components::local::{self, Comm, Error, Outcome, Request, Status};

/// Three receives from rank 0 with the tags 0, 1, 2, and what sends to them.
fn with_receives(
    world: &Comm,
    check: impl FnOnce(&mut [Request<'_>], &dyn Fn(i32) -> Outcome) -> Outcome,
) -> Outcome {
    let mut values = [0_i32; 3];
    let [a, b, c] = &mut values;
    let mut requests = [world.irecv(a, 0, 0)?, world.irecv(b, 0, 1)?, world.irecv(c, 0, 2)?];
    let send = |tag| Ok(world.send(&(tag * 10), 0, tag)?);
    check(&mut requests, &send)?;
    assert!(requests.iter().all(|request| !request.is_active()));
    assert_eq!(values, [0, 10, 20]);
    Ok(())
}

fn status(tag: i32) -> Status {
    Status { source: 0, tag, bytes: 4 }
}

#[test]
fn wait_all() {
    local::test(1, |world| {
        with_receives(world, |requests, send| {
            for tag in [2, 0, 1] {
                send(tag)?;
            }
            assert_eq!(Request::wait_all(requests)?, [status(0), status(1), status(2)]);
            assert_eq!(Request::wait_all(requests)?, [Status::EMPTY; 3]);
            Ok(())
        })
    });
}

#[test]
fn wait_any() {
    local::test(1, |world| {
        with_receives(world, |requests, send| {
            for tag in [1, 2, 0] {
                send(tag)?;
                assert_eq!(Request::wait_any(requests)?, Some((tag as usize, status(tag))));
            }
            assert_eq!(Request::wait_any(requests)?, None);
            Ok(())
        })
    });
}

#[test]
fn wait_some() {
    local::test(1, |world| {
        with_receives(world, |requests, send| {
            send(1)?;
            assert_eq!(Request::wait_some(requests)?, [(1, status(1))]);
            send(2)?;
            send(0)?;
            assert_eq!(Request::wait_some(requests)?, [(0, status(0)), (2, status(2))]);
            assert_eq!(Request::wait_some(requests)?, []);
            Ok(())
        })
    });
}

#[test]
fn test_all() {
    local::test(1, |world| {
        with_receives(world, |requests, send| {
            assert_eq!(Request::test_all(requests)?, None);
            send(0)?;
            send(2)?;
            assert_eq!(Request::test_all(requests)?, None);
            assert!(requests.iter().all(Request::is_active));
            send(1)?;
            assert_eq!(Request::test_all(requests)?, Some(vec![status(0), status(1), status(2)]));
            assert_eq!(Request::test_all(requests)?, Some(vec![Status::EMPTY; 3]));
            Ok(())
        })
    });
}

#[test]
fn test_any_and_some_and_one() {
    local::test(1, |world| {
        with_receives(world, |requests, send| {
            assert_eq!(Request::test_any(requests)?, None);
            assert_eq!(Request::test_some(requests)?, []);
            assert_eq!(requests[1].test()?, None);
            send(1)?;
            assert_eq!(Request::test_any(requests)?, Some((1, status(1))));
            assert_eq!(Request::test_any(requests)?, None);
            send(2)?;
            assert_eq!(Request::test_some(requests)?, [(2, status(2))]);
            send(0)?;
            assert_eq!(requests[0].test()?, Some(status(0)));
            assert_eq!(requests[0].test()?, Some(Status::EMPTY));
            assert_eq!(Request::test_any(requests)?, None);
            assert_eq!(Request::test_some(requests)?, []);
            Ok(())
        })
    });
}

#[test]
fn waiting_ends_when_somebody_else_sends() {
    local::test(3, |world| {
        if world.rank() != 0 {
            world.recv(&mut [0_u8; 0], 0, 0)?;
            world.send(&world.rank(), 0, 1)?;
            return Ok(());
        }
        let (mut one, mut two) = (0_usize, 0_usize);
        let mut requests = [world.irecv(&mut one, 1, 1)?, world.irecv(&mut two, 2, 1)?];
        for rank in [2, 1] {
            world.send(&[0_u8; 0], rank, 0)?;
            let ended = Request::wait_any(&mut requests)?;
            assert_eq!(ended.map(|(at, status)| (at, status.source)), Some((rank - 1, rank)));
        }
        assert_eq!((one, two), (1, 2));
        Ok(())
    });
}

#[test]
fn an_error_leaves_no_request_behind() {
    local::test(1, |world| {
        let (mut small, mut fits) = (0_u8, 0_u32);
        let mut requests = [world.irecv(&mut small, 0, 0)?, world.irecv(&mut fits, 0, 1)?];
        world.send(&1_u32, 0, 0)?;
        world.send(&2_u32, 0, 1)?;
        assert!(matches!(Request::wait_all(&mut requests), Err(Error::Truncated { .. })));
        assert!(requests.iter().all(|request| !request.is_active()));
        assert_eq!((small, fits), (0, 2));
        Ok(())
    });
}
