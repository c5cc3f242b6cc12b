//! What every compiler's back end does: constants go into the instructions that read them, and what nothing reads goes.

use super::code::{Code, Line, Source, Virtual};
use crate::simt::{Condition, Operation, Space};

/// Puts constants in place, and removes what is without effect, until nothing changes.
pub fn tidy(code: &mut Code) {
    loop {
        let has_spread = spread(code);
        let has_removed = remove(code);
        if !has_spread && !has_removed {
            return;
        }
    }
}

/// Whether a source may be a constant: not the address of a load or store of global memory, which hardware takes from a
/// register.
fn takes_constants(line: &Line, place: usize) -> bool {
    let is_address = place == 0
        && matches!(
            line.operation.memory(),
            Some((Space::Global | Space::Local, _))
        );
    let is_condition = matches!(line.operation, Operation::Branch(_));
    !is_address && !is_condition
}

/// Puts the constant of a register that is written once, by a move, in its place.
fn spread(code: &mut Code) -> bool {
    let mut writes = vec![0u32; code.registers() as usize];
    let mut constants = vec![None; code.registers() as usize];
    for line in &code.lines {
        let Some(to) = line.destination.map(|to| to.0 as usize) else {
            continue;
        };
        if let Some(writes) = writes.get_mut(to) {
            *writes += 1;
        }
        if let (Operation::Move, source @ (Source::Immediate(_) | Source::Address(..))) =
            (line.operation, line.sources[0])
            && let Some(constant) = constants.get_mut(to)
        {
            *constant = Some(source);
        }
    }
    let mut has_changed = false;
    for line in &mut code.lines {
        for place in 0..line.sources.len() {
            if let Source::Register(register) = line.sources[place]
                && writes.get(register.0 as usize) == Some(&1)
                && let Some(Some(constant)) = constants.get(register.0 as usize)
                && takes_constants(line, place)
            {
                line.sources[place] = *constant;
                has_changed = true;
            }
        }
    }
    has_changed
}

/// Removes what writes a register that nothing reads, and branches to the next instruction.
fn remove(code: &mut Code) -> bool {
    let mut reads = vec![false; code.registers() as usize];
    for register in code.lines.iter().flat_map(Line::reads) {
        if let Some(read) = reads.get_mut(register.0 as usize) {
            *read = true;
        }
    }
    // An atomic whose result nothing reads has none.
    for line in &mut code.lines {
        let is_read = |to: Virtual| reads.get(to.0 as usize) == Some(&true);
        if matches!(line.operation, Operation::Atomic(..)) {
            line.destination = line.destination.filter(|&to| is_read(to));
        }
    }
    let is_kept = |(place, line): (usize, &Line)| match line.operation {
        Operation::Branch(_) => line
            .target
            .is_none_or(|target| code.place(target) != place + 1),
        Operation::Store(..) | Operation::Atomic(..) | Operation::Barrier | Operation::Exit => true,
        _ => line
            .destination
            .is_some_and(|to| reads.get(to.0 as usize) == Some(&true)),
    };
    let kept: Vec<bool> = code.lines.iter().enumerate().map(is_kept).collect();
    if kept.iter().all(|&kept| kept) {
        return false;
    }
    // Where each line is after the removal.
    let mut places = Vec::with_capacity(kept.len() + 1);
    let mut next = 0;
    for &kept in &kept {
        places.push(next);
        next += usize::from(kept);
    }
    places.push(next);
    for target in &mut code.targets {
        *target = places.get(*target).copied().unwrap_or(next);
    }
    let mut kept = kept.into_iter();
    code.lines.retain(|_| kept.next().unwrap_or(true));
    true
}

/// Whether lanes go on behind an instruction.
pub const fn goes_on(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::Exit | Operation::Branch(Condition::Always)
    )
}
