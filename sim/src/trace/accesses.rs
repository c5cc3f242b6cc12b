//! The global-memory instructions that one SM would issue for a kernel.

use std::collections::VecDeque;

use super::{Block, Class, Instruction, LANES, Reader, TraceError, Warp};

/// Thread blocks that an SM holds at most (Tanasic et al., Table 1).
pub const SM_BLOCKS: u32 = 16;
/// Warps that an SM holds at most (Tanasic et al., Table 1).
pub const SM_WARPS: u32 = 64;
/// The zero register: stands for a register that is not there.
pub const NO_REGISTER: u8 = 255;

/// A global-memory instruction at issue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GlobalAccess {
    /// Ordinal of its thread block in the trace; a new one in a slot means that the old one ended.
    pub block: u64,
    /// Slot of the thread block, below [`SM_BLOCKS`].
    pub block_slot: u8,
    /// Slot of the warp on the SM, below [`SM_WARPS`].
    pub warp_slot: u8,
    /// Program counter, bytes.
    pub pc: u32,
    /// Number of the opcode in the order of first appearance; an instruction set has more than 256
    /// only with all suffixes, and no kernel uses as many, but if one does the number wraps.
    pub opcode: u8,
    /// Writes memory, so that it has data to keep: stores and atomics.
    pub is_store: bool,
    /// First register that it writes, or [`NO_REGISTER`].
    pub destination: u8,
    /// First register of the address, or [`NO_REGISTER`] if it is uniform or absolute.
    pub address_register: u8,
    /// First register of the data that is written, or [`NO_REGISTER`].
    pub data_register: u8,
    /// Active lanes, lane 0 lowest; 0 if every lane was predicated off.
    pub mask: u32,
    /// Bytes that each lane accesses.
    pub width: u8,
    /// First byte of each lane; 0 for a lane that is not active.
    pub addresses: [u64; LANES],
}

impl GlobalAccess {
    /// What each lane writes. A trace has no data, so this is a hash of the lane's address, the
    /// program counter and the block: the same on every run, different for different writes.
    #[must_use]
    pub fn data(&self) -> [u64; LANES] {
        let seed = u64::from(self.pc) << 32 ^ self.block;
        self.addresses.map(|address| mix(address ^ mix(seed)))
    }

    fn new(instruction: &Instruction, block: u64, block_slot: u8, warp_slot: u8) -> Option<Self> {
        let access = instruction.global()?;
        let is_store = !matches!(instruction.class, Class::Load(_));
        let register = |index: usize| {
            instruction
                .sources
                .get(index)
                .copied()
                .unwrap_or(NO_REGISTER)
        };
        // The address comes first among the sources. An asynchronous copy to shared memory names the
        // shared address before it; a store with one source names only its data.
        let (address_register, data_register) = match (is_store, instruction.sources.len()) {
            (false, 2..) if instruction.opcode.name.starts_with("LDGSTS") => (1, usize::MAX),
            (false, _) => (0, usize::MAX),
            (true, 0 | 1) => (usize::MAX, 0),
            (true, _) => (0, 1),
        };
        Some(Self {
            block,
            block_slot,
            warp_slot,
            pc: instruction.pc,
            opcode: instruction.opcode.id as u8,
            is_store,
            destination: instruction
                .destinations
                .first()
                .copied()
                .unwrap_or(NO_REGISTER),
            address_register: register(address_register),
            data_register: register(data_register),
            mask: instruction.mask,
            width: access.width,
            addresses: access.addresses,
        })
    }
}

/// The finaliser of SplitMix64 (Steele et al., OOPSLA 2014): every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// A warp on the SM.
struct Resident {
    /// Its global-memory instructions, each with its place in the warp.
    accesses: VecDeque<(usize, GlobalAccess)>,
    /// The place of its next instruction.
    next: usize,
    /// Its number of instructions.
    length: usize,
}

/// A thread block on the SM.
struct Slot {
    warps: Vec<Resident>,
}

/// The stream of global-memory instructions of one SM on which the whole kernel runs: as many
/// thread blocks at once as fit ([`SM_BLOCKS`], [`SM_WARPS`]), their warps taking turns, an
/// instruction of any kind a turn; a block that ends makes room for the next one of the trace.
///
/// Only the blocks that are resident are in memory. As an iterator it ends after the first error.
pub struct GlobalAccesses<'text> {
    reader: Reader<'text>,
    slots: Vec<Option<Slot>>,
    warps_per_block: usize,
    /// Blocks taken from the trace.
    taken: u64,
    exhausted: bool,
    /// Whose turn it is: slot, warp in it.
    turn: (usize, usize),
}

impl<'text> GlobalAccesses<'text> {
    /// Runs the kernel of a reader that nothing was read from yet.
    #[must_use]
    pub fn new(reader: Reader<'text>) -> Self {
        let warps_per_block = reader.kernel().warps_per_block().max(1);
        let most = (SM_WARPS / warps_per_block).clamp(1, SM_BLOCKS);
        let resident = reader.kernel().blocks().min(u64::from(most)) as usize;
        Self {
            reader,
            slots: std::iter::repeat_with(|| None).take(resident).collect(),
            warps_per_block: warps_per_block as usize,
            taken: 0,
            exhausted: false,
            turn: (0, 0),
        }
    }

    /// Thread blocks that are resident at once: the partitions that an operand log needs.
    #[must_use]
    pub fn resident_blocks(&self) -> usize {
        self.slots.len()
    }

    /// Fills the free slots, lowest first.
    fn refill(&mut self) -> Result<(), TraceError> {
        for index in 0..self.slots.len() {
            if self.slots[index].is_none() && !self.exhausted {
                match self.reader.next_block()? {
                    Some(block) => {
                        self.slots[index] = Some(self.resident(&block, index));
                        self.taken += 1;
                    }
                    None => self.exhausted = true,
                }
            }
        }
        Ok(())
    }

    fn resident(&self, block: &Block, slot: usize) -> Slot {
        let warp = |warp: &Warp| {
            // Within bounds: the reader has checked the warp number.
            let warp_slot = (slot * self.warps_per_block + warp.number as usize) as u8;
            let accesses =
                warp.instructions
                    .iter()
                    .enumerate()
                    .filter_map(|(place, instruction)| {
                        let access =
                            GlobalAccess::new(instruction, self.taken, slot as u8, warp_slot)?;
                        Some((place, access))
                    });
            Resident {
                accesses: accesses.collect(),
                next: 0,
                length: warp.instructions.len(),
            }
        };
        Slot {
            warps: block.warps.iter().map(warp).collect(),
        }
    }

    /// Gives the turn to the next warp, and looks for new blocks after each round.
    fn pass(&mut self) -> Result<(), TraceError> {
        let (slot, warp) = self.turn;
        let warps = self
            .slots
            .get(slot)
            .and_then(Option::as_ref)
            .map_or(0, |slot| slot.warps.len());
        self.turn = if warp + 1 < warps {
            (slot, warp + 1)
        } else {
            (slot + 1, 0)
        };
        if self.turn.0 >= self.slots.len() {
            self.turn = (0, 0);
            for slot in &mut self.slots {
                let done = |slot: &mut Slot| slot.warps.iter().all(|warp| warp.next >= warp.length);
                slot.take_if(done);
            }
            self.refill()?;
        }
        Ok(())
    }

    fn step(&mut self) -> Result<Option<GlobalAccess>, TraceError> {
        if self.taken == 0 {
            self.refill()?;
        }
        while self.slots.iter().any(Option::is_some) {
            let (slot, warp) = self.turn;
            let mut issued = None;
            if let Some(slot) = self.slots.get_mut(slot).and_then(Option::as_mut)
                && let Some(warp) = slot.warps.get_mut(warp)
            {
                let place = warp.next;
                warp.next += 1;
                if warp.accesses.front().is_some_and(|(at, _)| *at == place) {
                    issued = warp.accesses.pop_front();
                }
            }
            self.pass()?;
            if let Some((_, access)) = issued {
                return Ok(Some(access));
            }
        }
        Ok(None)
    }
}

impl Iterator for GlobalAccesses<'_> {
    type Item = Result<GlobalAccess, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let step = self.step();
        if !matches!(step, Ok(Some(_))) {
            self.slots.fill_with(|| None);
            self.exhausted = true;
            // A later call finds nothing to do.
            self.taken = self.taken.max(1);
        }
        step.transpose()
    }
}
