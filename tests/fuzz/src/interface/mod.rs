//! The C functions of `libmpit.so`, compared with a model: for any sequence of calls, each call must return the standard's
//! result, and each handle must have the value of its model.
//!
//! | module | purpose |
//! |---|---|
//! | `calls` | the functions, with guarded buffers |
//! | `model` | sessions, handles and their values |
//! | `settings` | the same for control variables |
//! | `texts` | names, descriptions and indices |
//! | `variables` | the performance variables of the target |

mod calls;
mod model;
mod settings;
mod texts;
mod variables;

use std::ffi::c_int;

use arbitrary::{Result, Unstructured};
use mpit::Error;

use calls::{Code, Pointer};
use model::{Handle, Model};
use settings::Settings;
use variables::{Kind, present};

const MAX_STEPS: usize = 120;

type Expected<T = ()> = std::result::Result<T, Error>;

/// Makes the calls that bytes choose, and compares the results with the model.
pub fn target(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    variables::begin();
    // With locked instructions or without.
    mpit::internal::host::threads::set_concurrent(data.last().is_none_or(|byte| byte % 2 == 0));
    let mut run = Run { model: Model::default(), settings: Settings::begin() };
    for _ in 0..MAX_STEPS {
        if choices.is_empty() || run.step(&mut choices).is_err() {
            break;
        }
        run.compare_all();
    }
    while run.model.references > 0 {
        run.finalize();
    }
    run.finalize();
}

/// The model of the real interface, which has no state here.
struct Run {
    model: Model,
    settings: Settings,
}

/// A handle and a pointer for its value.
struct Access {
    session: usize,
    handle: usize,
    pointer: Pointer,
    /// The handle's state, if the arguments are valid.
    state: Expected<Handle>,
    kind: Kind,
}

/// Fails unless a call returned the model's result.
#[track_caller]
fn check<T>(code: Code, expected: &Expected<T>) {
    let expected = expected.as_ref().err().map_or(0, |error| mpit_ffi::abi().code(*error));
    assert_eq!(code.0, expected, "expected {}, got {}", name(expected), name(code.0));
}

fn name(code: c_int) -> String {
    if code == 0 { "success".into() } else { format!("{:?}", mpit_ffi::abi().error(code)) }
}

impl Run {
    fn step(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        match choices.int_in_range(0..=31)? {
            0..=2 => self.init(choices)?,
            3 => self.finalize(),
            4 | 5 => self.create_session(choices)?,
            6 => self.free_session(choices)?,
            7..=10 => self.alloc(choices)?,
            11 => self.free(choices)?,
            12..=15 => self.start_or_stop(choices)?,
            16 => self.reset(choices)?,
            17 | 18 => self.read(choices)?,
            19 | 20 => self.write(choices)?,
            21 => self.read_and_reset(choices)?,
            22..=26 => {
                let event = variables::step(choices)?;
                self.model.apply(event);
            }
            27..=29 => self.settings.step(choices, self.model.references > 0)?,
            _ => texts::step(choices, self.model.references > 0)?,
        }
        Ok(())
    }

    fn compare_all(&self) {
        for (handle, state) in &self.model.handles {
            let (code, value) = calls::read(state.session, *handle, state.kind, Pointer::Valid, false);
            check(code, &Ok(()));
            assert_eq!(value, state.shows(present(state.kind)), "{:?} shows another value", state.kind);
        }
    }

    fn init(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let required = if choices.ratio(1, 16)? { choices.arbitrary()? } else { 0 };
        let pointer = Pointer::choose(choices)?;
        let is_level = mpit_ffi::abi().to_thread_level(required).is_some();
        let expected = if is_level && pointer != Pointer::Null { Ok(()) } else { Err(Error::Invalid) };
        let (code, provided) = calls::init(required, pointer);
        check(code, &expected);
        if expected.is_ok() {
            assert!(mpit_ffi::abi().to_thread_level(provided).is_some());
            self.model.references += 1;
        }
        Ok(())
    }

    fn finalize(&mut self) {
        check(calls::finalize(), &self.model.finalize());
        if self.model.references == 0 {
            self.settings.end();
        }
    }

    fn create_session(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let pointer = Pointer::choose(choices)?;
        let expected = self.model.initialized().and(pointer.not_null());
        let (code, session) = calls::session_create(pointer);
        check(code, &expected);
        if expected.is_ok() {
            self.model.add_session(session);
        }
        Ok(())
    }

    fn free_session(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let (session, pointer) = (self.model.choose_session(choices)?, Pointer::choose(choices)?);
        let expected =
            self.model.initialized().and(pointer.not_null()).and(self.model.valid_session(session));
        let (code, left) = calls::session_free(session, pointer);
        check(code, &expected);
        assert_eq!(left, if expected.is_ok() { 0 } else { session });
        if expected.is_ok() {
            self.model.end_session(session);
        }
        Ok(())
    }

    fn alloc(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let session = self.model.choose_session(choices)?;
        let kind = Kind::choose(choices)?;
        let index = if choices.ratio(1, 16)? {
            *choices.choose(&[-1, c_int::MIN, c_int::MAX])?
        } else {
            kind.index()
        };
        let pointers = [Pointer::choose(choices)?, Pointer::choose(choices)?];
        let known = if index == kind.index() { Ok(()) } else { Err(Error::InvalidIndex) };
        let not_null = pointers[0].not_null().and(pointers[1].not_null());
        let expected =
            self.model.initialized().and(not_null).and(self.model.valid_session(session)).and(known);
        let (code, handle, count) = calls::handle_alloc(session, index, pointers);
        check(code, &expected);
        if expected.is_ok() {
            assert_eq!(count, 1);
            self.model.add_handle(session, handle, kind, present(kind));
        }
        Ok(())
    }

    fn free(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let Access { session, handle, pointer, state, .. } = self.choose_access(choices)?;
        let expected = state.map(drop);
        let (code, left) = calls::handle_free(session, handle, pointer);
        check(code, &expected);
        assert_eq!(left, if expected.is_ok() { 0 } else { handle });
        if expected.is_ok() {
            self.model.handles.remove(&handle);
        }
        Ok(())
    }

    fn start_or_stop(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let (run, (session, handle)) = (choices.arbitrary()?, self.model.choose(choices)?);
        let code = calls::start_or_stop(session, handle, run);
        let turned = self.model.change(session, handle, |state| {
            if state.kind == Kind::Always {
                return Err(Error::PvarNoStartStop);
            }
            let turn = if run { Handle::start } else { Handle::stop };
            turn(state, present(state.kind));
            Ok(())
        });
        check(code, &turned);
        Ok(())
    }

    fn reset(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let (session, handle) = self.model.choose(choices)?;
        let code = calls::reset(session, handle);
        check(code, &self.model.change(session, handle, |state| state.reset(present(state.kind))));
        Ok(())
    }

    fn choose_access(&self, choices: &mut Unstructured<'_>) -> Result<Access> {
        let ((session, handle), pointer) = (self.model.choose(choices)?, Pointer::choose(choices)?);
        let valid = || self.model.valid_handle(session, handle).copied();
        let state = self.model.initialized().and(pointer.not_null()).and_then(|()| valid());
        let kind = state.map_or(Kind::Wide, |state| state.kind);
        Ok(Access { session, handle, pointer, state, kind })
    }

    fn read(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let Access { session, handle, pointer, state, kind } = self.choose_access(choices)?;
        let expected = state.and_then(|state| pointer.aligned().map(|()| state));
        let (code, value) = calls::read(session, handle, kind, pointer, false);
        check(code, &expected);
        if let Ok(state) = expected {
            assert_eq!(value, state.shows(present(kind)), "{kind:?} shows another value");
        }
        Ok(())
    }

    fn write(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let Access { session, handle, pointer, state, kind } = self.choose_access(choices)?;
        let value: u32 = choices.arbitrary()?;
        let mut expected = state.map(drop).and(pointer.aligned());
        if expected.is_ok() {
            expected = self.model.change(session, handle, |state| state.write(value.into(), present(kind)));
        }
        check(calls::write(session, handle, kind, value.into(), pointer), &expected);
        Ok(())
    }

    fn read_and_reset(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        let Access { session, handle, pointer, state, kind } = self.choose_access(choices)?;
        let expected = state.and_then(|state| {
            let is_atomic = if kind == Kind::Wide { Ok(()) } else { Err(Error::PvarNoAtomic) };
            is_atomic.and(pointer.aligned()).map(|()| state.shows(0))
        });
        let (code, value) = calls::read(session, handle, kind, pointer, true);
        check(code, &expected);
        if let Ok(expected) = expected {
            assert_eq!(value, expected);
            check(Code(0), &self.model.change(session, handle, |state| state.reset(0)));
        }
        Ok(())
    }
}
