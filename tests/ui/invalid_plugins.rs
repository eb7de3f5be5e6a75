mod nameless {
    mpit::plugin!();
}

mod other {
    mpit::plugin!(activate = start);
}

mod strange {
    mpit::plugin!(name = "a b");
}

mod empty {
    mpit::plugin!(name = "");
}

mod unknown {
    mpit::plugin!(nam = "acme");
}

mod bare {
    mpit::plugin!("acme");
}

mod unquoted {
    mpit::plugin!(name = acme);
}

mpit::plugin!(name = "acme");

mod inner {
    mpit::plugin!(name = "other");
}

fn main() {}

// Proves C51, C52.
