//! What back ends do differently, as options: where loads stand, and how addresses are computed.

use super::code::{Code, Line, Source};
use super::registers::blocks;
use crate::simt::{Arithmetic, Operation, Space, Whole, WholeOperation};

/// Moves the loads of each block, and what their addresses are computed from, as far to its beginning as the order of registers
/// and of memory lets them, so that a warp waits for several at once.
pub fn hoist(code: &mut Code) {
    let ranges: Vec<_> = blocks(code).into_iter().map(|block| block.lines).collect();
    for range in ranges {
        let lines = &mut code.lines[range];
        let order = order(lines);
        let moved: Vec<Line> = order.into_iter().map(|place| lines[place]).collect();
        lines.copy_from_slice(&moved);
    }
}

/// The order of a block's lines: of those whose predecessors have come, one that a load needs goes first.
fn order(lines: &[Line]) -> Vec<usize> {
    let follows: Vec<Vec<usize>> = (0..lines.len())
        .map(|place| {
            let follows = |&before: &usize| follows(&lines[place], &lines[before]);
            (0..place).filter(follows).collect()
        })
        .collect();
    let mut is_early: Vec<bool> = lines.iter().map(is_load).collect();
    for place in (0..lines.len())
        .rev()
        .filter(|&place| !writes_memory(&lines[place]))
    {
        if !is_early[place] {
            continue;
        }
        for register in lines[place].reads() {
            let writes = |&before: &usize| lines[before].destination == Some(register);
            if let Some(source) = (0..place).rev().find(writes) {
                is_early[source] = true;
            }
        }
    }
    let mut order = Vec::with_capacity(lines.len());
    let mut has_come = vec![false; lines.len()];
    while order.len() < lines.len() {
        let is_ready = |&place: &usize| {
            !has_come[place] && follows[place].iter().all(|&before| has_come[before])
        };
        let mut ready = (0..lines.len()).filter(is_ready);
        let first = ready.next().unwrap_or_default();
        let early = std::iter::once(first)
            .chain(ready)
            .find(|&place| is_early[place]);
        let next = early.unwrap_or(first);
        has_come[next] = true;
        order.push(next);
    }
    order
}

fn is_load(line: &Line) -> bool {
    matches!(
        line.operation,
        Operation::Load(Space::Global | Space::Local, _)
    )
}

/// Whether accesses of memory stay on their side of a line.
fn writes_memory(line: &Line) -> bool {
    matches!(
        line.operation,
        Operation::Store(..) | Operation::Atomic(..) | Operation::Barrier
    )
}

/// Whether a line stays behind one that stands before it.
fn follows(line: &Line, before: &Line) -> bool {
    let reads = |one: &Line, other: &Line| {
        let written = other.destination;
        written.is_some_and(|written| one.reads().any(|register| register == written))
    };
    let ends = |line: &Line| {
        line.target.is_some() || matches!(line.operation, Operation::Exit | Operation::Branch(_))
    };
    let accesses = |line: &Line| line.operation.memory().is_some() || writes_memory(line);
    let in_order = |one: &Line, other: &Line| writes_memory(one) && accesses(other);
    reads(line, before)
        || reads(before, line)
        || (line.destination.is_some() && line.destination == before.destination)
        || in_order(line, before)
        || in_order(before, line)
        || ends(line)
}

/// Computes each address that is a register and an offset in a register of its own, as a back end does whose accesses have no
/// offsets.
pub fn without_offsets(code: &mut Code) {
    let lines = std::mem::take(&mut code.lines);
    let mut places = Vec::with_capacity(lines.len() + 1);
    for mut line in lines {
        places.push(code.lines.len());
        if let (Some(_), 1.. | ..=-1, Source::Register(base)) =
            (line.operation.memory(), line.offset, line.sources[0])
        {
            let is_wide = code.wide.get(base.0 as usize) == Some(&true);
            let whole = if is_wide { Whole::U64 } else { Whole::U32 };
            let address = code.register(is_wide);
            let offset = line.offset.cast_unsigned() & u64::MAX >> (u64::BITS - whole.bits());
            code.lines.push(Line {
                destination: Some(address),
                sources: [line.sources[0], Source::Immediate(offset), Source::None],
                ..Line::new(
                    line.number,
                    Operation::Arithmetic(Arithmetic::Whole(WholeOperation::Add, whole)),
                )
            });
            (line.sources[0], line.offset) = (Source::Register(address), 0);
        }
        code.lines.push(line);
    }
    places.push(code.lines.len());
    for target in &mut code.targets {
        *target = places.get(*target).copied().unwrap_or(code.lines.len());
    }
}
