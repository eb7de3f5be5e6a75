/work/wt/H/tests/plugins/rust/target/debug/deps/short-6968724d63909227.d: short/src/lib.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/libshort-6968724d63909227.rmeta: short/src/lib.rs Cargo.toml

short/src/lib.rs:
Cargo.toml:

# env-dep:CARGO_PKG_NAME=short
# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
