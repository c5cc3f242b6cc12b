//! What a kernel drives, for rust-hdl's own check that everything is driven.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::{Block, Expr, Member, Stmt};

/// Statements that connect every signal which the block of a kernel assigns.
pub fn block(block: &Block) -> TokenStream {
    let statements = block.stmts.iter().filter_map(|statement| match statement {
        Stmt::Expr(expression, _) => Some(expression),
        _ => None,
    });
    let mut written = Vec::new();
    let mut known = Vec::new();
    for tokens in statements.map(expression) {
        let text = tokens.to_string();
        if !known.contains(&text) {
            known.push(text);
            written.push(tokens);
        }
    }
    quote!(#(#written)*)
}

fn expression(expression: &Expr) -> TokenStream {
    match expression {
        Expr::Assign(assign) => target(&assign.left),
        Expr::Block(inner) => block(&inner.block),
        Expr::ForLoop(each) => {
            let (index, range, body) = (&each.pat, &each.expr, block(&each.body));
            // What is the same in each turn is connected once.
            match uses(&body, &quote!(#index).to_string()) {
                true => quote!(for #index in #range { #body }),
                false => body,
            }
        }
        Expr::If(condition) => {
            let then = block(&condition.then_branch);
            let otherwise = condition.else_branch.as_ref();
            let otherwise = otherwise.map(|(_, otherwise)| self::expression(otherwise));
            quote!(#then #otherwise)
        }
        Expr::Match(choice) => {
            let arms = choice.arms.iter().map(|arm| self::expression(&arm.body));
            quote!(#(#arms)*)
        }
        _ => TokenStream::new(),
    }
}

/// The signal whose `next` is written.
fn target(expression: &Expr) -> TokenStream {
    let Expr::Field(field) = expression else {
        return TokenStream::new();
    };
    let base = &field.base;
    match &field.member {
        Member::Named(name) if name == "next" => {
            quote!(::rust_hdl::prelude::Logic::connect(&mut #base);)
        }
        _ => target(base),
    }
}

/// Whether a word stands in the tokens.
pub fn uses(tokens: &TokenStream, word: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Group(group) => uses(&group.stream(), word),
        other => other.to_string() == word,
    })
}
