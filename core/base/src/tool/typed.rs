//! Handles and listeners by definition: a static or a type in place of a name, values in place of lists of elements.

use std::marker::PhantomData;
use std::ops::Deref;

use super::{Handle, Listener, Session, Setting, Tool, single};
use crate::cell::{Cell, PvarDesc, Value};
use crate::cvar::{CvarCell, CvarValue};
use crate::event::Event;
use crate::object::Object;
use crate::vocabulary::{Class, Safety};
use crate::{Error, Result};

impl Session<'_> {
    /// Allocates a handle of the performance variable that is stored in `cell`.
    ///
    /// If `cell` also has watermarks, this is the variable of the cell's own class. Zero-sized cells of one type cannot be
    /// distinguished: they are found only if a single one of them is in the registry.
    ///
    /// ```
    /// use mpit::prelude::*;
    ///
    /// /// Tokens passed on.
    /// #[pvar(class = "COUNTER")]
    /// static TOKENS: Counter<u64> = Counter::new();
    ///
    /// let tool = Tool::new();
    /// let session = tool.session()?;
    /// let tokens = session.handle_of(&TOKENS)?;
    /// tokens.start()?;
    /// TOKENS.increment();
    /// assert_eq!(tokens.get()?, 1);
    /// # Ok::<(), mpit::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] if `cell` stores no performance variable of the registry, or is ambiguous; those of
    /// [`handle_at`](Self::handle_at).
    pub fn handle_of<C: Cell>(&self, cell: &'static C) -> Result<HandleOf<'_, C>> {
        let own_class = self.index_of(cell, |class| !class.is_watermark());
        self.typed_at(own_class.or_else(|| self.index_of(cell, Class::is_watermark)), None)
    }

    /// Allocates a handle like [`handle_of`](Self::handle_of), of the variable of one class, such as the high watermark of a level;
    /// `object` is for variables that are bound to one.
    ///
    /// # Errors
    ///
    /// Those of [`handle_of`](Self::handle_of).
    pub fn handle_of_class<C: Cell>(
        &self,
        cell: &'static C,
        class: Class,
        object: Option<&Object<'_>>,
    ) -> Result<HandleOf<'_, C>> {
        self.typed_at(self.index_of(cell, |candidate| candidate == class), object)
    }

    fn index_of<C: Cell>(&self, cell: &'static C, is_wanted: impl Fn(Class) -> bool) -> Option<u32> {
        let registry = self.interface.registry();
        let is_found = |desc: &PvarDesc| desc.is_stored_in(cell) && is_wanted(desc.class());
        let mut found = registry.pvars_stored_at(cell);
        found.retain(|index| registry.pvar(*index).is_some_and(is_found));
        match *found {
            [index] => Some(index),
            [index, ..] if size_of::<C>() > 0 => Some(index),
            _ => None,
        }
    }

    fn typed_at<C: Cell>(&self, index: Option<u32>, object: Option<&Object<'_>>) -> Result<HandleOf<'_, C>> {
        let handle = self.handle_at(index.ok_or(Error::InvalidName)?, object)?;
        Ok(HandleOf { handle, of: PhantomData })
    }
}

/// A handle of the performance variable that is stored in a cell of type `C`. All operations of [`Handle`] work on it.
#[derive(Debug)]
pub struct HandleOf<'s, C: 'static> {
    handle: Handle<'s>,
    of: PhantomData<&'static C>,
}

impl<'s, C: 'static> Deref for HandleOf<'s, C> {
    type Target = Handle<'s>;

    fn deref(&self) -> &Handle<'s> {
        &self.handle
    }
}

impl<C: Cell> HandleOf<'_, C> {
    /// Returns the value of a variable with one element.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the variable has another number of elements, for which there is [`elements`](Self::elements); those
    /// of [`Handle::read`].
    pub fn get(&self) -> Result<C::Value> {
        self.value()
    }

    /// Returns the value of a variable with one element and resets it, in one atomic step.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the variable has another number of elements; those of
    /// [`Handle::read_and_reset`].
    pub fn take(&self) -> Result<C::Value> {
        if self.count() == 1 { single(&self.read_and_reset()?) } else { Err(Error::Invalid) }
    }

    /// Returns the values of all elements.
    ///
    /// # Errors
    ///
    /// Those of [`Handle::read`].
    pub fn elements(&self) -> Result<Vec<C::Value>> {
        self.read()
    }
}

impl Tool {
    /// Allocates a handle of the control variable that is stored in `cell`.
    ///
    /// ```
    /// use mpit::prelude::*;
    ///
    /// /// Messages of up to so many bytes are sent at once.
    /// #[cvar(scope = "LOCAL")]
    /// static EAGER_LIMIT: Cvar<u32> = Cvar::new(4096);
    ///
    /// let tool = Tool::new();
    /// let limit = tool.setting_of(&EAGER_LIMIT)?;
    /// limit.set(1024)?;
    /// assert_eq!((limit.get()?, EAGER_LIMIT.get()), (1024, 1024));
    /// # Ok::<(), mpit::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] if `cell` stores no control variable of the registry; those of [`cvar_of`](Self::cvar_of).
    pub fn setting_of<C: CvarCell>(&self, cell: &'static C) -> Result<SettingOf<'_, C>> {
        self.setting(cell, None)
    }

    /// Allocates a handle like [`setting_of`](Self::setting_of), for a variable that is bound to an object.
    ///
    /// # Errors
    ///
    /// Those of [`setting_of`](Self::setting_of).
    pub fn setting_of_bound<C: CvarCell>(
        &self,
        cell: &'static C,
        object: &Object<'_>,
    ) -> Result<SettingOf<'_, C>> {
        self.setting(cell, Some(object))
    }

    fn setting<C: CvarCell>(
        &self,
        cell: &'static C,
        object: Option<&Object<'_>>,
    ) -> Result<SettingOf<'_, C>> {
        let index = self.registry().cvar_stored_in(cell).ok_or(Error::InvalidName)?;
        Ok(SettingOf { setting: self.cvar_at(index, object)?, of: PhantomData })
    }

    /// Registers a callback for the events of a type, which is called with their payload.
    ///
    /// The callback runs in the thread that raises the event and may do anything that is safe in several threads at once. For
    /// other requirements, or the time stamp, there is [`listen`](Self::listen); for a type that is bound to an object,
    /// [`on_bound`](Self::on_bound).
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    ///
    /// use mpit::prelude::*;
    ///
    /// /// The network.
    /// #[source(ordered)]
    /// struct Network;
    ///
    /// /// A packet was sent.
    /// #[event(source = Network)]
    /// struct Packet {
    ///     bytes: u64,
    ///     to: i32,
    /// }
    ///
    /// static SENT: AtomicU64 = AtomicU64::new(0);
    ///
    /// let tool = Tool::new();
    /// let listener = tool.on(|packet: &Packet| {
    ///     SENT.fetch_add(packet.bytes, Relaxed);
    /// })?;
    /// Packet::raise(Context::ANYWHERE, || Packet { bytes: 8, to: 1 });
    /// assert_eq!(SENT.load(Relaxed), 8);
    /// # drop(listener);
    /// # Ok::<(), mpit::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidName`] if the event type is not in the registry; those of [`listen`](Self::listen).
    pub fn on<E: Event>(&self, callback: impl Fn(&E) + Send + Sync + 'static) -> Result<Listener<'_>> {
        self.listen_to(None, callback)
    }

    /// Registers a callback like [`on`](Self::on), for the events of one object.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
    ///
    /// use mpit::object::Object;
    /// use mpit::prelude::*;
    ///
    /// /// The matching of messages.
    /// #[source(ordered)]
    /// struct Matching;
    ///
    /// /// A message was received before it was expected.
    /// #[event(source = Matching, bind = "COMM")]
    /// struct Unexpected {
    ///     from: i32,
    /// }
    ///
    /// static SENDER: AtomicI32 = AtomicI32::new(-1);
    ///
    /// let tool = Tool::new();
    /// // The communicator with the number 7, of 2 processes.
    /// let comm = Object::world(7, 2);
    /// let listener = tool.on_bound(&comm, |message: &Unexpected| SENDER.store(message.from, Relaxed))?;
    /// Unexpected::raise(Context::ANYWHERE.about(7), || Unexpected { from: 1 });
    /// Unexpected::raise(Context::ANYWHERE.about(8), || Unexpected { from: 2 });
    /// assert_eq!(SENDER.load(Relaxed), 1);
    /// # drop(listener);
    /// # Ok::<(), mpit::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidHandle`] for an object of another kind; those of [`on`](Self::on).
    pub fn on_bound<E: Event>(
        &self,
        object: &Object<'_>,
        callback: impl Fn(&E) + Send + Sync + 'static,
    ) -> Result<Listener<'_>> {
        self.listen_to(Some(object), callback)
    }

    fn listen_to<E: Event>(
        &self,
        object: Option<&Object<'_>>,
        callback: impl Fn(&E) + Send + Sync + 'static,
    ) -> Result<Listener<'_>> {
        let registry = self.registry();
        let index = registry.event_index(E::DESC.name()).ok_or(Error::InvalidName)?;
        // A type of another image may have the name.
        if !registry.event(index).is_some_and(|desc| std::ptr::eq(desc, E::DESC)) {
            return Err(Error::InvalidName);
        }
        self.listen_at(index, object, Safety::ThreadSafe, move |instance| {
            // An instance can be read while its callback runs, and the descriptor was made for this type.
            if let Ok(event) = E::collect(instance) {
                callback(&event);
            }
        })
    }
}

/// A handle of the control variable that is stored in a cell of type `C`. All operations of [`Setting`] work on it.
#[derive(Debug)]
pub struct SettingOf<'t, C: 'static> {
    setting: Setting<'t>,
    of: PhantomData<&'static C>,
}

impl<'t, C: 'static> Deref for SettingOf<'t, C> {
    type Target = Setting<'t>;

    fn deref(&self) -> &Setting<'t> {
        &self.setting
    }
}

impl<C: CvarCell> SettingOf<'_, C> {
    /// Returns the value.
    ///
    /// # Errors
    ///
    /// Those of [`Setting::read`].
    pub fn get(&self) -> Result<C::Value> {
        let elements: Vec<<C::Value as CvarValue>::Element> = self.read()?;
        // Text ends at its NUL.
        let is_text = C::Value::COUNT > 1;
        let end = elements.iter().position(|element| is_text && element.to_word() == 0);
        C::Value::from_elements(&elements[..end.unwrap_or(elements.len())]).ok_or(Error::Invalid)
    }

    /// Sets the value.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the variable refuses the value, or it is a text that contains a NUL; those of
    /// [`Setting::write`].
    pub fn set(&self, value: C::Value) -> Result<()> {
        let mut elements = vec![<C::Value as CvarValue>::Element::from_word(0); C::Value::COUNT];
        value.to_elements(&mut elements);
        // The variable would store the part before the NUL.
        if C::Value::COUNT > 1 && C::Value::from_elements(&elements) != Some(value) {
            return Err(Error::Invalid);
        }
        self.write(&elements)
    }
}
