//! Sends in all modes, and what they meet.

use mpit_components::local::{self, ANY_SOURCE, ANY_TAG, Status};

#[test]
fn a_token_goes_round() {
    local::test(4, |world| {
        let (rank, size) = (world.rank(), world.size());
        let (to, from) = ((rank + 1) % size, (rank + size - 1) % size);
        let mut token = 0_u32;
        if rank == 0 {
            world.send(&1_u32, to, 5)?;
            let status = world.recv(&mut token, ANY_SOURCE, ANY_TAG)?;
            assert_eq!(status, Status { source: from, tag: 5, bytes: 4 });
            assert_eq!(token, 4);
        } else {
            world.recv(&mut token, from, 5)?;
            world.send(&(token + 1), to, 5)?;
        }
        Ok(())
    });
}
