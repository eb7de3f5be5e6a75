mpit::plugin!(name = "acme");

mod inner {
    mpit::plugin!(name = "other");
}

fn main() {}

// Proves C52.
