//! The values of a run: registers and shared memory as the pipeline leaves them.

use super::work::Computation;
use crate::simt::{
    Access, Constants, Effect, Operands, Place, Registers, Shared, Space, Warp, Write, execute,
    raising,
};

/// The state of a computation on an SM.
#[derive(Clone, Debug)]
pub struct Values<'work> {
    computation: &'work Computation,
    /// The warps of the SM.
    warps: Vec<Option<Warp>>,
    /// Shared memory of each slot.
    shared: Vec<Shared>,
    /// What the last instruction that computes has read.
    operands: Operands,
}

impl<'work> Values<'work> {
    pub fn new(computation: &'work Computation, warps: usize, slots: usize) -> Self {
        Self {
            computation,
            warps: vec![None; warps],
            shared: vec![Shared::default(); slots],
            operands: Operands::default(),
        }
    }

    /// A block comes to a slot.
    pub fn begin_cta(&mut self, slot: usize) {
        self.shared[slot] = Shared::new(self.computation.launch.shared_memory);
    }

    pub fn begin_warp(&mut self, warp: u8, block: usize, number: usize) {
        let place = Place {
            launch: self.computation.launch,
            block: self.computation.blocks.start + block as u32,
            warp: number as u32,
        };
        self.warps[usize::from(warp)] = Some(Warp::new(&self.computation.program, place));
    }

    /// A warp ends, and leaves its registers.
    pub fn end_warp(&mut self, warp: u8) -> Option<Registers> {
        let ended = self.warps[usize::from(warp)].take();
        ended.map(|warp| warp.registers)
    }

    /// A warp leaves with its registers.
    pub fn take_warp(&mut self, warp: usize) -> Option<Warp> {
        self.warps[warp].take()
    }

    /// The warps, and shared memory of each slot.
    pub fn parts(&mut self) -> (&mut [Option<Warp>], &mut [Shared]) {
        (&mut self.warps, &mut self.shared)
    }

    /// A block leaves with its shared memory.
    pub fn take_block(&mut self, slot: usize) -> Shared {
        std::mem::take(&mut self.shared[slot])
    }

    /// What an instruction finds in its sources.
    pub fn read(&self, warp: u8, pc: u32) -> Operands {
        let instruction = self.computation.program.at(pc);
        self.warps[usize::from(warp)]
            .as_ref()
            .map_or_else(Operands::default, |warp| warp.read_operands(instruction))
    }

    /// What an instruction finds in its sources that are no registers.
    pub fn constants(&self, warp: u8, pc: u32) -> Operands {
        let instruction = self.computation.program.at(pc);
        self.warps[usize::from(warp)]
            .as_ref()
            .map_or_else(Operands::default, |warp| warp.read_constants(instruction))
    }

    /// What an instruction that accesses no memory does with what it finds in its sources.
    pub fn compute(&mut self, warp: u8, pc: u32, mask: u32) -> Effect {
        let instruction = self.computation.program.at(pc);
        if let Some(warp) = &self.warps[usize::from(warp)] {
            warp.read_into(&mut self.operands, instruction);
        }
        execute(instruction, &self.operands, mask)
    }

    /// What an instruction does with its operands.
    pub fn execute(&self, pc: u32, operands: &Operands, mask: u32) -> Effect {
        execute(self.computation.program.at(pc), operands, mask)
    }

    /// The lanes in which an instruction raises an exception with its operands.
    pub fn raising(&self, pc: u32, operands: &Operands, mask: u32) -> u32 {
        raising(self.computation.program.at(pc), operands, mask)
    }

    /// Accesses the shared memory of a slot, or the program's constants.
    pub fn share(&mut self, access: &Access, slot: usize) -> Option<Write> {
        match access.space {
            Space::Constant => access.perform(&mut Constants(self.computation.program.constants())),
            _ => access.perform(&mut self.shared[slot]),
        }
    }

    pub fn write(&mut self, warp: u8, write: &Write) {
        if let Some(warp) = &mut self.warps[usize::from(warp)] {
            warp.write(write);
        }
    }
}
