//! Value types that are visible in tokens, which get better messages here. Aliases are left to the traits of `mpit`.

use quote::ToTokens as _;
use syn::{GenericArgument, PathArguments, Type};

use crate::vocabulary::{Class, Datatype, published_as};

/// A primitive type that is visible in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Primitive {
    U32,
    U64,
    I32,
    I64,
    F64,
    /// `c_char`, or a byte type that it may stand for.
    Char,
    /// A primitive type that MPI tools cannot read.
    Other,
}

impl Primitive {
    /// Returns the primitive type; `None` for other types and aliases.
    pub(crate) fn of(ty: &Type) -> Option<Self> {
        let Type::Path(path) = ungrouped(ty) else { return None };
        Some(match path.path.segments.last()?.ident.to_string().as_str() {
            "u32" => Self::U32,
            "u64" => Self::U64,
            "i32" => Self::I32,
            "i64" => Self::I64,
            "f64" => Self::F64,
            "c_char" | "i8" | "u8" => Self::Char,
            "bool" | "char" | "f32" | "i16" | "i128" | "isize" | "u16" | "u128" | "usize" | "str"
            | "String" => Self::Other,
            _ => return None,
        })
    }

    /// Returns true for the integer types of amounts.
    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::U32 | Self::U64)
    }

    /// Returns true if a variable of the class may hold the type.
    pub(crate) fn serves(self, class: Class) -> bool {
        // The type of a STATE is an enumeration.
        class != Class::State && self.datatypes().iter().any(|datatype| class.datatypes().contains(datatype))
    }

    /// Returns the datatypes that the type can be published as.
    pub(crate) fn datatypes(self) -> &'static [Datatype] {
        match self {
            Self::U32 => published_as::U32,
            Self::U64 => published_as::U64,
            Self::I32 => published_as::I32,
            Self::I64 => published_as::I64,
            Self::F64 => published_as::F64,
            Self::Char => published_as::CHAR,
            Self::Other => &[],
        }
    }
}

/// Returns a description of the types that a variable of a class may hold.
pub(crate) fn types_for(class: Class) -> &'static str {
    match class {
        Class::State => "an enum that derives `MpitEnum`",
        Class::Percentage => "`f64`",
        Class::Counter => "`u32` or `u64`",
        Class::Generic => "`u32`, `u64`, `i32`, `i64`, `f64` or, for text, `&mut [c_char]`",
        _ => "`u32`, `u64` or `f64`",
    }
}

/// Returns the `T` of `Counter<T>`.
pub(crate) fn argument(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ungrouped(ty) else { return None };
    match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Replaces the `T` of `Counter<T>`.
pub(crate) fn replace_argument(ty: &mut Type, with: Type) {
    match ty {
        Type::Group(group) => replace_argument(&mut group.elem, with),
        Type::Paren(paren) => replace_argument(&mut paren.elem, with),
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last_mut()
                && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
                && let Some(ty) = arguments.args.iter_mut().find_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty),
                    _ => None,
                })
            {
                *ty = with;
            }
        }
        _ => {}
    }
}

/// Removes the invisible groups around fragments of a `macro_rules`.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// Returns the last name of a type's path: `Comm` for `mpit::object::Comm<'_>`.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    match ungrouped(ty) {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    }
}

/// Returns a type as it is usually written, for messages.
pub(crate) fn spelled(ty: &Type) -> String {
    let mut text = ty.to_token_stream().to_string();
    for (from, to) in
        [(" :: ", "::"), (" < ", "<"), (" >", ">"), ("& ", "&"), ("* ", "*"), (" ,", ","), ("< ", "<")]
    {
        text = text.replace(from, to);
    }
    text
}

/// Returns the class with its article: "a COUNTER", "an AGGREGATE".
pub(crate) fn with_article(class: Class) -> String {
    let article = if class == Class::Aggregate { "an" } else { "a" };
    format!("{article} {}", class.as_str())
}
