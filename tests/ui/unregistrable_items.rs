use mpit::cell::Counter;
use mpit::cvar::Cvar;
use mpit::{MpitEnum, category, component, cvar, pvar};

#[pvar(class = "COUNTER")]
static mut LOST: Counter<u64> = Counter::new();

#[cvar]
static mut LIMIT: Cvar<u32> = Cvar::new(1);

#[pvar(class = "COUNTER")]
fn generic<T>() -> u64 {
    0
}

#[pvar(class = "COUNTER")]
async fn asynchronous() -> u64 {
    0
}

#[pvar(class = "COUNTER")]
unsafe fn dangerous() -> u64 {
    0
}

struct Queue;

impl Queue {
    #[pvar(class = "COUNTER")]
    fn len(&self) -> u64 {
        0
    }
}

#[category]
struct Net<const N: usize>;

#[derive(Clone, Copy, MpitEnum)]
#[repr(i32)]
enum Phase<T> {
    Idle(T),
}

trait Listener: Send + Sync {}
struct Recorder<T>(T);

#[component(framework = "pml", name = "recorder")]
impl<T: Send + Sync> Listener for Recorder<T> {}

fn main() {}

// Proves C49.
