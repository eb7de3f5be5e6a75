//! The other end of a connection that this process has inherited.

/// The number of words of the largest address.
const ADDRESS_WORDS: usize = size_of::<libc::sockaddr_storage>() / size_of::<u64>();

/// Returns the TCP port at the other end of a descriptor; `None` if it is no connected socket, or not on Linux, whose addresses begin with the
/// family and the port.
#[must_use]
pub fn peer_port(descriptor: libc::c_int) -> Option<u16> {
    let mut address = [0_u64; ADDRESS_WORDS];
    let mut len = size_of_val(&address) as libc::socklen_t;
    // SAFETY: `address` has space for `len` bytes, an address of any family; a descriptor that is no socket is an error.
    let status = unsafe { libc::getpeername(descriptor, address.as_mut_ptr().cast(), &raw mut len) };
    let [family_low, family_high, port_high, port_low, ..] = address[0].to_ne_bytes();
    let family = libc::c_int::from(u16::from_ne_bytes([family_low, family_high]));
    if status != 0 || cfg!(not(target_os = "linux")) || ![libc::AF_INET, libc::AF_INET6].contains(&family) {
        return None;
    }
    Some(u16::from_be_bytes([port_high, port_low]))
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
