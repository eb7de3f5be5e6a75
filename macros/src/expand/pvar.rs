//! Expansion of performance variables.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::Path;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::{
    assert_at, datatype_check, element, located, metadata, private, setter, variant, with_categories,
};
use crate::check::{self, Count, Function, Pvar, Storage};
use crate::names::claim;
use crate::parse::At;
use crate::vocabulary::{Bind, Class, Datatype};

/// The cell of a variable: an expression that names it, and its type.
struct CellTokens {
    cell: TokenStream,
    ty: TokenStream,
}

pub(crate) fn pvar(pvar: &Pvar) -> TokenStream {
    let private = &private(pvar.args.krate.as_ref());
    let attributes = &pvar.attributes;
    let (cell_tokens, computed) = match &pvar.storage {
        Storage::Static { ident, ty } => (CellTokens { cell: quote!(#ident), ty: quote!(#ty) }, None),
        Storage::Function(function) => {
            let state = pvar.classes.iter().any(|class| class.value == Class::State);
            let code = computed(private, function, state);
            // The location at which the compiler reports a value that does not suit the class.
            let ty = located(quote!(#private::Computed<__MpitComputed>), function.value.span());
            (CellTokens { cell: quote!(__MPIT_COMPUTED), ty }, Some(code))
        }
    };
    let checks = checks(private, pvar, &cell_tokens.ty);
    let elements = pvar.classes.iter().enumerate().map(|(at, class)| {
        let desc = descriptor(private, pvar, class.value, at == 0, &cell_tokens);
        element(private, "pvars", &format!("__MPIT_{}", class.value.as_str()), &desc)
    });
    let markers = pvar
        .classes
        .iter()
        .map(|class| claim(&format!("{} pvar", class.value.as_str()), &pvar.name, attributes));
    let block = match &pvar.storage {
        Storage::Static { .. } => quote!(const _),
        // In an `impl`, where the generated code does not find the function, the compiler refuses a static first.
        Storage::Function(function) => {
            let name = Ident::new(&format!("__MPIT_PVAR_{}", function.ident.unraw()), Span::call_site());
            quote!(static #name)
        }
    };
    quote! {
        #attributes
        #block: () = {
            #computed
            #checks
            #(#elements)*
            #(#markers)*
        };
    }
}

/// Returns the descriptor of one class of the variable; `main` is the class that the definition names.
fn descriptor(
    private: &TokenStream,
    pvar: &Pvar,
    class: Class,
    main: bool,
    cell_tokens: &CellTokens,
) -> TokenStream {
    let cell = &cell_tokens.cell;
    let categories = with_categories(pvar.args.krate.as_ref(), &pvar.args.category);
    let texts = (pvar.name.value.as_str(), &pvar.description);
    let metadata = metadata(private, texts, pvar.args.component.as_ref(), &quote!(#categories));
    let class = variant(private, "Class", class);
    let mut desc = quote!(#private::PvarDesc::new(#metadata, #class, &#cell));
    desc.extend(setter(private, "with_verbosity", "Verbosity", pvar.args.verbosity.as_ref()));
    if let (Some(bind), Storage::Static { .. }) = (&pvar.args.bind, &pvar.storage) {
        desc.extend(setter(private, "with_bind", "Bind", Some(bind)));
    }
    if let Some(datatype) = &pvar.args.datatype {
        let (datatype, ty) = (variant(private, "Datatype", datatype.value), &cell_tokens.ty);
        desc.extend(quote!(.with_datatype(#private::cell_of::datatype_of::<#ty>(#datatype))));
    }
    if pvar.args.readonly.is_some() {
        desc.extend(quote!(.with_flags(#private::PvarFlags::READONLY)));
    }
    if main && pvar.args.writable.is_some() {
        desc.extend(quote!(.writable()));
    }
    if pvar.args.continuous.is_some() {
        desc.extend(quote!(.with_flags(#private::PvarFlags::CONTINUOUS)));
    }
    if pvar.args.atomic.is_some() {
        desc.extend(quote!(.with_flags(#private::PvarFlags::ATOMIC)));
    }
    if pvar.args.cumulative.is_some() {
        desc.extend(quote!(.cumulative()));
    }
    desc
}

/// Returns the checks that need types. Those of types alone are statements in the block, which compile faster than a constant for
/// each; those that may fail when evaluated are separate constants, so that each failure is reported.
fn checks(private: &TokenStream, pvar: &Pvar, ty: &TokenStream) -> TokenStream {
    let mut checks = TokenStream::new();
    for class in &pvar.classes {
        let class = Ident::new(&class.value.as_str().to_lowercase(), Span::call_site());
        checks.extend(quote!(#private::cell_of::#class::<#ty>();));
    }
    if pvar.args.atomic.is_some() {
        checks.extend(quote!(#private::cell_of::atomic::<#ty>();));
    }
    if let (Some(bind), Storage::Static { .. }) = (&pvar.args.bind, &pvar.storage) {
        checks.extend(bind_check(private, pvar, bind, ty));
    }
    if let Some(datatype) = &pvar.args.datatype {
        let function = quote!(#private::cell_of::represented_as::<#ty>);
        checks.extend(datatype_check(private, "the value", &function, datatype));
    }
    if !pvar.value_seen {
        checks.extend(unit_check(private, pvar, ty));
    }
    checks
}

fn bind_check(private: &TokenStream, pvar: &Pvar, bind: &At<Bind>, ty: &TokenStream) -> TokenStream {
    let kind = variant(private, "Bind", bind.value);
    let per_object = match &pvar.storage {
        Storage::Static { ty, .. } => check::per_object(ty, pvar.classes[0].value),
        Storage::Function(_) => None,
    };
    let per_object = per_object.map_or_else(String::new, |cell| format!("`{cell}`, "));
    let message = match bind.value {
        Bind::NoObject => {
            "the cell is per communicator: write `bind = \"COMM\"`, or remove `bind`".to_owned()
        }
        Bind::Comm => format!(
            "the cell has one value for all communicators: use {per_object}`PeerArray<u64>`, a `fn(&Comm) -> u64`, \
             or remove `bind`"
        ),
        other => format!(
            "the cell has no value for each {}: use {per_object}a `fn(&Object) -> u64`, or remove `bind`",
            other.as_str()
        ),
    };
    assert_at(bind.span, &quote!(#private::cell_of::bound_to::<#ty>(#kind)), &message)
}

/// Returns the check of the rule on units of timers, for value types that are aliases.
fn unit_check(private: &TokenStream, pvar: &Pvar, ty: &TokenStream) -> TokenStream {
    let class = &pvar.classes[0];
    let double = variant(private, "Datatype", Datatype::Double);
    let in_seconds = quote!(#private::cell_of::represented_as::<#ty>(#double));
    match (&pvar.args.unit, class.value) {
        (None, Class::Timer) => assert_at(
            class.span,
            &in_seconds,
            "an integer TIMER needs a unit: add for example `unit = \"us\"`",
        ),
        (Some(unit), Class::Timer) if unit.value != "s" => {
            let message = "an `f64` TIMER is in seconds: remove `unit`, or time in `u64`";
            assert_at(unit.span, &quote!(!#in_seconds), message)
        }
        _ => TokenStream::new(),
    }
}

/// Returns the cell of a computed variable, whose type has functions that call the definition's.
fn computed(private: &TokenStream, function: &Function, state: bool) -> TokenStream {
    let value = &function.value;
    let bind = variant(private, "Bind", function.bind);
    let element = if state { quote!(::core::primitive::i32) } else { quote!(#value) };
    let enumeration = if state {
        Some(quote! {
            const ENUMERATION: ::core::option::Option<&'static #private::EnumDesc> =
                ::core::option::Option::Some(#private::cell_of::states::<#value>());
        })
    } else {
        None
    };
    let (count, fill) = (count(private, function), fill(private, function, &element, state));
    let watch = watch(function.on_start.as_ref(), function.on_stop.as_ref());
    quote! {
        struct __MpitComputed;
        impl #private::ComputedPvar for __MpitComputed {
            type Value = #element;
            const BIND: #private::Bind = #bind;
            #enumeration
            #count
            #fill
            #watch
        }
        static __MPIT_COMPUTED: #private::Computed<__MpitComputed> = #private::Computed::new();
    }
}

/// Returns a name for generated code that cannot collide with the definition's own names.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn fill(private: &TokenStream, function: &Function, element: &TokenStream, state: bool) -> TokenStream {
    let (object, out, comm) = (local("object"), local("out"), local("comm"));
    let (prepare, argument) = match function.bind {
        Bind::NoObject => (quote!(_ = #object;), None),
        Bind::Comm => (
            quote! {
                let #comm = #private::Comm::from_object(#object).ok_or(#private::Error::InvalidHandle)?;
            },
            Some(quote!(&#comm,)),
        ),
        _ => (TokenStream::new(), Some(quote!(#object,))),
    };
    let (ident, question) = (&function.ident, if function.fallible { Some(quote!(?)) } else { None });
    let call = if function.array {
        quote!(#ident(#argument #out)#question;)
    } else {
        let number = if state { Some(quote!(as ::core::primitive::i32)) } else { None };
        quote!(#out[0] = #ident(#argument)#question #number;)
    };
    quote! {
        fn fill(#object: &#private::Object<'_>, #out: &mut [#element]) -> #private::Result<()> {
            #prepare
            #call
            ::core::result::Result::Ok(())
        }
    }
}

fn count(private: &TokenStream, function: &Function) -> Option<TokenStream> {
    let (object, comm) = (local("object"), local("comm"));
    let body = match &function.count {
        Count::One => return None,
        Count::Peers => quote! {
            #private::Comm::from_object(#object).map_or(0, |#comm| #comm.size())
        },
        Count::Fixed(count) => {
            let checked = quote!(__MPIT_COUNT > 0);
            let check = assert_at(count.span(), &checked, "a variable has at least one element");
            quote! {
                const __MPIT_COUNT: ::core::primitive::usize = #count;
                #check
                _ = #object;
                __MPIT_COUNT
            }
        }
        Count::Of(pat, body) if function.bind == Bind::Comm => quote! {
            #private::Comm::from_object(#object).map_or(0, |#comm| {
                let #pat = &#comm;
                #body
            })
        },
        Count::Of(pat, body) => quote! {
            let #pat = #object;
            #body
        },
    };
    Some(quote! {
        const IS_SCALAR: ::core::primitive::bool = false;
        fn count(#object: &#private::Object<'_>) -> ::core::primitive::usize { #body }
    })
}

fn watch(on_start: Option<&Path>, on_stop: Option<&Path>) -> Option<TokenStream> {
    let (more, hook) = (local("more"), local("hook"));
    let call = |path: Option<&Path>| path.map(|path| quote!(let #hook: fn() = #path; #hook();));
    let (start, stop) = (call(on_start), call(on_stop));
    if start.is_none() && stop.is_none() {
        return None;
    }
    Some(quote! {
        fn watch(#more: ::core::primitive::i32) {
            if #more > 0 { #start } else { #stop }
        }
    })
}
