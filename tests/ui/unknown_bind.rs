use mpit::cell::PeerArray;
use mpit::pvar;

#[pvar(class = "SIZE", bind = "MPI_T_BIND_MPI_COMM")]
static BYTES: PeerArray<u64> = PeerArray::new();

fn main() {}

// Proves C4.
