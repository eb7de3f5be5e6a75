//! Events that are being delivered, with typed access to their elements.

use super::desc::EventDesc;
use super::element::ElementValue;
use super::functions::Delivery;
use super::instance;
use crate::cell::{Value, fits};
use crate::vocabulary::Safety;
use crate::{Error, Result};

/// An event that is being delivered; valid only while the callback runs.
#[derive(Debug)]
pub struct EventInstance {
    delivery: Delivery,
    desc: &'static EventDesc,
}

impl EventInstance {
    pub(crate) fn new(delivery: &Delivery, desc: &'static EventDesc) -> Self {
        Self { delivery: *delivery, desc }
    }

    /// Returns the event type.
    pub fn desc(&self) -> &'static EventDesc {
        self.desc
    }

    /// Returns the level that the context of the event requires of callbacks.
    pub fn safety(&self) -> Safety {
        self.delivery.safety
    }

    /// Returns the time stamp (`MPI_T_event_get_timestamp`), in ticks of which the source has
    /// [`SourceDesc::ticks_per_second`](super::SourceDesc::ticks_per_second).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`] if the event is over.
    pub fn time(&self) -> Result<i64> {
        instance::timestamp(self.delivery.instance)
    }

    /// Returns an element of the payload, by its position in the event type (`MPI_T_event_read`).
    ///
    /// # Errors
    ///
    /// [`Error::InvalidIndex`]; [`Error::Invalid`] when `T` is not the type of the element; [`Error::InvalidHandle`] if the event
    /// is over.
    pub fn read<T: Value>(&self, element: usize) -> Result<T> {
        let kind = self.desc.elements().get(element).ok_or(Error::InvalidIndex)?.datatype();
        if !fits::<T>(kind) {
            return Err(Error::Invalid);
        }
        let mut value = T::from_word(0);
        let number = i32::try_from(element).map_err(|_| Error::InvalidIndex)?;
        // SAFETY: `value` is a `T`, and `fits` checked that it has the C type of the element.
        unsafe { instance::read(self.delivery.instance, number, (&raw mut value).cast()) }?;
        Ok(value)
    }
}

/// Returns an element of an event that is being delivered.
///
/// # Errors
///
/// Those of [`EventInstance::read`].
pub fn read_element<T: ElementValue>(instance: &EventInstance, element: usize) -> Result<T> {
    instance.read(element)
}
