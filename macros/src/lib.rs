//! The attributes of `mpit`, which re-exports them: use them from there.
//!
//! Each goes through three stages: `parse` turns the attribute's tokens into data, `check` knows the rules, and `expand`
//! turns what is left into tokens. All mistakes of a definition are reported at once, each at its token. The item that
//! an attribute stands on is always there afterwards, as it was written; only an event is also given the layout of C.
//!
//! A definition expands to one `const` block beside the item. There is no unsafe code in it, it adds no name to the
//! module, and it refers to `::mpit` or to what `crate = path` says.

mod check;
mod doc;
mod error;
mod expand;
mod parse;
#[cfg(test)]
mod tests;
mod words;

use error::Errors;
use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;

/// Makes a performance variable: of a `static` that holds its value, or of a `fn` that computes it.
///
/// The doc comment is the description that tools show.
///
/// ```
/// use mpit::cell::{Counter, Level, PeerArray};
/// use mpit::object::Comm;
/// use mpit::{category, pvar};
///
/// /// Point-to-point messages.
/// #[category(name = "net.p2p")]
/// pub struct PointToPoint;
///
/// /// Messages that arrived before their receive was posted.
/// #[pvar(class = "COUNTER", category = PointToPoint)]
/// pub static UNEXPECTED: Counter<u64> = Counter::new();
///
/// /// Bytes handed over, per peer of the communicator.
/// #[pvar(class = "AGGREGATE", bind = "COMM", category = PointToPoint, unit = "bytes")]
/// pub static BYTES: PeerArray<u64> = PeerArray::new();
///
/// /// Requests in flight, with their highest number.
/// #[pvar(class = "LEVEL", highwatermark)]
/// pub static REQUESTS: Level<u32> = Level::new();
///
/// /// Processes that a communicator reaches.
/// #[pvar(class = "SIZE", bind = "COMM")]
/// fn peers(comm: &Comm<'_>) -> u64 {
///     comm.size() as u64
/// }
///
/// UNEXPECTED.increment(); // one load and a branch while nobody looks
/// REQUESTS.raise(1);
/// ```
///
/// # Keys
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `class = "COUNTER"` | the class, in the spelling of the standard without its prefix | must be there |
/// | `name = ".."` | the name, unique within the class | the identifier in lower case |
/// | `category = Net` or `[Net, Io]` | the categories it is in, by their types | none |
/// | `bind = "COMM"` | the kind of object that handles are bound to | what the cell needs; none for a `fn` |
/// | `verbosity = "USER_BASIC"` | for whom it is meant | `TUNER_DETAIL` |
/// | `datatype = "UNSIGNED_LONG"` | another datatype of the same C representation | that of the value's type |
/// | `unit = "us"` | added to the description; integer TIMERs need one, `f64` TIMERs are in seconds | |
/// | `component = ".."` | the first key of the order of indices | the package's name |
/// | `readonly` | tools can neither write nor reset | the class decides |
/// | `writable` | tools can, although the class would not have it | the class decides |
/// | `continuous` | always running, never started or stopped | |
/// | `atomic` | can be read and reset in one step: a `Counter`, `Aggregate` or `Timer` | |
/// | `cumulative` | a LEVEL, SIZE or GENERIC that only grows: a handle shows what came while it was started | |
/// | `highwatermark`, `lowwatermark` | publishes a LEVEL's extremes under the same name, too | |
/// | `crate = path` | where `mpit` is | `::mpit` |
///
/// # On a static
///
/// The type is one of `mpit::cell`, such as `Counter<u64>` for a COUNTER, or for a GENERIC a type of one's own that
/// implements `mpit::cell::Custom`. A `type` alias will do.
///
/// # On a function
///
/// It is called whenever a tool reads. It takes what it is bound to (`&Comm`, or `&Object` when `bind` is not COMM) and
/// returns the value, or fills a slice with an element each; either may fail with an `mpit::Result`. A STATE returns
/// an enum that derives `MpitEnum`. Watermarks cannot be functions: they would miss what happens between two reads.
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `count = 66` or `count = \|comm\| 2 * comm.size()` | elements of the slice | the size of the communicator |
/// | `on_start = path`, `on_stop = path` | `fn()` called when a handle is started, and stopped | |
///
/// ```
/// use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
///
/// use mpit::pvar;
///
/// static BINS: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
/// static LOOKING: AtomicUsize = AtomicUsize::new(0);
///
/// fn look() {
///     LOOKING.fetch_add(1, Relaxed);
/// }
///
/// fn rest() {
///     LOOKING.fetch_sub(1, Relaxed);
/// }
///
/// /// Messages by size: short, eager, rendezvous. Counted while a handle is started.
/// #[pvar(class = "AGGREGATE", count = 3, on_start = look, on_stop = rest)]
/// fn messages_by_size(out: &mut [u64]) {
///     for (out, bin) in out.iter_mut().zip(&BINS) {
///         *out = bin.load(Relaxed);
///     }
/// }
/// ```
///
/// # What does not compile
///
/// A value that the class does not admit, keys that contradict each other, a name that tools could not write, a second
/// variable of the same name and class in the crate, and more. Generic functions, methods, `async fn` and `static mut`
/// cannot be variables.
///
/// ```compile_fail
/// #[mpit::pvar(class = "COUNTER")] // a COUNTER is kept in `Counter<u64>`, not in `Level<u64>`
/// static QUEUE: mpit::cell::Level<u64> = mpit::cell::Level::new();
/// ```
#[proc_macro_attribute]
pub fn pvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::PvarArgs::parse(attribute.into(), errors);
        let pvar = check::Pvar::check(args, item, errors)?;
        errors.is_empty().then(|| expand::pvar(&pvar))
    })
}

/// Makes a control variable, a setting, of a `static` of type `Cvar<T>`.
///
/// The doc comment is the description that tools show. It must be there for scopes that concern more than one process,
/// and say which processes and what must hold between their values.
///
/// ```
/// use mpit::cvar;
/// use mpit::cvar::{Cvar, Text};
///
/// /// Messages up to this size are sent at once. The same in all processes.
/// #[cvar(scope = "ALL_EQ", settable = "before_init", env = "ACME_EAGER_LIMIT")]
/// pub static EAGER_LIMIT: Cvar<u32> = Cvar::new(4096).range(64..=65536);
///
/// /// Where the records go.
/// #[cvar(name = "acme_file", alias = "acme_output")]
/// pub static FILE: Cvar<Text<256>> = Cvar::new(Text::new("prof/acme"));
///
/// assert_eq!(EAGER_LIMIT.get(), 4096);
/// ```
///
/// The value is an `i32`, `i64`, `u32`, `u64`, `f64`, `bool`, `Text<N>`, or an enum that derives `MpitEnum`.
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `scope = "ALL"` | who must set it together, in the spelling of the standard | `LOCAL` |
/// | `name = ".."` | the name, unique among control variables | the identifier in lower case |
/// | `category = Net` or `[Net, Io]` | the categories it is in, by their types | none |
/// | `verbosity = "USER_BASIC"` | for whom it is meant | `TUNER_DETAIL` |
/// | `datatype = "UINT32_T"` | another datatype of the same C representation | that of the value's type |
/// | `alias = ".."` or `["..", ".."]` | further names for parameter files and the command line | none |
/// | `env = ".."` or `["..", ".."]` | further environment variables beside `MPIT_<NAME>` | none |
/// | `settable = "before_init"` | cannot be set after MPI is initialized | `always` |
/// | `component = ".."` | the first key of the order of indices | the package's name |
/// | `crate = path` | where `mpit` is | `::mpit` |
///
/// A default outside of the range does not compile, nor does a setter of a CONSTANT.
///
/// ```compile_fail
/// #[mpit::cvar] // the default lies outside of the range
/// static DEPTH: mpit::cvar::Cvar<u32> = mpit::cvar::Cvar::new(0).range(1..=8);
/// ```
#[proc_macro_attribute]
pub fn cvar(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::CvarArgs::parse(attribute.into(), errors);
        let cvar = check::Cvar::check(args, item, errors)?;
        errors.is_empty().then(|| expand::cvar(&cvar))
    })
}

/// Makes a category of a unit struct, which stands for it in other definitions.
///
/// ```
/// use mpit::{Category, category};
///
/// /// Everything that crosses the network.
/// #[category(name = "net")]
/// pub struct Net;
///
/// /// Collectives, which also have a category of their own kind.
/// #[category(name = "net.coll", parent = Net)]
/// pub struct Collectives;
///
/// assert_eq!(Collectives::DESC.parents()[0].name(), "net");
/// ```
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `name = ".."` | the name, unique among categories | the identifier in lower case |
/// | `parent = Net` or `[Net, Io]` | the categories that contain it | none |
/// | `contains = [Sends, Receives]` | the categories in it | none |
/// | `crate = path` | where `mpit` is | `::mpit` |
///
/// An edge may be given from either side or from both. A category that contains itself, over however many others and
/// crates, does not compile.
///
/// ```compile_fail
/// #[mpit::category(name = "egg", parent = Hen)] // category `egg` is its own ancestor
/// struct Egg;
/// #[mpit::category(name = "hen", parent = Egg)]
/// struct Hen;
/// # fn main() {}
/// ```
#[proc_macro_attribute]
pub fn category(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::CategoryArgs::parse(attribute.into(), errors);
        let category = check::Category::check(args, item, errors)?;
        Some(expand::category(&category, !errors.is_empty()))
    })
}

/// Makes a source of events of a unit struct, which stands for it in them.
///
/// The doc comment is the description that tools show.
///
/// ```
/// use mpit::event::Source;
/// use mpit::source;
///
/// /// What the matching engine does.
/// #[source(ordered)]
/// pub struct Matching;
///
/// assert_eq!(Matching::DESC.name(), "matching");
/// ```
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `ordered` | its time stamps never fall, and tools see its events in their order | one of the two |
/// | `unordered` | they may fall, which costs less when threads raise its events at once | must be there |
/// | `name = ".."` | the name, unique among sources | the identifier in snake case |
/// | `component = ".."` | the first key of the order of indices | the package's name |
/// | `crate = path` | where `mpit` is | `::mpit` |
///
/// The clock is that of `mpit::event::clock`, which never goes backwards.
///
/// ```compile_fail
/// #[mpit::source] // ordered or unordered?
/// pub struct Matching;
/// ```
#[proc_macro_attribute]
pub fn source(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::SourceArgs::parse(attribute.into(), errors);
        let source = check::Source::check(args, item, errors)?;
        Some(expand::source(&source, !errors.is_empty()))
    })
}

/// Makes an event type of a struct, whose fields are the elements that tools read.
///
/// The doc comment is the description that tools show. The struct becomes `#[repr(C)]`, `Clone` and `Copy`, unless it
/// says so itself; a `#[derive(..)]` belongs below the attribute, which does not see what is above it.
///
/// ```
/// use mpit::event::{Context, Event, Source};
/// use mpit::{event, source};
///
/// /// What the matching engine does.
/// #[source(ordered)]
/// pub struct Matching;
///
/// /// A message was sent.
/// #[event(source = Matching, bind = "COMM")]
/// pub struct MessageSent {
///     /// To whom, as a rank of the communicator.
///     pub peer: i32,
///     /// How much.
///     pub bytes: u64,
/// }
///
/// // The communicator that has number 7. Where nobody listens, this is one load and a branch.
/// MessageSent::raise(Context::ANYWHERE.about(7), || MessageSent { peer: 1, bytes: 4096 });
///
/// let names = MessageSent::DESC.element_names().unwrap().items();
/// assert_eq!(MessageSent::DESC.name(), "message_sent");
/// assert_eq!(names.iter().map(|item| item.name()).collect::<Vec<_>>(), ["peer", "bytes"]);
/// ```
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `source = Clock` | what emits it, by its type | must be there |
/// | `bind = "COMM"` | the kind of object that it concerns | none |
/// | `category = Net` or `[Net, Io]` | the categories it is in, by their types | none |
/// | `name = ".."` | the name, unique among event types | the identifier in snake case |
/// | `verbosity = "USER_BASIC"` | for whom it is meant | `TUNER_DETAIL` |
/// | `component = ".."` | the first key of the order of indices | the package's name |
/// | `crate = path` | where `mpit` is | `::mpit` |
///
/// # Elements
///
/// | field | datatype | `#[mpit(datatype = ..)]` may say |
/// |---|---|---|
/// | `i32` | INT | `INT32_T` |
/// | `u32` | UNSIGNED | `UINT32_T` |
/// | `i64` | INT64_T | `COUNT` |
/// | `u64` | UNSIGNED_LONG_LONG | `UNSIGNED_LONG`, `UINT64_T` |
/// | `f64` | DOUBLE | |
/// | `c_char` | CHAR | |
///
/// Elements are named after the fields, in an enumeration `<name>_elements` whose item i is element i. Together they
/// take at most 256 bytes. An event without fields tells just that it happened.
///
/// ```compile_fail
/// # #[mpit::source(ordered)]
/// # struct Matching;
/// #[mpit::event(source = Matching)]
/// struct MessageSent {
///     bytes: usize, // no MPI datatype stands for this type
/// }
/// ```
#[proc_macro_attribute]
pub fn event(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let item = Tokens::from(item);
    let mut errors = Errors::default();
    let args = parse::EventArgs::parse(attribute.into(), &mut errors);
    let event = check::Event::check(args, &item, &mut errors);
    let mut tokens = event.map_or(item, |event| expand::event(&event, !errors.is_empty()));
    tokens.extend(errors.into_tokens());
    tokens.into()
}

/// Makes a component of the `impl` of a framework's component trait.
///
/// There is one object of the type, made when the program is built. The framework finds it among `mpit::components()`,
/// under the trait as it is written here. That trait has `Send` and `Sync` as supertraits.
///
/// ```
/// use mpit::component;
///
/// /// What components of the framework `net` are told.
/// pub trait Listener: Send + Sync {
///     fn sent(&self, bytes: u64);
/// }
///
/// struct Recorder;
///
/// /// Records what is sent.
/// #[component(framework = "net", name = "recorder")]
/// impl Listener for Recorder {
///     fn sent(&self, _bytes: u64) {}
/// }
///
/// let found = mpit::components().find(|desc| desc.framework() == "net").unwrap();
/// found.object::<dyn Listener>().unwrap().sent(8);
/// ```
///
/// | key | meaning | if absent |
/// |---|---|---|
/// | `framework = ".."` | the framework it belongs to | must be there |
/// | `name = ".."` | its name, unique within the framework | must be there |
/// | `object = Recorder::new()` | a constant expression that makes the object | the type's name, as of a unit struct |
/// | `crate = path` | where `mpit` is | `::mpit` |
#[proc_macro_attribute]
pub fn component(attribute: TokenStream, item: TokenStream) -> TokenStream {
    beside(item, |item, errors| {
        let args = parse::ComponentArgs::parse(attribute.into(), errors);
        let component = check::Component::check(args, item, errors)?;
        errors.is_empty().then(|| expand::component(&component))
    })
}

/// Makes an enumeration of an `enum`: states of a STATE variable, or choices of a setting.
///
/// Tools see a C `int` and a name for each of its values, so the enum is `#[repr(i32)]` and its variants have no fields.
///
/// ```
/// use mpit::cell::State;
/// use mpit::{MpitEnum, pvar};
///
/// #[derive(Clone, Copy, Debug, PartialEq, MpitEnum)]
/// #[mpit(name = "acme_progress")]
/// #[repr(i32)]
/// pub enum Progress {
///     Idle,
///     InCallback,
///     #[mpit(name = "asleep")]
///     WaitingForInterrupt = 10,
/// }
///
/// /// What the progress thread is doing.
/// #[pvar(class = "STATE")]
/// pub static PROGRESS: State<Progress> = State::new();
///
/// let names: Vec<_> = Progress::DESC.items().iter().map(|item| item.name()).collect();
/// assert_eq!(names, ["idle", "in_callback", "asleep"]);
/// ```
///
/// | `#[mpit(..)]` | meaning | if absent |
/// |---|---|---|
/// | `name = ".."` on the enum | its name, unique among the enumerations of all crates | `<crate>_<identifier>` in snake case |
/// | `name = ".."` on a variant | the item's name | the identifier in snake case |
/// | `crate = path` on the enum | where `mpit` is | `::mpit` |
///
/// The enum is also `Copy`; for a setting it is `PartialOrd`, too, in the order of the range.
#[proc_macro_derive(MpitEnum, attributes(mpit))]
pub fn mpit_enum(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let enumeration = check::Enumeration::check(&item.into(), &mut errors);
    let mut tokens = enumeration.map(|enumeration| expand::enumeration(&enumeration, !errors.is_empty()));
    tokens.get_or_insert_default().extend(errors.into_tokens());
    tokens.unwrap_or_default().into()
}

/// What an attribute expands to: the item as it was, whatever happens, what the definition adds, and the mistakes.
fn beside(item: TokenStream, definition: impl FnOnce(&Tokens, &mut Errors) -> Option<Tokens>) -> TokenStream {
    let mut tokens = Tokens::from(item);
    let mut errors = Errors::default();
    let added = definition(&tokens, &mut errors);
    tokens.extend(added);
    tokens.extend(errors.into_tokens());
    tokens.into()
}
