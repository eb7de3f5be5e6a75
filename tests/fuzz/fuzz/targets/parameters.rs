#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| mpit_fuzz::parameters::target(data));
