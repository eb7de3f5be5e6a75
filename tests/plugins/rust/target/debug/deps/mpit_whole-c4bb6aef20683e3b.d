/work/wt/H/tests/plugins/rust/target/debug/deps/mpit_whole-c4bb6aef20683e3b.d: /work/wt/H/core/whole/src/lib.rs

/work/wt/H/tests/plugins/rust/target/debug/deps/libmpit_whole-c4bb6aef20683e3b.rmeta: /work/wt/H/core/whole/src/lib.rs

/work/wt/H/core/whole/src/lib.rs:
