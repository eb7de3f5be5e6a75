mpit::plugin!(name = "acme", activate = start, deactivate = stop);

fn start() -> bool {
    true
}

fn stop(_now: bool) {}

fn main() {}

// Proves C53.
