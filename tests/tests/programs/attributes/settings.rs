//! Control variables: each value type, each scope, each key.

use mpit::cvar;
use mpit::cvar::{Cvar, Text};
use mpit::tool::{CvarDesc, Datatype, EnumDesc, Scope, Tool, Verbosity};

use crate::attributes::groups::{Mode, Net};

fn setting(name: &str) -> &'static CvarDesc {
    let tool = Tool::new();
    let registry = tool.registry();
    let index = registry.cvar_index(name).unwrap_or_else(|| panic!("no cvar `{name}`"));
    registry.cvar(index).expect("an index that was just found")
}

/// Defines one setting per line, and a test that finds each with its datatype and scope.
macro_rules! table {
    ($($ident:ident: $ty:ty = $value:expr, $datatype:ident, $scope:ident, [$($keys:tt)*];)+) => {
        $(
            /// One of many; in a group, all processes.
            #[cvar($($keys)*)]
            static $ident: Cvar<$ty> = Cvar::new($value);
        )+

        #[test]
        fn each_type_of_value_and_each_scope() {
            $(
                let desc = setting(&stringify!($ident).to_lowercase());
                assert_eq!((desc.datatype(), desc.scope()), (Datatype::$datatype, Scope::$scope), "{}", desc.name());
                assert!($ident.get() == $value);
            )+
        }
    };
}

table! {
    SETTING_I32: i32 = -1, Int, Local, [];
    SETTING_INT32: i32 = 1, Int32, Local, [scope = "LOCAL", datatype = "INT32_T"];
    SETTING_I64: i64 = 1, Int64, Group, [scope = "GROUP"];
    SETTING_COUNT: i64 = 1, Count, GroupEq, [scope = "GROUP_EQ", datatype = "COUNT"];
    SETTING_U32: u32 = 1, Unsigned, All, [scope = "ALL"];
    SETTING_UINT32: u32 = 1, Uint32, AllEq, [scope = "ALL_EQ", datatype = "UINT32_T"];
    SETTING_U64: u64 = 1, UnsignedLongLong, ReadOnly, [scope = "READONLY"];
    SETTING_ULONG: u64 = 1, UnsignedLong, Constant, [scope = "CONSTANT", datatype = "UNSIGNED_LONG"];
    SETTING_F64: f64 = 0.5, Double, Local, [];
    SETTING_BOOL: bool = true, Int, Local, [];
    SETTING_MODE: Mode = Mode::Eager, Int, Local, [];
    SETTING_TEXT: Text<16> = Text::new("prof"), Char, Local, [];
}

fn accept(size: u32) -> mpit::Result<()> {
    if size.is_power_of_two() { Ok(()) } else { Err(mpit::Error::Invalid) }
}

/// Above this size messages wait.
#[cvar(
    name = "eager_size",
    category = Net,
    verbosity = "USER_BASIC",
    alias = ["eager_bytes", "short_limit"],
    env = "ACME_EAGER",
    settable = "before_init",
    component = "net"
)]
static EAGER: Cvar<u32> = Cvar::new(LARGEST / 2).range(1..=LARGEST).on_set(accept);

const LARGEST: u32 = 8192;

#[test]
fn every_key_is_applied() {
    let desc = setting("eager_size");
    assert_eq!(desc.description(), "Above this size messages wait.");
    assert_eq!((desc.verbosity(), desc.component()), (Verbosity::UserBasic, "net"));
    assert_eq!(desc.aliases(), ["eager_bytes", "short_limit"]);
    assert_eq!(desc.environment(), ["ACME_EAGER"]);
    assert!(desc.is_before_init());
    assert_eq!(desc.categories()[0].name(), "net");
    assert_eq!(EAGER.set(100), Err(mpit::Error::Invalid));
    assert_eq!(EAGER.get(), 4096);
}

/// Proves C51.
#[test]
fn omitted_keys_of_cvars_get_defaults() {
    let desc = setting("setting_i32");
    assert_eq!((desc.verbosity(), desc.component()), (Verbosity::TunerDetail, "mpit-tests"));
    assert!(!desc.is_before_init());
    assert!(desc.aliases().is_empty() && desc.environment().is_empty());
}

#[test]
fn bools_and_modes_are_enumerations() {
    assert!(setting("setting_i32").enumeration().is_none());
    assert_eq!(setting("setting_bool").enumeration().map(|list| list.items().len()), Some(2));
    assert_eq!(setting("setting_mode").enumeration().map(EnumDesc::name), Some("programs_mode"));
    assert_eq!(setting("setting_text").count(), 16);
}
