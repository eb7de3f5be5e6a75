//! The components known to a framework, the state of each, and the function that has to run next.

use mpit::internal::plugin::component::ForeignComponent;

use super::{Lifecycle, World};
use crate::selection::Selection;

pub(super) struct KnownComponent<C: ?Sized + 'static> {
    pub(super) name: &'static str,
    pub(super) component: &'static C,
    /// The component of another image, which may be deactivated at any time.
    pub(super) foreign: Option<&'static ForeignComponent>,
    is_considered: bool,
    pub(super) is_open: bool,
    /// The position among all openings of this process, if the component is open.
    pub(super) opened: u64,
    /// True while a thread runs its `open` or `close`. That thread checks the state again afterwards.
    pub(super) is_busy: bool,
}

impl<C: ?Sized + Lifecycle> KnownComponent<C> {
    pub(super) fn new(
        name: &'static str,
        component: &'static C,
        foreign: Option<&'static ForeignComponent>,
    ) -> Self {
        Self { name, component, foreign, is_considered: false, is_open: false, opened: 0, is_busy: false }
    }

    fn can_close(&self) -> bool {
        self.is_open && !self.is_busy
    }

    fn begin_close(&mut self) -> Step<C> {
        (self.is_open, self.is_busy) = (false, true);
        if self.foreign.is_some() {
            self.component.subscription().pause();
        }
        Step::Close(self.component)
    }

    fn is_active(&self) -> bool {
        self.foreign.is_none_or(ForeignComponent::is_active)
    }
}

pub(super) struct Choice {
    pub(super) world: World,
    pub(super) list: String,
}

pub(super) struct Register<C: ?Sized + 'static> {
    pub(super) choice: Option<Choice>,
    /// The components. The list only grows, so an index stays valid until the step is finished.
    pub(super) known: Vec<KnownComponent<C>>,
    pub(super) is_closed: bool,
}

impl<C: ?Sized + Lifecycle> Register<C> {
    pub(super) const fn new() -> Self {
        Self { choice: None, known: Vec::new(), is_closed: false }
    }

    pub(super) fn add_new(&mut self, foreign: KnownComponent<C>) {
        if !self.known.iter().any(|known| is_same(known.foreign, foreign.foreign)) {
            self.known.push(foreign);
        }
    }

    /// Returns the first function that has to run and the index of its component, which is marked as busy.
    pub(super) fn next_step(&mut self) -> Option<(usize, Step<C>)> {
        let Self { choice, known, is_closed } = self;
        let choice = choice.as_ref()?;
        for (at, known) in known.iter_mut().enumerate().filter(|(_, known)| !known.is_busy) {
            let has_ended = *is_closed || !known.is_active();
            if known.is_open && has_ended {
                return Some((at, known.begin_close()));
            }
            if has_ended || known.is_considered {
                continue;
            }
            known.is_considered = true;
            if Selection::parse(&choice.list, &[known.name]).0.admits(known.name) {
                known.is_busy = true;
                return Some((at, Step::Open(known.component, choice.world)));
            }
            if known.foreign.is_none() {
                known.component.subscription().disable();
            }
        }
        None
    }

    /// Returns the position among all openings of the component that was opened last and can be closed.
    pub(super) fn last_opened(&self) -> Option<u64> {
        self.known.iter().filter(|known| known.can_close()).map(|known| known.opened).max()
    }

    /// Returns the close function of the component that was opened last, and its index. Marks the component as busy.
    pub(super) fn begin_close_last(&mut self) -> Option<(usize, Step<C>)> {
        let open = self.known.iter_mut().enumerate().filter(|(_, known)| known.can_close());
        open.max_by_key(|(_, known)| known.opened).map(|(at, known)| (at, known.begin_close()))
    }
}

pub(super) enum Step<C: ?Sized + 'static> {
    Open(&'static C, World),
    Close(&'static C),
}

fn is_same(one: Option<&'static ForeignComponent>, other: Option<&'static ForeignComponent>) -> bool {
    one.zip(other).is_some_and(|(one, other)| std::ptr::eq(one, other))
}
