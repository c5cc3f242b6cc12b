//! A kernel's syntax tree as a text of words.
//!
//! Operators stand before their operands, blocks between braces. What differs between the instances of a kernel, such
//! as the bounds of loops and the widths of slices, are numbers beside the text: `%3` is the fourth of them. So an
//! instance costs a few numbers, and not the code that builds a tree. The reader is `faultline_hw::kernel`.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{
    BinOp, Block, Expr, ExprAssign, ExprCall, ExprField, ExprForLoop, ExprIf, ExprMatch,
    ExprMethodCall, GenericArgument, Lit, Member, Pat, RangeLimits, Result, Stmt, UnOp,
};

/// A text, and the expressions of its numbers.
#[derive(Default)]
pub struct Text {
    pub text: String,
    pub numbers: Vec<TokenStream>,
}

/// The text of a kernel.
pub fn of(kernel: &Block) -> Result<Text> {
    let mut text = Text::default();
    text.block(kernel)?;
    Ok(text)
}

fn refuse<T>(at: &impl Spanned, sentence: &str) -> Result<T> {
    Err(syn::Error::new(at.span(), sentence))
}

/// The name of a place: `self.entry[i].d.next` is `entry[i]$d$next`.
fn name(place: &impl ToTokens) -> String {
    let text = place.to_token_stream().to_string().replace([' ', '\n'], "");
    text.replace("self.", "")
        .replace("::", "$")
        .replace('.', "$")
}

impl Text {
    fn word(&mut self, word: &str) {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(word);
    }

    fn number(&mut self, expression: TokenStream) {
        let word = format!("%{}", self.numbers.len());
        self.word(&word);
        self.numbers.push(expression);
    }

    fn signal(&mut self, place: &impl ToTokens) {
        self.word("s");
        self.word(&name(place));
    }

    fn block(&mut self, block: &Block) -> Result<()> {
        self.word("{");
        for statement in &block.stmts {
            let Stmt::Expr(expression, _) = statement else {
                return refuse(
                    statement,
                    "a kernel has no variables, items or macros of its own",
                );
            };
            self.statement(expression)?;
        }
        self.word("}");
        Ok(())
    }

    fn statement(&mut self, expression: &Expr) -> Result<()> {
        match expression {
            Expr::Assign(assign) => self.assign(assign),
            Expr::If(condition) => {
                self.word("?");
                self.condition(condition)
            }
            Expr::Match(choice) => self.choice(choice),
            Expr::ForLoop(each) => self.each(each),
            other => refuse(
                other,
                "a kernel has assignments, `if`, `match` and `for`, and nothing else",
            ),
        }
    }

    fn assign(&mut self, assign: &ExprAssign) -> Result<()> {
        let Expr::Field(target) = &*assign.left else {
            return refuse(
                assign,
                "a kernel assigns to `next` of a signal, or to a field of that",
            );
        };
        let base = &target.base;
        if let Expr::Field(whole) = &**base
            && name(base).ends_with("$next")
        {
            self.word("[=");
            self.compute(&whole.base)?;
            self.part(target, base)?;
            return self.compute(&assign.right);
        }
        if !name(target).ends_with("$next") {
            return refuse(
                target,
                "a kernel assigns to `next` of a signal, or to a field of that",
            );
        }
        self.word("=");
        self.signal(target);
        self.compute(&assign.right)
    }

    /// The width and the offset of a field of a struct, by the methods that rust-hdl's `LogicStruct` derives.
    fn part(&mut self, field: &ExprField, value: &Expr) -> Result<()> {
        let Member::Named(member) = &field.member else {
            return refuse(field, "the fields of a value have names");
        };
        let (width, offset) = (
            format_ident!("get_my_width_{member}"),
            format_ident!("get_my_offset_{member}"),
        );
        self.number(quote!(#value.#width()));
        self.word("n");
        self.number(quote!(#value.#offset()));
        Ok(())
    }

    fn condition(&mut self, condition: &ExprIf) -> Result<()> {
        self.compute(&condition.cond)?;
        self.block(&condition.then_branch)?;
        match condition
            .else_branch
            .as_ref()
            .map(|(_, otherwise)| &**otherwise)
        {
            None => self.word("."),
            Some(Expr::Block(otherwise)) => {
                self.word(":");
                self.block(&otherwise.block)?;
            }
            Some(Expr::If(otherwise)) => {
                self.word("?");
                self.condition(otherwise)?;
            }
            Some(other) => return refuse(other, "`else` has a block or another `if`"),
        }
        Ok(())
    }

    fn choice(&mut self, choice: &ExprMatch) -> Result<()> {
        self.word("match");
        self.compute(&choice.expr)?;
        self.word("{");
        for arm in &choice.arms {
            if let Some((_, guard)) = &arm.guard {
                return refuse(guard, "a pattern has no guard; write an `if` in its block");
            }
            let pattern = match &arm.pat {
                Pat::Ident(pattern) => pattern.ident.to_string(),
                Pat::Lit(pattern) => pattern.to_token_stream().to_string(),
                Pat::Path(pattern) => name(pattern),
                Pat::Wild(_) => "default".to_owned(),
                other => return refuse(other, "a pattern is a number, a state or `_`"),
            };
            self.word(&pattern);
            match &*arm.body {
                Expr::Block(body) => self.block(&body.block)?,
                statement => {
                    self.word("{");
                    self.statement(statement)?;
                    self.word("}");
                }
            }
        }
        self.word("}");
        Ok(())
    }

    fn each(&mut self, each: &ExprForLoop) -> Result<()> {
        let sentence = "a loop is `for i in FROM..TO`";
        let (Pat::Ident(index), Expr::Range(range)) = (&*each.pat, &*each.expr) else {
            return refuse(each, sentence);
        };
        if !matches!(range.limits, RangeLimits::HalfOpen(_)) {
            return refuse(range, sentence);
        }
        let (Some(from), Some(to)) = (&range.start, &range.end) else {
            return refuse(each, sentence);
        };
        self.word("for");
        self.word(&index.ident.to_string());
        for bound in [from, to] {
            match &**bound {
                Expr::Lit(literal) => self.literal(&literal.lit)?,
                other => self.number(quote!(#other)),
            }
        }
        self.block(&each.body)
    }

    /// A number as it is written: `true`, or digits for an integer of 32 bits, as rust-hdl takes it, with a suffix for others.
    fn literal(&mut self, literal: &Lit) -> Result<()> {
        match literal {
            Lit::Bool(literal) => self.word(&literal.value.to_string()),
            Lit::Int(literal)
                if ["", "u8", "u16", "u32", "u64", "u128"].contains(&literal.suffix()) =>
            {
                self.word(&format!("{}{}", literal.base10_digits(), literal.suffix()));
            }
            other => {
                let sentence = "a literal is `true`, `false`, or an unsigned number";
                return refuse(other, sentence);
            }
        }
        Ok(())
    }

    fn compute(&mut self, expression: &Expr) -> Result<()> {
        match expression {
            Expr::Path(_) | Expr::Index(_) => self.read(expression),
            Expr::Field(field) => {
                let base = &field.base;
                if !name(base).ends_with("val()") {
                    return self.read(expression);
                }
                // A field of a value.
                self.word("slice");
                self.part(field, base)?;
                self.compute(base)
            }
            Expr::Paren(inner) => {
                self.word("(");
                self.compute(&inner.expr)
            }
            Expr::Binary(binary) => {
                self.word(operator(&binary.op)?);
                self.compute(&binary.left)?;
                self.compute(&binary.right)
            }
            Expr::Unary(unary) => {
                self.word(match &unary.op {
                    UnOp::Not(_) => "not",
                    UnOp::Neg(_) => "neg",
                    other => return refuse(other, "this operator is not translated"),
                });
                self.compute(&unary.expr)
            }
            Expr::Call(call) => self.cast(call),
            Expr::MethodCall(method) => self.method(method),
            Expr::Lit(literal) => {
                self.word("n");
                self.literal(&literal.lit)
            }
            other => refuse(other, "this expression is not translated"),
        }
    }

    fn read(&mut self, expression: &Expr) -> Result<()> {
        if name(expression).ends_with("$next") {
            return refuse(expression, "a kernel reads `val()` of a signal, not `next`");
        }
        self.signal(expression);
        Ok(())
    }

    fn cast(&mut self, call: &ExprCall) -> Result<()> {
        let function = match &*call.func {
            Expr::Path(function) => function.path.segments.last(),
            _ => None,
        };
        let is_cast = function.is_some_and(|name| {
            ["bit_cast", "bits", "Bits"]
                .iter()
                .any(|cast| name.ident == cast)
        });
        match call.args.first() {
            Some(value) if is_cast => {
                self.word("cast");
                self.number(quote!(::rust_hdl::prelude::Synth::bits(#call)));
                self.compute(value)
            }
            _ => refuse(
                call,
                "this function is not translated; `bits` and `bit_cast` are",
            ),
        }
    }

    fn method(&mut self, method: &ExprMethodCall) -> Result<()> {
        let receiver = &method.receiver;
        let arguments: Vec<&Expr> = method.args.iter().collect();
        match (method.method.to_string().as_str(), arguments.as_slice()) {
            ("val" | "into" | "index" | "to_bits", []) => self.compute(receiver),
            (reduction @ ("all" | "any" | "xor"), []) => {
                self.word(reduction);
                self.compute(receiver)
            }
            ("get_bit", [index]) => {
                self.word("bit");
                self.compute(receiver)?;
                self.compute(index)
            }
            ("get_bits", [offset]) => {
                let types = method.turbofish.as_ref().map(|types| &types.args);
                let width = match types.and_then(|types| types.first()) {
                    Some(GenericArgument::Const(width)) => quote!(#width),
                    Some(GenericArgument::Type(width)) => quote!(#width),
                    _ => return refuse(method, "`get_bits` says how many: `get_bits::<8>(0)`"),
                };
                self.word("slice");
                self.number(width);
                self.compute(offset)?;
                self.compute(receiver)
            }
            ("replace_bit", [index, value]) => {
                self.word("with");
                self.compute(receiver)?;
                self.compute(index)?;
                self.compute(value)
            }
            _ => refuse(&method.method, "this method is not translated"),
        }
    }
}

fn operator(operator: &BinOp) -> Result<&'static str> {
    Ok(match operator {
        BinOp::Add(_) => "+",
        BinOp::Sub(_) => "-",
        BinOp::Mul(_) => "*",
        BinOp::And(_) => "&&",
        BinOp::Or(_) => "||",
        BinOp::BitXor(_) => "^",
        BinOp::BitAnd(_) => "&",
        BinOp::BitOr(_) => "|",
        BinOp::Shl(_) => "<<",
        BinOp::Shr(_) => ">>",
        BinOp::Eq(_) => "==",
        BinOp::Ne(_) => "!=",
        BinOp::Lt(_) => "<",
        BinOp::Le(_) => "<=",
        BinOp::Ge(_) => ">=",
        BinOp::Gt(_) => ">",
        other => return refuse(other, "this operator is not translated"),
    })
}
