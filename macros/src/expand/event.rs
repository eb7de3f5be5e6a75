//! Expansion of event types.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::{
    assert_at, datatype_check, metadata, origin, private, reference, root, setter, variant, with_categories,
};
use crate::check::{Element, Event};
use crate::doc::Description;
use crate::names::claim;

/// Returns the struct in C layout, its trait implementation, and its registration unless there are mistakes.
pub(crate) fn event(event: &Event, faulty: bool) -> TokenStream {
    let root = &root(event.args.krate.as_ref());
    let private = &private(event.args.krate.as_ref());
    let (attributes, ident, payload) = (&event.attributes, &event.item.ident, payload(event));
    // With mistakes, an event type without elements and with a placeholder source.
    let elements = if faulty { &[] } else { event.elements.as_slice() };
    let values = elements.iter().map(|element| value(private, event, element));
    let fills = elements.iter().map(|element| fill(event, element));
    let collected = collected(private, event, faulty);
    let names = if elements.is_empty() { None } else { Some(names(private, event)) };
    let source = match &event.args.source {
        Some(source) if !faulty => quote!(<#source as #root::event::Source>::DESC),
        _ => quote!(&__MPIT_NO_SOURCE),
    };
    let no_source = if faulty { Some(no_source(private)) } else { None };
    let desc = descriptor(private, event, &source, names.is_some());
    let registration = if faulty { None } else { Some(registration(private, event)) };
    let cell = match &event.args.listeners {
        Some(listeners) if !faulty => {
            // The compiler underlines the name if its type does not fit.
            let listeners = quote_spanned!(listeners.span()=> &#listeners);
            quote!(with_mirror(#listeners))
        }
        _ => quote!(new()),
    };
    quote! {
        #payload
        #attributes
        const _: () = {
            const __MPIT_ELEMENTS: &[#private::Element] = &[#(#values),*];
            static __MPIT_CELL: #private::EventCell = #private::EventCell::#cell;
            #names
            #no_source
            static __MPIT_EVENT: #private::EventDesc = #desc;
            impl #root::event::Event for #ident {
                const DESC: &'static #private::EventDesc = &__MPIT_EVENT;

                #[inline]
                fn fill(&self, payload: &mut #private::Payload) {
                    #(#fills)*
                }

                fn collect(instance: &#private::EventInstance) -> #private::Result<Self> {
                    #collected
                }
            }
            #registration
        };
    }
}

/// Returns the struct with the attributes that it must have and lacks.
fn payload(event: &Event) -> TokenStream {
    let mut traits = Vec::new();
    for (name, path) in [("Clone", quote!(::core::clone::Clone)), ("Copy", quote!(::core::marker::Copy))] {
        if !event.derives(name) {
            traits.push(path);
        }
    }
    let derive =
        if traits.is_empty() { None } else { Some(quote!(#[::core::prelude::v1::derive(#(#traits),*)])) };
    let repr = if event.has_repr { None } else { Some(quote!(#[repr(C)])) };
    let item = &event.item;
    quote!(#derive #repr #item)
}

/// Returns an element: its datatype and its displacement.
fn value(private: &TokenStream, event: &Event, element: &Element) -> TokenStream {
    let (payload, field, ty) = (&event.item.ident, &element.ident, &element.ty);
    let datatype = if let Some(datatype) = &element.datatype {
        variant(private, "Datatype", datatype.value)
    } else {
        quote!(#private::element::datatype::<#ty>())
    };
    quote!(#private::Element::new(#datatype, ::core::mem::offset_of!(#payload, #field)))
}

/// Returns the statement that stores an element in an instance.
fn fill(event: &Event, element: &Element) -> TokenStream {
    let (payload, field) = (&event.item.ident, &element.ident);
    let value = quote_spanned!(element.ty.span()=> self.#field);
    quote!(payload.put(::core::mem::offset_of!(#payload, #field), #value);)
}

/// Returns the expression for an instance of the struct with the elements of an instance.
fn collected(private: &TokenStream, event: &Event, faulty: bool) -> TokenStream {
    if faulty {
        return quote!(#private::Result::Err(#private::Error::Invalid));
    }
    let fields = event.elements.iter().enumerate().map(|(at, element)| {
        let field = &element.ident;
        let value = quote_spanned!(element.ty.span()=> #private::read_element(instance, #at)?);
        quote!(#field: #value)
    });
    quote!(#private::Result::Ok(Self { #(#fields),* }))
}

/// Returns the enumeration that names the elements.
fn names(private: &TokenStream, event: &Event) -> TokenStream {
    let (name, origin) = (event.list_name(), origin(private));
    let items = event.elements.iter().zip(0_i32..).map(|(element, at)| {
        let name = element.name();
        quote!(#private::EnumItem::new(#at, #name))
    });
    quote! {
        static __MPIT_NAMES: #private::EnumDesc = #private::EnumDesc::new(#name, &[#(#items),*], #origin);
    }
}

fn no_source(private: &TokenStream) -> TokenStream {
    let metadata = metadata(private, ("", &Description::default()), None, &TokenStream::new());
    quote! {
        static __MPIT_NO_CELL: #private::SourceCell = #private::SourceCell::new();
        static __MPIT_NO_SOURCE: #private::SourceDesc =
            #private::SourceDesc::new(#metadata, #private::SourceOrder::Unordered, &__MPIT_NO_CELL);
    }
}

fn descriptor(private: &TokenStream, event: &Event, source: &TokenStream, named: bool) -> TokenStream {
    let mut more = with_categories(event.args.krate.as_ref(), &event.args.category).unwrap_or_default();
    if named {
        more.extend(quote!(.with_enumeration(&__MPIT_NAMES)));
    }
    let texts = (event.name.value.as_str(), &event.description);
    let metadata = metadata(private, texts, event.args.component.as_ref(), &more);
    let bind = setter(private, "with_bind", "Bind", event.args.bind.as_ref());
    let verbosity = setter(private, "with_verbosity", "Verbosity", event.args.verbosity.as_ref());
    quote!(#private::EventDesc::new(#metadata, __MPIT_ELEMENTS, #source, &__MPIT_CELL) #bind #verbosity)
}

/// Returns the element of the section, and the checks that need types and constants.
fn registration(private: &TokenStream, event: &Event) -> TokenStream {
    let element = reference(private, "events", &quote!(__MPIT_EVENT));
    let marker = claim("event", &event.name, &event.attributes);
    let datatypes = event.elements.iter().filter_map(|element| {
        let (datatype, ty) = (element.datatype.as_ref()?, &element.ty);
        let function = quote!(#private::element::represented_as::<#ty>);
        Some(datatype_check(private, "the field", &function, datatype))
    });
    let span = event.item.ident.span();
    let ascending = quote!(#private::element::ascend(__MPIT_ELEMENTS));
    let ascending =
        assert_at(span, &ascending, "the elements overlap, or are not in the order of their displacements");
    let fitting = quote!(#private::element::fit(__MPIT_ELEMENTS));
    let fitting = assert_at(
        span,
        &fitting,
        "the elements of an event take more than 256 bytes: move some to another event",
    );
    quote!(#element #marker #(#datatypes)* #ascending #fitting)
}
