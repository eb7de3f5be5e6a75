use mpit::pvar;

struct Queue;

impl Queue {
    #[pvar(class = "SIZE")]
    fn depth() -> u64 {
        0
    }
}

fn main() {
    Queue::depth();
}

// Proves C49.
