//! Predicates that go through a register as 1 or 0, as `__all` and `__any` of CUDA have them, stay predicates: every compiler's
//! back end sees to that.

use std::collections::{HashMap, HashSet};

use super::code::{Code, Line, Source, Virtual};
use crate::simt::{Arithmetic, Comparison, Condition, Number, Operation, Relation};

/// Puts a predicate in the place of a test of the number that was made of it, as far as a block of instructions goes.
pub fn keep(code: &mut Code) {
    let landed: HashSet<usize> = code.targets.iter().copied().collect();
    // The numbers that were made of predicates, and the predicates that are the same as others, or their opposites.
    let mut numbers: HashMap<Virtual, Virtual> = HashMap::new();
    let mut same: HashMap<Virtual, Virtual> = HashMap::new();
    let mut opposite: HashMap<Virtual, Virtual> = HashMap::new();
    for (place, line) in code.lines.iter_mut().enumerate() {
        if landed.contains(&place) {
            numbers.clear();
            same.clear();
            opposite.clear();
        }
        for source in &mut line.sources {
            if let Source::Register(register) = source
                && let Some(predicate) = same.get(register)
            {
                *register = *predicate;
            }
        }
        if let (Operation::Branch(condition), Source::Register(register)) =
            (line.operation, line.sources[0])
            && let Some(predicate) = opposite.get(&register)
        {
            line.sources[0] = Source::Register(*predicate);
            line.operation = Operation::Branch(match condition {
                Condition::Zero => Condition::NotZero,
                Condition::NotZero => Condition::Zero,
                Condition::Always => Condition::Always,
            });
        }
        let of = |relation| {
            let number = tested(line, relation);
            number.and_then(|number| numbers.get(&number)).copied()
        };
        let (tested, turned) = (of(Relation::NotEqual), of(Relation::Equal));
        let made = made(line);
        let Some(to) = line.destination else {
            continue;
        };
        for known in [&mut numbers, &mut same, &mut opposite] {
            known.retain(|&left, &mut right| left != to && right != to);
        }
        if let Some(predicate) = tested.filter(|&predicate| predicate != to) {
            line.operation = Operation::Move;
            line.sources = [Source::Register(predicate), Source::None, Source::None];
            same.insert(to, predicate);
        } else if let Some(predicate) = turned.filter(|&predicate| predicate != to) {
            opposite.insert(to, predicate);
        } else if let Some(predicate) = made.filter(|&predicate| predicate != to) {
            numbers.insert(to, predicate);
        }
    }
}

/// The register of which an instruction tests whether it is not 0, or is.
fn tested(line: &Line, relation: Relation) -> Option<Virtual> {
    let is_test = match line.operation {
        Operation::Arithmetic(Arithmetic::Compare {
            of: Number::Whole(_),
            comparison: Comparison::Ordered(own),
            ..
        }) => own == relation,
        _ => false,
    };
    match line.sources {
        [Source::Register(number), Source::Immediate(0), _] if is_test => Some(number),
        _ => None,
    }
}

/// The predicate of which an instruction makes 1 or 0.
fn made(line: &Line) -> Option<Virtual> {
    match (line.operation, line.sources) {
        (
            Operation::Select,
            [
                Source::Register(predicate),
                Source::Immediate(1),
                Source::Immediate(0),
            ],
        ) => Some(predicate),
        _ => None,
    }
}
