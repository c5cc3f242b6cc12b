//! What an SM runs: thread blocks, one after the other, with the stream of instructions of each warp, from a program's oracle or
//! from a trace.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;

use super::address_space::AddressSpace;
use super::pages::Pages;
use crate::simt::kernels::Kernel;
use crate::simt::{
    self, Exception, Execution, Lanes, Launch, Memory, Operand, Program, Registers, RunError,
    WarpRun,
};
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::Class;
use crate::trace::{self, Reader, SM_BLOCKS, SM_WARPS, TraceError};

/// Pages that are accessed first and are known as such: those that an L1 TLB of the paper holds.
const FIRST_PAGES: usize = 32;
/// Bits of a page number inside the parts of memory that are counted: pages, 64 KB and 2 MB.
const GRAINS: [u32; 3] = [0, 4, 9];
/// Warp instructions of the first thread blocks that are kept, so that an oracle need not execute them again.
const KEPT_STEPS: usize = 1 << 20;
/// Warp instructions of a thread block that is executed before it is known what it reads: a loop that waits for another block
/// would not end.
const TRIED_STEPS: u64 = 1 << 17;
/// What an instruction has that accesses no memory.
const NO_ADDRESSES: Lanes = [0; simt::LANES];

/// What an instruction does besides what its class says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Nothing.
    Plain,
    /// Reads and writes memory.
    Atomic,
    /// Waits for the other warps of its block.
    Barrier,
    /// Accesses no memory, and may raise this exception.
    Raising(Exception),
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

impl Instruction {
    /// Whether it accesses global memory, rather than goes through the memory stage because it may raise an exception.
    #[must_use]
    pub fn is_access(&self) -> bool {
        self.class.is_global() && !matches!(self.kind, Kind::Raising(_))
    }
}

/// What an instruction has besides its lanes; a small type, as most of a run's memory is steps.
#[derive(Clone, Debug)]
enum Detail {
    /// It accesses no memory. The lanes that it sends to its target, or that raise its exception.
    Lanes(u32),
    /// The distance from the address of each lane to that of the next one, and the address of lane 0, if it is active. Most are
    /// like this.
    Even(i32, u64),
    /// The address of each lane, 0 for a lane that is not active.
    Each(Box<Lanes>),
    /// The same, and what the atomic, or the load, returns to each lane.
    Returning(Box<[Lanes; 2]>),
}

/// An instruction as a warp executes it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its number among the instructions.
    pub instruction: u32,
    /// Its lanes.
    pub mask: u32,
    detail: Detail,
}

impl Step {
    /// An instruction that accesses no memory, with its number, its lanes and those that it chooses.
    const fn plain(instruction: u32, mask: u32, chosen: u32) -> Self {
        Self {
            instruction,
            mask,
            detail: Detail::Lanes(chosen),
        }
    }

    /// An access with its number, its lanes, and the address of each.
    fn access(instruction: u32, mask: u32, lanes: &Lanes) -> Self {
        let first = mask.trailing_zeros() as usize;
        let active = |lane: usize| lanes.get(lane).filter(|_| mask >> lane & 1 == 1);
        let address = active(first).copied().unwrap_or(0);
        let distance = active(first + 1).map_or(0, |next| next.wrapping_sub(address) as i32);
        let base = address.wrapping_sub(distance_to(first, distance));
        let mut step = Self {
            instruction,
            mask,
            detail: Detail::Even(distance, base),
        };
        if step.addresses() != *lanes {
            step.detail = Detail::Each(Box::new(*lanes));
        }
        step
    }

    /// The lanes that a branch sends to its target, or in which another instruction raises its exception; none of an access.
    #[must_use]
    pub const fn chosen(&self) -> u32 {
        match self.detail {
            Detail::Lanes(lanes) => lanes,
            _ => 0,
        }
    }

    /// The address of each lane; 0 for a lane that is not active, or accesses no memory.
    #[must_use]
    pub fn addresses(&self) -> Lanes {
        match &self.detail {
            Detail::Lanes(_) => NO_ADDRESSES,
            Detail::Even(distance, base) => {
                std::array::from_fn(|lane| match self.mask >> lane & 1 {
                    0 => 0,
                    _ => base.wrapping_add(distance_to(lane, *distance)),
                })
            }
            Detail::Each(lanes) => **lanes,
            Detail::Returning(lanes) => lanes[0],
        }
    }

    /// What an atomic or a load returns to each lane, if that is the oracle's whenever it is performed.
    #[must_use]
    pub fn returned(&self) -> Option<&Lanes> {
        match &self.detail {
            Detail::Returning(lanes) => Some(&lanes[1]),
            _ => None,
        }
    }

    /// What stands for its operands where values are not computed: the addresses, and data like nothing else's.
    pub(super) fn traced_operand(&self, data: bool) -> Lanes {
        match data {
            true => self.addresses().map(|address| !address),
            false => self.addresses(),
        }
    }
}

/// Bytes from lane 0 to a lane.
const fn distance_to(lane: usize, distance: i32) -> u64 {
    (distance as i64).wrapping_mul(lane as i64).cast_unsigned()
}

impl From<simt::Step> for Step {
    fn from(step: simt::Step) -> Self {
        let simt::Step {
            pc: instruction,
            mask,
            ..
        } = step;
        match (step.addresses, step.returned) {
            (None, _) => Self::plain(instruction, mask, step.taken | step.raised),
            (Some(addresses), None) => Self::access(instruction, mask, &addresses),
            (Some(addresses), Some(returned)) => Self {
                instruction,
                mask,
                detail: Detail::Returning(Box::new([*addresses, *returned])),
            },
        }
    }
}

/// What a warp does.
#[derive(Clone, Debug, Default)]
pub struct WarpWork {
    /// Its instructions, in program order.
    pub steps: Arc<[Step]>,
    /// Its registers at the end, if they are known.
    pub registers: Option<Registers>,
}

impl From<WarpRun> for WarpWork {
    fn from(run: WarpRun) -> Self {
        Self {
            steps: run.steps.into_iter().map(Step::from).collect(),
            registers: Some(run.registers),
        }
    }
}

/// What a thread block does.
#[derive(Clone, Debug)]
pub struct ThreadBlock {
    /// Its number.
    pub number: usize,
    /// Its warps; one that has no instructions does not run.
    pub warps: Vec<WarpWork>,
}

impl ThreadBlock {
    /// A block as the oracle has executed it.
    fn new(number: usize, warps: Vec<WarpRun>) -> Self {
        let warps = warps.into_iter().map(WarpWork::from).collect();
        Self { number, warps }
    }
}

/// The thread blocks of a work in their order. They are made as they are asked for, or a little ahead, so that those that have
/// ended take no memory. By default there is none.
#[derive(Clone, Debug, Default)]
pub struct ThreadBlocks<'work> {
    next: usize,
    count: usize,
    /// The run without faults, as far as blocks were made.
    oracle: Option<Execution<'work>>,
    /// Blocks that were made ahead.
    ahead: VecDeque<ThreadBlock>,
    traced: &'work [Vec<Arc<[Step]>>],
}

impl ThreadBlocks<'_> {
    /// Global memory as the blocks that were made leave it, if that is known.
    #[must_use]
    pub fn memory(&self) -> Option<&Memory> {
        self.oracle.as_ref().map(Execution::memory)
    }

    /// Executes at most so many warp instructions ahead, unless there are so many blocks ahead.
    pub fn make_ahead(&mut self, instructions: u64, blocks: usize) {
        let Some(oracle) = self.oracle.as_mut().filter(|_| self.ahead.len() < blocks) else {
            return;
        };
        // A work is there only if the run comes to its end.
        if let Ok(Some(warps)) = oracle.proceed(instructions) {
            let number = self.next + self.ahead.len();
            self.ahead.push_back(ThreadBlock::new(number, warps));
        }
    }
}

impl Iterator for ThreadBlocks<'_> {
    type Item = ThreadBlock;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next;
        let block = match (self.ahead.pop_front(), &mut self.oracle) {
            (Some(block), _) => block,
            // A work is there only if the run comes to its end.
            (None, Some(oracle)) => ThreadBlock::new(number, oracle.next()?.ok()?),
            (None, None) => {
                let traced = self.traced.get(number)?.iter();
                let warp = |steps: &Arc<[Step]>| WarpWork {
                    steps: steps.clone(),
                    registers: None,
                };
                let warps = traced.map(warp).collect();
                ThreadBlock { number, warps }
            }
        };
        self.next += 1;
        Some(block)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.count - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for ThreadBlocks<'_> {}

/// A program, and what it starts with.
#[derive(Clone, Debug)]
pub struct Computation {
    /// The program.
    pub program: Program,
    /// Its size.
    pub launch: Launch,
    /// The thread blocks that run; the work counts them from 0.
    pub blocks: Range<u32>,
    /// Global memory before it starts.
    pub memory: Memory,
    /// What its atomics return depends on the order of warps, and is the oracle's in every run.
    pub is_ordered: bool,
    /// So is what its loads return.
    pub is_recorded: bool,
}

impl Computation {
    /// Its execution from a thread block on, before which global memory is this.
    fn execution_of(&self, first: usize, memory: &Memory) -> Execution<'_> {
        let execution = Execution::new(&self.program, self.launch, memory.clone());
        execution.of_blocks(self.blocks.start + first as u32..self.blocks.end)
    }
}

/// What is to be known of all thread blocks before the first one runs.
#[derive(Clone, Debug, Default)]
struct Extent {
    blocks: usize,
    steps: usize,
    /// Instructions that raise an exception.
    exceptions: usize,
    /// The pages that are accessed, and the same in the order in which they are accessed first.
    pages: BTreeSet<u64>,
    first_pages: Vec<u64>,
    /// The most pages, regions of 64 KB and regions of 2 MB that one instruction accesses.
    most: [usize; GRAINS.len()],
    /// Those that are read, and those that are written.
    read: BTreeSet<u64>,
    written: BTreeSet<u64>,
}

impl Extent {
    /// Counts an instruction.
    fn add(&mut self, instruction: &Instruction, mask: u32, addresses: &Lanes) {
        self.steps += 1;
        if !instruction.is_access() {
            return;
        }
        let writes = instruction.class == Class::Store;
        let reads = !writes || instruction.kind == Kind::Atomic;
        let (mut last, mut changes) = (None, 0);
        for lane in (0..addresses.len()).filter(|lane| mask >> lane & 1 == 1) {
            let page = Pages::page(addresses[lane]);
            // One lane after the other mostly accesses the same page.
            if last.replace(page) == Some(page) {
                continue;
            }
            changes += 1;
            if self.pages.insert(page) {
                self.first_pages.push(page);
            }
            if reads {
                self.read.insert(page);
            }
            if writes {
                self.written.insert(page);
            }
        }
        self.count_parts(mask, addresses, changes);
    }

    /// Counts the parts of memory that an instruction accesses, whose page changes so often from lane to lane.
    fn count_parts(&mut self, mask: u32, addresses: &Lanes, changes: usize) {
        for (most, grain) in self.most.iter_mut().zip(GRAINS) {
            // There are no more parts than changes.
            if *most < changes {
                let lanes = (0..addresses.len()).filter(|lane| mask >> lane & 1 == 1);
                let mut parts: Vec<_> = lanes
                    .map(|lane| Pages::page(addresses[lane]) >> grain)
                    .collect();
                parts.sort_unstable();
                parts.dedup();
                *most = parts.len().max(*most);
            }
        }
    }

    /// Executes blocks, counts their instructions, and gives each block to a closure with global memory after it.
    fn of(
        mut blocks: Execution<'_>,
        instructions: &[Instruction],
        mut keep: impl FnMut(&Self, Vec<WarpRun>, &Memory),
    ) -> Result<Self, RunError> {
        let mut extent = Self::default();
        while let Some(block) = blocks.next() {
            let block = block?;
            extent.blocks += 1;
            for step in block.iter().flat_map(|warp| &warp.steps) {
                let addresses = step.addresses.as_deref().unwrap_or(&NO_ADDRESSES);
                extent.add(&instructions[step.pc as usize], step.mask, addresses);
                extent.exceptions += usize::from(step.raised != 0);
            }
            keep(&extent, block, blocks.memory());
        }
        Ok(extent)
    }

    /// Executes all blocks of a launch, and keeps the first ones.
    ///
    /// On several threads the halves of the launch run side by side. The second one runs again if it reads a page that the first
    /// one writes.
    fn of_launch(
        program: &Program,
        launch: Launch,
        blocks: Range<u32>,
        memory: &Memory,
        instructions: &[Instruction],
    ) -> Result<(Self, Kept), RunError> {
        let half = match rayon::current_num_threads() {
            1 => blocks.end,
            _ => blocks.start + blocks.len() as u32 / 2,
        };
        let before = half - blocks.start;
        let mut kept = Kept {
            blocks: Vec::new(),
            memory: memory.clone(),
        };
        let (mut after, mut keeps) = (memory.clone(), true);
        let keep = |extent: &Self, block, memory: &Memory| {
            let is_last = extent.blocks == before as usize;
            if is_last {
                after = memory.clone();
            }
            keeps &= extent.blocks > 1 || extent.steps <= KEPT_STEPS;
            if keeps {
                kept.blocks.push(ThreadBlock::new(kept.blocks.len(), block));
                // The next one is taken for as long as those before it.
                keeps = !is_last && extent.steps + extent.steps / extent.blocks <= KEPT_STEPS;
                if !keeps {
                    kept.memory = memory.clone();
                }
            }
        };
        let of = |blocks, memory: &Memory| {
            Execution::new(program, launch, memory.clone()).of_blocks(blocks)
        };
        let second = |execution| Self::of(execution, instructions, |_, _, _| ());
        let (first, later) = rayon::join(
            || Self::of(of(blocks.start..half, memory), instructions, keep),
            || second(of(half..blocks.end, memory).of_steps(TRIED_STEPS)),
        );
        let mut first = first?;
        let later = match later {
            Ok(later) if first.written.is_disjoint(&later.read) => later,
            _ => second(of(half..blocks.end, &after))?,
        };
        first.join(later);
        Ok((first, kept))
    }

    /// Adds the blocks that follow.
    fn join(&mut self, later: Self) {
        self.blocks += later.blocks;
        self.steps += later.steps;
        self.exceptions += later.exceptions;
        let new = |page: &u64| self.pages.insert(*page);
        self.first_pages
            .extend(later.first_pages.into_iter().filter(new));
        for (most, later) in self.most.iter_mut().zip(later.most) {
            *most = later.max(*most);
        }
        self.read.extend(later.read);
        self.written.extend(later.written);
    }
}

/// The first thread blocks of a launch, and global memory after them.
#[derive(Clone, Debug, Default)]
struct Kept {
    blocks: Vec<ThreadBlock>,
    memory: Memory,
}

/// What an SM runs.
#[derive(Clone, Debug)]
pub struct Work {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// Warps of a block at most.
    pub warps_per_block: usize,
    /// Blocks that fit on an SM besides the limits of its warps.
    pub blocks_per_sm: usize,
    /// What it computes, if that is known.
    pub computation: Option<Computation>,
    /// Where it may access memory.
    pub space: AddressSpace,
    /// What the CPU has copied before it, if it is a trace.
    pub copies: Vec<trace::Copy>,
    /// Its blocks, warp by warp, if it is a trace.
    traced: Vec<Vec<Arc<[Step]>>>,
    extent: Extent,
    /// Its first blocks, if it is a program.
    kept: Kept,
}

impl Work {
    /// A kernel on an SM of the paper.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn of_kernel(kernel: &Kernel) -> Result<Self, RunError> {
        let mut work =
            Self::of_program(kernel.program.clone(), kernel.launch, kernel.memory.clone())?;
        if let Some(computation) = &mut work.computation {
            computation.is_ordered = kernel.is_ordered;
        }
        Ok(Self {
            name: kernel.name.to_owned(),
            blocks_per_sm: kernel.blocks_per_sm() as usize,
            space: AddressSpace::of_regions(&kernel.regions),
            ..work
        })
    }

    /// A program.
    ///
    /// # Errors
    /// If it does not run to its end.
    pub fn of_program(program: Program, launch: Launch, memory: Memory) -> Result<Self, RunError> {
        Self::of_blocks(program, launch, 0..launch.blocks(), memory)
    }

    /// Some thread blocks of a program.
    ///
    /// # Errors
    /// If they do not run to their end.
    pub fn of_blocks(
        program: Program,
        launch: Launch,
        blocks: Range<u32>,
        memory: Memory,
    ) -> Result<Self, RunError> {
        let instructions: Vec<_> = program.instructions().iter().zip(0..).map(decode).collect();
        let (extent, kept) =
            Extent::of_launch(&program, launch, blocks.clone(), &memory, &instructions)?;
        Ok(Self {
            name: "program".to_owned(),
            instructions,
            warps_per_block: launch.warps_per_block() as usize,
            blocks_per_sm: SM_BLOCKS as usize,
            computation: Some(Computation {
                program,
                launch,
                blocks,
                memory,
                is_ordered: false,
                is_recorded: false,
            }),
            space: AddressSpace::ButNull,
            copies: Vec::new(),
            traced: Vec::new(),
            extent,
            kept,
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
            warps_per_block,
            blocks_per_sm: blocks_per_sm(&kernel),
            computation: None,
            space: AddressSpace::Any,
            copies: Vec::new(),
            traced: Vec::new(),
            extent: Extent::default(),
            kept: Kept::default(),
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
                    match &traced.access {
                        Some(access) => Step::access(number, traced.mask, &access.addresses),
                        None => Step::plain(number, traced.mask, 0),
                    }
                };
                let steps = warp.instructions.iter().map(&mut step).collect();
                if let Some(place) = warps.get_mut(warp.number as usize) {
                    *place = steps;
                }
            }
            work.extent.blocks += 1;
            for step in warps.iter().flat_map(|steps| steps.iter()) {
                let instruction = &work.instructions[step.instruction as usize];
                work.extent.add(instruction, step.mask, &step.addresses());
            }
            work.traced.push(warps);
        }
        Ok(work)
    }

    /// An instruction of it.
    #[must_use]
    pub fn instruction(&self, step: &Step) -> &Instruction {
        &self.instructions[step.instruction as usize]
    }

    /// Its thread blocks in their order.
    #[must_use]
    pub fn thread_blocks(&self) -> ThreadBlocks<'_> {
        let (oracle, ahead) = match &self.computation {
            None => (None, VecDeque::new()),
            // The blocks were kept without what was returned.
            Some(computation) if computation.is_recorded => {
                let oracle = computation.execution_of(0, &computation.memory);
                (Some(oracle.keeping_loads()), VecDeque::new())
            }
            Some(computation) if computation.is_ordered => {
                let oracle = computation.execution_of(0, &computation.memory);
                (Some(oracle.keeping_returned()), VecDeque::new())
            }
            Some(computation) => {
                let Kept { blocks, memory } = &self.kept;
                let oracle = computation.execution_of(blocks.len(), memory);
                (Some(oracle), blocks.iter().cloned().collect())
            }
        };
        ThreadBlocks {
            next: 0,
            count: self.extent.blocks,
            oracle,
            ahead,
            traced: &self.traced,
        }
    }

    /// The pages that are accessed, ascending.
    pub(crate) const fn pages(&self) -> &BTreeSet<u64> {
        &self.extent.pages
    }

    /// The same in the order in which they are accessed first, block after block.
    pub(crate) fn first_touched(&self) -> &[u64] {
        &self.extent.first_pages
    }

    /// The parts of memory that one instruction accesses at most, whose pages have numbers of so many bits in it.
    pub(crate) fn most_parts(&self, page_bits: u32) -> usize {
        let counted = GRAINS.iter().position(|&grain| grain >= page_bits);
        self.extent.most[counted.unwrap_or_default()]
    }

    /// The pages of its copies, so far as the regions of these pages are accessed; a region has so many pages.
    pub(crate) fn copied_pages(&self, region: u64) -> impl Iterator<Item = u64> {
        self.copies.iter().flat_map(move |copy| {
            let last = copy.address.saturating_add(copy.bytes.saturating_sub(1));
            let (first, last) = (Pages::page(copy.address), Pages::page(last));
            let accessed = first - first % region..=last - last % region + (region - 1);
            let pages = (copy.bytes > 0).then(|| self.pages().range(accessed));
            // The copy's page in the region of an accessed page that is beside the copy is its first or its last one.
            let pages = pages.into_iter().flatten();
            pages.map(move |&page| page.clamp(first, last))
        })
    }

    /// The pages that are accessed first, as many as an L1 TLB has, in that order.
    pub(super) fn first_pages(&self) -> &[u64] {
        let pages = &self.extent.first_pages;
        &pages[..pages.len().min(FIRST_PAGES)]
    }

    /// The number of thread blocks.
    #[must_use]
    pub const fn blocks(&self) -> usize {
        self.extent.blocks
    }

    /// The number of warp instructions.
    #[must_use]
    pub const fn steps(&self) -> usize {
        self.extent.steps
    }

    /// The number of warp instructions that raise an exception.
    #[must_use]
    pub const fn exceptions(&self) -> usize {
        self.extent.exceptions
    }
}

/// An instruction of a program, with its number.
///
/// What may raise an exception has the class of an access that may fault, so that the pipeline treats it as one: a division that of
/// a store, because the log has to keep two operands, and a trap, which has none, that of a load.
fn decode((instruction, pc): (&simt::Instruction, u32)) -> Instruction {
    let class = match instruction.class() {
        simt::Class::Math => Class::Math,
        simt::Class::Special => Class::Special,
        simt::Class::GlobalLoad => Class::Load,
        simt::Class::GlobalStore => Class::Store,
        simt::Class::Raising if instruction.operation.sources() > 0 => Class::Store,
        simt::Class::Raising => Class::Load,
        simt::Class::Shared => Class::Shared,
        simt::Class::Branch | simt::Class::Barrier | simt::Class::Exit => Class::Control,
    };
    let kind = match (instruction.operation, instruction.operation.exception()) {
        (_, Some(exception)) => Kind::Raising(exception),
        (simt::Operation::Atomic(..), _) => Kind::Atomic,
        (simt::Operation::Barrier, _) => Kind::Barrier,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simt::kernels::named;
    use crate::simt::{run, write_trace};

    /// A launch of eight blocks of one warp, as a pool of so many threads counts it.
    fn counted(program: &str, threads: usize) -> Result<Work, RunError> {
        let launch = Launch {
            grid: [8, 1, 1],
            block: [32, 1, 1],
            shared_memory: 0,
        };
        let program = simt::assemble(program).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let work = || Work::of_program(program, launch, Memory::new());
        pool.build().unwrap().install(work)
    }

    #[test]
    fn blocks_that_read_what_others_write_are_counted_in_their_order() {
        // Each block stores to the page behind that of the block before it, which it finds in memory.
        let program = "R0 <- mov 0x100000\nR1 <- ld [R0]\nR2 <- add R1, 4096\nR3 <- add R0, R2\n\
                       st [R3], R2\nst [R0], R2\nexit";
        let one = counted(program, 1).unwrap();
        let two = counted(program, 2).unwrap();
        assert_eq!(one.pages().len(), 9);
        assert_eq!(one.pages(), two.pages());
        assert_eq!(one.first_pages(), two.first_pages());
        assert_eq!((one.blocks(), one.steps()), (two.blocks(), two.steps()));
        let (mut one, mut two) = (one.thread_blocks(), two.thread_blocks());
        let count = one.by_ref().zip(two.by_ref()).map(|(one, two)| {
            assert_eq!((one.number, one.warps.len()), (two.number, two.warps.len()));
            for (one, two) in one.warps.iter().zip(&two.warps) {
                assert_eq!(one.registers, two.registers);
            }
        });
        assert_eq!(count.count(), 8);
        assert_eq!(one.memory(), two.memory());
    }

    #[test]
    fn a_launch_that_fails_does_so_alike_on_two_threads() {
        let program = "R0 <- ld [0x100001]\nexit";
        let failed = |threads| counted(program, threads).unwrap_err();
        assert_eq!(failed(1), failed(2));
    }

    /// Kernels whose lanes access memory in order, out of order, and in part.
    #[test]
    fn the_blocks_of_a_trace_are_those_that_were_written() {
        let (mut even, mut each) = (0, 0);
        for name in ["sgemm", "spmv", "bfs"] {
            let kernel = named(name).unwrap()(1).unwrap();
            let mut text = Vec::new();
            let whole = run(&kernel.program, &kernel.launch, kernel.memory.clone()).unwrap();
            write_trace(&mut text, &kernel, 1, &whole).unwrap();
            let traced = Work::of_trace(Reader::new(text.as_slice(), name).unwrap()).unwrap();
            let computed = Work::of_kernel(&kernel).unwrap();
            assert_eq!(traced.blocks(), computed.blocks());
            assert_eq!(traced.steps(), computed.steps());
            assert_eq!(traced.steps(), whole.steps());
            assert_eq!(traced.pages(), computed.pages());
            assert_eq!(traced.first_pages(), computed.first_pages());
            for step in traced
                .traced
                .iter()
                .flatten()
                .flat_map(|steps| steps.iter())
            {
                match step.detail {
                    Detail::Lanes(_) => {}
                    Detail::Even(..) => even += 1,
                    Detail::Each(_) => each += 1,
                    Detail::Returning(_) => panic!("{name} has no order"),
                }
            }
            for (left, right) in traced.thread_blocks().zip(computed.thread_blocks()) {
                assert_eq!(left.number, right.number);
                assert_eq!(left.warps.len(), right.warps.len());
                for (left, right) in left.warps.iter().zip(&right.warps) {
                    let access = |step: &Step| (step.mask, step.addresses());
                    let left = left.steps.iter().map(access);
                    assert!(left.eq(right.steps.iter().map(access)), "{name}");
                }
            }
        }
        assert!(even > 1_000 && each > 1_000, "{even} even, {each} each");
    }
}
