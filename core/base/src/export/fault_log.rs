//! Faults that are not returned to the caller, as data for `mpit check`: definitions that are left out, and panics in plug-ins.
//!
//! Each image has a copy of this crate, and the plug-in's own copy knows faults that the host does not. The process that checks a
//! plug-in creates the file that [`FAULTS`] names just before it opens the plug-in. Each image that is exported later, and the
//! host, append one line for each fault, by one write. Plug-ins that were loaded before found no file.

use std::fs::File;
use std::io::Write;
use std::panic::{PanicHookInfo, set_hook};
use std::sync::OnceLock;

use crate::os::environment;
use crate::registry::{Effect, Refusal, Rule};

/// The environment variable with the path of the file.
pub const FAULTS: &str = "MPIT_PLUGIN_FAULTS";

/// The separator of a line's fields. Texts contain no control characters.
const SEPARATOR: char = '\t';

/// The file, if a process of `mpit check` has this image.
static FILE: OnceLock<Option<File>> = OnceLock::new();

/// A fault, with the definition that has it, and the place of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedFault {
    /// The broken rule.
    pub rule: Rule,
    /// The kind and name of the definition.
    pub what: String,
    /// The place of the definition, or of the panic.
    pub place: String,
    /// The explanation.
    pub why: String,
}

impl LoggedFault {
    /// Returns the faults of a file. The last line may be truncated, and is ignored then.
    pub fn of_text(text: &str) -> impl Iterator<Item = Self> {
        text.split_inclusive('\n').filter_map(Self::of_line)
    }

    fn of_line(line: &str) -> Option<Self> {
        let mut fields = line.strip_suffix('\n')?.split(SEPARATOR);
        let rule = fields.next()?.parse().ok()?;
        let mut text = || fields.next().map(str::to_owned);
        Some(Self { rule, what: text()?, place: text()?, why: text()? })
    }

    fn line(&self) -> String {
        let Self { rule, what, place, why } = self;
        let fields = [rule.as_str(), what, place, why].map(|field| field.replace(char::is_control, "?"));
        fields.join(SEPARATOR.encode_utf8(&mut [0; 4])) + "\n"
    }
}

pub(crate) fn open() {
    FILE.get_or_init(|| {
        let path = environment::var_os(FAULTS)?;
        File::options().append(true).open(path).ok()
    });
}

/// Opens the file, if there is one, and writes panics of this image there instead of to standard error.
pub(super) fn open_for_panics() {
    open();
    if let Some(Some(_)) = FILE.get() {
        set_hook(Box::new(|panic| {
            append(&of_panic(panic));
        }));
    }
}

/// Appends a refused definition, and returns true, if there is a file.
pub(crate) fn append_refusal(refusal: &Refusal) -> bool {
    let Refusal { rule, what, place, effect, why, .. } = refusal.clone();
    let rule = if effect == Effect::LeftOut { Rule::LeftOut } else { rule };
    append(&LoggedFault { rule, what, place, why })
}

fn append(fault: &LoggedFault) -> bool {
    let Some(Some(mut file)) = FILE.get().map(Option::as_ref) else { return false };
    file.write_all(fault.line().as_bytes()).is_ok()
}

fn of_panic(panic: &PanicHookInfo<'_>) -> LoggedFault {
    let payload = panic.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let first_line = message.map(|text| text.lines().next().unwrap_or_default());
    let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
    LoggedFault {
        rule: Rule::Panic,
        what: "the plug-in".into(),
        place: place.unwrap_or_default(),
        why: match first_line {
            Some(text) => format!("it panics: {text}"),
            None => "it panics with a value that is not text".into(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{LoggedFault, Rule};

    #[test]
    fn complete_lines_are_read() {
        let fault = |rule, what: &str| LoggedFault {
            rule,
            what: what.into(),
            place: "src/a.rs:3".into(),
            why: "it has no cell".into(),
        };
        let (one, other) = (fault(Rule::LeftOut, "pvar `at` (SIZE)"), fault(Rule::Panic, "a\tb\n"));
        let text = one.line() + &other.line() + "panic\tthe plug-in";
        let found: Vec<_> = LoggedFault::of_text(&text).collect();
        assert_eq!(found, [one, fault(Rule::Panic, "a?b?")]);
    }
}
