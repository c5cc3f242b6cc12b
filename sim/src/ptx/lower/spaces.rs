//! Which memory a generic address goes to: that of the variables that it may come from.

use super::LowerError;
use super::code::{Code, Line, Source, Target};
use super::layout::{WINDOW, window};
use super::translate::space;
use crate::ptx::decode::WIDE_SWAP;
use crate::ptx::words::Space;
use crate::simt::{
    Arithmetic, Atomic, Comparison, Condition, Number, Operation, Relation, SpecialRegister, Whole,
    WholeOperation,
};

/// State spaces, a bit each.
type Spaces = u8;

const fn bit(space: Space) -> Spaces {
    1 << space as u8
}

/// Gives each access its space, and to accesses of local memory the place of the lane's.
///
/// An address that comes from nothing known is one of global memory, as those in parameters and in memory are. One that may
/// come from several spaces is looked up in their windows when it is accessed.
///
/// # Errors
/// If an access has no such instruction in its space.
pub fn resolve(code: &mut Code) -> Result<(), LowerError> {
    let spaces = sources_of(code);
    let of = |source: Source| match source {
        Source::Register(register) => spaces.get(register.0 as usize).copied().unwrap_or(0),
        Source::Address(space, _) => bit(space),
        _ => 0,
    };
    let targets = code.targets.len();
    let mut places = Vec::new();
    for line in std::mem::take(&mut code.lines) {
        places.push(code.lines.len());
        if !line.is_generic {
            code.lines.push(line);
            continue;
        }
        let found = of(line.sources[0]);
        let known = [Space::Shared, Space::Local, Space::Const, Space::Global];
        let known: Vec<_> = known
            .into_iter()
            .filter(|&space| bit(space) & found != 0)
            .collect();
        match *known {
            [] => code.lines.push(placed(line, Space::Global)),
            [.., last] => {
                let end = code.target();
                for &space in &known[..known.len() - 1] {
                    looked_up(code, line, space, end);
                }
                code.lines.push(placed(line, last));
                code.land(end);
            }
        }
    }
    places.push(code.lines.len());
    for target in code.targets.iter_mut().take(targets) {
        *target = places.get(*target).copied().unwrap_or(code.lines.len());
    }
    let local = Source::Special(SpecialRegister::Local(code.local));
    for line in &mut code.lines {
        match line.operation {
            Operation::Load(crate::simt::Space::Local, _)
            | Operation::Store(crate::simt::Space::Local, _) => line.sources[2] = local,
            Operation::Store(crate::simt::Space::Constant, _)
            | Operation::Atomic(_, _, crate::simt::Space::Constant) => {
                return Err(LowerError::at(
                    line.number,
                    "the address may be in constant memory, which is not written",
                ));
            }
            Operation::Atomic(_, _, crate::simt::Space::Local) => {
                return Err(LowerError::at(
                    line.number,
                    "an atomic on local memory is not supported; no other thread sees it",
                ));
            }
            Operation::Atomic(Atomic::CompareExchange, number, crate::simt::Space::Global)
                if number.bits() == 64 =>
            {
                return Err(LowerError::at(line.number, WIDE_SWAP));
            }
            _ => {}
        }
    }
    Ok(())
}

/// An access of a generic address that is in a space.
fn placed(mut line: Line, to: Space) -> Line {
    line.operation = match line.operation {
        Operation::Load(_, width) => Operation::Load(space(to), width),
        Operation::Store(_, width) => Operation::Store(space(to), width),
        Operation::Atomic(atomic, number, _) => Operation::Atomic(atomic, number, space(to)),
        other => other,
    };
    line.is_generic = false;
    line.offset = line.offset.wrapping_sub_unsigned(window(to));
    line
}

/// The access in a space, of the lanes whose address is in its window; they go on at the end.
fn looked_up(code: &mut Code, line: Line, to: Space, end: Target) {
    let next = code.target();
    let whole = |operation| Operation::Arithmetic(Arithmetic::Whole(operation, Whole::U64));
    let computed = |code: &mut Code, operation, sources: [Source; 2]| {
        let mut step = Line::new(line.number, operation);
        let register = code.register(Line::is_wide(operation));
        step.destination = Some(register);
        step.sources = [sources[0], sources[1], Source::None];
        code.lines.push(step);
        Source::Register(register)
    };
    let first = window(to).wrapping_sub(line.offset.cast_unsigned());
    let sources = [line.sources[0], Source::Immediate(first)];
    let place = computed(code, whole(WholeOperation::Subtract), sources);
    let less = Operation::Arithmetic(Arithmetic::Compare {
        of: Number::Whole(Whole::U64),
        comparison: Comparison::Ordered(Relation::Less),
        flushes: false,
    });
    let is_inside = computed(code, less, [place, Source::Immediate(WINDOW)]);
    let branch = |condition, source, target| {
        let mut branch = Line::new(line.number, Operation::Branch(condition));
        branch.sources[0] = source;
        branch.target = Some(target);
        branch
    };
    code.lines.push(branch(Condition::Zero, is_inside, next));
    code.lines.push(placed(line, to));
    code.lines
        .push(branch(Condition::Always, Source::None, end));
    code.land(next);
}

/// The spaces that each register's generic addresses may come from.
fn sources_of(code: &Code) -> Vec<Spaces> {
    let all = may_come_from(code, &[]);
    // The difference of two addresses is none, which shows once it is known what the addresses are.
    may_come_from(code, &all)
}

/// The same, where what is subtracted is no address if it may not come from one by what is known.
fn may_come_from(code: &Code, known: &[Spaces]) -> Vec<Spaces> {
    let is_address = |source: Source| match source {
        Source::Register(register) => known
            .get(register.0 as usize)
            .is_some_and(|&spaces| spaces != 0),
        Source::Address(..) => true,
        _ => false,
    };
    let mut spaces: Vec<Spaces> = vec![0; code.registers() as usize];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for line in &code.lines {
            let Some(to) = line.destination else {
                continue;
            };
            let mut found = line.marks.map_or(0, bit);
            let is_difference = is_subtraction(line.operation) && is_address(line.sources[1]);
            if makes_addresses(line.operation) && !is_difference {
                // The first source of a selection is what it depends on.
                let first = usize::from(line.operation == Operation::Select);
                for &source in &line.sources[first..] {
                    // The address of a variable is one in its own space until `cvta` makes it generic (PTX ISA 9.7.9.1).
                    if let Source::Register(register) = source {
                        found |= spaces.get(register.0 as usize).copied().unwrap_or(0);
                    }
                }
            }
            if let Some(known) = spaces.get_mut(to.0 as usize) {
                has_changed |= *known | found != *known;
                *known |= found;
            }
        }
    }
    spaces
}

const fn is_subtraction(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Arithmetic(Arithmetic::Whole(WholeOperation::Subtract, _))
    )
}

/// Whether the result of an operation may be an address.
const fn makes_addresses(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::Load(..)
            | Operation::Atomic(..)
            | Operation::Arithmetic(Arithmetic::Compare { .. } | Arithmetic::Test(..))
    )
}
