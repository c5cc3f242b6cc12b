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

/// Where an address may come from: the state spaces of variables, a bit each, [`NUMBER`] and [`NULL`]. None before it is known.
type Spaces = u8;

const fn bit(space: Space) -> Spaces {
    1 << space as u8
}

/// What comes from no variable: a number, or an address of global memory in a parameter or from memory.
const NUMBER: Spaces = bit(Space::Generic);
/// The number 0, which is no address that is accessed.
const NULL: Spaces = 1 << 7;
/// What comes from variables.
const VARIABLES: Spaces = !(NUMBER | NULL);

/// Gives each access its space, and to accesses of local memory the place of the lane's.
///
/// An address that comes from no variable is one of global memory, as those in parameters and in memory are. One that may come
/// from several spaces is looked up in their windows when it is accessed.
///
/// # Errors
/// If an access has no such instruction in its space.
pub fn resolve(code: &mut Code) -> Result<(), LowerError> {
    let spaces = sources_of(code);
    let of = |source: Source| match source {
        Source::Address(space, _) => bit(space),
        other => known_of(&spaces, other),
    };
    let targets = code.targets.len();
    let mut places = Vec::new();
    for line in std::mem::take(&mut code.lines) {
        places.push(code.lines.len());
        if !line.is_generic {
            code.lines.push(line);
            continue;
        }
        let mut found = of(line.sources[0]);
        if found & NUMBER != 0 {
            found |= bit(Space::Global);
        }
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
    let mut spaces: Vec<Spaces> = vec![NUMBER; code.registers() as usize];
    for to in code.lines.iter().filter_map(|line| line.destination) {
        if let Some(found) = spaces.get_mut(to.0 as usize) {
            *found = 0;
        }
    }
    spread(code, &mut spaces);
    // What is left is computed from nothing but itself.
    for found in spaces.iter_mut().filter(|found| **found == 0) {
        *found = NUMBER;
    }
    spread(code, &mut spaces);
    spaces
}

/// Gives the spaces of what is read to what is written, until nothing changes.
fn spread(code: &Code, spaces: &mut [Spaces]) {
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for line in &code.lines {
            let Some(to) = line.destination else {
                continue;
            };
            let found = written(line, |source| known_of(spaces, source));
            if let Some(known) = spaces.get_mut(to.0 as usize) {
                has_changed |= *known | found != *known;
                *known |= found;
            }
        }
    }
}

fn known_of(spaces: &[Spaces], source: Source) -> Spaces {
    match source {
        Source::Register(register) => spaces.get(register.0 as usize).copied().unwrap_or(NUMBER),
        Source::Immediate(0) | Source::None => NULL,
        // The address of a variable is one in its own space until `cvta` makes it generic (PTX ISA 9.7.9.1).
        Source::Immediate(_) | Source::Address(..) | Source::Special(_) => NUMBER,
    }
}

/// The spaces of what an instruction writes.
fn written(line: &Line, of: impl Fn(Source) -> Spaces) -> Spaces {
    use WholeOperation as W;
    if let Some(space) = line.marks {
        return bit(space);
    }
    let [a, b, c] = line.sources.map(of);
    let is_mask = |source| matches!(source, Source::Immediate(mask) if mask < WINDOW);
    match line.operation {
        Operation::Move | Operation::Shuffle(_) => a,
        // Its first source is what it depends on.
        Operation::Select => b | c,
        Operation::Load(..)
        | Operation::Atomic(..)
        | Operation::Vote(_)
        | Operation::ShuffleRange(_)
        | Operation::Arithmetic(Arithmetic::Compare { .. } | Arithmetic::Test(..)) => NUMBER,
        // The last bits of an address are none.
        Operation::And | Operation::Arithmetic(Arithmetic::Whole(W::And, _))
            if line.sources.into_iter().take(2).any(is_mask) =>
        {
            NUMBER
        }
        Operation::Arithmetic(Arithmetic::Whole(operation, _)) => match operation {
            W::Subtract => difference(a, b),
            W::Minimum | W::Maximum => a | b,
            W::MultiplyAdd | W::MultiplyAddWide => sum(NUMBER, c),
            W::Multiply | W::MultiplyWide | W::Divide | W::Remainder => NUMBER,
            _ => sum(sum(a, b), c),
        },
        _ => sum(sum(a, b), c),
    }
}

/// The spaces of a sum: an address and a number are an address in the same space.
const fn sum(a: Spaces, b: Spaces) -> Spaces {
    let mut found = 0;
    if b & !VARIABLES != 0 {
        found |= a;
    }
    if a & !VARIABLES != 0 {
        found |= b;
    }
    if a & VARIABLES != 0 && b & VARIABLES != 0 {
        found |= (a | b) & VARIABLES;
    }
    // A number is none of the sum's where the other is always an address, and 0 where both may be 0.
    if a & !VARIABLES == 0 || b & !VARIABLES == 0 {
        found &= VARIABLES;
    }
    if a & b & NULL == 0 {
        found &= !NULL;
    }
    found
}

/// The spaces of a difference: that of two addresses is a number.
const fn difference(a: Spaces, b: Spaces) -> Spaces {
    let found = sum(a, b & !VARIABLES);
    if a != 0 && b & VARIABLES != 0 {
        found | NUMBER
    } else {
        found
    }
}
