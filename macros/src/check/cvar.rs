//! The rules of control variables.

use proc_macro2::TokenStream;
use syn::{Ident, Type};

use super::item::{self, GeneratedAttributes};
use super::value::{self, Primitive};
use super::{name, paths};
use crate::doc::Description;
use crate::error::Errors;
use crate::parse::{At, CvarArgs};
use crate::syntax::{self, Initial};
use crate::vocabulary::{Bind, Datatype, Scope, Settable, spellings};

/// A control variable without mistakes that are visible in tokens.
pub(crate) struct Cvar {
    pub(crate) args: CvarArgs,
    pub(crate) attributes: GeneratedAttributes,
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) name: At<String>,
    /// True if the name of the cell's type shows that it is bound or not.
    pub(crate) cell_seen: bool,
    pub(crate) description: Description,
    pub(crate) bounds: Option<Bounds>,
}

/// A default of a primitive type and the range that it must be in, as written.
pub(crate) struct Bounds {
    pub(crate) value: Type,
    pub(crate) initial: TokenStream,
    pub(crate) low: TokenStream,
    pub(crate) high: TokenStream,
}

impl Cvar {
    pub(crate) fn check(args: CvarArgs, item: &TokenStream, errors: &mut Errors) -> Option<Self> {
        let item = item::setting(item, errors)?;
        let name = name::given_or(name::lower_case, args.name.as_ref(), &item.ident, errors);
        check_names(&name, &args.alias, &args.env, errors);
        let scope = args.scope.as_ref().map_or(Scope::Local, |scope| scope.value);
        let description = item::description(&item.attrs, &item.ident, errors);
        check_description(scope, &description, &item.ident, errors);
        let initial = item.initial();
        check_constant(scope, initial.as_ref(), args.settable.as_ref(), errors);
        check_cell(&item.ty, errors);
        let is_understood = args.bind.is_some() || !args.has_bind;
        let cell_seen = is_understood && check_binding(&item.ty, args.bind.as_ref(), errors);
        let value = value::argument(&item.ty);
        check_datatype(value, args.datatype.as_ref(), errors);
        name::check_component(args.component.as_ref(), errors);
        paths::check_once("category", &args.category, errors);
        Some(Self {
            attributes: GeneratedAttributes::of(&item.attrs),
            bounds: value.and_then(|value| bounds(value, initial.as_ref()?)),
            name,
            cell_seen,
            description,
            args,
            ident: item.ident,
            ty: item.ty,
        })
    }
}

/// Reports a bare value; other types that are no cells are left to the compiler.
fn check_cell(ty: &Type, errors: &mut Errors) {
    if Primitive::of(ty).is_some() {
        let found = value::spelled(ty);
        errors.on(ty, format!("a cvar is kept in `Cvar<{found}>`, not in `{found}`"));
    }
}

/// Checks the kind of object against the cell. Returns false for an alias, which is left to the compiler.
fn check_binding(ty: &Type, bind: Option<&At<Bind>>, errors: &mut Errors) -> bool {
    let value = value::argument(ty).map_or_else(|| "T".to_owned(), value::spelled);
    let bind = bind.filter(|bind| bind.value != Bind::NoObject);
    match (value::last_name(ty).as_deref(), bind) {
        (Some("Cvar"), Some(bind)) => {
            let message = format!(
                "the cell has one value for all objects: use `ObjectCvar<{value}>`, or remove `bind`"
            );
            errors.at(bind.span, message);
        }
        (Some("ObjectCvar"), None) => {
            let message = format!(
                "the cell has a value for each object: add for example `bind = \"COMM\"`, or use `Cvar<{value}>`"
            );
            errors.on(ty, message);
        }
        (Some("Cvar" | "ObjectCvar"), _) => {}
        _ => return false,
    }
    true
}

fn check_names(name: &At<String>, aliases: &[At<String>], env: &[At<String>], errors: &mut Errors) {
    for (at, alias) in aliases.iter().enumerate() {
        name::check("alias", alias, errors);
        if alias.value == name.value && !alias.value.is_empty() {
            errors.at(alias.span, format!("`{}` is the name already, an alias is another one", alias.value));
        } else if aliases[..at].iter().any(|other| other.value == alias.value) {
            errors.at(alias.span, format!("`{}` is named twice in `alias`", alias.value));
        }
    }
    for (at, variable) in env.iter().enumerate() {
        name::check("environment variable", variable, errors);
        if variable.value.contains('=') {
            errors.at(variable.span, "the name of an environment variable ends before `=`: remove the value");
        } else if env[..at].iter().any(|other| other.value == variable.value) {
            errors.at(variable.span, format!("`{}` is named twice in `env`", variable.value));
        }
    }
}

/// Requires a description for scopes of several processes, which must name these processes.
fn check_description(scope: Scope, description: &Description, ident: &Ident, errors: &mut Errors) {
    let processes = match scope {
        Scope::Group | Scope::GroupEq => "names the group of processes that must set it together",
        Scope::All | Scope::AllEq => "says what must hold between the values in all processes",
        _ => return,
    };
    if description.is_empty() {
        let word = scope.as_str();
        let message =
            format!("a cvar of scope {word} needs a description: write a doc comment that {processes}");
        errors.at(ident.span(), message);
    }
}

/// Reports a time or a function for setting a variable that cannot be set.
fn check_constant(
    scope: Scope,
    initial: Option<&Initial>,
    settable: Option<&At<Settable>>,
    errors: &mut Errors,
) {
    if !matches!(scope, Scope::Constant | Scope::ReadOnly) {
        return;
    }
    let word = scope.as_str();
    if let Some(settable) = settable {
        errors.at(settable.span, format!("a cvar of scope {word} is never set: remove `settable`"));
    }
    if let Some((on_set, _)) = initial.and_then(|initial| initial.method("on_set")) {
        let message = format!("a cvar of scope {word} is never set: remove `on_set`, or use scope LOCAL");
        errors.at(on_set.span(), message);
    }
}

fn check_datatype(value: Option<&Type>, datatype: Option<&At<Datatype>>, errors: &mut Errors) {
    let Some(datatype) = datatype else { return };
    let fitting = match value.and_then(Primitive::of) {
        Some(Primitive::Other) if value.and_then(value::last_name).as_deref() == Some("bool") => {
            &[Datatype::Int]
        }
        Some(Primitive::Other) | None => return,
        Some(primitive) => primitive.datatypes(),
    };
    if !fitting.contains(&datatype.value) {
        let word = datatype.value.as_str();
        let message = format!("the cell's value cannot be published as `{word}`, use {}", spellings(fitting));
        errors.at(datatype.span, message);
    }
}

/// Returns the default and the range in `Cvar::new(4096).range(64..=65536)`, if the compiler can compare them.
fn bounds(value: &Type, initial: &Initial) -> Option<Bounds> {
    Primitive::of(value).filter(|primitive| *primitive != Primitive::Other)?;
    let (_, range) = initial.method("range")?;
    let (low, high) = syntax::range(range?)?;
    Some(Bounds { value: value.clone(), initial: initial.first_argument()?, low, high })
}
