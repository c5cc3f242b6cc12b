//! Names and loops of a kernel's syntax tree.

use rust_hdl::prelude::ast::{VerilogBlockOrConditional, VerilogExpression, VerilogStatement};

/// Adds the indices of the loops of a statement.
pub fn collect_loops(statement: &VerilogStatement, loops: &mut Vec<String>) {
    match statement {
        VerilogStatement::Loop(each) => {
            loops.push(each.index.clone());
            each.block
                .iter()
                .for_each(|inner| collect_loops(inner, loops));
        }
        VerilogStatement::If(conditional) => {
            conditional
                .then
                .iter()
                .for_each(|inner| collect_loops(inner, loops));
            match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => {
                    block.iter().for_each(|inner| collect_loops(inner, loops))
                }
                VerilogBlockOrConditional::Conditional(inner) => collect_loops(inner, loops),
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => {
            choice
                .cases
                .iter()
                .flat_map(|case| &case.block)
                .for_each(|inner| collect_loops(inner, loops));
        }
        VerilogStatement::Macro(block) => {
            block.iter().for_each(|inner| collect_loops(inner, loops))
        }
        _ => {}
    }
}

/// Calls `found` with every signal name of a statement, and whether it is written.
pub fn names_in(statement: &VerilogStatement, found: &mut dyn FnMut(&str, bool)) {
    match statement {
        VerilogStatement::Assignment(target, value) => {
            names_of(target, true, found);
            names_of(value, false, found);
        }
        VerilogStatement::SliceAssignment {
            base,
            offset,
            replacement,
            ..
        } => {
            names_of(base, true, found);
            names_of(offset, false, found);
            names_of(replacement, false, found);
        }
        VerilogStatement::If(conditional) => {
            names_of(&conditional.test, false, found);
            conditional
                .then
                .iter()
                .for_each(|inner| names_in(inner, found));
            match &conditional.otherwise {
                VerilogBlockOrConditional::Block(block) => {
                    block.iter().for_each(|inner| names_in(inner, found))
                }
                VerilogBlockOrConditional::Conditional(inner) => names_in(inner, found),
                VerilogBlockOrConditional::None => {}
            }
        }
        VerilogStatement::Match(choice) => {
            names_of(&choice.test, false, found);
            for case in &choice.cases {
                case.block.iter().for_each(|inner| names_in(inner, found));
            }
        }
        VerilogStatement::Loop(each) => each.block.iter().for_each(|inner| names_in(inner, found)),
        VerilogStatement::Macro(block) => block.iter().for_each(|inner| names_in(inner, found)),
        VerilogStatement::Comment(_) | VerilogStatement::Link(_) => {}
    }
}

pub fn names_of(expression: &VerilogExpression, written: bool, found: &mut dyn FnMut(&str, bool)) {
    match expression {
        VerilogExpression::Signal(name) => found(name, written),
        VerilogExpression::Literal(_) => {}
        VerilogExpression::Cast(a, _)
        | VerilogExpression::Signed(a)
        | VerilogExpression::Unsigned(a)
        | VerilogExpression::Paren(a)
        | VerilogExpression::Unary(_, a) => names_of(a, written, found),
        VerilogExpression::Binary(a, _, b)
        | VerilogExpression::Index(a, b)
        | VerilogExpression::Slice(a, _, b) => {
            names_of(a, written, found);
            names_of(b, false, found);
        }
        VerilogExpression::IndexReplace(a, b, c) => {
            names_of(a, written, found);
            names_of(b, false, found);
            names_of(c, false, found);
        }
    }
}
