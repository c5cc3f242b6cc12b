//! What back ends do differently, as options: where loads stand, and how addresses are computed.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::code::{Code, Line, Source, Virtual};
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
    let Successors { of, mut left } = Successors::of(lines);
    let is_early = early(lines);
    let mut ready: BTreeSet<(bool, usize)> = (0..lines.len())
        .filter(|&place| left[place] == 0)
        .map(|place| (!is_early[place], place))
        .collect();
    let mut order = Vec::with_capacity(lines.len());
    while let Some((_, place)) = ready.pop_first() {
        order.push(place);
        for &next in &of[place] {
            left[next] -= 1;
            if left[next] == 0 {
                ready.insert((!is_early[next], next));
            }
        }
    }
    order
}

/// The loads of a block, and what computes their addresses.
fn early(lines: &[Line]) -> Vec<bool> {
    let mut needed = HashSet::new();
    let mut is_early = vec![false; lines.len()];
    for (place, line) in lines.iter().enumerate().rev() {
        let is_load = matches!(
            line.operation,
            Operation::Load(Space::Global | Space::Local, _)
        );
        let is_needed = line.destination.is_some_and(|to| needed.remove(&to));
        if is_load || (is_needed && !writes_memory(line)) {
            is_early[place] = true;
            needed.extend(line.reads());
        }
    }
    is_early
}

/// Whether accesses of memory stay on their side of a line.
fn writes_memory(line: &Line) -> bool {
    let writes = matches!(
        line.operation,
        Operation::Store(..) | Operation::Atomic(..) | Operation::Barrier
    );
    writes || line.is_ordered
}

/// Which lines of a block stay behind which.
struct Successors {
    /// The lines that stay behind each.
    of: Vec<Vec<usize>>,
    /// How many lines each stays behind.
    left: Vec<usize>,
}

impl Successors {
    fn of(lines: &[Line]) -> Self {
        let mut all = Self {
            of: vec![Vec::new(); lines.len()],
            left: vec![0; lines.len()],
        };
        // The line that has written each register last, and those that have read it since.
        let mut written: HashMap<Virtual, usize> = HashMap::new();
        let mut read: HashMap<Virtual, Vec<usize>> = HashMap::new();
        // The line that has written memory last, and those that have accessed it since.
        let (mut writer, mut accesses) = (None, Vec::new());
        for (place, line) in lines.iter().enumerate() {
            let mut before: Vec<usize> = Vec::new();
            for register in line.reads() {
                before.extend(written.get(&register));
                read.entry(register).or_default().push(place);
            }
            if let Some(to) = line.destination {
                before.extend(written.insert(to, place));
                before.extend(read.insert(to, Vec::new()).unwrap_or_default());
            }
            if writes_memory(line) {
                before.extend(writer.replace(place));
                before.append(&mut accesses);
            } else if line.operation.memory().is_some() {
                before.extend(writer);
                accesses.push(place);
            }
            let is_end = line.target.is_some()
                || matches!(line.operation, Operation::Exit | Operation::Branch(_));
            if is_end {
                before.extend(0..place);
            }
            before.sort_unstable();
            before.dedup();
            before.retain(|&other| other != place);
            all.left[place] = before.len();
            for other in before {
                all.of[other].push(place);
            }
        }
        all
    }
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
