//! Event sources.

use std::ffi::{c_char, c_int};

use mpit::Error;

use crate::{checked, exported, initialized, texts};

/// `struct mpit_core_source`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Description {
    ticks_per_second: i64,
    max_ticks: i64,
    order: c_int,
}

impl crate::arguments::Variable for Description {}

exported! {
    /// Describes a source.
    fn mpit_core_source_info(
        index: c_int, name: *mut c_char, name_len: *mut c_int, desc: *mut c_char, desc_len: *mut c_int,
        info: *mut Description,
    ) {
        let interface = initialized()?;
        // SAFETY: the caller passes each buffer with its length.
        let (name, desc) = unsafe { texts((name, name_len), (desc, desc_len)) }?;
        let found = interface.registry().source(checked(index)?).ok_or(Error::InvalidIndex)?;
        name.fill(found.name());
        desc.fill(found.description());
        info.set(Description {
            ticks_per_second: found.ticks_per_second(),
            max_ticks: found.max_ticks(),
            order: found.order() as c_int,
        });
        Ok(())
    }

    /// Returns the current time of a source.
    fn mpit_core_source_timestamp(index: c_int, timestamp: *mut i64) {
        let interface = initialized()?;
        timestamp.check()?;
        timestamp.set(interface.registry().source(checked(index)?).ok_or(Error::InvalidIndex)?.timestamp());
        Ok(())
    }
}
