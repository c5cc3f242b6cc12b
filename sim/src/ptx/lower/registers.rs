//! The registers of the program: linear scan (Poletto and Sarkar, 1999) over where each value is alive.
//!
//! A lane keeps its registers while others of its warp go another way, so each lane's way alone counts.

use super::LowerError;
use super::code::{Code, Source, Virtual};
use super::tidy::goes_on;
use crate::simt::{Instruction, Operand, ZERO_REGISTER};

/// Which of the free registers a value gets. It decides whether the register of an address is written again soon after the
/// access, which the replay queue has to wait for (Tanasic et al., section 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// The lowest one.
    #[default]
    Lowest,
    /// The one that has been free for the longest time.
    Oldest,
}

/// Registers, a bit each.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn new(registers: u32) -> Self {
        Self(vec![0; (registers as usize).div_ceil(64)])
    }

    fn put(&mut self, register: Virtual, is_in: bool) {
        let bit = 1 << (register.0 % 64);
        if let Some(word) = self.0.get_mut(register.0 as usize / 64) {
            *word = if is_in { *word | bit } else { *word & !bit };
        }
    }

    /// Adds those of another set; says whether there were new ones.
    fn add(&mut self, other: &Self) -> bool {
        let mut has_changed = false;
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            has_changed |= *word | other != *word;
            *word |= other;
        }
        has_changed
    }

    fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        (0..).zip(&self.0).flat_map(|(place, &word)| {
            let bits = (0..64u32).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| place * 64 + bit)
        })
    }
}

/// The lines between two places, from which lanes go on only behind the last one.
pub(super) struct Block {
    pub lines: std::ops::Range<usize>,
    next: Vec<usize>,
    /// What is alive before it.
    alive: Set,
}

/// The blocks of the program.
pub(super) fn blocks(code: &Code) -> Vec<Block> {
    let count = code.lines.len();
    let mut begins = vec![false; count + 1];
    begins[0] = true;
    for (place, line) in code.lines.iter().enumerate() {
        if let Some(target) = line.target {
            begins[code.place(target).min(count)] = true;
        }
        if line.target.is_some() || !goes_on(line.operation) {
            begins[place + 1] = true;
        }
    }
    let starts: Vec<usize> = (0..count).filter(|&place| begins[place]).collect();
    let block_of = |place: usize| starts.binary_search(&place).ok();
    let ends = starts.iter().skip(1).copied().chain([count]);
    let ranges = starts.iter().copied().zip(ends);
    ranges
        .map(|(start, end)| {
            let last = code.lines.get(end.wrapping_sub(1));
            let target = last.and_then(|line| line.target);
            let target = target.and_then(|target| block_of(code.place(target)));
            let next = last.filter(|line| goes_on(line.operation));
            let next = next.and_then(|_| block_of(end));
            Block {
                lines: start..end,
                next: target.into_iter().chain(next).collect(),
                alive: Set::new(code.registers()),
            }
        })
        .collect()
}

impl Block {
    /// What is alive behind it.
    fn behind(&self, blocks: &[Self]) -> Set {
        let mut alive = Set(vec![0; self.alive.0.len()]);
        for &next in &self.next {
            alive.add(&blocks[next].alive);
        }
        alive
    }
}

/// From where to where each register is needed. A line reads at twice its place, and writes at the next number.
fn ranges(code: &Code) -> Vec<Option<(usize, usize)>> {
    let mut blocks = blocks(code);
    let mut has_changed = true;
    while has_changed {
        has_changed = false;
        for number in (0..blocks.len()).rev() {
            let mut alive = blocks[number].behind(&blocks);
            for line in code.lines[blocks[number].lines.clone()].iter().rev() {
                if let Some(to) = line.destination {
                    alive.put(to, false);
                }
                line.reads().for_each(|register| alive.put(register, true));
            }
            has_changed |= blocks[number].alive.add(&alive);
        }
    }
    let mut ranges: Vec<Option<(usize, usize)>> = vec![None; code.registers() as usize];
    let mut extend = |register: u32, at: usize| {
        if let Some(range) = ranges.get_mut(register as usize) {
            let (first, last) = range.unwrap_or((at, at));
            *range = Some((first.min(at), last.max(at)));
        }
    };
    for block in &blocks {
        for register in block.alive.iter() {
            extend(register, 2 * block.lines.start);
        }
        for register in block.behind(&blocks).iter() {
            extend(register, 2 * block.lines.end - 1);
        }
    }
    for (place, line) in code.lines.iter().enumerate() {
        line.reads()
            .for_each(|register| extend(register.0, 2 * place));
        if let Some(to) = line.destination {
            extend(to.0, 2 * place + 1);
        }
    }
    ranges
}

/// The instructions of the program.
pub fn allocated(code: &Code, given: &Given) -> Vec<Instruction> {
    let given = &given.registers;
    let operand = |source: Source| match source {
        Source::None => Operand::Register(ZERO_REGISTER),
        // What is never written is 0, as registers are at first.
        Source::Register(register) => Operand::Register(given[register.0 as usize]),
        Source::Immediate(value) | Source::Address(_, value) => Operand::Immediate(value),
        Source::Special(special) => Operand::Special(special),
    };
    let instruction = |line: &super::code::Line| Instruction {
        destination: line.destination.map(|to| given[to.0 as usize]),
        sources: line.sources.map(operand),
        offset: line.offset,
        target: line.target.map_or(0, |target| code.place(target) as u32),
        ..Instruction::new(line.operation)
    };
    code.lines.iter().map(instruction).collect()
}

/// The registers of the program.
#[derive(Debug)]
pub struct Given {
    /// That of each register of the code.
    registers: Vec<u8>,
    /// How many hold 32 bits: the first ones.
    pub narrow: u8,
}

/// The register that each one gets. Those of 32 bits and those of 64 bits are given apart.
///
/// # Errors
/// If more registers are needed at once than there are.
pub fn given(code: &Code, order: Order) -> Result<Given, LowerError> {
    let mut values: Vec<Value> = (0..)
        .zip(ranges(code))
        .filter_map(|(register, range)| range.map(|(first, last)| (first, last, register)))
        .collect();
    values.sort_unstable();
    let mut given = Given {
        registers: vec![ZERO_REGISTER; code.registers() as usize],
        narrow: 0,
    };
    let mut next = 0;
    for is_wide in [false, true] {
        let is_one = |value: &Value| code.wide.get(value.2 as usize) == Some(&is_wide);
        let values: Vec<Value> = values.iter().copied().filter(is_one).collect();
        let count = scan(&values, order, next, &mut given.registers);
        next += count.map_err(|at| {
            let line = code.lines.get(at / 2).map_or(0, |line| line.number);
            LowerError::at(
                line,
                format!("the kernel needs more than {ZERO_REGISTER} registers here; compile it for fewer"),
            )
        })?;
        if !is_wide {
            given.narrow = next;
        }
    }
    Ok(given)
}

/// From where to where a value is needed, and its register in the code.
type Value = (usize, usize, u32);

/// Gives registers from a number on to values in the order of their beginnings; tells how many, or where there are too few.
fn scan(values: &[Value], order: Order, base: u8, given: &mut [u8]) -> Result<u8, usize> {
    let most = usize::from(ZERO_REGISTER - base);
    // From when on each register is free.
    let mut free_from: Vec<usize> = Vec::new();
    for &(first, last, register) in values {
        let free = free_from.iter().position(|&from| from <= first);
        let place = free.unwrap_or(free_from.len());
        if place >= most {
            return Err(first);
        }
        if place == free_from.len() {
            free_from.push(0);
        }
        free_from[place] = last + 1;
        given[register as usize] = base + place as u8;
    }
    if order == Order::Oldest {
        // As many registers, for there are never more values at once.
        free_from.fill(0);
        for &(first, last, register) in values {
            let all = free_from.iter_mut().enumerate();
            let free = all.filter(|(_, from)| **from <= first);
            if let Some((place, from)) = free.min_by_key(|(_, from)| **from) {
                *from = last + 1;
                given[register as usize] = base + place as u8;
            }
        }
    }
    Ok(free_from.len() as u8)
}
