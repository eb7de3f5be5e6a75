//! Listening in Rust.

use std::panic::panic_any;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use mpit::Error;
use mpit::event::{Context, Event as _, Safety};
use mpit::object::{Bind, Object};
use mpit::tool::{EventInstance, Tool};

/// The source of this test's events.
#[mpit::source(ordered)]
struct Line;

/// A message arrived.
#[mpit::event(source = Line)]
struct Came {
    from: i32,
    bytes: u64,
}

/// A message arrived on a communicator.
#[mpit::event(source = Line, bind = "COMM")]
struct CameOn {
    from: i32,
}

/// An event type without other listeners.
#[mpit::event(source = Line)]
struct Lost {
    number: i32,
}

fn came(context: Context, from: i32) {
    Came::raise(context, || Came { from, bytes: 8 });
}

#[test]
fn a_function_is_called_until_the_drop() {
    let tool = Tool::new();
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let listener = tool.listen("came", None, Safety::None, move |instance| {
        let elements = (instance.read::<i32>(0), instance.read::<u64>(1));
        sink.lock().unwrap().push((instance.time().unwrap(), elements));
        assert_eq!(instance.desc().name(), "came");
        assert_eq!(instance.read::<u64>(0), Err(Error::Invalid));
        assert_eq!(instance.read::<i32>(2), Err(Error::InvalidIndex));
    });
    came(Context::ANYWHERE, 1);
    came(Context::ANYWHERE, 2);
    assert_eq!(Arc::strong_count(&received), 2);
    drop(listener.unwrap());
    assert_eq!(Arc::strong_count(&received), 1, "the function was dropped with its captures");
    came(Context::ANYWHERE, 3);
    let received = received.lock().unwrap();
    let elements: Vec<_> = received.iter().map(|(_, elements)| *elements).collect();
    assert_eq!(elements, [(Ok(1), Ok(8)), (Ok(2), Ok(8))]);
    assert!(received[0].0 <= received[1].0);
}

#[test]
fn a_typed_callback_gets_one_object() {
    let tool = Tool::new();
    let received = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&received);
    let object = Object::world(21, 4);
    let listener =
        tool.on_bound(&object, move |event: &CameOn| sink.lock().unwrap().push(event.from)).unwrap();
    for (number, from) in [(21, 1), (22, 2), (21, 3)] {
        CameOn::raise(Context::ANYWHERE.about(number), || CameOn { from });
    }
    drop(listener);
    assert_eq!(*received.lock().unwrap(), [1, 3]);
    let refused = |object: &Object<'_>| tool.on_bound(object, |_: &CameOn| ()).map(drop);
    assert_eq!(refused(&Object::new(Bind::Win, 21)), Err(Error::InvalidHandle));
    assert_eq!(tool.on(|_: &CameOn| ()).map(drop), Err(Error::InvalidHandle));
    assert_eq!(
        tool.on_bound(&object, |_: &Came| ()).map(drop),
        Ok(()),
        "the object of an unbound type is ignored"
    );
}

#[test]
fn what_the_place_does_not_admit_is_counted() {
    static RECEIVED: AtomicU32 = AtomicU32::new(0);
    let tool = Tool::new();
    let receive = |_: &EventInstance| _ = RECEIVED.fetch_add(1, SeqCst);
    let listener = tool.listen("lost", None, Safety::ThreadSafe, receive).unwrap();
    let raise = |context, number| Lost::raise(context, || Lost { number });
    raise(Context::requiring(Safety::ThreadSafe), 1);
    raise(Context::requiring(Safety::AsyncSignalSafe), 2);
    raise(Context::requiring(Safety::AsyncSignalSafe), 3);
    raise(Context::ANYWHERE, 4);
    assert_eq!((RECEIVED.load(SeqCst), listener.lost()), (2, 2));
}

/// A value whose destructor panics with another such value.
struct PanicsWhenDropped;

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        panic_any(Self);
    }
}

#[test]
fn a_panic_ends_in_the_function() {
    let tool = Tool::new();
    let object = Object::world(1, 4);
    let listener =
        tool.listen("came_on", Some(&object), Safety::None, |_| panic!("this test panics on purpose"));
    let of_payload = tool.listen("came_on", Some(&object), Safety::None, |_| panic_any(PanicsWhenDropped));
    let captured = PanicsWhenDropped;
    let of_capture = tool.listen("came_on", Some(&object), Safety::None, move |_| _ = &captured);
    CameOn::raise(Context::ANYWHERE.about(1), || CameOn { from: 3 });
    drop([listener.unwrap(), of_payload.unwrap(), of_capture.unwrap()]);
}

#[test]
fn what_cannot_be_listened_to_is_refused() {
    let tool = Tool::new();
    let refused = |name, object: Option<&Object<'_>>, safety| {
        tool.listen(name, object, safety, |_| unreachable!("it is not raised")).map(drop)
    };
    assert_eq!(refused("gone", None, Safety::None), Err(Error::InvalidName));
    assert_eq!(refused("came", None, Safety::AsyncSignalSafe), Err(Error::Invalid));
    assert_eq!(refused("came_on", None, Safety::None), Err(Error::InvalidHandle));
    let window = Object::new(Bind::Win, 1);
    assert_eq!(refused("came_on", Some(&window), Safety::None), Err(Error::InvalidHandle));
}
