//! Statements as lines of Verilog.

use rust_hdl::prelude::ast::{
    VerilogBlock, VerilogBlockOrConditional, VerilogConditional, VerilogExpression, VerilogMatch,
    VerilogStatement,
};

use super::context::Context;
use super::{Result, names, refuse};

fn indent(depth: usize) -> String {
    "    ".repeat(depth)
}

fn flush(context: &mut Context, depth: usize, lines: &mut Vec<String>) {
    for line in context.before.drain(..) {
        lines.push(format!("{}{line}\n", indent(depth)));
    }
}

fn block(
    context: &mut Context,
    statements: &VerilogBlock,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    statements
        .iter()
        .try_for_each(|inner| statement(context, inner, depth, lines))
}

/// Adds the lines of a statement.
pub fn statement(
    context: &mut Context,
    statement: &VerilogStatement,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    match statement {
        VerilogStatement::Assignment(target, value) => {
            assign(context, target, None, value, depth, lines)
        }
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => assign(
            context,
            base,
            Some((*width, offset)),
            replacement,
            depth,
            lines,
        ),
        VerilogStatement::If(conditional) => branch(context, conditional, depth, lines),
        VerilogStatement::Match(choice) => select(context, choice, depth, lines),
        VerilogStatement::Loop(each) => {
            let (index, from, to) = (
                names::plain(&each.index),
                each.from.as_usize(),
                each.to.as_usize(),
            );
            let open = indent(depth);
            lines.push(format!(
                "{open}for ({index} = {from}; {index} < {to}; {index} = {index} + 1) begin\n"
            ));
            context.enter(&each.index)?;
            block(context, &each.block, depth + 1, lines)?;
            context.loops.pop();
            lines.push(format!("{open}end\n"));
            Ok(())
        }
        VerilogStatement::Macro(inner) => block(context, inner, depth, lines),
        VerilogStatement::Comment(_) => Ok(()),
        VerilogStatement::Link(_) => refuse(format!(
            "kernel of `{}` joins interfaces",
            context.module.name
        )),
    }
}

fn assign(
    context: &mut Context,
    target: &VerilogExpression,
    part: Option<(usize, &VerilogExpression)>,
    value: &VerilogExpression,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let place = context.target(target, part)?;
    let value = context.of_width(value, place.width)?;
    flush(context, depth, lines);
    lines.push(format!(
        "{}{} = {};\n",
        indent(depth),
        place.text(),
        value.text
    ));
    Ok(())
}

fn branch(
    context: &mut Context,
    conditional: &VerilogConditional,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let test = context.of_width(&conditional.test, 1)?;
    flush(context, depth, lines);
    let open = indent(depth);
    lines.push(format!("{open}if ({}) begin\n", test.text));
    context.branches += 1;
    block(context, &conditional.then, depth + 1, lines)?;
    match &conditional.otherwise {
        VerilogBlockOrConditional::None => lines.push(format!("{open}end\n")),
        VerilogBlockOrConditional::Block(inner) => {
            lines.push(format!("{open}end else begin\n"));
            block(context, inner, depth + 1, lines)?;
            lines.push(format!("{open}end\n"));
        }
        VerilogBlockOrConditional::Conditional(inner) => {
            let mut nested = Vec::new();
            statement(context, inner, depth, &mut nested)?;
            let chained = nested
                .first()
                .and_then(|line| line.trim_start().strip_prefix("if "));
            match chained.map(str::to_owned) {
                Some(rest) => {
                    lines.push(format!("{open}end else if {rest}"));
                    lines.extend(nested.drain(1..));
                }
                None => {
                    lines.push(format!("{open}end else begin\n"));
                    lines.extend(nested.iter().map(|line| format!("    {line}")));
                    lines.push(format!("{open}end\n"));
                }
            }
        }
    }
    context.branches -= 1;
    Ok(())
}

fn select(
    context: &mut Context,
    choice: &VerilogMatch,
    depth: usize,
    lines: &mut Vec<String>,
) -> Result<()> {
    let test = context.any_width(&choice.test)?;
    flush(context, depth, lines);
    let open = indent(depth);
    lines.push(format!("{open}case ({})\n", test.text));
    // The kernel's cases are complete; what no variant stands for may do as the last one does, rather than latch.
    for (at, case) in choice.cases.iter().enumerate() {
        let last = at + 1 == choice.cases.len();
        let label = match case.condition.as_str() {
            "default" => "default".to_owned(),
            variant => {
                let label = context.label(variant, test.width)?;
                if last { "default".to_owned() } else { label }
            }
        };
        lines.push(format!("{open}    {label}: begin\n"));
        context.branches += 1;
        block(context, &case.block, depth + 2, lines)?;
        context.branches -= 1;
        lines.push(format!("{open}    end\n"));
    }
    lines.push(format!("{open}endcase\n"));
    Ok(())
}
