//! The other end of a connection that this process has inherited.

use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::FromRawFd;

/// Returns the TCP port at the other end of a descriptor; `None` if it is no connected socket.
#[must_use]
pub fn peer_port(descriptor: libc::c_int) -> Option<u16> {
    if descriptor < 0 {
        return None;
    }
    // SAFETY: the descriptor is not closed, and used for one question, which fails if it is no socket.
    let stream = ManuallyDrop::new(unsafe { TcpStream::from_raw_fd(descriptor) });
    stream.peer_addr().ok().map(|address| address.port())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;

    use super::peer_port;

    #[test]
    #[cfg_attr(miri, ignore = "opens connections")]
    fn connections_have_ports() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert_eq!(peer_port(stream.as_raw_fd()), Some(listener.local_addr().unwrap().port()));
        assert_eq!(peer_port(listener.as_raw_fd()), None);
        assert_eq!(peer_port(File::open("/dev/null").unwrap().as_raw_fd()), None);
        assert_eq!(peer_port(-1), None);
    }
}
