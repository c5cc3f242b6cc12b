//! The values of a run: registers and shared memory as the pipeline leaves them.

use super::work::Computation;
use super::work::Step;
use crate::simt::{
    Access, Constants, Memory, Operands, Operation, Place, Registers, Shared, Space, Warp, Write,
    access, branch_taken, compute, raising,
};

/// The state of a computation on an SM.
#[derive(Clone, Debug)]
pub struct Values<'work> {
    computation: &'work Computation,
    /// The warps of the SM.
    warps: Vec<Option<Warp>>,
    /// Shared memory of each slot.
    shared: Vec<Shared>,
    /// Room for the sources of an instruction that are no registers.
    constants: Operands,
    /// Room that no instruction needs at the moment.
    #[expect(
        clippy::vec_box,
        reason = "a box goes to an instruction and comes back"
    )]
    operands: Vec<Box<Operands>>,
    #[expect(
        clippy::vec_box,
        reason = "a box goes to an instruction and comes back"
    )]
    writes: Vec<Box<Write>>,
}

/// What an instruction that accesses no memory is going to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Computed {
    /// Write a register.
    Write(Box<Write>),
    /// Send these lanes to the branch's target.
    Branch(u32),
    /// Nothing to registers.
    Nothing,
}

/// What a memory instruction accesses.
#[derive(Debug)]
pub enum Accessed<'memory> {
    /// Global memory.
    Global(&'memory mut Memory),
    /// The shared memory of a slot, or the program's constants.
    Slot(usize),
}

impl<'work> Values<'work> {
    pub fn new(computation: &'work Computation, warps: usize, slots: usize) -> Self {
        Self {
            computation,
            warps: vec![None; warps],
            shared: vec![Shared::default(); slots],
            constants: Operands::default(),
            operands: Vec::new(),
            writes: Vec::new(),
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

    /// What an instruction finds in its sources; `logged` come from the log, and are left.
    pub fn read(&mut self, warp: u8, pc: u32, logged: bool) -> Box<Operands> {
        let mut operands = self.operands.pop().unwrap_or_default();
        let instruction = self.computation.program.at(pc);
        if let Some(warp) = &self.warps[usize::from(warp)] {
            match logged {
                true => warp.constants_into(&mut operands, instruction),
                false => warp.read_into(&mut operands, instruction),
            }
        }
        operands
    }

    /// What an instruction that accesses no memory does with what it finds in its sources.
    pub fn compute(&mut self, warp: u8, pc: u32, mask: u32) -> Computed {
        let instruction = self.computation.program.at(pc);
        let Some(warp) = &self.warps[usize::from(warp)] else {
            return Computed::Nothing;
        };
        let sources = warp.sources(&mut self.constants, instruction);
        match (instruction.operation, instruction.destination) {
            (Operation::Branch(condition), _) => {
                Computed::Branch(branch_taken(condition, sources[0], mask))
            }
            (operation, Some(register)) => {
                let mut write = self.writes.pop().unwrap_or_default();
                (write.register, write.mask) = (register, mask);
                write.values = compute(operation, sources, mask);
                Computed::Write(write)
            }
            _ => Computed::Nothing,
        }
    }

    /// What a memory instruction accesses with its operands.
    pub fn access<'values>(
        &self,
        pc: u32,
        operands: &'values Operands,
        mask: u32,
    ) -> Option<Access<'values>> {
        access(self.computation.program.at(pc), operands.sources(), mask)
    }

    /// What an instruction that may raise an exception writes with its operands.
    pub fn result(&mut self, pc: u32, operands: &Operands, mask: u32) -> Option<Box<Write>> {
        let instruction = self.computation.program.at(pc);
        let register = instruction.destination?;
        let mut write = self.writes.pop().unwrap_or_default();
        (write.register, write.mask) = (register, mask);
        write.values = compute(instruction.operation, operands.sources(), mask);
        Some(write)
    }

    /// The lanes in which an instruction raises an exception with its operands.
    pub fn raising(&self, pc: u32, operands: &Operands, mask: u32) -> u32 {
        raising(self.computation.program.at(pc), operands.sources(), mask)
    }

    /// Accesses global memory, or else the shared memory of a slot or the program's constants, and gives what is written to a
    /// register then: what was read, or, if that depends on the order of warps, what the oracle's access has returned.
    pub fn perform(
        &mut self,
        step: &Step,
        pc: u32,
        operands: &Operands,
        to: Accessed<'_>,
    ) -> Option<Box<Write>> {
        let program = &self.computation.program;
        let access = access(program.at(pc), operands.sources(), step.mask)?;
        let mut write = self.writes.pop().unwrap_or_default();
        match (to, access.space) {
            (Accessed::Global(memory), _) => access.perform(memory, &mut write.values),
            (_, Space::Constant) => {
                access.perform(&mut Constants(program.constants()), &mut write.values);
            }
            (Accessed::Slot(slot), _) => access.perform(&mut self.shared[slot], &mut write.values),
        }
        let Some(register) = access.destination else {
            self.writes.push(write);
            return None;
        };
        (write.register, write.mask) = (register, access.mask);
        if let Some(returned) = step.returned() {
            write.values = *returned;
        }
        Some(write)
    }

    /// Takes back the room of an instruction that is over.
    pub fn over(&mut self, operands: Option<Box<Operands>>, write: Option<Box<Write>>) {
        self.operands.extend(operands);
        self.writes.extend(write);
    }

    pub fn write(&mut self, warp: u8, write: &Write) {
        if let Some(warp) = &mut self.warps[usize::from(warp)] {
            warp.write(write);
        }
    }
}
