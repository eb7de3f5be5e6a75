//! Event types in the merged list.

use std::ffi::{c_char, c_int};

use super::host_entry::{Describe, HostIndex, HostInfo, own_entries};
use super::text::query_texts;
use super::{HostIsUp, Merged};
use crate::abi::Handle;
use crate::hidden;
use crate::host::{Host, events};

/// The result of `MPI_T_event_get_info`, in the numbers of the MPI flavor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EventInfo {
    pub(crate) name: String,
    pub(crate) verbosity: c_int,
    /// Datatype and displacement of each element.
    pub(crate) elements: Vec<(Handle, isize)>,
    /// Enumeration of the elements, as a handle of ours, or null.
    pub(crate) enumeration: usize,
    pub(crate) desc: Vec<u8>,
    pub(crate) bind: c_int,
}

impl Describe for EventInfo {
    fn of_own(merged: &Merged, own: u32) -> Option<Self> {
        let (abi, desc) = (crate::abi(), merged.registry.event(own)?);
        let elements = desc.elements().iter();
        Some(Self {
            name: desc.name().into(),
            verbosity: abi.verbosity(desc.verbosity()),
            elements: elements
                .map(|element| (abi.datatype(element.datatype()), element.displacement() as isize))
                .collect(),
            enumeration: merged.enums.own(desc.element_names()),
            desc: desc.description().into(),
            bind: abi.bind(desc.bind()),
        })
    }
}

impl HostInfo for EventInfo {
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int> = events::event_get_num;

    fn query(merged: &Merged, up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self> {
        let host = Host::get()?;
        let (mut name_len, mut desc_len, mut count): (c_int, c_int, c_int) = (0, 0, 0);
        let mut info = Self::default();
        let mut enumeration: usize = 0;
        let mut query = |name: [(*mut c_char, *mut c_int); 2],
                         datatypes: &mut [u64],
                         displacements: &mut [isize],
                         count: *mut c_int| {
            let [(name, name_len), (desc, desc_len)] = name;
            // SAFETY: the host is up and has this entry (`HostIndex`); the numbers are fields and local variables, and
            // each string buffer is null or as long as the length passed with it. The arrays have `count` entries of eight
            // bytes, enough for a datatype of either width. The pointer to an info object may be null.
            unsafe {
                events::event_get_info(
                    index.get(),
                    name,
                    name_len,
                    &raw mut info.verbosity,
                    datatypes.as_mut_ptr().cast(),
                    displacements.as_mut_ptr(),
                    count,
                    &raw mut enumeration,
                    std::ptr::null_mut(),
                    desc,
                    desc_len,
                    &raw mut info.bind,
                )
            }
        };
        let nothing = std::ptr::null_mut();
        let lengths = [(nothing, &raw mut name_len), (nothing, &raw mut desc_len)];
        if query(lengths, &mut [], &mut [], &raw mut count)? != 0 {
            return None;
        }
        let elements = count.max(0) as usize;
        let (mut datatypes, mut displacements) = (vec![0; elements], vec![0; elements]);
        count = elements as c_int;
        let (name, desc) = query_texts([name_len, desc_len], |name, name_len, desc, desc_len| {
            let texts = [(name, name_len), (desc, desc_len)];
            query(texts, &mut datatypes, &mut displacements, &raw mut count)
        })?;
        (info.name, info.desc) = (name, desc);
        let abi = host.abi();
        let datatype = |at: usize| {
            let place = datatypes.as_ptr().cast::<u8>().wrapping_add(at * abi.handle_width());
            // SAFETY: the array has eight bytes for each element, and a handle is no wider.
            unsafe { abi.load_handle(place.cast()) }
        };
        info.elements = displacements.iter().enumerate().map(|(at, place)| (datatype(at), *place)).collect();
        // MPICH leaves the enumeration of an event unset, so its value is not a handle.
        if !host.is_mpich() {
            // SAFETY: the host wrote null or an enumeration.
            info.enumeration = unsafe { merged.enums.host(up, enumeration) };
        }
        Some(info)
    }

    own_entries!(event_count, event_index, event, |desc| {
        let datatypes = desc.elements().iter().map(mpit::internal::desc::Element::datatype);
        hidden::is_hidden(desc.name(), desc.categories()) || !crate::abi().describes(desc.bind(), datatypes)
    });
}
