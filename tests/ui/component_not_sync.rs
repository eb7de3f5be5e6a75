use mpit::component;

trait Listener {}

struct Recorder;

#[component(framework = "recording", name = "recorder")]
impl Listener for Recorder {}

trait Sharing: Send + Sync {}

struct Sized(u32);

#[component(framework = "recording", name = "sized")]
impl Sharing for Sized {}

fn main() {}

// Proves C47.
