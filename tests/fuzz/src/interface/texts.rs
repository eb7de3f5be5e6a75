//! Names, numbers and indices, in buffers of all sizes.

use std::ffi::c_int;

use arbitrary::{Result, Unstructured};
use mpit::Error;

use super::calls::{self, Entries, Pointer, TextBuffer};
use super::settings::Setting;
use super::variables::Kind;
use super::{Expected, check};

const ITEMS: [(&str, c_int); 3] = [("idle", 0), ("working", -3), ("done", 40)];

fn text_buffer(choices: &mut Unstructured<'_>) -> Result<TextBuffer> {
    let declared_len = match choices.arbitrary::<u8>()? {
        250..=255 => *choices.choose(&[-1, c_int::MIN])?,
        _ => choices.int_in_range(0..=20)?,
    };
    Ok(TextBuffer { declared_len, text: Pointer::choose(choices)?, len: Pointer::choose(choices)? })
}

impl TextBuffer {
    /// Returns an error for a negative length with a buffer.
    fn validity(self) -> Expected {
        if self.is_there() && self.declared_len < 0 { Err(Error::Invalid) } else { Ok(()) }
    }
}

pub(super) fn step(choices: &mut Unstructured<'_>, is_initialized: bool) -> Result<()> {
    let up = if is_initialized { Ok(()) } else { Err(Error::NotInitialized) };
    let is_wrong = choices.arbitrary::<u8>()? > 240;
    let known = if is_wrong { Err(Error::InvalidIndex) } else { Ok(()) };
    match choices.int_in_range(0..=4)? {
        0 => {
            let (kind, buffer) = (Kind::choose(choices)?, text_buffer(choices)?);
            let index = if is_wrong { -1 } else { kind.index() };
            check(calls::pvar_name(index, buffer, kind.name()), &up.and(buffer.validity()).and(known));
        }
        1 => {
            let (setting, buffer) = (Setting::choose(choices)?, text_buffer(choices)?);
            let index = if is_wrong { c_int::MAX } else { setting.index() };
            check(calls::cvar_name(index, buffer, setting.name()), &up.and(buffer.validity()).and(known));
        }
        2 if is_initialized => {
            let (code, enumeration) = calls::enumeration_of(Setting::Phase.index());
            check(code, &Ok(()));
            let (item, buffer) = (choices.int_in_range(0..=ITEMS.len() - 1)?, text_buffer(choices)?);
            let pointer = Pointer::choose(choices)?;
            let index = if is_wrong { ITEMS.len() } else { item } as c_int;
            let (code, value) = calls::enum_item(enumeration, index, buffer, ITEMS[item].0, pointer);
            check(code, &buffer.validity().and(known));
            if code.0 == 0 && pointer != Pointer::Null {
                assert_eq!(value, ITEMS[item].1);
            }
        }
        3 => {
            let (kind, pointer) = (Kind::choose(choices)?, Pointer::choose(choices)?);
            let name: Option<&[u8]> = match choices.arbitrary::<u8>()? {
                250.. => None,
                240..=249 => Some(b"fuzz_\xff"),
                _ => Some(kind.name().as_bytes()),
            };
            let is_known = !is_wrong && name == Some(kind.name().as_bytes());
            let class = if is_wrong { c_int::MIN } else { mpit_ffi::abi().class(kind.class()) };
            let not_null = if name.is_some() { Ok(()) } else { Err(Error::Invalid) };
            let expected = up.and(not_null).and(pointer.not_null());
            let expected = expected.and(if is_known { Ok(()) } else { Err(Error::InvalidName) });
            let (code, index) = calls::pvar_index(name, class, pointer);
            check(code, &expected);
            if expected.is_ok() {
                assert_eq!(index, kind.index());
            }
        }
        _ => {
            let entries = *choices.choose(&[Entries::Pvars, Entries::Cvars, Entries::Categories])?;
            let pointer = Pointer::choose(choices)?;
            let (code, number) = calls::number_of(entries, pointer);
            check(code, &up.and(pointer.not_null()));
            assert!(code.0 != 0 || number > 0 || entries == Entries::Categories);
        }
    }
    Ok(())
}
