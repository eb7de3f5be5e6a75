//! Info objects of our own, where there is no MPI library to make them.

use std::collections::HashMap;

use mpit::lock::Mutex;

use crate::abi::Handle;

/// Keys and values, in the order in which the keys were first set.
pub type Entries = Vec<(String, String)>;

/// Handles begin here: no constant of the ABI, and no pointer of this process.
const FIRST: Handle = 0x4e << 56;

struct Objects {
    newest: Handle,
    live: Option<HashMap<Handle, Entries>>,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects { newest: FIRST, live: None });

/// Makes an object. Its handle is never used again.
pub fn create(entries: Entries) -> Handle {
    let mut objects = OBJECTS.lock();
    objects.newest += 1;
    let handle = objects.newest;
    objects.live.get_or_insert_default().insert(handle, entries);
    handle
}

/// Ends an object; whether it was one.
pub fn free(handle: Handle) -> bool {
    let mut objects = OBJECTS.lock();
    objects.live.get_or_insert_default().remove(&handle).is_some()
}

/// Looks at or changes the entries of an object; `None` if it is none.
pub fn with<R>(handle: Handle, look: impl FnOnce(&mut Entries) -> R) -> Option<R> {
    let mut objects = OBJECTS.lock();
    objects.live.get_or_insert_default().get_mut(&handle).map(look)
}

/// Sets a key, in place of its value before.
pub fn set(entries: &mut Entries, key: String, value: String) {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => entries.push((key, value)),
    }
}

/// The value of a key.
#[must_use]
pub fn get(entries: &Entries, key: &str) -> Option<String> {
    entries.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
}

#[cfg(test)]
mod tests {
    use super::{create, free, get, set, with};

    #[test]
    fn r264_objects_are_independent() {
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
