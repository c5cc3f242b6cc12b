//! Which memory a generic address goes to: that of the variables that it may come from.

use super::LowerError;
use super::code::{Code, Source};
use super::translate::space;
use crate::ptx::words::Space;
use crate::simt::{Arithmetic, Atomic, Operation, SpecialRegister};

/// State spaces, a bit each.
type Spaces = u8;

const fn bit(space: Space) -> Spaces {
    1 << space as u8
}

/// Gives each access its space, and to accesses of local memory the place of the lane's.
///
/// An address that comes from nothing known is one of global memory, as those in parameters and in memory are.
///
/// # Errors
/// If an address may come from variables in several spaces.
pub fn resolve(code: &mut Code) -> Result<(), LowerError> {
    let spaces = sources_of(code);
    let of = |source: Source| match source {
        Source::Register(register) => spaces.get(register.0 as usize).copied().unwrap_or(0),
        Source::Address(space, _) => bit(space),
        _ => 0,
    };
    let local = Source::Special(SpecialRegister::Local(code.local));
    for line in &mut code.lines {
        if line.is_generic {
            let found = of(line.sources[0]);
            let known = Space::ALL.iter().copied();
            let to = match found.count_ones() {
                0 => Space::Global,
                1 => known
                    .into_iter()
                    .find(|&space| bit(space) == found)
                    .unwrap_or(Space::Global),
                _ => {
                    let names: Vec<_> = known
                        .into_iter()
                        .filter(|&space| bit(space) & found != 0)
                        .map(|space| format!(".{space}"))
                        .collect();
                    return Err(LowerError::at(
                        line.number,
                        format!(
                            "the address is in {}, which only the run shows; such accesses are not supported",
                            names.join(" or in ")
                        ),
                    ));
                }
            };
            line.operation = match line.operation {
                Operation::Load(_, width) => Operation::Load(space(to), width),
                Operation::Store(_, width) => Operation::Store(space(to), width),
                Operation::Atomic(atomic, number, _) => {
                    Operation::Atomic(atomic, number, space(to))
                }
                other => other,
            };
        }
        match line.operation {
            Operation::Load(crate::simt::Space::Local, _)
            | Operation::Store(crate::simt::Space::Local, _) => line.sources[2] = local,
            Operation::Atomic(_, _, crate::simt::Space::Local) => {
                return Err(LowerError::at(
                    line.number,
                    "an atomic on local memory is not supported; no other thread sees it",
                ));
            }
            Operation::Atomic(Atomic::CompareExchange, number, crate::simt::Space::Global)
                if number.bits() == 64 =>
            {
                return Err(LowerError::at(
                    line.number,
                    "a compare-and-swap of 64 bits in global memory has three operands, and the log keeps two; use 32 bits",
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The spaces that each register's generic addresses may come from.
fn sources_of(code: &Code) -> Vec<Spaces> {
    let mut spaces: Vec<Spaces> = vec![0; code.registers() as usize];
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for line in &code.lines {
            let Some(to) = line.destination else {
                continue;
            };
            let mut found = line.marks.map_or(0, bit);
            if makes_addresses(line.operation) {
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

/// Whether the result of an operation may be an address.
const fn makes_addresses(operation: Operation) -> bool {
    !matches!(
        operation,
        Operation::Load(..)
            | Operation::Atomic(..)
            | Operation::Arithmetic(Arithmetic::Compare { .. } | Arithmetic::Test(..))
    )
}
