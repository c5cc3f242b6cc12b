//! A program: instructions that were checked, and where diverged lanes meet again.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::instruction::{Instruction, Operand, ZERO_REGISTER};
use super::operation::{Condition, Destination, Operation};

/// Instructions of a program at most; more are a mistake.
pub const MOST_INSTRUCTIONS: usize = 1 << 16;

/// Why instructions are no program; instructions are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramError {
    /// There is none.
    #[error("the program is empty; it needs an exit at least")]
    Empty,
    /// There are too many.
    #[error("the program has {0} instructions, and at most {MOST_INSTRUCTIONS} are possible")]
    TooLong(usize),
    /// The last instruction goes on to the next.
    #[error("the program runs past its end; the last instruction should be exit or bra")]
    Endless,
    /// A branch goes nowhere.
    #[error("the branch in instruction {0} goes to instruction {1}, which is not there")]
    Target(u32, u32),
    /// A destination is missing, superfluous or the zero register.
    #[error("instruction {0}, {1}, should have {2}")]
    Destination(u32, Cow<'static, str>, &'static str),
    /// A source past the operation's own is not the zero register.
    #[error("instruction {0}, {1}, has more than {2} sources")]
    Sources(u32, Cow<'static, str>, usize),
}

/// Instructions that were checked. An instruction's program counter is its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    instructions: Vec<Instruction>,
    /// Where all ways on from each instruction meet again.
    joins: Vec<u32>,
    registers: u8,
    narrow: u8,
    constants: Arc<[u8]>,
}

impl Program {
    /// Where ways meet that only meet at the end of the lanes.
    pub const NEVER: u32 = u32::MAX;

    /// Checks the instructions and works out where the ways on from each of them meet.
    ///
    /// # Errors
    /// If an instruction has no meaning, or the last one goes on to the next.
    pub fn new(instructions: Vec<Instruction>) -> Result<Self, ProgramError> {
        if instructions.len() > MOST_INSTRUCTIONS {
            return Err(ProgramError::TooLong(instructions.len()));
        }
        match instructions.last().ok_or(ProgramError::Empty)?.operation {
            Operation::Exit | Operation::Branch(Condition::Always) => {}
            _ => return Err(ProgramError::Endless),
        }
        let mut registers = 0;
        for (number, instruction) in instructions.iter().enumerate() {
            check(number as u32, instruction, instructions.len())?;
            let named = instruction
                .source_registers()
                .chain(instruction.destination);
            registers = named.map(|register| register + 1).fold(registers, u8::max);
        }
        let joins = joins(&instructions);
        Ok(Self {
            instructions,
            joins,
            registers,
            narrow: 0,
            constants: Arc::default(),
        })
    }

    /// The program with these bytes as its constant memory, from address 0.
    #[must_use]
    pub fn with_constants(mut self, bytes: Vec<u8>) -> Self {
        self.constants = bytes.into();
        self
    }

    /// The program, in which the first registers hold 32 bits and nothing in the bits above.
    #[must_use]
    pub const fn with_narrow(mut self, registers: u8) -> Self {
        self.narrow = registers;
        self
    }

    /// How many of its registers hold 32 bits: the first ones.
    #[must_use]
    pub fn narrow(&self) -> u8 {
        self.narrow.min(self.registers)
    }

    /// Its constant memory.
    #[must_use]
    pub fn constants(&self) -> &[u8] {
        &self.constants
    }

    /// The instructions; an instruction's program counter is its place here.
    #[must_use]
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The instruction at a program counter, which must be one of the program's.
    ///
    /// # Panics
    /// If the program counter is past the program; the executor's never is.
    #[must_use]
    pub fn at(&self, pc: u32) -> &Instruction {
        &self.instructions[pc as usize]
    }

    /// The first instruction that every way on from `pc` comes to, or [`Program::NEVER`]: the
    /// immediate post-dominator, where the lanes of a branch meet again.
    #[must_use]
    pub fn join(&self, pc: u32) -> u32 {
        self.joins.get(pc as usize).copied().unwrap_or(Self::NEVER)
    }

    /// The highest register that is named, plus one.
    #[must_use]
    pub fn registers(&self) -> u8 {
        self.registers
    }
}

fn check(number: u32, instruction: &Instruction, length: usize) -> Result<(), ProgramError> {
    let operation = instruction.operation;
    let expected = match (operation.destination(), instruction.destination) {
        (Destination::Needed, None) => Some("a destination"),
        (Destination::Absent, Some(_)) => Some("no destination"),
        (_, Some(ZERO_REGISTER)) => Some("another destination than the zero register"),
        _ => None,
    };
    if let Some(expected) = expected {
        return Err(ProgramError::Destination(
            number,
            operation.name(),
            expected,
        ));
    }
    let sources = operation.sources();
    let absent = |operand: &Operand| *operand == Operand::Register(ZERO_REGISTER);
    if !instruction.sources[sources..].iter().all(absent) {
        return Err(ProgramError::Sources(number, operation.name(), sources));
    }
    match operation {
        Operation::Branch(_) if instruction.target as usize >= length => {
            Err(ProgramError::Target(number, instruction.target))
        }
        _ => Ok(()),
    }
}

/// The ways on from an instruction; `end` stands for the end of the lanes.
fn ways(instructions: &[Instruction], pc: usize, end: usize) -> [usize; 2] {
    let target = instructions[pc].target as usize;
    match instructions[pc].operation {
        Operation::Exit => [end; 2],
        Operation::Branch(Condition::Always) => [target; 2],
        Operation::Branch(_) => [pc + 1, target],
        _ => [pc + 1; 2],
    }
}

/// The immediate post-dominator of each instruction, by the iteration of Cooper, Harvey and Kennedy
/// ("A Simple, Fast Dominance Algorithm") over the graph with its edges turned round.
fn joins(instructions: &[Instruction]) -> Vec<u32> {
    let end = instructions.len();
    let mut before = vec![Vec::new(); end + 1];
    for pc in 0..end {
        for next in ways(instructions, pc, end) {
            before[next].push(pc);
        }
    }
    // Instructions in the order in which a search back from the end leaves them.
    let mut order = Vec::with_capacity(end + 1);
    let mut rank = vec![usize::MAX; end + 1];
    let mut seen = vec![false; end + 1];
    let mut path = vec![(end, 0)];
    seen[end] = true;
    while let Some((node, edge)) = path.last_mut() {
        let node = *node;
        match before[node].get(*edge) {
            Some(&next) => {
                *edge += 1;
                if !seen[next] {
                    seen[next] = true;
                    path.push((next, 0));
                }
            }
            None => {
                rank[node] = order.len();
                order.push(node);
                path.pop();
            }
        }
    }
    let mut join: Vec<Option<usize>> = vec![None; end + 1];
    join[end] = Some(end);
    let mut changed = true;
    while changed {
        changed = false;
        for &pc in order.iter().rev().filter(|&&node| node != end) {
            let mut meeting = None;
            for next in ways(instructions, pc, end) {
                if join[next].is_some() {
                    meeting = Some(meeting.map_or(next, |met| meet(&join, &rank, met, next)));
                }
            }
            changed |= meeting != join[pc];
            join[pc] = meeting;
        }
    }
    let place = |join: &Option<usize>| match join {
        Some(join) if *join != end => *join as u32,
        _ => Program::NEVER,
    };
    join[..end].iter().map(place).collect()
}

/// Where the ways up from two instructions meet in the tree so far.
fn meet(join: &[Option<usize>], rank: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while rank[left] < rank[right] {
            left = join[left].unwrap_or(right);
        }
        while rank[right] < rank[left] {
            right = join[right].unwrap_or(left);
        }
    }
    left
}

impl fmt::Display for Program {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut targets = vec![false; self.instructions.len()];
        for instruction in &self.instructions {
            if matches!(instruction.operation, Operation::Branch(_)) {
                targets[instruction.target as usize] = true;
            }
        }
        for (pc, instruction) in self.instructions.iter().enumerate() {
            if targets[pc] {
                write!(formatter, "L{pc}: ")?;
            }
            writeln!(formatter, "{instruction}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::assembler::assemble;
    use super::super::operation::{Space, Width};
    use super::*;

    fn joins_of(text: &str) -> Vec<u32> {
        assemble(text).unwrap().joins
    }

    #[test]
    fn ways_join_at_the_immediate_post_dominator() {
        // An if inside a loop, with a way out in the middle.
        let text = "top: brz R1, over\nR2 <- mov 1\nover: brz R3, out\nbrnz R4, top\nout: exit";
        assert_eq!(joins_of(text), [2, 2, 4, 4, Program::NEVER]);
    }

    #[test]
    fn ways_that_end_apart_never_join() {
        let never = Program::NEVER;
        assert_eq!(joins_of("brz R1, other\nexit\nother: exit"), [never; 3]);
        // No lane comes back from the loop, so all that go on join at the end.
        let text = "brz R1, loop\nbra end\nloop: bra loop\nend: exit";
        assert_eq!(joins_of(text), [1, 3, never, never]);
    }

    #[test]
    fn instructions_without_meaning_are_refused() {
        let exit = Instruction::new(Operation::Exit);
        let with = |first| Program::new(vec![first, exit]).unwrap_err().to_string();
        let load = Instruction::new(Operation::Load(Space::Global, Width::Four));
        assert_eq!(with(load), "instruction 0, ld, should have a destination");
        let zero = Instruction {
            destination: Some(ZERO_REGISTER),
            ..load
        };
        assert!(with(zero).ends_with("another destination than the zero register"));
        let mut bar = Instruction::new(Operation::Barrier);
        bar.sources[0] = Operand::Immediate(1);
        assert_eq!(with(bar), "instruction 0, bar, has more than 0 sources");
        let too_long = Program::new(vec![exit; MOST_INSTRUCTIONS + 1]);
        assert_eq!(too_long, Err(ProgramError::TooLong(MOST_INSTRUCTIONS + 1)));
    }
}
