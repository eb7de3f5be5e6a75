/work/wt/H/tests/plugins/rust/target/debug/deps/every-ea73a71adce46aca.d: every/src/lib.rs every/src/groups.rs every/src/happenings.rs every/src/settings.rs every/src/traffic.rs every/src/values.rs Cargo.toml

/work/wt/H/tests/plugins/rust/target/debug/deps/libevery-ea73a71adce46aca.rmeta: every/src/lib.rs every/src/groups.rs every/src/happenings.rs every/src/settings.rs every/src/traffic.rs every/src/values.rs Cargo.toml

every/src/lib.rs:
every/src/groups.rs:
every/src/happenings.rs:
every/src/settings.rs:
every/src/traffic.rs:
every/src/values.rs:
Cargo.toml:

# env-dep:CARGO_PKG_NAME=every
# env-dep:CLIPPY_ARGS=
# env-dep:CLIPPY_CONF_DIR
