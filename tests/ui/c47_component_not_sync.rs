use mpit::component;

trait Listener {}

struct Recorder;

#[component(framework = "pml", name = "recorder")]
impl Listener for Recorder {}

trait Sharing: Send + Sync {}

struct Sized(u32);

#[component(framework = "pml", name = "sized")]
impl Sharing for Sized {}

fn main() {}
