/work/wt/H/tests/plugins/rust/target/debug/deps/tour-c6400822c1b4e043.d: tour/src/lib.rs tour/src/events.rs tour/src/lists.rs tour/src/values.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/libtour-c6400822c1b4e043.rmeta: tour/src/lib.rs tour/src/events.rs tour/src/lists.rs tour/src/values.rs Cargo.toml

tour/src/lib.rs:
tour/src/events.rs:
tour/src/lists.rs:
tour/src/values.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
