//! `Logic` from a kernel.

use proc_macro2::TokenStream;
use quote::quote;
use syn::ItemFn;
use syn::spanned::Spanned;

use crate::{connect, holds, text};

pub fn logic(arguments: &TokenStream, item: &TokenStream) -> TokenStream {
    // A kernel with an error stays as it is, so that the compiler and editors find what else there is to say of it.
    expand(arguments, item).unwrap_or_else(|error| {
        let error = error.to_compile_error();
        quote! {
            #item
            fn hdl(&self) -> ::rust_hdl::prelude::Verilog { #error }
        }
    })
}

fn expand(arguments: &TokenStream, item: &TokenStream) -> syn::Result<TokenStream> {
    let mut kernel: ItemFn = syn::parse2(item.clone())?;
    if !arguments.is_empty() {
        return Err(syn::Error::new(
            arguments.span(),
            "`#[logic]` takes nothing",
        ));
    }
    if kernel.sig.ident != "update" || kernel.sig.inputs.len() != 1 {
        let sentence = "a kernel is `fn update(&mut self)`";
        return Err(syn::Error::new(kernel.sig.span(), sentence));
    }
    holds::insert(&mut kernel.block);
    let (attributes, signature) = (&kernel.attrs, &kernel.sig);
    let statements = &kernel.block.stmts;
    let connects = connect::block(&kernel.block);
    let text::Text { text, numbers } = text::of(&kernel.block)?;
    Ok(quote! {
        #(#attributes)*
        #[allow(
            unreachable_patterns,
            clippy::nonminimal_bool,
            reason = "an exported match has a default, and a kernel reads in the order of its page"
        )]
        #signature {
            ::faultline_hw::part::Part::wire_parts(self);
            #(#statements)*
        }
        fn connect(&mut self) {
            ::faultline_hw::part::Part::connect_parts(self);
            #connects
        }
        fn hdl(&self) -> ::rust_hdl::prelude::Verilog {
            ::faultline_hw::kernel::read(
                &::faultline_hw::part::Part::about(self), #text, &[#(#numbers),*])
        }
    })
}
