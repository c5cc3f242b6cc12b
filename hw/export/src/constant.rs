//! Assignments of constants.

use rust_hdl::prelude::ast::VerilogStatement;

use super::context::Context;
use super::index::Indices;
use super::order::start_of;
use super::place::Place;
use super::{Result, refuse};

/// Whether two places have a bit in common.
pub fn overlap(one: &Place, other: &Place) -> bool {
    let start = |place| start_of(place, &Indices::new());
    match (start(one), start(other)) {
        (Some(a), Some(b)) => one.wire == other.wire && a < b + other.width && b < a + one.width,
        _ => true,
    }
}

/// The assignments of loops over constants, one for each iteration.
pub fn taken_apart(context: &mut Context, statements: &[&VerilogStatement]) -> Result<Vec<String>> {
    let mut found: Vec<(Place, String)> = Vec::new();
    for statement in statements {
        take_apart(context, statement, &mut found)?;
    }
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

fn take_apart(
    context: &mut Context,
    statement: &VerilogStatement,
    found: &mut Vec<(Place, String)>,
) -> Result<()> {
    let (place, value) = match statement {
        VerilogStatement::Assignment(target, value) => (context.target(target, None)?, value),
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => (context.target(base, Some((*width, offset)))?, replacement),
        VerilogStatement::Loop(each) => {
            let outer = context.enter(&each.index)?;
            for value in each.from.as_usize()..each.to.as_usize() {
                context.indices.insert(each.index.clone(), value as i64);
                for inner in &each.block {
                    take_apart(context, inner, found)?;
                }
            }
            context.indices = outer;
            context.loops.pop();
            return Ok(());
        }
        VerilogStatement::Macro(inner) => {
            return inner
                .iter()
                .try_for_each(|inner| take_apart(context, inner, found));
        }
        VerilogStatement::Comment(_) => return Ok(()),
        _ => return refuse(format!("{} branches on constants alone", context.at())),
    };
    let value = context.of_width(value, place.width)?;
    if !context.before.is_empty() {
        return refuse(format!(
            "{} takes a part of an expression of constants; name the value instead",
            context.at()
        ));
    }
    // The last assignment holds.
    found.retain(|(other, _)| !(overlap(other, &place) && other == &place));
    if found.iter().any(|(other, _)| overlap(other, &place)) {
        return refuse(format!(
            "{} gives bits of `{}` two constants; give each bit one",
            context.at(),
            place.wire
        ));
    }
    let line = format!("{} = {};", place.text(), value.text);
    found.push((place, line));
    Ok(())
}
