//! A warp: its place in the launch, its registers and its control.

use super::control::Control;
use super::execute::{Operands, Sources, Write};
use super::instruction::{Instruction, Operand, SpecialRegister};
use super::program::Program;

/// Lanes of a warp.
pub const LANES: usize = 32;

/// A value for each lane, lane 0 first.
pub type Lanes = [u64; LANES];

/// Where local memory begins in global memory.
pub const LOCAL_MEMORY: u64 = 0x7f00_0000_0000;
/// Bytes of a lane's local memory that lie together; those of the next lane follow.
const LOCAL_WORD: u64 = 8;
const LOCAL_ROW: u64 = LOCAL_WORD * LANES as u64;

/// Where an address of local memory lies in global memory, for a lane whose local memory begins at `base`. A lane that is not
/// active may have any address.
pub(super) const fn local(base: u64, address: u64) -> u64 {
    let row = (address / LOCAL_WORD).wrapping_mul(LOCAL_ROW);
    base.wrapping_add(row).wrapping_add(address % LOCAL_WORD)
}

/// How a program is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Thread blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Shared memory of a block, bytes.
    pub shared_memory: u32,
}

impl Launch {
    /// Threads of a block at most.
    pub const MOST_THREADS: u32 = 1024;

    /// The number of thread blocks; at the limit of the type if there are more.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        self.grid.into_iter().fold(1, u32::saturating_mul)
    }

    /// The number of threads of a block; at the limit of the type if there are more.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.block.into_iter().fold(1, u32::saturating_mul)
    }

    /// The number of warps of a thread block.
    #[must_use]
    pub fn warps_per_block(&self) -> u32 {
        self.threads().div_ceil(LANES as u32)
    }

    /// The coordinates of a thread block by its number; x runs fastest.
    #[must_use]
    pub fn block_at(&self, number: u32) -> [u32; 3] {
        split(number, self.grid)
    }
}

fn split(number: u32, size: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = size.map(|size| size.max(1));
    [number % x, number / x % y, number / x / y]
}

/// The place of a warp in its launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The launch.
    pub launch: Launch,
    /// Number of the thread block; x runs fastest.
    pub block: u32,
    /// Number of the warp in the block.
    pub warp: u32,
}

impl Place {
    /// The lanes that are threads of the block: in its last warp perhaps not all.
    #[must_use]
    pub fn mask(&self) -> u32 {
        let threads = self.launch.threads();
        match threads.saturating_sub(self.warp * LANES as u32) {
            left @ ..32 => (1 << left) - 1,
            _ => u32::MAX,
        }
    }

    /// The value of a special register in each lane.
    #[must_use]
    pub fn special(&self, register: SpecialRegister) -> Lanes {
        let along = |coordinates: [u32; 3], axis: u8| {
            let value = coordinates.get(usize::from(axis)).copied().unwrap_or(0);
            [u64::from(value); LANES]
        };
        match register {
            SpecialRegister::Thread(axis) => std::array::from_fn(|lane| {
                let thread = split(self.warp * LANES as u32 + lane as u32, self.launch.block);
                u64::from(thread.get(usize::from(axis)).copied().unwrap_or(0))
            }),
            SpecialRegister::Block(axis) => along(self.launch.block_at(self.block), axis),
            SpecialRegister::BlockSize(axis) => along(self.launch.block, axis),
            SpecialRegister::GridSize(axis) => along(self.launch.grid, axis),
            SpecialRegister::Lane => std::array::from_fn(|lane| lane as u64),
            SpecialRegister::Warp => [u64::from(self.warp); LANES],
            SpecialRegister::Local(bytes) => {
                let warp = u64::from(self.block) * u64::from(self.launch.warps_per_block())
                    + u64::from(self.warp);
                let words = u64::from(bytes).div_ceil(LOCAL_WORD);
                let base = LOCAL_MEMORY + warp * words * LOCAL_ROW;
                std::array::from_fn(|lane| base + lane as u64 * LOCAL_WORD)
            }
        }
    }
}

/// The registers of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    values: Vec<Lanes>,
}

impl Registers {
    /// This number of registers, all 0.
    #[must_use]
    pub fn new(count: u8) -> Self {
        Self {
            values: vec![[0; LANES]; usize::from(count)],
        }
    }

    /// A register; the zero register and registers that are not there are 0.
    #[must_use]
    pub fn read(&self, register: u8) -> &Lanes {
        const ZERO: &Lanes = &[0; LANES];
        self.values.get(usize::from(register)).unwrap_or(ZERO)
    }

    /// The first register in which two warps differ, and the first such lane of it.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(u8, usize)> {
        let count = self.values.len().max(other.values.len());
        (0..count as u8).find_map(|register| {
            let mut lanes = self.read(register).iter().zip(other.read(register));
            let lane = lanes.position(|(left, right)| left != right)?;
            Some((register, lane))
        })
    }

    /// Writes the lanes of a mask; nothing if the register is not there.
    pub fn write(&mut self, register: u8, mask: u32, values: &Lanes) {
        if let Some(lanes) = self.values.get_mut(usize::from(register)) {
            if mask == u32::MAX {
                *lanes = *values;
                return;
            }
            for (lane, (old, new)) in lanes.iter_mut().zip(values).enumerate() {
                if mask >> lane & 1 == 1 {
                    *old = *new;
                }
            }
        }
    }
}

/// A warp of a thread block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warp {
    /// Where it is.
    pub place: Place,
    /// What it holds.
    pub registers: Registers,
    /// What it fetches next.
    pub control: Control,
}

impl Warp {
    /// A warp before its first instruction.
    #[must_use]
    pub fn new(program: &Program, place: Place) -> Self {
        Self {
            place,
            registers: Registers::new(program.registers()),
            control: Control::new(place.mask()),
        }
    }

    /// What an instruction finds in its sources: the operand-read stage.
    #[must_use]
    pub fn read_operands(&self, instruction: &Instruction) -> Operands {
        let mut operands = Operands::default();
        self.read_into(&mut operands, instruction);
        operands
    }

    /// The same, in place of what was there; past the sources of the instruction that stays.
    pub(crate) fn read_into(&self, operands: &mut Operands, instruction: &Instruction) {
        self.constants_into(operands, instruction);
        for (value, operand) in operands.values.iter_mut().zip(instruction.operands()) {
            if let Operand::Register(register) = *operand {
                *value = *self.registers.read(register);
            }
        }
    }

    /// The sources of an instruction where they stand: those that are no registers come to `constants`.
    pub(crate) fn sources<'values>(
        &'values self,
        constants: &'values mut Operands,
        instruction: &Instruction,
    ) -> Sources<'values> {
        self.constants_into(constants, instruction);
        let operands = instruction.operands();
        let constants = &constants.values;
        std::array::from_fn(|place| match operands.get(place) {
            Some(Operand::Register(register)) => self.registers.read(*register),
            _ => &constants[place],
        })
    }

    /// The sources that are no registers, so that they need no log, in place of what was there; the others stay.
    pub(crate) fn constants_into(&self, operands: &mut Operands, instruction: &Instruction) {
        for (value, operand) in operands.values.iter_mut().zip(instruction.operands()) {
            match *operand {
                Operand::Register(_) => {}
                Operand::Immediate(bits) => *value = [bits; LANES],
                Operand::Special(special) => *value = self.place.special(special),
            }
        }
    }

    /// Writes a register: the commit stage.
    pub fn write(&mut self, write: &Write) {
        self.registers
            .write(write.register, write.mask, &write.values);
    }
}
