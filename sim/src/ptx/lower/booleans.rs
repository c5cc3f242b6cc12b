//! Predicates that go through a register as 1 or 0, as `__all` and `__any` of CUDA have them, stay predicates: every compiler's
//! back end sees to that.

use std::collections::{HashMap, HashSet};

use super::code::{Code, Line, Source, Virtual};
use crate::simt::{Arithmetic, Comparison, Number, Operation, Relation};

/// Puts a predicate in the place of a test of the number that was made of it, as far as a block of instructions goes.
pub fn keep(code: &mut Code) {
    let landed: HashSet<usize> = code.targets.iter().copied().collect();
    // The numbers that were made of predicates, and the predicates that are the same as others.
    let mut numbers: HashMap<Virtual, Virtual> = HashMap::new();
    let mut same: HashMap<Virtual, Virtual> = HashMap::new();
    for (place, line) in code.lines.iter_mut().enumerate() {
        if landed.contains(&place) {
            numbers.clear();
            same.clear();
        }
        for source in &mut line.sources {
            if let Source::Register(register) = source
                && let Some(predicate) = same.get(register)
            {
                *register = *predicate;
            }
        }
        let tested = tested(line)
            .and_then(|number| numbers.get(&number))
            .copied();
        let made = made(line);
        let Some(to) = line.destination else {
            continue;
        };
        for known in [&mut numbers, &mut same] {
            known.retain(|&left, &mut right| left != to && right != to);
        }
        if let Some(predicate) = tested.filter(|&predicate| predicate != to) {
            line.operation = Operation::Move;
            line.sources = [Source::Register(predicate), Source::None, Source::None];
            same.insert(to, predicate);
        } else if let Some(predicate) = made.filter(|&predicate| predicate != to) {
            numbers.insert(to, predicate);
        }
    }
}

/// The register of which an instruction tests whether it is not 0.
fn tested(line: &Line) -> Option<Virtual> {
    let is_test = matches!(
        line.operation,
        Operation::Arithmetic(Arithmetic::Compare {
            of: Number::Whole(_),
            comparison: Comparison::Ordered(Relation::NotEqual),
            ..
        })
    );
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
