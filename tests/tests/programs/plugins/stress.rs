//! Plug-ins that are activated and deactivated ten thousand times while threads use their variables and
//! receive their events.
//!
//! A process of their own, because the measured memory is that of the whole process.

#![allow(unsafe_code, reason = "plug-ins are loaded, and tests hand buffers to the interface as C tools do")]

use std::env;
use std::ffi::c_void;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use mpit::event::{Abi, Delivery, DropReport, FreeNotice, Hints, RegistrationId, Safety, instance};
use mpit::internal::plugin::{self, Plugin};
use mpit::internal::session::{HandleSelection, Interface, PvarHandle, SessionId};
use mpit::internal::vocabulary::ThreadLevel;
use mpit::tool::Class;
use mpit::{Error, Result};
use mpit_tests::rust_plugins::Build;
use mpit_tests::{Context, Failure, Outcome, paths, plugins};

const CYCLES: u32 = 10_000;

/// The variables and the event of a plug-in.
struct Subject {
    variables: Vec<(String, Class, u32)>,
    event: u32,
    /// True if the first two variables are `activation` and `step` of `good.c`.
    is_good: bool,
}

impl Subject {
    fn find(names: &[(&str, Class)], event: &str, is_good: bool) -> Option<Self> {
        let registry = Interface::global().registry();
        let variable = |(name, class): &(&str, Class)| {
            Some(((*name).to_owned(), *class, registry.pvar_index(name, *class)?))
        };
        let variables = names.iter().map(variable).collect::<Option<_>>()?;
        Some(Self { variables, event: registry.event_index(event)?, is_good })
    }

    fn good(name: &str) -> Option<Self> {
        let [activation, step, work, depth, done] =
            ["activation", "step", "work", "depth", "done"].map(|what| format!("{name}_{what}"));
        let names = [
            (activation.as_str(), Class::Level),
            (&step, Class::Size),
            (&work, Class::Counter),
            (&depth, Class::HighWatermark),
        ];
        Self::find(&names, &done, true)
    }

    fn short() -> Option<Self> {
        let names = [("short_widgets", Class::Counter), ("short_stock", Class::HighWatermark)];
        Self::find(&names, "short_made", false)
    }
}

static RECEIVED: AtomicU64 = AtomicU64::new(0);
static FREE_CALLBACKS: AtomicU64 = AtomicU64::new(0);

// SAFETY: the three functions do not use the function pointers that are registered with them.
static ABI: Abi = unsafe { Abi::new(deliver, report, free_callback) };

unsafe extern "C" fn deliver(_: *mut c_void, delivery: &Delivery) {
    let mut activation = 0_u64;
    // SAFETY: the first element of each event here is a `u64`, and `activation` is a local `u64`.
    let read = unsafe { instance::read(delivery.instance, 0, (&raw mut activation).cast()) };
    assert!(read.is_ok() && activation > 0);
    RECEIVED.fetch_add(1, SeqCst);
}

unsafe extern "C" fn report(_: *mut c_void, _: &DropReport) {}

unsafe extern "C" fn free_callback(_: *mut c_void, _: &FreeNotice) {
    FREE_CALLBACKS.fetch_add(1, SeqCst);
}

/// The handles and the registration of a thread on one plug-in in one epoch; may be incomplete.
struct Holding {
    handles: Vec<PvarHandle>,
    registration: Option<RegistrationId>,
    /// The first value of the variable `activation`.
    activation: Option<u64>,
}

fn read(session: SessionId, handle: PvarHandle) -> Result<u64> {
    let mut value = u64::MAX;
    // SAFETY: each variable here is a single `u64`, and `value` is a local `u64`.
    unsafe { Interface::global().read(session, handle, (&raw mut value).cast()) }.map(|()| value)
}

/// Checks that an operation succeeded, or failed because the plug-in is inactive.
fn expected<T>(answer: &Result<T>) {
    let error = answer.as_ref().err();
    assert!(matches!(error, None | Some(Error::InvalidHandle | Error::InvalidIndex)), "{error:?}");
}

impl Holding {
    fn make(session: SessionId, subject: &Subject) -> Self {
        let interface = Interface::global();
        let mut holding = Self { handles: Vec::new(), registration: None, activation: None };
        for (name, class, index) in &subject.variables {
            assert_eq!(interface.registry().pvar_index(name, *class), Some(*index), "indices stay");
            let made = interface.handle_alloc(session, *index, None);
            expected(&made);
            let Ok((handle, 1)) = made else { return holding };
            holding.handles.push(handle);
        }
        let made = interface.event_handle_alloc(subject.event, None, Hints::default(), &ABI);
        expected(&made);
        holding.registration = made.ok();
        if let Some(id) = holding.registration {
            // Any non-null address, because `ABI` does not call it.
            let function = std::ptr::dangling_mut::<c_void>();
            let registered =
                // SAFETY: `ABI` does not call the function.
                unsafe { interface.event_register_callback(id, Safety::None, function, std::ptr::null_mut()) };
            expected(&registered);
        }
        holding
    }

    /// Uses all handles until they become invalid, for a limited number of rounds.
    fn work(&mut self, session: SessionId, subject: &Subject) {
        if self.handles.len() < subject.variables.len() {
            return;
        }
        let (own, sums) = self.handles.split_at(if subject.is_good { 2 } else { 0 });
        for _ in 0..20 {
            if let [activation, step] = own {
                let now = read(session, *activation);
                expected(&now);
                match (now, self.activation) {
                    (Ok(now), None) => self.activation = Some(now),
                    (Ok(now), Some(first)) => assert_eq!(now, first, "a stale read"),
                    (Err(_), _) => return,
                }
                expected(&read(session, *step));
            }
            for handle in sums {
                for answer in [
                    Interface::global().start(session, HandleSelection::One(*handle)),
                    read(session, *handle).map(drop),
                    Interface::global().stop(session, HandleSelection::One(*handle)),
                    Interface::global().start(session, HandleSelection::One(*handle)),
                ] {
                    expected(&answer);
                }
            }
        }
    }

    fn free(self, session: SessionId) {
        for handle in self.handles {
            assert_eq!(Interface::global().handle_free(session, handle), Ok(()));
        }
        if let Some(id) = self.registration {
            let function = std::ptr::dangling_mut::<c_void>();
            // SAFETY: `ABI` does not call the function.
            let freed = unsafe { Interface::global().event_handle_free(id, std::ptr::null_mut(), function) };
            assert_eq!(freed, Ok(()));
        }
    }
}

/// Returns the number of resident memory pages of this process.
fn resident_pages() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number")
}

fn turn(plugin: Plugin, path: &Path, cycle: u32) {
    plugin.deactivate().expect("it is not being changed");
    assert!(!plugin.is_active());
    if cycle.is_multiple_of(2) {
        plugin.activate().expect("as above");
    } else {
        // SAFETY: the file is a plug-in of these tests, which fulfills the requirements of `mpit_plugin.h`.
        let again = unsafe { plugin::load(path) }.expect("as above");
        assert_eq!(again.number(), plugin.number());
    }
    assert!(plugin.is_active());
}

/// Set in the process that uses the plug-ins.
const ALONE: &str = "MPIT_TEST_ALONE";

/// Proves R316.
#[test]
fn ten_thousand_activations_under_threads() -> Outcome {
    if env::var_os(ALONE).is_some() {
        return activate_under_threads();
    }
    let mut command = Command::new(env::current_exe().context("the path of this program")?);
    command.args(["--exact", "plugins::stress::ten_thousand_activations_under_threads", "--nocapture"]);
    let output = command.env(ALONE, "1").output().context(format!("{command:?}"))?;
    let [stdout, stderr] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    // A filter that matches no test is a success for the harness.
    let is_passed = output.status.success() && stdout.contains("test result: ok. 1 passed;");
    Failure::unless(is_passed, || format!("{command:?}: {}\n{stdout}{stderr}", output.status))
}

fn activate_under_threads() -> Outcome {
    let dir = paths::scratch("plugins", "stress")?;
    let files = [plugins::good(&dir, "acme")?, plugins::good(&dir, "bolt")?, Build::PLAIN.plugin("short")?];
    let interface = Interface::global();
    interface.init(ThreadLevel::Multiple);
    let mut loaded = Vec::new();
    for file in &files {
        // SAFETY: the file is a plug-in of these tests, which fulfills the requirements of `mpit_plugin.h`.
        let plugin = unsafe { plugin::load(file) };
        loaded.push(plugin.map_err(|refused| Failure::new(refused.to_string()))?);
    }
    let registry = interface.registry();
    let subjects = [Subject::good("acme"), Subject::good("bolt"), Subject::short()];
    let subjects = subjects.into_iter().collect::<Option<Vec<_>>>().context("all is listed")?;
    let (counts, over) = ((registry.pvar_count(), registry.event_count()), AtomicBool::new(false));
    let mut pages = [0; 2];
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !over.load(SeqCst) {
                    let session = interface.session_create().expect("sessions");
                    for subject in &subjects {
                        let mut holding = Holding::make(session, subject);
                        holding.work(session, subject);
                        holding.free(session);
                    }
                    assert_eq!(interface.session_free(session), Ok(()));
                }
            });
        }
        for cycle in 0..CYCLES {
            for (plugin, file) in loaded.iter().zip(&files) {
                turn(*plugin, file, cycle);
            }
            match cycle + 1 {
                1000 => pages[0] = resident_pages(),
                CYCLES => pages[1] = resident_pages(),
                _ => {}
            }
        }
        over.store(true, SeqCst);
    });
    let grown = pages[1].saturating_sub(pages[0]);
    println!(
        "{} events received, {} farewells, {grown} pages more",
        RECEIVED.load(SeqCst),
        FREE_CALLBACKS.load(SeqCst)
    );
    assert!(RECEIVED.load(SeqCst) > 0 && FREE_CALLBACKS.load(SeqCst) > 0);
    assert_eq!((registry.pvar_count(), registry.event_count()), counts, "nothing is listed twice");
    Failure::unless(grown < 256, || format!("{grown} pages more after {CYCLES} cycles than after 1000"))
}
