/work/wt/H/tests/plugins/rust/target/debug/deps/loaded-ec8508e917fd70d4.d: tour/src/bin/loaded.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/libloaded-ec8508e917fd70d4.rmeta: tour/src/bin/loaded.rs Cargo.toml

tour/src/bin/loaded.rs:
Cargo.toml:

# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
