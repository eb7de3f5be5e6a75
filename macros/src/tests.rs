//! Tests of the three stages without a compiler: attributes and items as token streams, and their messages and expansions.

use proc_macro2::TokenStream;
use quote::quote;

use crate::error::Errors;
use crate::vocabulary::Class;
use crate::{check, expand, parse};

fn item(text: &str) -> TokenStream {
    text.parse().expect("an item")
}

/// Returns the mistakes of a pvar, with the first line of each message only.
fn pvar_faults(attribute: TokenStream, item: &TokenStream) -> Vec<String> {
    let mut errors = Errors::default();
    let args = parse::PvarArgs::parse(attribute, &mut errors);
    check::Pvar::check(args, item, &mut errors);
    first_lines(errors)
}

/// Returns the mistakes of an event, and its expansion.
fn event_of(attribute: TokenStream, item: &TokenStream) -> (Vec<String>, String) {
    let mut errors = Errors::default();
    let args = parse::EventArgs::parse(attribute, &mut errors);
    let event = check::Event::check(args, item, &mut errors);
    let tokens = event.map(|event| expand::event(&event, !errors.is_empty()));
    (first_lines(errors), tokens.unwrap_or_default().to_string())
}

fn first_lines(errors: Errors) -> Vec<String> {
    let first = |message: String| message.lines().next().unwrap_or_default().to_owned();
    errors.messages().into_iter().map(first).collect()
}

/// Returns the expansion of a pvar without mistakes, as text.
fn pvar_tokens(attribute: TokenStream, item: &TokenStream) -> String {
    let mut errors = Errors::default();
    let args = parse::PvarArgs::parse(attribute, &mut errors);
    let pvar = check::Pvar::check(args, item, &mut errors);
    assert_eq!(errors.messages(), Vec::<String>::new());
    expand::pvar(&pvar.expect("no faults")).to_string()
}

#[test]
fn a_definition_without_faults_has_none() {
    let item = item("/// Messages, per peer.\npub static MESSAGES: PeerArray<u64> = PeerArray::new();");
    let attribute =
        quote!(class = "SIZE", bind = "COMM", category = [net::Net, Pml], continuous, verbosity = "USER_ALL");
    assert_eq!(pvar_faults(attribute, &item), Vec::<String>::new());
}

/// The compiler does not report a type again that the attribute reported.
#[test]
fn reported_cells_have_a_stand_in() {
    let stand_in = |class, item| check::stand_in(&item, class).map(|item| item.to_string());
    let counter = item("pub static LOST: cell::Counter<u64> = Counter::new();");
    let lost = item("pub static LOST: cell::Counter<f64> = Counter::new();");
    assert_eq!(stand_in(Class::Counter, lost.clone()), Some(counter.to_string()));
    let level = item("static QUEUE: Level<i32> = Level::new(3);");
    for (class, item) in [(Class::Counter, counter), (Class::Size, lost), (Class::Level, level)] {
        assert_eq!(stand_in(class, item), None);
    }
}

#[test]
fn invisible_groups_are_seen_through() {
    // The compiler passes a `$name:literal` and a `$cell:ty` in invisible groups.
    let hidden = |tokens: TokenStream| proc_macro2::Group::new(proc_macro2::Delimiter::None, tokens);
    let (name, ty) = (hidden(quote!("a b")), hidden(quote!(Level<u64>)));
    let faults = pvar_faults(quote!(class = "COUNTER", name = #name), &quote!(static A: #ty = Level::new();));
    assert_eq!(
        faults,
        [
            "a COUNTER is kept in `Counter<u64>`, not in `Level<u64>`",
            "the name `a b` contains ' ', write `a_b`"
        ]
    );
}

#[test]
fn cells_and_units_fit_the_class() {
    for (attribute, text, mistakes) in [
        (
            quote!(class = "AGGREGATE"),
            "static BYTES: AtomicU64 = AtomicU64::new(0);",
            &["an AGGREGATE is kept in `Aggregate<u64>`, not in `AtomicU64`"][..],
        ),
        (
            quote!(class = "COUNTER"),
            "static QUEUE: PerObject<Level<u64>> = PerObject::new();",
            &[
                "a `PerObject` has a value for each object: name their kind, for example `bind = \"COMM\"`",
                "a COUNTER is kept in `PerObject<Counter<u64>>`, not in `PerObject<Level<u64>>`",
            ],
        ),
        (
            quote!(class = "SIZE", bind = "WIN"),
            "static BYTES: PerObject<u32> = PerObject::new();",
            &["a SIZE is kept in `PerObject<Size<u32>>`, not in `PerObject<u32>`"],
        ),
        (
            quote!(class = "STATE", bind = "NO_OBJECT"),
            "static PHASE: PerObject<Level<u64>> = PerObject::new();",
            &[
                "a `PerObject` has a value for each object: name their kind, for example `bind = \"COMM\"`",
                "a STATE is kept in `State<E>`, not in `PerObject<Level<u64>>`",
            ],
        ),
        (
            quote!(class = "TIMER", bind = "FILE"),
            "static WAITS: PerObject<Timer<u64>> = PerObject::new();",
            &["an integer TIMER needs a unit: add for example `unit = \"us\"`"],
        ),
        (
            quote!(class = "LEVEL", bind = "COMM", highwatermark, lowwatermark),
            "static QUEUE: PerObject<Level<u64>> = PerObject::new();",
            &[],
        ),
        (
            quote!(class = "PERCENTAGE", unit = "%"),
            "static A: Percentage = Percentage::new(0.0);",
            &["a PERCENTAGE has no unit: remove `unit`"],
        ),
        (quote!(class = "TIMER", unit = "s"), "static A: Timer<f64> = Timer::new();", &[]),
    ] {
        assert_eq!(pvar_faults(attribute, &item(text)), mistakes, "{text}");
    }
}

#[test]
fn units_end_the_description() {
    let item = item("/// Time in the progress engine.\nstatic WAITING: Timer<u64> = Timer::new();");
    let tokens = pvar_tokens(quote!(class = "TIMER", unit = "us"), &item);
    assert!(tokens.contains(r#""waitingTime in the progress engine. Unit: us.""#), "{tokens}");
}

#[test]
fn only_the_given_root_is_referred_to() {
    let item = item("fn lost(_: &Comm<'_>) -> u64 { 0 }");
    let tokens = pvar_tokens(quote!(class = "COUNTER", bind = "COMM", crate = acme::tools), &item);
    assert!(tokens.contains("acme :: tools :: __private"), "{tokens}");
    assert!(!tokens.contains(":: mpit"), "{tokens}");
}

#[test]
fn an_items_cfg_holds_for_its_registration() {
    let item = item(r#"#[cfg(feature = "net")] #[inline] fn lost() -> u64 { 0 }"#);
    let tokens = pvar_tokens(quote!(class = "COUNTER"), &item);
    assert!(tokens.starts_with("# [cfg (feature = \"net\")] static __MPIT_PVAR_lost : ()"), "{tokens}");
    assert!(!tokens.contains("inline"), "{tokens}");
}

#[test]
fn a_level_is_published_under_three_classes() {
    let item = item("static QUEUE: Level<u64> = Level::new();");
    let tokens = pvar_tokens(quote!(class = "LEVEL", highwatermark, lowwatermark), &item);
    for class in ["Class :: Level", "Class :: HighWatermark", "Class :: LowWatermark"] {
        assert_eq!(tokens.matches(class).count(), 1, "{class} in {tokens}");
    }
}

#[test]
fn results_are_seen_through() {
    for output in [quote!(u64), quote!(Result<u64>), quote!(mpit::Result<u64>)] {
        let item = quote!(fn lost() -> #output { todo() });
        assert!(pvar_tokens(quote!(class = "COUNTER"), &item).contains("type Value = u64"), "{output}");
    }
    let item = item("fn lost(out: &mut [u64]) -> Result<()> { todo() }");
    assert!(pvar_tokens(quote!(class = "COUNTER", count = 3), &item).contains("type Value = u64"));
}

#[test]
fn events_are_laid_out_as_c_does() {
    let item = quote!(
        #[derive(Debug, Clone)]
        struct MessageSent {
            #[mpit(datatype = "INT32_T")]
            peer: i32,
            r#type: u64,
        }
    );
    let (faults, tokens) = event_of(quote!(source = Clock), &item);
    assert_eq!(faults, Vec::<String>::new());
    let metadata = "# [:: core :: prelude :: v1 :: derive (:: core :: marker :: Copy)] # [repr (C)] # [derive (Debug , Clone)] struct MessageSent";
    assert!(tokens.starts_with(metadata), "{tokens}");
    assert!(!tokens.contains("# [mpit"), "{tokens}");
    for part in ["Datatype :: Int32", "\"message_sent_elements\"", "(0i32 , \"peer\")", "(1i32 , \"type\")"] {
        assert!(tokens.contains(part), "{part} in {tokens}");
    }
}

#[test]
fn attributes_of_an_event_are_not_repeated() {
    let item = item("#[repr(C)] #[derive(Clone, std::marker::Copy)] struct Sent;");
    let (faults, tokens) = event_of(quote!(source = Clock), &item);
    assert_eq!(faults, Vec::<String>::new());
    assert_eq!((tokens.matches("repr").count(), tokens.matches("derive").count()), (1, 1), "{tokens}");
    assert!(!tokens.contains("_elements\""), "nothing to name: {tokens}");
}

#[test]
fn a_faulty_event_has_no_elements() {
    let item = item(r#"struct Sent { #[mpit(datatype = "INT")] bytes: u64, name: &'static str, }"#);
    let (faults, tokens) = event_of(quote!(bind = "COMM"), &item);
    assert_eq!(
        faults,
        [
            "`source` is missing, write for example `source = Clock`",
            "`u64` cannot be published as `INT`, use `UNSIGNED_LONG_LONG`, `UNSIGNED_LONG`, `UINT64_T`",
            "an element is `i32`, `u32`, `i64`, `u64`, `f64` or `c_char`, not `&'static str`",
        ]
    );
    assert!(tokens.contains("event :: Event for Sent"), "{tokens}");
    assert!(!tokens.contains("element_of_list") && !tokens.contains("offset_of"), "{tokens}");
}

#[test]
fn a_description_has_a_length_at_most() {
    let faults = |bytes: usize| {
        let text = "x".repeat(bytes);
        let item = quote! {
            #[doc = #text]
            static SENT: Counter<u64> = Counter::new();
        };
        pvar_faults(quote!(class = "COUNTER"), &item)
    };
    assert_eq!(faults(65535), Vec::<String>::new());
    assert_eq!(faults(65536), ["the doc comment is 65536 bytes long, at most 65535 fit into a description"]);
}
