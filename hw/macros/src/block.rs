//! What follows from a block's struct.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, Ident, ItemStruct, Token, Type, Visibility, parenthesized};

/// What stands in the brackets of `#[block(...)]`.
#[derive(Default)]
struct Arguments {
    top: bool,
    new: Option<Punctuated<FnArg, Token![,]>>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let mut arguments = Self::default();
        while !input.is_empty() {
            let word = input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
            if word == "top" {
                arguments.top = true;
            } else if word == "new" {
                let inside;
                parenthesized!(inside in input);
                arguments.new = Some(inside.parse_terminated(FnArg::parse, Token![,])?);
            } else {
                let sentence = "a block is `top`, or has a constructor `new(argument: Type)`";
                return Err(syn::Error::new(word.span(), sentence));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

/// A field, without the attributes that are for this macro.
struct Field {
    name: Ident,
    ty: Type,
    is_public: bool,
    /// Its doc comment.
    doc: String,
    /// Its first value, if that is not its default.
    init: Option<TokenStream>,
    /// When its memories count.
    used: Option<TokenStream>,
}

/// What a field is, by its type.
enum Kind {
    Input,
    Output,
    /// A signal inside, or a constant.
    Plain,
    /// Another block, or several of them.
    Part,
}

/// The element of an array, of whatever depth.
fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => element(&array.elem),
        other => other,
    }
}

impl Field {
    fn kind(&self) -> Kind {
        // rust-hdl looks at no field whose name begins so.
        if self.name.to_string().starts_with('_') {
            return Kind::Plain;
        }
        let Type::Path(path) = element(&self.ty) else {
            return Kind::Plain;
        };
        let Some(last) = path.path.segments.last() else {
            return Kind::Plain;
        };
        if last.ident == "Constant" {
            return Kind::Plain;
        }
        if last.ident != "Signal" {
            return Kind::Part;
        }
        let text = quote!(#last).to_string().replace(' ', "");
        match (self.is_public, text.split(['<', ',']).nth(1)) {
            (true, Some("In")) => Kind::Input,
            (true, Some("Out")) => Kind::Output,
            _ => Kind::Plain,
        }
    }

    fn value(&self) -> TokenStream {
        self.init.clone().unwrap_or_else(|| default(&self.ty))
    }
}

/// The default of a type, each element of an array by itself.
fn default(ty: &Type) -> TokenStream {
    match ty {
        Type::Array(array) => {
            let element = default(&array.elem);
            quote!(::std::array::from_fn(|_| #element))
        }
        _ => quote!(::std::default::Default::default()),
    }
}

/// Takes the attributes of a name out of a list.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> Vec<Attribute> {
    attributes
        .extract_if(.., |attribute| attribute.path().is_ident(name))
        .collect()
}

/// The expression of the one attribute of a name, if there is one.
fn expression(attributes: &mut Vec<Attribute>, name: &str) -> syn::Result<Option<TokenStream>> {
    match take(attributes, name).as_slice() {
        [] => Ok(None),
        [only] => {
            let expression: Expr = only.parse_args()?;
            Ok(Some(quote!(#expression)))
        }
        [_, second, ..] => {
            let sentence = format!("a field has one `#[{name}]`");
            Err(syn::Error::new(second.span(), sentence))
        }
    }
}

/// The doc comment of an item, its lines joined.
fn doc(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) if pair.path.is_ident("doc") => Some(text.value().trim().to_owned()),
            _ => None,
        }
    });
    lines.collect::<Vec<_>>().join(" ")
}

fn fields(item: &mut ItemStruct) -> syn::Result<Vec<Field>> {
    let syn::Fields::Named(named) = &mut item.fields else {
        let sentence = "the fields of a block have names";
        return Err(syn::Error::new(item.ident.span(), sentence));
    };
    let mut fields = Vec::new();
    for field in &mut named.named {
        let init = expression(&mut field.attrs, "init")?;
        let used = expression(&mut field.attrs, "used")?;
        let Some(name) = field.ident.clone() else {
            continue;
        };
        fields.push(Field {
            name,
            ty: field.ty.clone(),
            doc: doc(&field.attrs),
            is_public: matches!(field.vis, Visibility::Public(_)),
            init,
            used,
        });
    }
    Ok(fields)
}

pub fn block(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let original = item.clone();
    let written = syn::parse2::<Arguments>(arguments)
        .and_then(|arguments| expand(&arguments, syn::parse2(item)?));
    written.unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote!(#original #error)
    })
}

fn expand(arguments: &Arguments, mut item: ItemStruct) -> syn::Result<TokenStream> {
    let fields = fields(&mut item)?;
    let checks = take(&mut item.attrs, "check");
    let checks = checks
        .iter()
        .map(Attribute::parse_args::<TokenStream>)
        .collect::<syn::Result<Vec<_>>>()?;
    let constructor = constructor(arguments, &item, &fields, &checks);
    let part = part(&item, &fields);
    let hardware = arguments.top.then(|| hardware(&item, &fields));
    Ok(quote! {
        #[derive(::rust_hdl::prelude::LogicBlock)]
        #item
        #constructor
        #part
        #hardware
    })
}

fn constructor(
    arguments: &Arguments,
    item: &ItemStruct,
    fields: &[Field],
    checks: &[TokenStream],
) -> TokenStream {
    let name = &item.ident;
    let visibility = &item.vis;
    let (impl_generics, ty_generics, bounds) = item.generics.split_for_impl();
    let names = fields.iter().map(|field| &field.name);
    let values = fields.iter().map(Field::value);
    let body = quote! {
        #(::std::assert!(#checks);)*
        Self { #(#names: #values,)* }
    };
    match &arguments.new {
        Some(inputs) => quote! {
            impl #impl_generics #name #ty_generics #bounds {
                /// A block of this configuration.
                ///
                /// # Panics
                /// If its sizes do not fit each other.
                #[must_use]
                #visibility fn new(#inputs) -> Self { #body }
            }
        },
        None => quote! {
            impl #impl_generics ::std::default::Default for #name #ty_generics #bounds {
                fn default() -> Self { #body }
            }
        },
    }
}

fn part(item: &ItemStruct, fields: &[Field]) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, bounds) = item.generics.split_for_impl();
    let has = |wanted: &str| {
        fields
            .iter()
            .any(|field| field.name == wanted && matches!(field.kind(), Kind::Input))
    };
    let parts: Vec<&Field> = fields
        .iter()
        .filter(|field| matches!(field.kind(), Kind::Part))
        .collect();
    let names: Vec<&Ident> = parts.iter().map(|field| &field.name).collect();
    let count = parts.len();
    let memories = parts.iter().map(|field| {
        // An error about a field that is no part points at the field.
        let name = &field.name;
        let memories =
            quote_spanned!(field.ty.span()=> ::faultline_hw::part::Part::memories(&self.#name));
        match &field.used {
            Some(used) => quote!(if #used { #memories } else { ::std::vec::Vec::new() }),
            None => memories,
        }
    });
    let wired: Vec<Ident> = ["clock", "reset"]
        .into_iter()
        .filter(|name| has(name))
        .map(|name| Ident::new(name, Span::call_site()))
        .collect();
    let text = doc(&item.attrs);
    let ports = fields
        .iter()
        .filter(|field| matches!(field.kind(), Kind::Input | Kind::Output) && !field.doc.is_empty())
        .map(|field| {
            let (name, doc) = (field.name.to_string(), &field.doc);
            quote!((#name, #doc))
        });
    let given = wired.iter().map(|name| quote::format_ident!("_{name}"));
    let inside = (has("clock") && count > 0).then(|| {
        let reset = match has("reset") {
            true => quote!(self.reset.val()),
            false => quote!(false),
        };
        quote! {
            fn wire_parts(&mut self) {
                let (clock, reset) = (self.clock.val(), #reset);
                #(::faultline_hw::part::Part::wire(&mut self.#names, clock, reset);)*
            }
            fn connect_parts(&mut self) {
                #(::faultline_hw::part::Part::connect_wires(&mut self.#names);)*
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #impl_generics ::faultline_hw::part::Part for #name #ty_generics #bounds {
            fn about(&self) -> ::faultline_hw::part::About {
                ::faultline_hw::part::About {
                    path: ::std::concat!(::std::module_path!(), "::", ::std::stringify!(#name)),
                    text: #text,
                    ports: &[#(#ports),*],
                }
            }
            fn wire(&mut self, _clock: ::rust_hdl::prelude::Clock, _reset: bool) {
                #(self.#wired.next = #given;)*
            }
            fn connect_wires(&mut self) {
                #(::rust_hdl::prelude::Logic::connect(&mut self.#wired);)*
            }
            #inside
            fn memories(&self) -> ::std::vec::Vec<::faultline_hw::primitives::memory::MemoryUse> {
                let found: [::std::vec::Vec<_>; #count] = [#(#memories),*];
                found.concat()
            }
        }
    }
}

fn hardware(item: &ItemStruct, fields: &[Field]) -> TokenStream {
    let name = &item.ident;
    let (impl_generics, ty_generics, bounds) = item.generics.split_for_impl();
    let inputs = fields
        .iter()
        .filter(|field| matches!(field.kind(), Kind::Input) && field.name != "clock")
        .map(|field| &field.name);
    let outputs = fields
        .iter()
        .filter(|field| matches!(field.kind(), Kind::Output))
        .map(|field| &field.name);
    quote! {
        #[automatically_derived]
        impl #impl_generics ::faultline_hw::ports::Hardware for #name #ty_generics #bounds {
            fn clock(&mut self) -> &mut ::rust_hdl::prelude::Signal<
                ::rust_hdl::prelude::In, ::rust_hdl::prelude::Clock> {
                &mut self.clock
            }
            fn inputs(&mut self) -> ::std::vec::Vec<(&'static str, &mut dyn ::faultline_hw::ports::InputPort)> {
                ::std::vec![#((::std::stringify!(#inputs), &mut self.#inputs as &mut dyn ::faultline_hw::ports::InputPort)),*]
            }
            fn outputs(&self) -> ::std::vec::Vec<(&'static str, &dyn ::faultline_hw::ports::OutputPort)> {
                ::std::vec![#((::std::stringify!(#outputs), &self.#outputs as &dyn ::faultline_hw::ports::OutputPort)),*]
            }
        }
    }
}
