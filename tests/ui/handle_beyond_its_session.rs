use mpit::tool::{Class, Handle, Tool};

fn handle(tool: &Tool) -> Handle<'_> {
    let session = tool.session().unwrap();
    session.handle("messages", Class::Counter, None).unwrap()
}

fn freed(tool: &Tool) {
    let session = tool.session().unwrap();
    let handle = session.handle("messages", Class::Counter, None).unwrap();
    drop(session);
    handle.start().unwrap();
}

fn main() {}

// Proves C39.
