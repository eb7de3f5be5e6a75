//! Every class with every datatype that it may have, bound to every kind of object.
//!
//! Functions, since only they can be bound to anything; watermarks, which cannot be functions, are kept in cells.

use std::ffi::c_char;

use mpit::cell::{HighWatermark, Level, LowWatermark, PerObject};
use mpit::object::{Bind, Comm, Object};
use mpit::tool::{Class, Datatype};

use crate::attributes::{classes::Weather, pvar};

/// Checks a variable against its expected properties.
fn check([name, class, datatype, bind]: [&str; 4]) {
    let desc = pvar(name, Class::from_name(class).expect("a class"));
    assert_eq!(Some(desc.datatype()), Datatype::from_name(datatype), "{name}");
    assert_eq!(Some(desc.bind()), Bind::from_name(bind), "{name}");
}

/// Defines a variable for each line and each kind of object, and returns a list of them.
macro_rules! each_with_each {
    ($($class:literal $datatype:literal $more:tt;)+) => {{
        let mut list = Vec::new();
        $(each_with_each!(@ list, $class $datatype $more
            "NO_OBJECT" [], "COMM" [_: &Comm<'_>,], "DATATYPE" [_: &Object<'_>,], "ERRHANDLER" [_: &Object<'_>,],
            "FILE" [_: &Object<'_>,], "GROUP" [_: &Object<'_>,], "OP" [_: &Object<'_>,], "REQUEST" [_: &Object<'_>,],
            "WIN" [_: &Object<'_>,], "MESSAGE" [_: &Object<'_>,], "INFO" [_: &Object<'_>,], "SESSION" [_: &Object<'_>,]
        );)+
        list
    }};
    (@ $list:ident, $class:literal $datatype:literal $more:tt $($bind:literal $object:tt),+) => {
        $(pastey::paste! {
            function!([<all_ $class:lower _ $datatype:lower _ $bind:lower>] $class $datatype $bind $object $more);
            let name = stringify!([<all_ $class:lower _ $datatype:lower _ $bind:lower>]);
            $list.push([name, $class, $datatype, $bind]);
        })+
    };
}

/// Defines a variable by a function, whose body is the last argument.
macro_rules! function {
    (
        $ident:ident $class:literal $datatype:literal $bind:literal [$($object:tt)*]
        ([$($keys:tt)*] [$($out:tt)*] [$($value:tt)*] $body:block)
    ) => {
        /// One of many.
        #[mpit::pvar(class = $class, datatype = $datatype, bind = $bind, $($keys)*)]
        fn $ident($($object)* $($out)*) $($value)* $body
    };
}

#[test]
fn classes_take_datatypes_and_bindings() {
    let defined = each_with_each! {
        "STATE" "INT" ([] [] [-> Weather] { Weather::Fair });
        "LEVEL" "UNSIGNED" ([] [] [-> u32] { 0 });
        "LEVEL" "UNSIGNED_LONG" ([] [] [-> u64] { 0 });
        "LEVEL" "UNSIGNED_LONG_LONG" ([] [] [-> u64] { 0 });
        "LEVEL" "DOUBLE" ([] [] [-> f64] { 0.0 });
        "SIZE" "UNSIGNED" ([] [] [-> u32] { 0 });
        "SIZE" "UNSIGNED_LONG" ([] [] [-> u64] { 0 });
        "SIZE" "UNSIGNED_LONG_LONG" ([] [] [-> u64] { 0 });
        "SIZE" "DOUBLE" ([] [] [-> f64] { 0.0 });
        "PERCENTAGE" "DOUBLE" ([] [] [-> f64] { 0.0 });
        "COUNTER" "UNSIGNED" ([] [] [-> u32] { 0 });
        "COUNTER" "UNSIGNED_LONG" ([] [] [-> u64] { 0 });
        "COUNTER" "UNSIGNED_LONG_LONG" ([] [] [-> u64] { 0 });
        "AGGREGATE" "UNSIGNED" ([] [] [-> u32] { 0 });
        "AGGREGATE" "UNSIGNED_LONG" ([] [] [-> u64] { 0 });
        "AGGREGATE" "UNSIGNED_LONG_LONG" ([] [] [-> u64] { 0 });
        "AGGREGATE" "DOUBLE" ([] [] [-> f64] { 0.0 });
        "TIMER" "UNSIGNED" ([unit = "us"] [] [-> u32] { 0 });
        "TIMER" "UNSIGNED_LONG" ([unit = "us"] [] [-> u64] { 0 });
        "TIMER" "UNSIGNED_LONG_LONG" ([unit = "us"] [] [-> u64] { 0 });
        "TIMER" "DOUBLE" ([] [] [-> f64] { 0.0 });
        "GENERIC" "INT" ([] [] [-> i32] { 0 });
        "GENERIC" "INT32_T" ([] [] [-> i32] { 0 });
        "GENERIC" "INT64_T" ([] [] [-> i64] { 0 });
        "GENERIC" "UNSIGNED" ([] [] [-> u32] { 0 });
        "GENERIC" "UNSIGNED_LONG" ([] [] [-> u64] { 0 });
        "GENERIC" "UNSIGNED_LONG_LONG" ([] [] [-> u64] { 0 });
        "GENERIC" "UINT32_T" ([] [] [-> u32] { 0 });
        "GENERIC" "UINT64_T" ([] [] [-> u64] { 0 });
        "GENERIC" "COUNT" ([] [] [-> i64] { 0 });
        "GENERIC" "CHAR" ([count = 8] [out: &mut [c_char]] [] { out.fill(0); });
        "GENERIC" "DOUBLE" ([] [] [-> f64] { 0.0 });
    };
    defined.iter().copied().for_each(check);
    let all = |class: &Class| {
        let legal = |datatype: &&Datatype| class.datatypes().contains(datatype);
        Datatype::ALL.iter().filter(legal).count()
    };
    let computed =
        Class::ALL.iter().filter(|class| !matches!(class, Class::HighWatermark | Class::LowWatermark));
    assert_eq!(defined.len(), Bind::ALL.len() * computed.map(all).sum::<usize>());
}

/// Defines both watermarks in a cell of each kind.
macro_rules! watermarks {
    ($($datatype:literal $value:ty;)+) => {{
        let mut list = Vec::new();
        $(
            watermarks!(@ list "HIGHWATERMARK" $datatype "NO_OBJECT" HighWatermark<$value>);
            watermarks!(@ list "LOWWATERMARK" $datatype "NO_OBJECT" LowWatermark<$value>);
            watermarks!(@ list "HIGHWATERMARK" $datatype "COMM" PerObject<Level<$value>>);
            watermarks!(@ list "LOWWATERMARK" $datatype "WIN" PerObject<Level<$value>>);
        )+
        list
    }};
    (@ $list:ident $class:literal $datatype:literal $bind:literal $ty:ty) => {
        pastey::paste! {
            /// One of many.
            #[mpit::pvar(class = $class, datatype = $datatype, bind = $bind)]
            static [<ALL_ $class:upper _ $datatype:upper _ $bind:upper>]: $ty = <$ty>::new();
            let name = stringify!([<all_ $class:lower _ $datatype:lower _ $bind:lower>]);
            $list.push([name, $class, $datatype, $bind]);
        }
    };
}

#[test]
fn watermarks_take_datatypes_and_bindings() {
    let defined = watermarks! {
        "UNSIGNED" u32;
        "UNSIGNED_LONG" u64;
        "UNSIGNED_LONG_LONG" u64;
        "DOUBLE" f64;
    };
    defined.into_iter().for_each(check);
}
