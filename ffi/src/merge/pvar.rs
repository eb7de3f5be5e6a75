//! Performance variables in the merged list.

use std::ffi::c_int;

use mpit::internal::desc::PvarFlags;

use super::host_entry::{Describe, HostIndex, HostInfo};
use super::text::query_name_and_description;
use super::{HostIsUp, Merged};
use crate::abi::Handle;
use crate::hidden;
use crate::host::{Host, mpi_t};

/// The result of `MPI_T_pvar_get_info`, in the numbers of the MPI flavor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PvarInfo {
    pub(crate) name: String,
    pub(crate) verbosity: c_int,
    pub(crate) class: c_int,
    pub(crate) datatype: Handle,
    /// Enumeration, as a handle of ours, or null.
    pub(crate) enumeration: usize,
    pub(crate) desc: Vec<u8>,
    pub(crate) bind: c_int,
    // Flags, 0 or 1.
    pub(crate) readonly: c_int,
    pub(crate) continuous: c_int,
    pub(crate) atomic: c_int,
}

impl Describe for PvarInfo {
    fn of_own(merged: &Merged, own: u32) -> Option<Self> {
        let (abi, desc) = (crate::abi(), merged.registry.pvar(own)?);
        let flag = |flag| c_int::from(desc.flags().has(flag));
        Some(Self {
            name: desc.name().into(),
            verbosity: abi.verbosity(desc.verbosity()),
            class: abi.class(desc.class()),
            datatype: abi.datatype(desc.datatype()),
            enumeration: merged.enums.own(desc.enumeration()),
            desc: desc.description().into(),
            bind: abi.bind(desc.bind()),
            readonly: flag(PvarFlags::READONLY),
            continuous: flag(PvarFlags::CONTINUOUS),
            atomic: flag(PvarFlags::ATOMIC),
        })
    }
}

impl HostInfo for PvarInfo {
    const GET_NUM: unsafe fn(*mut c_int) -> Option<c_int> = mpi_t::pvar_get_num;
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
                mpi_t::pvar_get_info(
                    index.get(),
                    name,
                    name_len,
                    &raw mut info.verbosity,
                    &raw mut info.class,
                    (&raw mut datatype).cast(),
                    &raw mut enumeration,
                    desc,
                    desc_len,
                    &raw mut info.bind,
                    &raw mut info.readonly,
                    &raw mut info.continuous,
                    &raw mut info.atomic,
                )
            }
        })?;
        // MPICH returns bits of a mask here.
        for flag in [&mut info.readonly, &mut info.continuous, &mut info.atomic] {
            *flag = c_int::from(*flag != 0);
        }
        (info.name, info.desc) = (name, desc);
        info.datatype = host.abi().clean(datatype as Handle);
        // SAFETY: the host wrote null or an enumeration.
        info.enumeration = unsafe { merged.enums.host(up, enumeration) };
        Some(info)
    }

    fn own_count(merged: &Merged) -> u32 {
        merged.registry.pvar_count()
    }

    fn own_index(merged: &Merged, name: &str, class: c_int) -> Option<u32> {
        merged.registry.pvar_index(name, crate::abi().to_class(class)?)
    }

    fn own_key(merged: &Merged, own: u32) -> Option<(&'static str, c_int)> {
        merged.registry.pvar(own).map(|desc| (desc.name(), crate::abi().class(desc.class())))
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self) -> c_int {
        self.class
    }

    fn hides_own(merged: &Merged, own: u32) -> bool {
        merged.registry.pvar(own).is_some_and(|desc| {
            hidden::is_hidden(desc.name(), desc.categories())
                || !crate::abi().describes(desc.bind(), std::iter::once(desc.datatype()))
        })
    }

    fn is_hidden(&self) -> bool {
        hidden::is_host_entry_hidden(&self.name)
    }
}
