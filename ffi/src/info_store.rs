//! Info objects of this crate, for processes without an MPI library.

use std::collections::HashMap;

use mpit_sync::lock::Mutex;

use crate::abi::Handle;

/// Keys and values, in the order of the keys' first assignment.
pub type Entries = Vec<(String, String)>;

/// The number before the first handle: no constant of the ABI, and no pointer of this process.
const FIRST: Handle = 0x4e << 56;

struct Objects {
    newest: Handle,
    live: Option<HashMap<Handle, Entries>>,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects { newest: FIRST, live: None });

/// Creates an object. Its handle is never reused.
pub fn create(entries: Entries) -> Handle {
    let mut objects = OBJECTS.lock();
    objects.newest += 1;
    let handle = objects.newest;
    objects.live.get_or_insert_default().insert(handle, entries);
    handle
}

/// Frees an object. Returns false if there is none.
pub fn free(handle: Handle) -> bool {
    let mut objects = OBJECTS.lock();
    objects.live.get_or_insert_default().remove(&handle).is_some()
}

/// Calls `access` with the entries of an object; returns `None` if there is none.
pub fn with<R>(handle: Handle, access: impl FnOnce(&mut Entries) -> R) -> Option<R> {
    let mut objects = OBJECTS.lock();
    objects.live.get_or_insert_default().get_mut(&handle).map(access)
}

/// Sets the value of a key.
pub fn set(entries: &mut Entries, key: String, value: String) {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key, value)),
    }
}

/// Returns the value of a key.
pub fn get(entries: &Entries, key: &str) -> Option<String> {
    entries.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::{create, free, get, set, with};

    /// Proves R264.
    #[test]
    fn info_objects_are_independent() {
        let one = create(vec![("a".into(), "1".into())]);
        let other = create(with(one, |entries| entries.clone()).unwrap());
        with(one, |entries| set(entries, "a".into(), "2".into()));
        assert_eq!(with(other, |entries| get(entries, "a")).flatten().as_deref(), Some("1"));
        assert!(free(one));
        assert!(!free(one));
        assert!(with(one, |_| ()).is_none());
        assert!(with(other, |_| ()).is_some());
    }
}
