/work/wt/H/tests/plugins/rust/target/debug/deps/linked-3da0a6e31ee136ce.d: tour/src/bin/linked.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/liblinked-3da0a6e31ee136ce.rmeta: tour/src/bin/linked.rs Cargo.toml

tour/src/bin/linked.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
