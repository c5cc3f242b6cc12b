//! What an instruction does with the operands that it read: nothing here looks at registers, so a
//! replay with operands from a log gives what the first attempt would have given.

use super::arithmetic::{Number, Real, Whole, fused};
use super::instruction::Instruction;
use super::memory::{Cells, Constants, Memory, Shared};
use super::operation::{Atomic, Condition, Operation, Relation, Space, Width};
use super::program::Program;
use super::warp::{LANES, Lanes, Warp, local};

/// The values of an instruction's sources. Of a memory instruction, the first is the address
/// without the instruction's offset, and the second the data: what an operand log keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands {
    /// A value for each source and lane; 0 for a source that is not there.
    pub values: [Lanes; 3],
}

/// The sources of an instruction where they stand: in registers, or in [`Operands`].
pub type Sources<'values> = [&'values Lanes; 3];

impl Operands {
    /// The sources of an instruction that has read them.
    #[must_use]
    pub fn sources(&self) -> Sources<'_> {
        self.values.each_ref()
    }
}

/// A write of a register.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Write {
    /// The register.
    pub register: u8,
    /// The lanes that are written.
    pub mask: u32,
    /// The new values.
    pub values: Lanes,
}

/// What an access does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads it.
    Load,
    /// Writes it.
    Store,
    /// Reads and writes it at once.
    Atomic(Atomic, Number),
}

/// A memory instruction with the addresses of its lanes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access<'values> {
    /// What it does.
    pub kind: AccessKind,
    /// The memory that it goes to; local memory is part of global memory.
    pub space: Space,
    /// Bytes of each lane.
    pub width: Width,
    /// The lanes that access memory.
    pub mask: u32,
    /// The first byte of each lane, whether it is active or not.
    pub addresses: Lanes,
    /// What each lane writes, adds or compares with.
    pub data: &'values Lanes,
    /// What each lane writes if a comparison of 64 bits holds.
    pub swapped: &'values Lanes,
    /// The register that takes what was read.
    pub destination: Option<u8>,
}

/// What an instruction is going to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect<'values> {
    /// Write a register.
    Write(Write),
    /// Access memory.
    Access(Access<'values>),
    /// Nothing, as a trap.
    Nothing,
    /// Send these lanes to the branch's target, the others on.
    Branch(u32),
    /// Wait for the other warps of the block.
    Barrier,
    /// End the lanes.
    Exit,
}

/// Executes an instruction for the lanes of a mask.
#[must_use]
pub fn execute<'values>(
    instruction: &Instruction,
    sources: Sources<'values>,
    mask: u32,
) -> Effect<'values> {
    if let Some(access) = access(instruction, sources, mask) {
        return Effect::Access(access);
    }
    match instruction.operation {
        Operation::Branch(condition) => Effect::Branch(branch_taken(condition, sources[0], mask)),
        Operation::Trap => Effect::Nothing,
        Operation::Barrier => Effect::Barrier,
        Operation::Exit => Effect::Exit,
        operation => Effect::Write(Write {
            register: instruction.destination.unwrap_or_default(),
            mask,
            values: compute(operation, sources, mask),
        }),
    }
}

/// The lanes that a branch sends to its target.
pub(crate) fn branch_taken(condition: Condition, source: &Lanes, mask: u32) -> u32 {
    let zero = || lanes_where(source, |value| value == 0);
    match condition {
        Condition::Always => mask,
        Condition::NotZero => mask & !zero(),
        Condition::Zero => mask & zero(),
    }
}

/// The bits of an address that is not one of global memory.
pub(super) const LOW: u64 = u32::MAX as u64;

/// What a memory instruction accesses.
pub(crate) fn access<'values>(
    instruction: &Instruction,
    [first, second, third]: Sources<'values>,
    mask: u32,
) -> Option<Access<'values>> {
    let (kind, space, width) = match instruction.operation {
        Operation::Load(space, width) => (AccessKind::Load, space, width),
        Operation::Store(space, width) => (AccessKind::Store, space, width),
        Operation::Atomic(atomic, number, space) => {
            (AccessKind::Atomic(atomic, number), space, Width::of(number))
        }
        _ => return None,
    };
    let address = |lane: usize| first[lane].wrapping_add_signed(instruction.offset);
    let (space, addresses) = match space {
        Space::Local => (
            Space::Global,
            std::array::from_fn(|lane| local(third[lane], address(lane) & LOW)),
        ),
        Space::Global => (space, std::array::from_fn(address)),
        // These memories have addresses of 32 bits.
        Space::Shared | Space::Constant => (space, std::array::from_fn(|lane| address(lane) & LOW)),
    };
    Some(Access {
        kind,
        space,
        width,
        mask,
        addresses,
        data: second,
        swapped: third,
        destination: instruction.destination,
    })
}

/// The lanes of a mask in which an instruction raises its [exception](Operation::exception).
#[must_use]
pub fn raising(instruction: &Instruction, sources: Sources<'_>, mask: u32) -> u32 {
    match instruction.operation {
        Operation::Divide | Operation::Remainder => {
            mask & lanes_where(sources[1], |divisor| divisor == 0)
        }
        Operation::Trap => mask,
        _ => 0,
    }
}

/// A signed quotient. A division by zero and an overflow have the results of RISC-V (Unprivileged ISA, extension M): all ones
/// and the dividend.
fn quotient(dividend: u64, divisor: u64) -> u64 {
    match divisor {
        0 => u64::MAX,
        _ => {
            let quotient = dividend.cast_signed().wrapping_div(divisor.cast_signed());
            quotient.cast_unsigned()
        }
    }
}

/// The remainder of [`quotient`]: the dividend of a division by zero, and 0 of an overflow.
fn remainder(dividend: u64, divisor: u64) -> u64 {
    dividend.wrapping_sub(quotient(dividend, divisor).wrapping_mul(divisor))
}

fn lanes_where(values: &Lanes, holds: impl Fn(u64) -> bool) -> u32 {
    let lanes = values.iter().enumerate();
    lanes.fold(0, |mask, (lane, &value)| {
        mask | u32::from(holds(value)) << lane
    })
}

/// What a math or special instruction writes, if the lanes of a mask execute it.
pub(crate) fn compute(operation: Operation, sources: Sources<'_>, mask: u32) -> Lanes {
    let [a, b, c] = sources;
    let integers = |combine: fn(u64, u64) -> u64| -> Lanes {
        std::array::from_fn(|lane| combine(a[lane], b[lane]))
    };
    let float = |bits: u64| f32::from_bits(bits as u32);
    let floats = |combine: fn(f32, f32) -> f32| -> Lanes {
        std::array::from_fn(|lane| combine(float(a[lane]), float(b[lane])).to_bits().into())
    };
    let special = |map: fn(f32) -> f32| a.map(|value| map(float(value)).to_bits().into());
    let compare = |relation: Relation| -> Lanes {
        std::array::from_fn(|lane| {
            relation
                .holds(a[lane].cast_signed(), b[lane].cast_signed())
                .into()
        })
    };
    match operation {
        Operation::Arithmetic(arithmetic) => arithmetic.evaluate(sources),
        Operation::Vote(vote) => vote.evaluate(a, mask),
        Operation::Shuffle(shuffle) => shuffle.evaluate(sources, mask),
        Operation::ShuffleRange(shuffle) => shuffle.ranges(sources),
        Operation::Move => *a,
        Operation::Add => integers(u64::wrapping_add),
        Operation::Subtract => integers(u64::wrapping_sub),
        Operation::Multiply => integers(u64::wrapping_mul),
        Operation::MultiplyAdd => {
            std::array::from_fn(|lane| a[lane].wrapping_mul(b[lane]).wrapping_add(c[lane]))
        }
        Operation::Divide => integers(quotient),
        Operation::Remainder => integers(remainder),
        Operation::Minimum => integers(|a, b| a.cast_signed().min(b.cast_signed()).cast_unsigned()),
        Operation::Maximum => integers(|a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned()),
        Operation::And => integers(|a, b| a & b),
        Operation::Or => integers(|a, b| a | b),
        Operation::Xor => integers(|a, b| a ^ b),
        Operation::ShiftLeft => integers(|a, b| a.wrapping_shl(b as u32)),
        Operation::ShiftRight => integers(|a, b| a.wrapping_shr(b as u32)),
        Operation::Compare(relation) => compare(relation),
        Operation::Select => {
            std::array::from_fn(|lane| if a[lane] == 0 { c[lane] } else { b[lane] })
        }
        Operation::FloatAdd => floats(|a, b| a + b),
        Operation::FloatSubtract => floats(|a, b| a - b),
        Operation::FloatMultiply => floats(|a, b| a * b),
        Operation::FloatMultiplyAdd => fused(sources),
        Operation::FloatMinimum => floats(f32::min),
        Operation::FloatMaximum => floats(f32::max),
        Operation::FloatCompare(relation) => {
            std::array::from_fn(|lane| relation.holds(float(a[lane]), float(b[lane])).into())
        }
        Operation::ToFloat => a.map(|value| (value.cast_signed() as f32).to_bits().into()),
        Operation::ToInteger => a.map(|value| (float(value) as i64).cast_unsigned()),
        Operation::Reciprocal => special(f32::recip),
        Operation::SquareRoot => special(f32::sqrt),
        Operation::InverseSquareRoot => special(|value| value.sqrt().recip()),
        Operation::Sine => special(f32::sin),
        Operation::Cosine => special(f32::cos),
        Operation::Exponential => special(f32::exp2),
        Operation::Logarithm => special(f32::log2),
        // `execute` keeps these for itself.
        Operation::Load(..)
        | Operation::Store(..)
        | Operation::Atomic(..)
        | Operation::Trap
        | Operation::Branch(_)
        | Operation::Barrier
        | Operation::Exit => [0; LANES],
    }
}

/// What a sum is that is no number; a CPU's own choice would differ from machine to machine.
const SINGLE_NAN: u32 = 0x7fff_ffff;
const DOUBLE_NAN: u64 = 0x7ff8_0000_0000_0000;

/// A sum of two 32-bit floats; if it flushes, subnormal numbers are zeros of their sign.
fn single_sum(old: u32, data: u32, flushes: bool) -> u32 {
    let flushed = |bits: u32| match flushes && f32::from_bits(bits).is_subnormal() {
        true => bits & 1 << 31,
        false => bits,
    };
    let sum = f32::from_bits(flushed(old)) + f32::from_bits(flushed(data));
    if sum.is_nan() {
        SINGLE_NAN
    } else {
        flushed(sum.to_bits())
    }
}

/// What an atomic writes where `old` was. The bits above the number's width do not count. In global memory a sum of 32-bit
/// floats flushes (PTX ISA 9.7.13).
fn changed(atomic: Atomic, number: Number, flushes: bool, [old, data, swapped]: [u64; 3]) -> u64 {
    let bits = number.bits();
    let low = |value: u64| value & u64::MAX >> (u64::BITS - bits);
    let (unsigned, new) = (low(old), low(data));
    match (atomic, number) {
        (Atomic::Add, Number::Real(Real::F32)) => {
            single_sum(old as u32, data as u32, flushes).into()
        }
        (Atomic::Add, Number::Real(Real::F64)) => {
            let sum = f64::from_bits(old) + f64::from_bits(data);
            if sum.is_nan() {
                DOUBLE_NAN
            } else {
                sum.to_bits()
            }
        }
        (Atomic::Add, Number::Whole(_)) => old.wrapping_add(data),
        (Atomic::Minimum | Atomic::Maximum, _) => {
            let signed = matches!(number, Number::Whole(Whole::S32 | Whole::S64));
            // With the sign's bit turned round, numbers with a sign stand in the order of those without.
            let turned = if signed { 1 << (bits - 1) } else { 0 };
            let less = (unsigned ^ turned) < (new ^ turned);
            if less == (atomic == Atomic::Minimum) {
                old
            } else {
                data
            }
        }
        (Atomic::Increment, _) if unsigned >= new => 0,
        (Atomic::Increment, _) => unsigned + 1,
        (Atomic::Decrement, _) if unsigned == 0 || unsigned > new => data,
        (Atomic::Decrement, _) => unsigned - 1,
        (Atomic::And, _) => old & data,
        (Atomic::Or, _) => old | data,
        (Atomic::Xor, _) => old ^ data,
        (Atomic::Exchange, _) => data,
        (Atomic::CompareExchange, _) if unsigned == new && bits == 64 => swapped,
        (Atomic::CompareExchange, _) if unsigned == new => data >> 32,
        (Atomic::CompareExchange, _) => old,
    }
}

impl Access<'_> {
    /// The lanes that access memory, with their addresses.
    pub fn lanes(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        let active = |(lane, _): &(usize, u64)| self.mask >> lane & 1 == 1;
        self.addresses.iter().copied().enumerate().filter(active)
    }

    /// Accesses the memory of its space, lowest lane first, and leaves what its destination takes in the values of its lanes.
    pub fn perform(&self, memory: &mut impl Cells, values: &mut Lanes) {
        match self.kind {
            AccessKind::Load => {
                memory.read_lanes(self.mask, &self.addresses, self.width, values);
                if self.width.is_signed() {
                    *values = values.map(|value| self.width.extended(value));
                }
            }
            AccessKind::Store => {
                memory.write_lanes(self.mask, &self.addresses, self.width, self.data);
            }
            AccessKind::Atomic(atomic, number) => {
                for (lane, address) in self.lanes() {
                    values[lane] = memory.read(address, self.width);
                    let all = [values[lane], self.data[lane], self.swapped[lane]];
                    let written = changed(atomic, number, self.space == Space::Global, all);
                    memory.write(address, self.width, written);
                }
            }
        }
    }
}

/// Applies an effect to the warp, its block's shared memory and global memory. A barrier changes
/// nothing: the caller, which knows the block's other warps, lets the warp pass
/// ([`Control::pass`](super::Control::pass)).
pub fn commit(
    effect: &Effect<'_>,
    program: &Program,
    warp: &mut Warp,
    global: &mut Memory,
    shared: &mut Shared,
) {
    match effect {
        Effect::Write(write) => warp.write(write),
        Effect::Access(access) => {
            let values = perform(access, program, global, shared);
            if let Some(register) = access.destination {
                warp.registers.write(register, access.mask, &values);
            }
        }
        Effect::Branch(taken) => warp.control.branch(program, *taken),
        Effect::Nothing | Effect::Barrier => {}
        Effect::Exit => warp.control.exit(),
    }
}

/// Accesses the memory of an access, and gives what its destination takes.
pub(super) fn perform(
    access: &Access<'_>,
    program: &Program,
    global: &mut Memory,
    shared: &mut Shared,
) -> Lanes {
    let mut values = [0; LANES];
    match access.space {
        Space::Global | Space::Local => access.perform(global, &mut values),
        Space::Shared => access.perform(shared, &mut values),
        Space::Constant => access.perform(&mut Constants(program.constants()), &mut values),
    }
    values
}
