//! Landing pads: code that runs when unwinding leaves a function, as the tables of a library list it for unwinders.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::{Failure, Outcome, build};

/// The preload library has more functions that forward calls.
const MIN_FORWARDING: usize = 100;

/// Fails if a function of the preload library that forwards calls has landing pads. Exceptions of the program and ends of threads
/// leave such functions by any unwinder, and landing pads in Rust work with one unwinder only.
pub fn check(preload: &Path) -> Outcome {
    let [frames, _] =
        build::run(Command::new("readelf").args(["--wide", "--debug-dump=frames"]).arg(preload))?;
    let with_landing_pads = with_landing_pads(&frames);
    Failure::unless(!with_landing_pads.is_empty(), || "readelf shows no landing pads at all".into())?;
    let [symbols, _] = build::run(Command::new("nm").args(["--demangle", "--defined-only"]).arg(preload))?;
    let (mut forwarding, mut found) = (0, BTreeSet::new());
    for line in symbols.lines() {
        // An address, a type and a name.
        let Some((address, name)) =
            line.split_once(' ').and_then(|(address, rest)| Some((address, rest.get(2..)?)))
        else {
            continue;
        };
        if is_forwarding(name) {
            forwarding += 1;
            if with_landing_pads.contains(address) {
                found.insert(name);
            }
        }
    }
    let shown = preload.display();
    Failure::unless(forwarding > MIN_FORWARDING, || {
        format!("{shown}: only {forwarding} functions forward calls")
    })?;
    Failure::unless(found.is_empty(), || format!("{shown}: with landing pads, but forward calls: {found:#?}"))
}

/// Returns the addresses of functions whose entry in `readelf`'s list of frames has data for landing pads.
fn with_landing_pads(frames: &str) -> BTreeSet<&str> {
    let (mut found, mut function) = (BTreeSet::new(), None);
    for line in frames.lines() {
        if let Some((_, range)) = line.split_once(" FDE ").and_then(|(_, entry)| entry.split_once("pc=")) {
            function = range.split("..").next();
        } else if line.ends_with(" CIE") {
            function = None;
        } else if let Some(data) = line.trim_start().strip_prefix("Augmentation data:")
            && data.bytes().any(|byte| !matches!(byte, b' ' | b'0'))
        {
            found.extend(function);
        }
    }
    found
}

/// Returns true for functions of the preload library that forward calls. Closures are excluded: some of them record.
fn is_forwarding(name: &str) -> bool {
    let Some((module, function)) = name.strip_prefix("mpit_preload::").and_then(|path| path.split_once("::"))
    else {
        return false;
    };
    let last = function.rsplit("::").next().unwrap_or_default();
    match module {
        "calls" => function.starts_with("run") && last != "{{closure}}",
        "nesting" => function.starts_with("forward") || function == "ProgramCall::forward",
        "interpose" => {
            let parts = ["recorded", "not_recorded", "run", "forward", "observe"];
            last != "{{closure}}" && parts.iter().any(|part| last.starts_with(part))
        }
        "call_table" => last == "timed" || last == "watched" || last.starts_with("fast_path"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_forwarding, with_landing_pads};

    #[test]
    fn functions_with_data_have_landing_pads() {
        let frames = "\
00000000 0000000000000014 00000000 CIE
  Augmentation:          \"zPLR\"
  Augmentation data:     9b 2a 00 00 00 1b 1b

00000018 0000000000000014 0000001c FDE cie=00000000 pc=0000000000001020..0000000000001040
  Augmentation data:     60 04 00 00
  DW_CFA_nop

00000030 0000000000000014 0000001c FDE cie=00000000 pc=0000000000001040..0000000000001060
  Augmentation data:     00 00 00 00
  DW_CFA_nop
";
        assert!(with_landing_pads(frames).into_iter().eq(["0000000000001020"]));
    }

    #[test]
    fn forwarding_functions_have_names() {
        for name in [
            "calls::run",
            "nesting::forward_on_fast_path",
            "call_table::messages::_::timed",
            "interpose::generic::Call::forward_to",
        ] {
            assert!(is_forwarding(&format!("mpit_preload::{name}")), "{name}");
        }
        for name in [
            "calls::run::{{closure}}",
            "calls::complete",
            "call_table::messages::_::record_and_choose",
            "interpose::generic::Call::record",
        ] {
            assert!(!is_forwarding(&format!("mpit_preload::{name}")), "{name}");
        }
    }
}
