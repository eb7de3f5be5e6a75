//! The columns of a report: one description of each for JSON, CSV, Parquet, the terminal and HTML.
//!
//! Each row of a report is a struct in [`rows!`]. It begins with the head of its constructor `of`, whose block may have statements; fields are its
//! columns, each with its value:
//!
//! | field | is in |
//! |---|---|
//! | `name: T = value` | JSON, CSV and Parquet |
//! | `name: T = value => (Unit "head")` | these, and the text view, which the terminal and HTML share |
//! | `name: T = value => (shown Unit "head")`, with `#[serde(skip)]` | the text view only |
//! | `name: T = value => (json)` | JSON only |
//! | `name: T = value => (inside T)`, `name: Option<T> = value => (maybe T)` | JSON as an object, the others as the columns of `T` |

use crate::units::{aligned, bytes, duration, grouped, number, ratio};

/// The value of a column in a row.
pub(crate) enum CellValue<'a> {
    Missing,
    Integer(u64),
    Number(f64),
    Letter(char),
    Text(&'a str),
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueType {
    Integer,
    Number,
    Text,
}

/// A field of a row that has one value.
pub(crate) trait Field {
    const TYPE: ValueType;

    fn value(&self) -> CellValue<'_>;
}

macro_rules! fields {
    ($($type:ty: $variant:ident, $value:expr;)+) => {$(
        impl Field for $type {
            const TYPE: ValueType = ValueType::$variant;

            fn value(&self) -> CellValue<'_> {
                let value: fn(&Self) -> CellValue<'_> = $value;
                value(self)
            }
        }
    )+};
}

fields! {
    u32: Integer, |number| CellValue::Integer((*number).into());
    u64: Integer, |number| CellValue::Integer(*number);
    f64: Number, |number| CellValue::Number(*number);
    char: Text, |letter| CellValue::Letter(*letter);
    String: Text, |text| CellValue::Text(text);
}

impl<T: Field> Field for Option<T> {
    const TYPE: ValueType = T::TYPE;

    fn value(&self) -> CellValue<'_> {
        self.as_ref().map_or(CellValue::Missing, T::value)
    }
}

/// The form of a column in the text view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// A name, or the number of a rank. Columns of names come first, and are to the left.
    Name,
    /// A name that may be missing.
    NameOrDash,
    /// A number as it is.
    Plain,
    /// A number of any size, with four digits unless it is a whole one.
    Number,
    /// A number with groups of digits.
    Count,
    /// A number of bytes with three digits.
    Bytes,
    /// A number of bytes with three digits, or nothing for 0.
    BytesIfAny,
    /// Two columns: a number of bytes with groups of digits, and one with three digits.
    Exact,
    /// Seconds.
    Time,
    /// Seconds, or nothing for 0.
    TimeIfAny,
    /// A number from 0 to 1 in percent.
    Share,
}

impl Unit {
    fn text(self, value: &CellValue<'_>) -> String {
        match (self, value) {
            (Self::NameOrDash, CellValue::Missing) => "-".into(),
            (_, CellValue::Missing)
            | (Self::BytesIfAny, CellValue::Integer(0))
            | (Self::TimeIfAny, CellValue::Number(0.0)) => String::new(),
            (Self::Count, CellValue::Integer(number)) => grouped((*number).into()),
            (Self::Bytes | Self::BytesIfAny, CellValue::Integer(number)) => bytes((*number).into()),
            (Self::Time | Self::TimeIfAny, CellValue::Number(seconds)) => duration(seconds * 1e9),
            (Self::Share, CellValue::Number(share)) => ratio(*share),
            (Self::Number, CellValue::Number(value)) => number(*value),
            (_, CellValue::Integer(number)) => number.to_string(),
            (_, CellValue::Number(number)) => number.to_string(),
            (_, CellValue::Letter(letter)) => letter.to_string(),
            (_, CellValue::Text(text)) => (*text).into(),
        }
    }
}

/// A column of rows.
pub(crate) struct Column<R> {
    /// The name of the field, which is that in CSV and Parquet.
    pub(crate) name: &'static str,
    is_exported: bool,
    pub(crate) of: ValueType,
    /// The head and the form in the text view, if it has the column.
    pub(crate) shown: Option<(&'static str, Unit)>,
    /// True for a column of an object inside of the row.
    pub(crate) is_inside: bool,
    get: Box<dyn Fn(&R) -> CellValue<'_>>,
}

/// The rows of one kind.
pub(crate) trait Row: Sized + 'static {
    /// Returns the columns, in the order of CSV.
    fn columns() -> Vec<Column<Self>>;

    /// Returns the columns of CSV and Parquet.
    fn exported() -> Vec<Column<Self>> {
        Self::columns().into_iter().filter(|column| column.is_exported).collect()
    }

    /// Returns the columns of rows that have this row inside.
    fn inside<O>(field: impl Fn(&O) -> Option<&Self> + Copy + 'static) -> Vec<Column<O>> {
        let inside = |Column { name, is_exported, of, shown, get, .. }: Column<Self>| {
            let get = getter(move |row| field(row).map_or(CellValue::Missing, &get));
            Column { name, is_exported, of, shown, is_inside: true, get }
        };
        Self::columns().into_iter().map(inside).collect()
    }
}

/// Gives a function the type of a getter.
fn getter<R>(get: impl Fn(&R) -> CellValue<'_> + 'static) -> Box<dyn Fn(&R) -> CellValue<'_>> {
    Box::new(get)
}

impl<R: 'static> Column<R> {
    pub(crate) fn new<F: Field + 'static>(
        name: &'static str,
        field: impl Fn(&R) -> &F + 'static,
        shown: Option<(&'static str, Unit)>,
    ) -> Self {
        let get = getter(move |row| field(row).value());
        Self { name, is_exported: true, of: F::TYPE, shown, is_inside: false, get }
    }

    /// Leaves the column out of CSV and Parquet.
    pub(crate) fn only_shown(self) -> Self {
        Self { is_exported: false, ..self }
    }

    pub(crate) fn value<'a>(&self, row: &'a R) -> CellValue<'a> {
        (self.get)(row)
    }

    /// Returns the columns in the text view: their heads and forms.
    fn views(&self) -> impl Iterator<Item = (&'static str, Unit)> + use<R> {
        let [first, second] = match self.shown {
            Some((head, Unit::Exact)) => [Some((head, Unit::Count)), Some(("", Unit::Bytes))],
            shown => [shown, None],
        };
        first.into_iter().chain(second)
    }

    /// Returns the heads in the text view, with true for columns of names.
    pub(crate) fn heads(&self) -> impl Iterator<Item = (&'static str, bool)> + use<R> {
        self.views().map(|(head, unit)| (head, matches!(unit, Unit::Name | Unit::NameOrDash)))
    }

    /// Returns the cells in the text view.
    pub(crate) fn texts(&self, row: &R) -> impl Iterator<Item = String> {
        self.views().map(|(_, unit)| unit.text(&self.value(row)))
    }
}

/// Returns lines of some columns of rows, with their heads: the first column to the left, the others to the right.
pub(crate) fn lines<R: Row>(rows: impl IntoIterator<Item = R>, names: &[&str]) -> Vec<String> {
    let all = R::columns();
    let columns: Vec<_> =
        names.iter().filter_map(|name| all.iter().find(|column| column.name == *name)).collect();
    let heads = columns.iter().flat_map(|column| column.heads()).map(|(head, _)| head.to_owned()).collect();
    let cells = |row: R| columns.iter().flat_map(|column| column.texts(&row)).collect();
    let lines: Vec<Vec<String>> = std::iter::once(heads).chain(rows.into_iter().map(cells)).collect();
    if lines.len() == 1 { Vec::new() } else { aligned(&lines) }
}

/// Defines structs that are [rows](Row).
macro_rules! rows {
    ($(
        $(#[$meta:meta])*
        $vis:vis struct $name:ident {
            $of_vis:vis fn of($($arg:ident: $arg_type:ty),*) { $($begin:tt)* }
            $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty = $value:expr $(=> ($($spec:tt)*))?,)*
        }
    )*) => {$(
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        $(#[$meta])*
        $vis struct $name {
            $($(#[$field_meta])* $field_vis $field: $type,)*
        }

        impl $name {
            $of_vis fn of($($arg: $arg_type),*) -> Self {
                $($begin)*
                Self { $($field: $value),* }
            }
        }

        impl $crate::columns::Row for $name {
            fn columns() -> Vec<$crate::columns::Column<Self>> {
                let all = [$($crate::columns::column!($field, $($($spec)*)?)),*];
                all.into_iter().flatten().collect()
            }
        }
    )*};
}

macro_rules! column {
    ($field:ident, json) => {
        Vec::new()
    };
    ($field:ident, inside $inner:ty) => {
        <$inner as $crate::columns::Row>::inside(|row: &Self| Some(&row.$field))
    };
    ($field:ident, maybe $inner:ty) => {
        <$inner as $crate::columns::Row>::inside(|row: &Self| row.$field.as_ref())
    };
    ($field:ident, shown $unit:ident $head:literal) => {
        $crate::columns::column!($field, $unit $head)
            .into_iter()
            .map($crate::columns::Column::only_shown)
            .collect()
    };
    ($field:ident, $unit:ident $head:literal) => {
        $crate::columns::column!($field, = Some(($head, $crate::columns::Unit::$unit)))
    };
    ($field:ident, = $shown:expr) => {
        vec![$crate::columns::Column::new(stringify!($field), |row: &Self| &row.$field, $shown)]
    };
    ($field:ident, ) => {
        $crate::columns::column!($field, = None)
    };
}

pub(crate) use {column, rows};
