//! The code of all calls: what a line of the table says is done with the arguments in memory, which machine code has stored there
//! ([`crate::trampoline`]).

#![allow(clippy::inline_always, reason = "records and descriptions are large, and would be copied")]

use std::ffi::{c_int, c_void};
use std::mem::ManuallyDrop;

use mpit_components::times::has_sites;
use mpit_ffi::abi::Abi;
use mpit_ffi::lifecycle;

use super::missing;
use crate::arguments::{Any, Form, Word};
use crate::callers::ReturnAddress;
use crate::calls::{self, Interest};
use crate::isolation::catch_panic_apart;
use crate::line::{Line, Time};
use crate::nesting;
use crate::next_definition::{Measurement, Name};
use crate::recorders::accesses::AccessRecorder;
use crate::recorders::collectives::CollectiveRecorder;
use crate::recorders::messages::SendRecorder;
use crate::recorders::persistent::StartRecorder;
use crate::recorders::{OfRecord, Pending, Record, Recorder, record_call};
use crate::trampoline::{self, Words};
use crate::watch::{self, Role};
use crate::{return_address, times};

/// The function of a line that makes the record of a call from its arguments, or records it.
type RecordFunction = fn(CallInProgress) -> Record;

/// The record of lines without one.
pub(crate) fn no_record(_: CallInProgress) -> Record {
    Record::Done
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CallInProgress {
    name: &'static Name,
    line: &'static Line,
    words: Words,
}

impl CallInProgress {
    fn new(name: &'static Name, words: Words) -> Self {
        Self { name, line: name.line(), words }
    }

    /// Returns an argument of the kind that the line has at this index.
    pub(crate) fn argument<T: From<Word>>(self, index: usize) -> T {
        self.word(index).into()
    }

    fn word(self, index: usize) -> Word {
        // SAFETY: `CallInProgress` is made for a call in progress of a function with this name, and lines list the arguments of their functions.
        unsafe { Word::new(self.words.get(index), self.name.form()) }
    }

    #[inline(always)]
    fn record(self) -> Record {
        // SAFETY: `call_table` defines names with functions of this type only.
        let record = unsafe { std::mem::transmute::<*const c_void, RecordFunction>(self.name.record()) };
        record(self)
    }

    /// Returns the number of arguments, with Fortran's error code.
    fn len(self) -> usize {
        self.line.arguments().len() + usize::from(self.name.form().is_fortran())
    }

    /// Forwards the call to a function, and returns its error code.
    fn forward_to(self, function: *mut c_void) -> c_int {
        // SAFETY: the function has the parameters of this call, and gets its arguments.
        let code = unsafe { trampoline::forward(self.words, self.len(), function) };
        if !self.name.form().is_fortran() {
            return code;
        }
        // SAFETY: the last argument of Fortran is the address of the error code, or null if the program omits it.
        let code = unsafe { self.words.address(self.line.arguments().len()).cast::<c_int>().as_ref() };
        code.copied().unwrap_or(Abi::SUCCESS)
    }

    /// Forwards the call, and describes and measures it if that is wanted.
    fn forward(self) -> c_int {
        let Some(next) = self.name.find() else { return self.forward_without_definition() };
        // The functions of the name observe its calls.
        if self.name.has_own_code() {
            return self.forward_to(next);
        }
        match self.name.next().measurement() {
            Measurement::None => self.forward_to(next),
            measurement => self.observe(measurement, next, &self.describe()),
        }
    }

    /// Describes and measures the call, and forwards it to a function.
    #[inline(never)]
    fn observe(self, measurement: Measurement, next: *mut c_void, arguments: &watch::Arguments) -> c_int {
        let Some(call) = self.line.call else { return self.forward_to(next) };
        if measurement == Measurement::Described {
            if let Some(begun) = watch::enter_at_once(call, arguments) {
                let code = self.forward_to(next);
                watch::leave_at_once(call, begun, arguments, code);
                return code;
            }
            let begun = watch::enter(call, arguments);
            let code = self.forward_to(next);
            watch::leave(call, begun, arguments, code);
            return code;
        }
        let call = call.in_language(self.name.form().is_fortran());
        if let Some(entered) = times::enter_at_once(call, arguments) {
            let code = self.forward_to(next);
            times::leave_at_once(call, entered, arguments, code);
            return code;
        }
        let entered = times::enter(call, arguments);
        let code = self.forward_to(next);
        times::leave(call, entered, arguments, code);
        code
    }

    /// Forwards a call of a function that the library lacks.
    #[cold]
    #[inline(never)]
    fn forward_without_definition(self) -> c_int {
        match self.name.form() {
            Form::LargeC => {
                let arguments = self.describe();
                missing::forward_large(self.line, self.words, |small, words| {
                    Self { words, ..self }.observe(Measurement::Timed, small, &arguments)
                })
            }
            Form::ExtensionC => match missing::standard(self.line) {
                Some(standard) => self.forward_to(standard),
                None => calls::no_such_function(),
            },
            _ => calls::no_such_function(),
        }
    }

    #[inline(always)]
    fn describe(self) -> watch::Arguments {
        let mut arguments = watch::Arguments { position: self.words.position(), ..Default::default() };
        self.add_arguments(&mut arguments);
        arguments
    }

    /// Adds the arguments to a description. A separate function, in which the compiler does not keep a copy of the description.
    #[inline(never)]
    fn add_arguments(self, arguments: &mut watch::Arguments) {
        for (index, argument) in self.line.arguments().iter().enumerate() {
            if argument.role != Role::None {
                arguments.add(argument.role, argument.kind, self.word(index));
            }
        }
    }

    /// Stores the return address, if places in the program are distinguished. Functions of a name have done so before.
    fn store_place(self) {
        let next = self.name.next();
        // A call of a function that the library lacks may be forwarded to another one, and measured.
        let is_timed = next.measurement() == Measurement::Timed || next.address().is_null();
        if is_timed && !self.name.has_own_code() && has_sites() {
            return_address::store(self.words.return_address());
        }
    }

    /// Runs the call on the fast path; `None` if that is not possible.
    #[inline(always)]
    fn run_on_fast_path<N: Recorder + OfRecord>(self) -> Option<c_int> {
        let next = self.name.next();
        // The end of a call that a tool forwards has to be seen. In Fortran, calls inside are recognized.
        let is_fortran = self.name.form().is_fortran();
        if next.is_unresolved() || next.is_indirect() && !is_fortran {
            return None;
        }
        // Functions of the name have tried it.
        if self.name.has_fast_path() && (self.name.has_own_code() || next.measurement() == Measurement::None)
        {
            return None;
        }
        let interest = self.line.interest;
        if interest.has_no_listeners() {
            return None;
        }
        let fast_record = || N::of(&ManuallyDrop::new(self.record()))?.fast_record();
        if is_fortran {
            let forward = || nesting::forward_on_fast_path(|| self.forward());
            calls::run_on_fast_path(interest, fast_record, forward, record_call)
        } else {
            calls::run_on_fast_path(interest, fast_record, || self.forward(), record_call)
        }
    }

    /// Runs a call whose record is prepared before it. A separate function for each type: records of all types are large, and would be
    /// copied several times.
    #[inline(never)]
    fn run_around<N: Recorder + OfRecord>(self, after: fn(Self, N::Pending)) -> c_int {
        if let Some(code) = self.run_on_fast_path::<N>() {
            return code;
        }
        calls::run(
            self.line.interest,
            || self.forward(),
            || N::of(&ManuallyDrop::new(self.record())).map(|recorder| recorder.prepare()),
            |pending| {
                if let Some(pending) = pending {
                    after(self, pending);
                }
            },
        )
    }

    /// Runs a call that creates a persistent request.
    #[inline(never)]
    fn run_creation(self) -> c_int {
        let forward = || self.forward();
        match *ManuallyDrop::new(self.record()) {
            Record::MessageCreation(recorder) => {
                calls::run_creation(forward, || recorder.prepare(), Pending::after)
            }
            Record::CollectiveCreation(recorder) => {
                calls::run_creation(forward, || recorder.prepare(), Pending::after)
            }
            _ => forward(),
        }
    }

    /// Forwards the call, and measures its time if a listener wants that.
    fn forward_timed(self) -> c_int {
        if self.line.interest.is_always() {
            return self.forward();
        }
        calls::run(self.line.interest, || self.forward(), || (), |()| ())
    }

    fn run(self) -> c_int {
        let (interest, forward) = (self.line.interest, || self.forward());
        let record = || _ = self.record();
        match self.line.time {
            Time::around | Time::in_advance => match interest {
                Interest::Messages => self.run_around::<SendRecorder>(|_, pending| pending.after()),
                Interest::Accesses => self.run_around::<AccessRecorder>(|_, pending| pending.after()),
                Interest::Starts => self.run_around::<StartRecorder<Any>>(|_, pending| pending.after()),
                _ => self.run_around::<CollectiveRecorder<Any>>(|call, pending| {
                    if call.name.form().is_fortran() { pending.after() } else { pending.after_in_c() }
                }),
            },
            Time::after => calls::run(interest, forward, || (), |()| record()),
            Time::timed => calls::run(interest, forward, || (), |()| ()),
            Time::always => calls::run_creation(forward, || (), |()| record()),
            Time::initializing => {
                calls::run_creation(|| calls::forward_initialization(forward), || (), |()| record())
            }
            Time::creating => self.run_creation(),
            Time::freeing => calls::run_freeing(|| self.forward_timed(), || self.record().freeing()),
            Time::opening => {
                let code = self.forward_timed();
                if code == Abi::SUCCESS {
                    catch_panic_apart(record);
                }
                code
            }
            Time::before => {
                catch_panic_apart(record);
                forward()
            }
            Time::finalizing => {
                catch_panic_apart(record);
                let code = forward();
                catch_panic_apart(lifecycle::finalize_ended);
                code
            }
            Time::variadic => calls::no_such_function(),
        }
    }
}

/// Records a call, and forwards it.
pub(crate) extern "C-unwind" fn recorded(name: &'static Name, words: Words) -> c_int {
    let call = CallInProgress::new(name, words);
    call.store_place();
    call.run()
}

/// Forwards a call that is not recorded, and describes and measures it.
pub(crate) extern "C-unwind" fn not_recorded(name: &'static Name, words: Words) -> c_int {
    let call = CallInProgress::new(name, words);
    call.store_place();
    if !name.has_own_code() {
        return call.forward();
    }
    // Functions of the name leave some calls to the code of all calls.
    let next = name.next();
    call.observe(next.measurement(), next.target(), &call.describe())
}

/// Records a call of a function with unknown further parameters, and returns the address to jump to. The second word is an argument only if
/// the caller passes one.
pub(crate) extern "C" fn variadic(
    name: &'static Name,
    return_address: ReturnAddress,
    first: usize,
    second: usize,
) -> *mut c_void {
    extern "C" fn missing() -> c_int {
        calls::no_such_function()
    }
    crate::isolation::with_errno_kept(|| {
        let words = [first, second];
        calls::record_variadic(return_address, || {
            _ = CallInProgress::new(name, Words::of_array(&words)).record();
        });
        name.find().unwrap_or(missing as *mut c_void)
    })
}
