//! Registers that hold: where a kernel writes `self.x.d.next` only under conditions, the statement
//! `self.x.d.next = self.x.q.val();` goes before the first statement that writes it.
//!
//! A register that a statement of its own writes first is left as it is. So is an element of an array that more than one loop
//! writes: which of them runs first for an element is not for this to guess, and the exporter asks for the hold. So is an
//! element that a loop inside an `if` or a `match` writes: put the condition inside the loop.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Block, Expr, ExprForLoop, ExprMatch, Member, Stmt, parse_quote};

/// Adds the holds of a kernel.
pub fn insert(kernel: &mut Block) {
    let mut writes = Vec::new();
    block(kernel, &[], &mut writes);
    within(kernel, &[], &writes);
}

/// A write of a register, whole or of a part.
struct Write {
    /// The register, such as `self.entry[i]`.
    place: TokenStream,
    /// The same without its indices.
    array: String,
    /// The loops around it, by their indices and bodies.
    loops: Vec<usize>,
}

/// Calls `each` for the expressions of a block that are statements.
fn statements(block: &Block) -> impl Iterator<Item = &Expr> {
    block.stmts.iter().filter_map(|statement| match statement {
        Stmt::Expr(expression, _) => Some(expression),
        _ => None,
    })
}

/// Identifies a loop of a kernel by the address of its body's statements, which stay there when the loop is moved.
fn number(each: &ExprForLoop) -> usize {
    each.body.stmts.as_ptr().addr()
}

fn block(body: &Block, loops: &[usize], found: &mut Vec<Write>) {
    statements(body).for_each(|expression| collect(expression, loops, found));
}

/// Collects the writes of a statement.
fn collect(expression: &Expr, loops: &[usize], found: &mut Vec<Write>) {
    match expression {
        Expr::Assign(assign) => {
            if let Some((place, _)) = register(&assign.left) {
                let (array, place) = (without_indices(place), place.to_token_stream());
                let loops = loops.to_vec();
                found.push(Write {
                    place,
                    array,
                    loops,
                });
            }
        }
        Expr::Block(inner) => block(&inner.block, loops, found),
        Expr::ForLoop(each) => {
            let loops = [loops, &[number(each)]].concat();
            block(&each.body, &loops, found);
        }
        Expr::If(condition) => {
            block(&condition.then_branch, loops, found);
            if let Some((_, otherwise)) = &condition.else_branch {
                collect(otherwise, loops, found);
            }
        }
        Expr::Match(choice) => {
            choice
                .arms
                .iter()
                .for_each(|arm| collect(&arm.body, loops, found));
        }
        _ => {}
    }
}

/// The register whose `d.next` is written, and whether all of it is.
fn register(target: &Expr) -> Option<(&Expr, bool)> {
    let Expr::Field(field) = target else {
        return None;
    };
    let is = |field: &syn::ExprField, wanted: &str| matches!(&field.member, Member::Named(name) if name == wanted);
    if is(field, "next") {
        return match &*field.base {
            Expr::Field(inner) if is(inner, "d") => Some((&inner.base, true)),
            _ => None,
        };
    }
    register(&field.base).map(|(place, _)| (place, false))
}

/// A place without its indices: `self.entry` of `self.entry[i]`.
fn without_indices(place: &Expr) -> String {
    match place {
        Expr::Index(index) => without_indices(&index.expr),
        Expr::Field(field) => {
            let base = without_indices(&field.base);
            format!("{base}.{}", field.member.to_token_stream())
        }
        other => other.to_token_stream().to_string(),
    }
}

/// Whether a statement writes a register as a whole in every case.
fn surely(expression: &Expr, place: &str) -> bool {
    let in_block = |body: &Block| statements(body).any(|expression| surely(expression, place));
    match expression {
        Expr::Assign(assign) => register(&assign.left)
            .is_some_and(|(found, whole)| whole && found.to_token_stream().to_string() == place),
        Expr::Block(inner) => in_block(&inner.block),
        // A loop may have no round.
        Expr::ForLoop(_) => false,
        Expr::If(condition) => {
            let otherwise = condition.else_branch.as_ref();
            in_block(&condition.then_branch)
                && otherwise.is_some_and(|(_, otherwise)| surely(otherwise, place))
        }
        Expr::Match(ExprMatch { arms, .. }) => {
            !arms.is_empty() && arms.iter().all(|arm| surely(&arm.body, place))
        }
        _ => false,
    }
}

/// Adds the holds of the registers that are chosen by the loops around this block, and by no loop within it.
fn within(body: &mut Block, loops: &[(usize, String)], writes: &[Write]) {
    let numbers: Vec<usize> = loops.iter().map(|(number, _)| *number).collect();
    let mut places: Vec<&Write> = Vec::new();
    for write in writes
        .iter()
        .filter(|write| write.loops.starts_with(&numbers))
    {
        let is_known = |known: &&Write| known.place.to_string() == write.place.to_string();
        if belongs(write, loops, body)
            && is_alone(write, &numbers, writes)
            && !places.iter().any(is_known)
        {
            places.push(write);
        }
    }
    let mut statements = Vec::new();
    for statement in std::mem::take(&mut body.stmts) {
        if let Stmt::Expr(expression, _) = &statement {
            places.retain(|write| {
                let (place, name) = (&write.place, write.place.to_string());
                let mut found = Vec::new();
                collect(expression, &[], &mut found);
                let writes = found.iter().any(|write| write.place.to_string() == name);
                if writes && !surely(expression, &name) {
                    statements.push(parse_quote!(#place.d.next = #place.q.val();));
                }
                !writes
            });
        }
        statements.push(statement);
    }
    body.stmts = statements;
    for statement in &mut body.stmts {
        if let Stmt::Expr(Expr::ForLoop(each), _) = statement {
            let index = each.pat.to_token_stream().to_string();
            let loops = [loops, &[(number(each), index)]].concat();
            within(&mut each.body, &loops, writes);
        }
    }
}

/// Whether the index of the innermost loop around a block chooses the place, if there is one, and that of no loop within it.
fn belongs(write: &Write, loops: &[(usize, String)], body: &Block) -> bool {
    let chooses = |index: &str| has(&write.place, index);
    let innermost = loops.last().is_none_or(|(_, index)| chooses(index));
    innermost && !inner(body).iter().any(|index| chooses(index))
}

/// The indices of the loops within a block.
fn inner(body: &Block) -> Vec<String> {
    fn of(expression: &Expr, found: &mut Vec<String>) {
        match expression {
            Expr::ForLoop(each) => {
                found.push(each.pat.to_token_stream().to_string());
                statements(&each.body).for_each(|expression| of(expression, found));
            }
            Expr::Block(block) => {
                statements(&block.block).for_each(|expression| of(expression, found))
            }
            Expr::If(condition) => {
                statements(&condition.then_branch).for_each(|expression| of(expression, found));
                if let Some((_, otherwise)) = &condition.else_branch {
                    of(otherwise, found);
                }
            }
            Expr::Match(choice) => choice.arms.iter().for_each(|arm| of(&arm.body, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    statements(body).for_each(|expression| of(expression, &mut found));
    found
}

/// Whether all writes of a register, or of the array that it is in, are within the same loops and of the same place.
fn is_alone(write: &Write, loops: &[usize], writes: &[Write]) -> bool {
    let mut others = writes.iter().filter(|other| other.array == write.array);
    others.all(|other| {
        other.loops.starts_with(loops) && other.place.to_string() == write.place.to_string()
    })
}

/// Whether a word stands in the tokens.
fn has(tokens: &TokenStream, word: &str) -> bool {
    crate::connect::uses(tokens, word)
}

#[cfg(test)]
mod tests {
    use quote::quote;

    use super::*;

    /// A kernel with its holds, as text.
    fn held(mut kernel: Block) -> String {
        insert(&mut kernel);
        kernel.to_token_stream().to_string()
    }

    #[test]
    fn a_register_that_is_written_under_a_condition_holds() {
        let found = held(parse_quote!({
            self.y.next = true;
            if self.go.val() {
                self.x.d.next = self.a.val();
            }
            match self.step.q.val() {
                Step::Idle => self.z.d.next = true,
                Step::Busy => {}
            }
        }));
        let right: Block = parse_quote!({
            self.y.next = true;
            self.x.d.next = self.x.q.val();
            if self.go.val() {
                self.x.d.next = self.a.val();
            }
            self.z.d.next = self.z.q.val();
            match self.step.q.val() {
                Step::Idle => self.z.d.next = true,
                Step::Busy => {}
            }
        });
        assert_eq!(found, quote!(#right).to_string());
    }

    #[test]
    fn what_is_written_in_every_case_is_left() {
        for kernel in [
            quote!({
                self.x.d.next = self.x.q.val();
                if self.go.val() {
                    self.x.d.next = true;
                }
            }),
            quote!({
                if self.go.val() {
                    self.x.d.next = true;
                } else {
                    self.x.d.next = false;
                }
            }),
            quote!({
                if self.go.val() {
                    self.y.next = true;
                }
            }),
            quote!({
                for i in 0..N {
                    self.x[i].d.next = self.a[i].val();
                }
            }),
        ] {
            assert_eq!(held(parse_quote!(#kernel)), kernel.to_string());
        }
    }

    #[test]
    fn an_element_holds_within_its_loop() {
        let found = held(parse_quote!({
            for i in 0..N {
                self.y[i].next = true;
                if self.go[i].val() {
                    self.x[i].d.next = self.a.val();
                    self.count.d.next = i.to_bits();
                }
            }
        }));
        let right = quote!({
            self.count.d.next = self.count.q.val();
            for i in 0..N {
                self.y[i].next = true;
                self.x[i].d.next = self.x[i].q.val();
                if self.go[i].val() {
                    self.x[i].d.next = self.a.val();
                    self.count.d.next = i.to_bits();
                }
            }
        });
        assert_eq!(found, right.to_string());
    }

    #[test]
    fn elements_that_several_loops_write_are_left() {
        for kernel in [
            quote!({
                for i in 0..N {
                    if self.go[i].val() {
                        self.x[i].d.next = true;
                    }
                }
                for i in 0..N {
                    if self.stop[i].val() {
                        self.x[i].d.next = false;
                    }
                }
            }),
            quote!({
                for i in 0..N {
                    if self.go[i].val() {
                        self.x[i].d.next = true;
                    }
                }
                if self.stop.val() {
                    self.x[0].d.next = false;
                }
            }),
        ] {
            assert_eq!(held(parse_quote!(#kernel)), kernel.to_string());
        }
    }

    #[test]
    fn a_part_of_a_register_does_not_write_it_whole() {
        let found = held(parse_quote!({
            self.x.d.next.low = true;
        }));
        let right = quote!({
            self.x.d.next = self.x.q.val();
            self.x.d.next.low = true;
        });
        assert_eq!(found, right.to_string());
    }
}
