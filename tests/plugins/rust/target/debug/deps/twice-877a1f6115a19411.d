/work/wt/H/tests/plugins/rust/target/debug/deps/twice-877a1f6115a19411.d: twice/src/lib.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/libtwice-877a1f6115a19411.rmeta: twice/src/lib.rs Cargo.toml

twice/src/lib.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
