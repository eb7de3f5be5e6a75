//! Control variables: reads must return the values written before.

use std::{collections::BTreeMap, ffi::c_int};

use arbitrary::{Result, Unstructured};
use mpit::Error;
use mpit::cvar::Cvar;

use super::calls::{self, Pointer};
use super::{Expected, check};
use crate::parameters::{NOTE, Values};

/// A number that tools cannot set.
#[mpit::cvar(scope = "CONSTANT")]
static FUZZ_CONSTANT: Cvar<u32> = Cvar::new(11);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    Limit,
    Size,
    Note,
    Phase,
    Constant,
}

const ALL: [Setting; 5] = [Setting::Limit, Setting::Size, Setting::Note, Setting::Phase, Setting::Constant];

impl Setting {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Limit => "fuzz_limit",
            Self::Size => "fuzz_size",
            Self::Note => "fuzz_note",
            Self::Phase => "fuzz_phase",
            Self::Constant => "fuzz_constant",
        }
    }

    pub(super) fn index(self) -> c_int {
        let index = mpit::tool::Registry::global().cvar_index(self.name());
        index.expect("the variable is registered").cast_signed()
    }

    pub(super) fn choose(choices: &mut Unstructured<'_>) -> Result<Self> {
        choices.choose(&ALL).copied()
    }

    fn count(self) -> c_int {
        if self == Self::Note { NOTE as c_int } else { 1 }
    }

    /// Returns a value to write, and the value that is read afterwards, if the variable accepts it.
    fn value(self, choices: &mut Unstructured<'_>) -> Result<(Vec<u8>, Expected<Vec<u8>>)> {
        let number = |bytes: Vec<u8>, is_accepted| {
            let read = if is_accepted { Ok(bytes.clone()) } else { Err(Error::Invalid) };
            (bytes, read)
        };
        Ok(match self {
            Self::Limit => {
                let value = i32::from(choices.arbitrary::<i16>()?) / 200;
                number(value.to_ne_bytes().into(), (-5..=100).contains(&value))
            }
            Self::Size => number(choices.arbitrary::<u64>()?.to_ne_bytes().into(), true),
            Self::Phase => {
                let value = *choices.choose(&[0, -3, 40, 1, i32::MIN])?;
                number(value.to_ne_bytes().into(), [0, -3, 40].contains(&value))
            }
            Self::Constant => (vec![0; 4], Err(Error::CvarSetNever)),
            Self::Note => {
                let len = choices.int_in_range(0..=NOTE)?;
                let mut text = vec![*choices.choose(b"xy\xff")?; len];
                let is_accepted = len < NOTE && text.first() != Some(&0xff);
                if len < NOTE {
                    // A tool's buffer may have exactly the length of the text and its NUL.
                    text.push(0);
                }
                let mut read = text.clone();
                read.resize(NOTE, 0);
                (text, if is_accepted { Ok(read) } else { Err(Error::Invalid) })
            }
        })
    }
}

pub(super) struct Settings {
    values: BTreeMap<&'static str, Vec<u8>>,
    handles: BTreeMap<usize, Setting>,
    issued: Vec<usize>,
}

impl Settings {
    pub(super) fn begin() -> Self {
        Values::default().write_to_variables();
        let mut note = b"none".to_vec();
        note.resize(NOTE, 0);
        let values = [
            ("fuzz_limit", 7_i32.to_ne_bytes().into()),
            ("fuzz_size", 0_u64.to_ne_bytes().into()),
            ("fuzz_note", note),
            ("fuzz_phase", 0_i32.to_ne_bytes().into()),
            ("fuzz_constant", 11_u32.to_ne_bytes().into()),
        ];
        assert_eq!(FUZZ_CONSTANT.get(), 11);
        Self { values: values.into(), handles: BTreeMap::new(), issued: Vec::new() }
    }

    /// Removes all handles, as the last `MPI_T_finalize` does.
    pub(super) fn end(&mut self) {
        self.handles.clear();
    }

    fn choose(&self, choices: &mut Unstructured<'_>) -> Result<usize> {
        let all: Vec<usize> = match choices.arbitrary::<u8>()? {
            255 => return choices.arbitrary(),
            254 => return Ok(0),
            230..=253 => self.issued.clone(),
            _ => self.handles.keys().copied().collect(),
        };
        Ok(if all.is_empty() { 0 } else { *choices.choose(&all)? })
    }

    pub(super) fn step(&mut self, choices: &mut Unstructured<'_>, is_initialized: bool) -> Result<()> {
        let (what, pointer) = (choices.int_in_range(0..=7)?, Pointer::choose(choices)?);
        let up = if is_initialized { Ok(()) } else { Err(Error::NotInitialized) }.and(pointer.not_null());
        if what == 0 {
            return self.alloc(choices, up, pointer);
        }
        let handle = self.choose(choices)?;
        let known = up.and_then(|()| self.handles.get(&handle).copied().ok_or(Error::InvalidHandle));
        let of = known.unwrap_or(Setting::Size);
        // Text has no alignment.
        let aligned = if of == Setting::Note { Ok(()) } else { pointer.aligned() };
        match what {
            1 => {
                let (code, left) = calls::setting_free(handle, pointer);
                check(code, &known);
                assert_eq!(left, if known.is_ok() { 0 } else { handle });
                if known.is_ok() {
                    self.handles.remove(&handle);
                }
            }
            2..=4 => {
                let expected = known.and_then(|of| aligned.map(|()| &self.values[of.name()]));
                let (code, read) = calls::setting_read(handle, self.values[of.name()].len(), pointer);
                check(code, &expected);
                if let Ok(expected) = expected {
                    assert_eq!(read, *expected, "{of:?}");
                }
            }
            _ => {
                let (written, read) = of.value(choices)?;
                let expected = known.and(aligned).and(read);
                check(calls::setting_write(handle, &written, pointer), &expected);
                if let Ok(read) = expected {
                    self.values.insert(of.name(), read);
                }
            }
        }
        Ok(())
    }

    fn alloc(&mut self, choices: &mut Unstructured<'_>, up: Expected, pointer: Pointer) -> Result<()> {
        let (of, is_wrong) = (Setting::choose(choices)?, choices.arbitrary::<u8>()? > 240);
        let index = if is_wrong { -1 } else { of.index() };
        let expected = up.and(if is_wrong { Err(Error::InvalidIndex) } else { Ok(()) });
        let (code, handle, count) = calls::setting_alloc(index, [pointer, Pointer::Valid]);
        check(code, &expected);
        if expected.is_ok() {
            assert_eq!(count, of.count());
            assert!(self.handles.insert(handle, of).is_none(), "the handle {handle:#x} is there already");
            self.issued.push(handle);
        }
        Ok(())
    }
}
