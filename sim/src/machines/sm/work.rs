//! What an SM runs: for each warp the stream of its instructions, from a program's oracle or from a trace.

use std::collections::HashMap;
use std::sync::Arc;

use crate::simt::kernels::Kernel;
use crate::simt::{self, Lanes, Launch, Memory, Operand, Program, Run, RunError};
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::Class;
use crate::trace::{self, Reader, SM_BLOCKS, SM_WARPS, TraceError};

/// What an instruction does besides what its class says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Reads and writes memory.
    Atomic,
    /// Waits for the other warps of its block.
    Barrier,
}

/// An instruction as the source knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// Its program counter.
    pub pc: u32,
    /// Its class.
    pub class: Class,
    /// What else it does.
    pub kind: Kind,
    /// The register that it writes.
    pub destination: u8,
    /// The registers that it reads; of a memory instruction the address first, the data second.
    pub sources: [u8; 3],
}

/// An instruction as a warp executes it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number among the instructions.
    pub instruction: u32,
    /// Its lanes.
    pub mask: u32,
    /// The lanes that a branch sends to its target.
    pub taken: u32,
    /// The address of each lane, if it accesses memory.
    pub addresses: Option<Arc<Lanes>>,
}

impl Step {
    /// What stands for its operands where values are not computed: the addresses, and data like nothing else's.
    pub(super) fn traced_operand(&self, data: bool) -> Lanes {
        let addresses = self.addresses.as_deref().copied().unwrap_or_default();
        match data {
            true => addresses.map(|address| !address),
            false => addresses,
        }
    }
}

/// A program with all that it computes.
#[derive(Clone, Debug)]
pub struct Computation {
    /// The program.
    pub program: Program,
    /// Its size.
    pub launch: Launch,
    /// Global memory before it starts.
    pub memory: Memory,
    /// The run without faults.
    pub oracle: Run,
}

/// What an SM runs.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// Its blocks, warp by warp.
    pub blocks: Vec<Vec<Arc<[Step]>>>,
    /// Warps of a block at most.
    pub warps_per_block: usize,
    /// Blocks that fit on an SM besides the limits of its warps.
    pub blocks_per_sm: usize,
    /// What it computes, if that is known.
    pub computation: Option<Computation>,
}

impl Work {
    /// A kernel on an SM of the paper.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn of_kernel(kernel: &Kernel) -> Result<Self, RunError> {
        let work = Self::of_program(kernel.program.clone(), kernel.launch, kernel.memory.clone())?;
        Ok(Self {
            name: kernel.name.to_owned(),
            blocks_per_sm: kernel.blocks_per_sm() as usize,
            ..work
        })
    }

    /// A program.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn of_program(program: Program, launch: Launch, memory: Memory) -> Result<Self, RunError> {
        let oracle = simt::run(&program, &launch, memory.clone())?;
        let step = |step: &simt::Step| Step {
            instruction: step.pc,
            mask: step.mask,
            taken: step.taken,
            addresses: step.addresses.clone(),
        };
        let warps_per_block = launch.warps_per_block() as usize;
        let warps: Vec<Arc<[Step]>> = oracle
            .warps
            .iter()
            .map(|warp| warp.steps.iter().map(step).collect())
            .collect();
        Ok(Self {
            name: "program".to_owned(),
            instructions: program.instructions().iter().zip(0..).map(decode).collect(),
            blocks: warps
                .chunks(warps_per_block.max(1))
                .map(<[_]>::to_vec)
                .collect(),
            warps_per_block,
            blocks_per_sm: SM_BLOCKS as usize,
            computation: Some(Computation {
                program,
                launch,
                memory,
                oracle,
            }),
        })
    }

    /// A kernel's trace.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_trace(mut reader: Reader<'_>) -> Result<Self, TraceError> {
        let kernel = reader.kernel().clone();
        let warps_per_block = kernel.warps_per_block() as usize;
        let mut work = Self {
            name: kernel.name.clone(),
            instructions: Vec::new(),
            blocks: Vec::new(),
            warps_per_block,
            blocks_per_sm: blocks_per_sm(&kernel),
            computation: None,
        };
        let mut known = HashMap::new();
        while let Some(block) = reader.next_block()? {
            let mut warps: Vec<Arc<[Step]>> = vec![Arc::default(); warps_per_block];
            for warp in &block.warps {
                let mut step = |traced: &trace::Instruction| {
                    let instruction = decode_traced(traced);
                    let number = *known.entry(instruction).or_insert_with(|| {
                        work.instructions.push(instruction);
                        work.instructions.len() as u32 - 1
                    });
                    Step {
                        instruction: number,
                        mask: traced.mask,
                        taken: 0,
                        addresses: traced.access.as_ref().map(|access| access.addresses.into()),
                    }
                };
                let steps = warp.instructions.iter().map(&mut step).collect();
                if let Some(place) = warps.get_mut(warp.number as usize) {
                    *place = steps;
                }
            }
            work.blocks.push(warps);
        }
        Ok(work)
    }

    /// An instruction of it.
    #[must_use]
    pub fn instruction(&self, step: &Step) -> &Instruction {
        &self.instructions[step.instruction as usize]
    }

    /// The addresses that are accessed.
    pub(super) fn addresses(&self) -> impl Iterator<Item = u64> {
        let steps = self.blocks.iter().flatten().flat_map(|steps| steps.iter());
        let lanes = |step: &Step| (step.mask, step.traced_operand(false));
        steps
            .filter(|step| self.instruction(step).class.is_global())
            .map(lanes)
            .flat_map(|(mask, lanes)| {
                let active = move |lane: &usize| mask >> lane & 1 == 1;
                (0..32).filter(active).map(move |lane| lanes[lane])
            })
    }

    /// The pages that are accessed, ascending.
    pub(crate) fn pages(&self) -> std::collections::BTreeSet<u64> {
        let mut last = None;
        let pages = self.addresses().map(super::pages::Pages::page);
        // One lane after the other mostly accesses the same page.
        let changes = pages.filter(|&page| last.replace(page) != Some(page));
        changes.collect()
    }

    /// The number of warp instructions.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.blocks.iter().flatten().map(|steps| steps.len()).sum()
    }
}

/// An instruction of a program, with its number.
fn decode((instruction, pc): (&simt::Instruction, u32)) -> Instruction {
    let class = match instruction.class() {
        simt::Class::Math => Class::Math,
        simt::Class::Special => Class::Special,
        simt::Class::GlobalLoad => Class::Load,
        simt::Class::GlobalStore => Class::Store,
        simt::Class::Shared => Class::Shared,
        simt::Class::Branch | simt::Class::Barrier | simt::Class::Exit => Class::Control,
    };
    let kind = match instruction.operation {
        simt::Operation::AtomicAdd(..) => Kind::Atomic,
        simt::Operation::Barrier => Kind::Barrier,
        _ => Kind::Plain,
    };
    Instruction {
        pc,
        class,
        kind,
        destination: instruction.destination.unwrap_or(ZERO_REGISTER),
        sources: instruction.sources.map(|source| match source {
            Operand::Register(register) => register,
            _ => ZERO_REGISTER,
        }),
    }
}

/// An instruction of a trace. Memory that is translated counts as global; constants are there.
fn decode_traced(traced: &trace::Instruction) -> Instruction {
    use trace::Space::{Constant, Shared};
    let name = traced.opcode.name.as_ref();
    let class = match traced.class {
        trace::Class::Load(Shared | Constant)
        | trace::Class::Store(Shared | Constant)
        | trace::Class::Atomic(Shared | Constant) => Class::Shared,
        trace::Class::Load(_) => Class::Load,
        trace::Class::Store(_) | trace::Class::Atomic(_) => Class::Store,
        trace::Class::Control => Class::Control,
        trace::Class::Barrier if name.starts_with("BAR") => Class::Control,
        trace::Class::Special => Class::Special,
        trace::Class::Barrier | trace::Class::Tensor | trace::Class::Arithmetic => Class::Math,
    };
    let kind = match traced.class {
        trace::Class::Atomic(_) => Kind::Atomic,
        trace::Class::Barrier if class == Class::Control => Kind::Barrier,
        _ => Kind::Plain,
    };
    let source = |place: usize| traced.sources.get(place).copied().unwrap_or(ZERO_REGISTER);
    let mut sources = [source(0), source(1), source(2)];
    // An asynchronous copy names the address in shared memory first, a store with one source its data alone.
    if name.starts_with("LDGSTS") || (class == Class::Store && traced.sources.len() == 1) {
        sources.swap(0, 1);
    }
    Instruction {
        pc: traced.pc,
        class,
        kind,
        destination: traced
            .destinations
            .first()
            .copied()
            .unwrap_or(ZERO_REGISTER),
        sources,
    }
}

/// Blocks of a traced kernel that the paper's SM holds by registers and shared memory.
fn blocks_per_sm(kernel: &trace::Kernel) -> usize {
    let threads = u64::from(kernel.warps_per_block()) * 32;
    let fits = |all: u32, each: u64| u64::from(all).checked_div(each).unwrap_or(u64::MAX);
    let registers = fits(simt::kernels::SM_REGISTERS, kernel.registers * threads);
    let shared = fits(simt::kernels::SM_SHARED_MEMORY, kernel.shared_memory);
    let warps = u64::from(SM_WARPS / kernel.warps_per_block().max(1));
    registers.min(shared).min(warps).clamp(1, SM_BLOCKS.into()) as usize
}
