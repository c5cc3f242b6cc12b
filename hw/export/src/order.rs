//! Whether a process computes what its kernel settles on.
//!
//! A kernel runs again and again until nothing changes, so a read gives the value that the last write leaves, wherever
//! it stands; and a signal that a run does not write keeps what it has. In Verilog the first is true between processes,
//! but within a process a read gives the value of the last write above it. So a process must not read bits that it
//! writes in the same place or further on; and it must write its bits in every case, or it becomes a latch.

use std::collections::BTreeMap;

use rust_hdl::prelude::ast::{VerilogBlockOrConditional, VerilogExpression, VerilogStatement};

use super::context::Context;
use super::index::{Indices, evaluate};
use super::place::{Offset, Place};
use super::walk::names_of;
use super::{Result, refuse};

/// Bits of wires.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written(BTreeMap<String, Vec<bool>>);

impl Written {
    fn add(&mut self, place: &Place, start: usize) {
        let bits = self.0.entry(place.wire.clone()).or_default();
        bits.resize(place.total, false);
        bits[start..start + place.width].fill(true);
    }
    fn holds(&self, place: &Place, start: usize) -> bool {
        self.0
            .get(&place.wire)
            .is_some_and(|bits| bits[start..start + place.width].contains(&true))
    }
    pub fn unite(&mut self, other: Self) {
        for (wire, bits) in other.0 {
            match self.0.get_mut(&wire) {
                Some(mine) => mine.iter_mut().zip(bits).for_each(|(a, b)| *a |= b),
                None => {
                    self.0.insert(wire, bits);
                }
            }
        }
    }
    fn intersect(&mut self, other: &Self) {
        self.0.retain(|wire, bits| {
            other.0.get(wire).is_some_and(|others| {
                bits.iter_mut().zip(others).for_each(|(a, b)| *a &= b);
                true
            })
        });
    }
    /// Whether every bit of a wire is among them.
    pub fn covers(&self, wire: &str) -> bool {
        self.0
            .get(wire)
            .is_some_and(|bits| bits.iter().all(|bit| *bit))
    }
}

/// What some statements write.
#[derive(Clone, Default)]
struct Effect {
    /// In some case.
    perhaps: Written,
    /// In every case.
    surely: Written,
}

impl Effect {
    /// Both effects, one after the other.
    fn unite(&mut self, other: Self) {
        self.perhaps.unite(other.perhaps);
        self.surely.unite(other.surely);
    }

    /// Either effect.
    fn or(&mut self, other: Self) {
        self.perhaps.unite(other.perhaps);
        self.surely.intersect(&other.surely);
    }
}

/// What is written further on.
struct Later<'a> {
    near: &'a Written,
    far: Option<&'a Self>,
}

impl Later<'_> {
    fn holds(&self, place: &Place, start: usize) -> bool {
        self.near.holds(place, start) || self.far.is_some_and(|far| far.holds(place, start))
    }
}

/// Checks the statements of a process; gives the bits that it writes in every case.
pub fn check(context: &mut Context, statements: &[&VerilogStatement]) -> Result<Written> {
    let nothing = Written::default();
    let later = Later {
        near: &nothing,
        far: None,
    };
    let effect = block(context, statements.iter().copied(), &later)?;
    Ok(effect.surely)
}

/// Statements after which `later` is written.
fn block<'a>(
    context: &mut Context,
    statements: impl DoubleEndedIterator<Item = &'a VerilogStatement>,
    later: &Later,
) -> Result<Effect> {
    let mut effect = Effect::default();
    for each in statements.rev() {
        let one = statement(context, each, &and(&effect, later))?;
        effect.unite(one);
    }
    Ok(effect)
}

/// What these statements write, and what is written after them.
fn and<'a>(effect: &'a Effect, later: &'a Later<'a>) -> Later<'a> {
    Later {
        near: &effect.perhaps,
        far: Some(later),
    }
}

fn statement(context: &mut Context, statement: &VerilogStatement, later: &Later) -> Result<Effect> {
    match statement {
        VerilogStatement::Assignment(target, value) => {
            assignment(context, target, None, value, later)
        }
        VerilogStatement::SliceAssignment {
            base,
            width,
            offset,
            replacement,
        } => assignment(context, base, Some((*width, offset)), replacement, later),
        VerilogStatement::If(conditional) => {
            let mut effect = block(context, conditional.then.iter(), later)?;
            effect.or(match &conditional.otherwise {
                VerilogBlockOrConditional::Block(inner) => block(context, inner.iter(), later)?,
                VerilogBlockOrConditional::Conditional(inner) => {
                    self::statement(context, inner, later)?
                }
                VerilogBlockOrConditional::None => Effect::default(),
            });
            reads(context, &conditional.test, &and(&effect, later))?;
            Ok(effect)
        }
        VerilogStatement::Match(choice) => {
            // Rust has made sure that the cases are complete.
            let mut all: Option<Effect> = None;
            for case in &choice.cases {
                let one = block(context, case.block.iter(), later)?;
                match &mut all {
                    None => all = Some(one),
                    Some(all) => all.or(one),
                }
            }
            let effect = all.unwrap_or_default();
            reads(context, &choice.test, &and(&effect, later))?;
            Ok(effect)
        }
        VerilogStatement::Loop(each) => {
            let mut effect = Effect::default();
            let outer = context.enter(&each.index)?;
            for value in (each.from.as_usize()..each.to.as_usize()).rev() {
                context.indices.insert(each.index.clone(), value as i64);
                let one = block(context, each.block.iter(), &and(&effect, later))?;
                effect.unite(one);
            }
            context.indices = outer;
            context.loops.pop();
            Ok(effect)
        }
        VerilogStatement::Macro(inner) => block(context, inner.iter(), later),
        VerilogStatement::Comment(_) | VerilogStatement::Link(_) => Ok(Effect::default()),
    }
}

fn assignment(
    context: &mut Context,
    target: &VerilogExpression,
    part: Option<(usize, &VerilogExpression)>,
    value: &VerilogExpression,
    later: &Later,
) -> Result<Effect> {
    let mut effect = Effect::default();
    let place = context.target(target, part)?;
    let start = start(context, &place)?;
    effect.perhaps.add(&place, start);
    effect.surely.add(&place, start);
    reads(context, value, &and(&effect, later))?;
    Ok(effect)
}

/// Refuses an expression that reads any of these bits.
fn reads(context: &Context, expression: &VerilogExpression, later: &Later) -> Result<()> {
    let mut names = Vec::new();
    names_of(expression, false, &mut |name, _| {
        names.push(name.to_owned())
    });
    for name in names {
        let Some(place) = context.place(&name)? else {
            continue;
        };
        let start = start(context, &place)?;
        if later.holds(&place, start) {
            return refuse(format!(
                "{}: `{}` is read where the same statements write it later, or it depends on itself; give the two \
                 meanings names of their own",
                context.at(),
                place.wire
            ));
        }
    }
    Ok(())
}

/// The first bit of a place, in this iteration.
fn start(context: &Context, place: &Place) -> Result<usize> {
    start_of(place, &context.indices).map_or_else(
        || {
            refuse(format!(
                "{}: `{}` has no such bits",
                context.at(),
                place.text()
            ))
        },
        Ok,
    )
}

/// The first bit of a place, if it lies within the wire.
pub fn start_of(place: &Place, indices: &Indices) -> Option<usize> {
    let start = match &place.offset {
        Offset::At(start) => *start,
        Offset::Element {
            index,
            stride,
            plus,
        } => usize::try_from(evaluate(index, indices)?).ok()? * stride + plus,
    };
    (start + place.width <= place.total).then_some(start)
}
