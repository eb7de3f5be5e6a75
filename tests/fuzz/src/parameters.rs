//! Parameter files, and the values of control variables that they set.

use std::{fmt::Write, path::Path};

use arbitrary::{Result, Unstructured};
use mpit::cvar::sources::parse_file;
use mpit::cvar::{Cvar, Text};
use mpit::internal::registry::Image;
use mpit::tool::Registry;
use mpit::{MpitEnum, cvar};

/// A whole number in a range.
#[cvar]
static FUZZ_LIMIT: Cvar<i32> = Cvar::new(7).range(-5..=100);

/// A number without a range.
#[cvar]
static FUZZ_SIZE: Cvar<u64> = Cvar::new(0);

/// The size of a text in bytes, including its NUL.
pub(crate) const NOTE: usize = 16;

/// A text of at most 15 bytes.
#[cvar(alias = "fuzz_label")]
static FUZZ_NOTE: Cvar<Text<NOTE>> = Cvar::new(Text::new("none"));

/// An item of an enumeration.
#[cvar]
static FUZZ_PHASE: Cvar<Phase> = Cvar::new(Phase::Idle);

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, MpitEnum)]
#[mpit(name = "fuzz_phase")]
#[repr(i32)]
enum Phase {
    Idle,
    Working = -3,
    Done = 40,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Values {
    limit: i32,
    size: u64,
    note: String,
    phase: Phase,
}

impl Values {
    pub(crate) fn default() -> Self {
        Self { limit: 7, size: 0, note: "none".into(), phase: Phase::Idle }
    }

    fn of_variables() -> Self {
        Self {
            limit: FUZZ_LIMIT.get(),
            size: FUZZ_SIZE.get(),
            note: FUZZ_NOTE.get().as_str().into(),
            phase: FUZZ_PHASE.get(),
        }
    }

    pub(crate) fn write_to_variables(&self) {
        let set = [
            FUZZ_LIMIT.set(self.limit),
            FUZZ_SIZE.set(self.size),
            FUZZ_NOTE.set(Text::checked(&self.note).expect("it is short")),
            FUZZ_PHASE.set(self.phase),
        ];
        assert_eq!(set, [Ok(()); 4]);
    }
}

/// Reads bytes as a parameter file, and as choices from which a file with known values is built.
pub fn target(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let (values, _) = values_of(text);
        assert!((-5..=100).contains(&values.limit) && values.note.len() < NOTE, "{values:?}");
    }
    let (mut text, mut expected) = (String::new(), Values::default());
    let mut choices = Unstructured::new(data);
    while !choices.is_empty() && add_line(&mut choices, &mut text, &mut expected).is_ok() {}
    let (values, refused) = values_of(&text);
    assert_eq!((values, refused), (expected, 0), "{text}");
}

/// Returns the values of the variables after reading a file, and the number of its invalid lines.
fn values_of(text: &str) -> (Values, usize) {
    Values::default().write_to_variables();
    let global = Registry::global();
    let mut image = Image::new("fuzz");
    let all = (0..global.cvar_count()).filter_map(|index| global.cvar(index));
    image.cvars = all.filter(|desc| desc.name().starts_with("fuzz_")).collect();
    assert!(image.cvars.len() >= 4);
    let refused = std::cell::Cell::new(0);
    let settings = parse_file(Path::new("params.conf"), text, &|_| refused.set(refused.get() + 1));
    let refusals = Registry::new().add(&image, &settings);
    assert!(refusals.is_empty(), "{refusals:?}");
    (Values::of_variables(), refused.get())
}

/// Adds a valid line, whose value may be invalid for its variable.
fn add_line(choices: &mut Unstructured<'_>, text: &mut String, expected: &mut Values) -> Result<()> {
    let (name, value) = match choices.int_in_range(0..=5)? {
        0 => {
            let number = i32::from(choices.arbitrary::<i16>()?) / 128;
            if (-5..=100).contains(&number) {
                expected.limit = number;
            }
            ("fuzz_limit", number.to_string())
        }
        1 => {
            let number: u64 = choices.arbitrary()?;
            expected.size = number;
            ("fuzz_size", if choices.arbitrary()? { format!("{number:#x}") } else { number.to_string() })
        }
        2 => ("fuzz_size", format!("1{number}", number = u64::MAX)),
        3 => {
            let len = choices.int_in_range(0..=17)?;
            let of = ["a", "B", "_", "=", "/", "é"];
            let note = (0..len).map(|_| choices.choose(&of).copied()).collect::<Result<String>>()?;
            if note.len() < NOTE {
                expected.note.clone_from(&note);
            }
            (*choices.choose(&["fuzz_note", "fuzz_label"])?, note)
        }
        4 => {
            let (phase, name, number) = *choices.choose(&[
                (Phase::Idle, "idle", 0),
                (Phase::Working, "working", -3),
                (Phase::Done, "done", 40),
            ])?;
            expected.phase = phase;
            ("fuzz_phase", if choices.arbitrary()? { name.to_owned() } else { number.to_string() })
        }
        _ => ("fuzz_unknown", "1".into()),
    };
    let [before, between, behind] = [choices.arbitrary::<u8>()?, choices.arbitrary()?, choices.arbitrary()?];
    let space = |choice: u8| [" ", "", "\t", "  "][usize::from(choice % 4)];
    let quote = if behind >= 128 { "\"" } else { "" };
    let comment = ["", "# \"a\" = b", "#", " "][usize::from(behind / 4 % 4)];
    let end = if before >= 128 { "\r\n" } else { "\n" };
    let (before, between, behind) = (space(before), space(between), space(behind));
    write!(text, "{before}{name}{between}={between}{quote}{value}{quote}{behind}{comment}{end}")
        .expect("a string takes everything");
    if choices.ratio(1, 8)? {
        text.push_str("# = a comment\n\n");
    }
    Ok(())
}
