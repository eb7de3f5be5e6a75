//! Control variables in the merged list.

use std::ffi::c_int;

use super::host_entry::{Describe, HostIndex, HostInfo, own_entries};
use super::text::query_name_and_description;
use super::{HostIsUp, Merged};
use crate::abi::Handle;
use crate::hidden;
use crate::host::{Host, mpi_t};

/// The result of `MPI_T_cvar_get_info`, in the numbers of the MPI flavor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct CvarInfo {
    pub(crate) name: String,
    pub(crate) verbosity: c_int,
    pub(crate) datatype: Handle,
    /// Enumeration, as a handle of ours, or null.
    pub(crate) enumeration: usize,
    pub(crate) desc: Vec<u8>,
    pub(crate) bind: c_int,
    pub(crate) scope: c_int,
}

impl Describe for CvarInfo {
    fn of_own(merged: &Merged, own: u32) -> Option<Self> {
        let (abi, desc) = (crate::abi(), merged.registry.cvar(own)?);
        Some(Self {
            name: desc.name().into(),
            verbosity: abi.verbosity(desc.verbosity()),
            datatype: abi.datatype(desc.datatype()),
            enumeration: merged.enums.own(desc.enumeration()),
            desc: desc.description().into(),
            bind: abi.bind(desc.bind()),
            scope: abi.scope(desc.scope()),
        })
    }
}

impl HostInfo for CvarInfo {
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int> = mpi_t::cvar_get_num;
    const ARE_IN_CATEGORIES: bool = true;

    fn query(merged: &Merged, up: HostIsUp<'_>, index: HostIndex<Self>) -> Option<Self> {
        let host = Host::get()?;
        let mut info = Self::default();
        let mut enumeration: usize = 0;
        let mut datatype: u64 = 0;
        let (name, desc) = query_name_and_description(|name, name_len, desc, desc_len| {
            // SAFETY: the host is up and has this entry (`HostIndex`); the numbers are fields and local variables, each
            // string buffer is null or as long as the length passed with it, and a `u64` has space for a handle of either width.
            unsafe {
                mpi_t::cvar_get_info(
                    index.get(),
                    name,
                    name_len,
                    &raw mut info.verbosity,
                    (&raw mut datatype).cast(),
                    &raw mut enumeration,
                    desc,
                    desc_len,
                    &raw mut info.bind,
                    &raw mut info.scope,
                )
            }
        })?;
        (info.name, info.desc) = (name, desc);
        info.datatype = host.abi().clean(datatype as Handle);
        // SAFETY: the host wrote null or an enumeration.
        info.enumeration = unsafe { merged.enums.host(up, enumeration) };
        Some(info)
    }

    own_entries!(cvar_count, cvar_index, cvar, |desc| {
        hidden::is_hidden(desc.name(), desc.categories())
            || !crate::abi().describes(desc.bind(), std::iter::once(desc.datatype()))
    });

    fn is_hidden(&self) -> bool {
        hidden::is_host_entry_hidden(&self.name)
    }
}
