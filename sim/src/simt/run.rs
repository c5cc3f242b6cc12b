//! The oracle: a launch without faults, each warp in program order.

use std::ops::Range;
use std::sync::Arc;

use thiserror::Error;

use super::exception::Raised;
use super::execute::{
    Access, LOW, Operands, Sources, access, branch_taken, compute, perform, raising,
};
use super::instruction::{Instruction, Operand, SpecialRegister};
use super::memory::{Constants, Memory, Shared};
use super::operation::{Operation, Space};
use super::program::Program;
use super::warp::{Lanes, Launch, Place, Registers, Warp};

/// Warp instructions that a thread block executes at most.
pub const MOST_STEPS: u64 = 20_000_000;

/// Why a run did not come to its end, without the instruction, which [`RunError::pc`] knows.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// A block is too large.
    #[error("a block has {0} threads, and at most {most} are possible", most = Launch::MOST_THREADS)]
    Block(u32),
    /// It goes on and on.
    #[error(
        "a thread block executes more than {limit} warp instructions; make it smaller or end its loop"
    )]
    TooLong {
        /// The instruction that is one too many.
        pc: u32,
        /// Instructions that it may execute.
        limit: u64,
    },
    /// A lane leaves shared memory.
    #[error(
        "shared memory is accessed at {address:#x}, past its end at {end:#x}; {}", remedy(*end)
    )]
    Shared {
        /// The instruction.
        pc: u32,
        /// The address.
        address: u64,
        /// Bytes of shared memory.
        end: u32,
    },
    /// A lane leaves its local memory.
    #[error(
        "local memory is accessed at {address:#x}, past its end at {end:#x}; keep the whole access below that"
    )]
    Local {
        /// The instruction.
        pc: u32,
        /// The address in the lane's memory.
        address: u64,
        /// Bytes of local memory of a thread.
        end: u32,
    },
    /// A lane leaves constant memory.
    #[error(
        "constant memory is accessed at {address:#x}, past its end at {end:#x}; keep the whole access below that"
    )]
    Constant {
        /// The instruction.
        pc: u32,
        /// The address.
        address: u64,
        /// Bytes of constant memory.
        end: u64,
    },
    /// A lane accesses global memory where there is no buffer.
    #[error(
        "global memory is accessed at {address:#x}, which is in no buffer; make the buffer larger, or check the index"
    )]
    Outside {
        /// The instruction.
        pc: u32,
        /// The address.
        address: u64,
    },
    /// An access is not aligned to its size, so that it could cross a line or a page.
    #[error(
        "{bytes} bytes are accessed at {address:#x}, which is not a multiple of {bytes}; align the access, as a GPU demands"
    )]
    Unaligned {
        /// The instruction.
        pc: u32,
        /// The address.
        address: u64,
        /// The size.
        bytes: u64,
    },
}

impl RunError {
    /// The program counter of the instruction at which it ended, if it is one's fault.
    #[must_use]
    pub fn pc(&self) -> Option<u32> {
        match *self {
            Self::Block(_) => None,
            Self::TooLong { pc, .. }
            | Self::Shared { pc, .. }
            | Self::Local { pc, .. }
            | Self::Constant { pc, .. }
            | Self::Outside { pc, .. }
            | Self::Unaligned { pc, .. } => Some(pc),
        }
    }
}

/// A warp instruction as it was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its program counter.
    pub pc: u32,
    /// The lanes that executed it.
    pub mask: u32,
    /// The address of each lane if it accesses memory, 0 for a lane that is not active; shared, so
    /// that a replay of the run need not copy it.
    pub addresses: Option<Arc<Lanes>>,
    /// The lanes that a branch sent to its target.
    pub taken: u32,
    /// The lanes that raised an exception.
    pub raised: u32,
    /// What an atomic or a load has returned to each of its lanes, if the run keeps that.
    pub returned: Option<Arc<Lanes>>,
}

/// What a warp did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpRun {
    /// Where it was.
    pub place: Place,
    /// Its instructions in program order.
    pub steps: Vec<Step>,
    /// Its registers at the end.
    pub registers: Registers,
}

/// What a launch did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its warps, by block and then by their number in it.
    pub warps: Vec<WarpRun>,
    /// Global memory at the end.
    pub memory: Memory,
}

impl Run {
    /// The number of warp instructions.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.warps.iter().map(|warp| warp.steps.len()).sum()
    }

    /// The exceptions that the program has met, by block, warp and program order. Each instruction has had its defined result.
    pub fn exceptions<'run>(
        &'run self,
        program: &'run Program,
    ) -> impl Iterator<Item = Raised> + 'run {
        self.warps.iter().flat_map(move |warp| {
            warp.steps.iter().filter_map(move |step| {
                let exception = program.at(step.pc).operation.exception();
                exception
                    .filter(|_| step.raised != 0)
                    .map(|exception| Raised {
                        block: warp.place.block,
                        warp: warp.place.warp,
                        pc: step.pc,
                        exception,
                        lanes: step.raised,
                    })
            })
        })
    }
}

/// A block under way.
#[derive(Clone, Debug)]
struct Begun {
    /// Its warps, and what they did.
    warps: Vec<(Warp, Vec<Step>)>,
    /// The warp that goes on; those before it have come to the barrier or ended.
    turn: usize,
    shared: Shared,
    /// Instructions that it may still execute.
    left: u64,
    /// Room for the sources of an instruction that are no registers.
    constants: Operands,
}

/// A launch block after block, and in a block each warp as far as its next barrier. Nothing is kept of a block that was given
/// out but what it has written to global memory. After an error there is no further block.
#[derive(Clone, Debug)]
pub struct Execution<'program> {
    program: &'program Program,
    launch: Launch,
    limit: u64,
    /// The next block, and the one before which it ends.
    next: u32,
    end: u32,
    begun: Option<Begun>,
    memory: Memory,
    keeps: Returned,
    rules: Rules,
    instructions: u64,
}

/// The accesses of which what they return is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Returned {
    None,
    Atomics,
    All,
}

/// What is kept of an execution, and what is checked.
#[derive(Clone, Debug)]
struct Rules {
    keeps_steps: bool,
    /// Where global memory may be accessed, if that is checked.
    ranges: Option<Vec<Range<u64>>>,
}

impl<'program> Execution<'program> {
    /// A launch before its first block.
    #[must_use]
    pub fn new(program: &'program Program, launch: Launch, memory: Memory) -> Self {
        Self {
            program,
            launch,
            limit: MOST_STEPS,
            next: 0,
            end: launch.blocks(),
            begun: None,
            memory,
            keeps: Returned::None,
            rules: Rules {
                keeps_steps: true,
                ranges: None,
            },
            instructions: 0,
        }
    }

    /// Keeps no steps: what warps did is not asked for.
    #[must_use]
    pub const fn without_steps(mut self) -> Self {
        self.rules.keeps_steps = false;
        self
    }

    /// Warp instructions that were executed.
    #[must_use]
    pub const fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Ends with an error at an access of global memory outside of these ranges.
    #[must_use]
    pub fn within(mut self, ranges: Vec<Range<u64>>) -> Self {
        self.rules.ranges = Some(ranges);
        self
    }

    /// Only these blocks of it.
    #[must_use]
    pub const fn of_blocks(mut self, blocks: Range<u32>) -> Self {
        (self.next, self.end) = (blocks.start, blocks.end);
        self
    }

    /// Lets a block execute only so many warp instructions, if that is less than [`MOST_STEPS`].
    #[must_use]
    pub const fn of_steps(mut self, limit: u64) -> Self {
        self.limit = limit;
        self
    }

    /// Keeps what atomics return.
    #[must_use]
    pub const fn keeping_returned(mut self) -> Self {
        self.keeps = Returned::Atomics;
        self
    }

    /// Keeps what atomics and loads return.
    #[must_use]
    pub const fn keeping_loads(mut self) -> Self {
        self.keeps = Returned::All;
        self
    }

    /// Global memory at the end.
    #[must_use]
    pub fn into_memory(self) -> Memory {
        self.memory
    }

    /// Global memory after all that was executed.
    #[must_use]
    pub const fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Executes at most so many warp instructions of a block, and gives the block out if it has ended.
    ///
    /// # Errors
    /// As [`run`].
    pub fn proceed(&mut self, most: u64) -> Result<Option<Vec<WarpRun>>, RunError> {
        if self.next >= self.end {
            return Ok(None);
        }
        let ended = self.proceed_in_block(most);
        match &ended {
            Ok(None) => {}
            Ok(Some(_)) => self.next += 1,
            Err(_) => self.next = u32::MAX,
        }
        ended
    }

    /// The next block before its first instruction.
    fn begin(&self) -> Result<Begun, RunError> {
        let Self {
            program,
            launch,
            next: block,
            ..
        } = *self;
        if launch.threads() > Launch::MOST_THREADS {
            return Err(RunError::Block(launch.threads()));
        }
        let place = |warp| Place {
            launch,
            block,
            warp,
        };
        let warps = 0..launch.warps_per_block();
        Ok(Begun {
            warps: warps
                .map(|warp| (Warp::new(program, place(warp)), Vec::new()))
                .collect(),
            turn: 0,
            shared: Shared::new(launch.shared_memory),
            left: self.limit,
            constants: Operands::default(),
        })
    }

    fn proceed_in_block(&mut self, most: u64) -> Result<Option<Vec<WarpRun>>, RunError> {
        let mut begun = match self.begun.take() {
            Some(begun) => begun,
            None => self.begin()?,
        };
        let limit = self.limit;
        let mut most = most;
        loop {
            while let Some((warp, steps)) = begun.warps.get_mut(begun.turn) {
                while let Some(mut step) = step(
                    &self.rules,
                    self.program,
                    &mut begun.constants,
                    warp,
                    &mut self.memory,
                    &mut begun.shared,
                )? {
                    let pc = step.pc;
                    self.instructions += 1;
                    step.returned = self.keeps.of(self.program.at(pc), warp);
                    let left = begun.left.checked_sub(1);
                    begun.left = left.ok_or(RunError::TooLong { pc, limit })?;
                    if self.rules.keeps_steps {
                        steps.push(step);
                    }
                    most -= 1;
                    if most == 0 {
                        self.begun = Some(begun);
                        return Ok(None);
                    }
                }
                begun.turn += 1;
            }
            let mut warps = begun.warps.iter();
            if warps.all(|(warp, _)| warp.control.is_finished()) {
                let ended = begun.warps.into_iter().map(|(warp, steps)| WarpRun {
                    place: warp.place,
                    steps,
                    registers: warp.registers,
                });
                return Ok(Some(ended.collect()));
            }
            // All have come to the barrier or ended.
            for (warp, _) in &mut begun.warps {
                if warp.control.is_waiting() {
                    warp.control.pass();
                }
            }
            begun.turn = 0;
        }
    }
}

impl Iterator for Execution<'_> {
    type Item = Result<Vec<WarpRun>, RunError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.proceed(u64::MAX).transpose()
    }
}

/// Runs a launch, and keeps all that it does.
///
/// # Errors
/// If a block is too large or executes more than [`MOST_STEPS`], a lane leaves shared memory, or an
/// access is not aligned.
pub fn run(program: &Program, launch: &Launch, memory: Memory) -> Result<Run, RunError> {
    run_within(MOST_STEPS, program, launch, memory)
}

/// As [`run`], with another limit than [`MOST_STEPS`].
///
/// # Errors
/// As [`run`], with the other limit.
pub fn run_within(
    limit: u64,
    program: &Program,
    launch: &Launch,
    memory: Memory,
) -> Result<Run, RunError> {
    let mut execution = Execution {
        limit,
        ..Execution::new(program, *launch, memory)
    };
    let mut warps = Vec::new();
    for block in &mut execution {
        warps.extend(block?);
    }
    Ok(Run {
        warps,
        memory: execution.memory,
    })
}

/// Executes the next instruction of a warp, unless it waits or has ended.
fn step(
    rules: &Rules,
    program: &Program,
    constants: &mut Operands,
    warp: &mut Warp,
    global: &mut Memory,
    shared: &mut Shared,
) -> Result<Option<Step>, RunError> {
    let Some(fetched) = warp.control.fetch(program) else {
        return Ok(None);
    };
    let instruction = program.at(fetched.pc);
    let sources = warp.sources(constants, instruction);
    let mut step = Step {
        pc: fetched.pc,
        mask: fetched.mask,
        addresses: None,
        taken: 0,
        raised: raising(instruction, sources, fetched.mask),
        returned: None,
    };
    if let Some(access) = access(instruction, sources, fetched.mask) {
        check_local(instruction, sources, &access, fetched.pc)?;
        rules.check(
            &access,
            fetched.pc,
            shared,
            warp.place.launch.shared_memory,
            program,
        )?;
        if rules.keeps_steps {
            let mut active = [0; _];
            for (lane, address) in access.lanes() {
                active[lane] = address;
            }
            step.addresses = Some(Arc::new(active));
        }
        let values = perform(&access, program, global, shared);
        if let Some(register) = access.destination {
            warp.registers.write(register, fetched.mask, &values);
        }
    } else if let (Some(register), operation) = (instruction.destination, instruction.operation) {
        let values = compute(operation, sources, fetched.mask);
        debug_assert!(
            register >= program.narrow() || values.iter().all(|&value| value >> 32 == 0),
            "{instruction} writes more than 32 bits"
        );
        warp.registers.write(register, fetched.mask, &values);
    } else {
        match instruction.operation {
            Operation::Branch(condition) => {
                step.taken = branch_taken(condition, sources[0], fetched.mask);
                warp.control.branch(program, step.taken);
            }
            Operation::Exit => warp.control.exit(),
            _ => {}
        }
    }
    Ok(Some(step))
}

impl Returned {
    /// What a warp has in the destination of the access that it has just executed, if that is kept.
    fn of(self, instruction: &Instruction, warp: &Warp) -> Option<Arc<Lanes>> {
        let is_kept = match instruction.operation {
            Operation::Atomic(..) => self != Self::None,
            Operation::Load(..) => self == Self::All,
            _ => false,
        };
        let destination = instruction.destination.filter(|_| is_kept)?;
        Some(Arc::new(*warp.registers.read(destination)))
    }
}

/// What to do about an access past the end of shared memory.
const fn remedy(end: u32) -> &'static str {
    match end {
        0 => {
            "there is none, so give the bytes of dynamic shared memory (in a launch file, shared = BYTES)"
        }
        _ => "keep the whole access below that",
    }
}

/// Whether each lane stays in its own local memory, whose words lie between those of the other lanes.
fn check_local(
    instruction: &Instruction,
    [addresses, ..]: Sources<'_>,
    access: &Access<'_>,
    pc: u32,
) -> Result<(), RunError> {
    let is_local = matches!(
        instruction.operation,
        Operation::Load(Space::Local, _) | Operation::Store(Space::Local, _)
    );
    let Operand::Special(SpecialRegister::Local(end)) = instruction.sources[2] else {
        return Ok(());
    };
    for (lane, _) in access.lanes().filter(|_| is_local) {
        let address = addresses[lane].wrapping_add_signed(instruction.offset) & LOW;
        if address + access.width.bytes() > u64::from(end) {
            return Err(RunError::Local { pc, address, end });
        }
    }
    Ok(())
}

impl Rules {
    /// A GPU refuses an access that is not aligned; one that is lies in one line and in one page.
    fn check(
        &self,
        access: &Access<'_>,
        pc: u32,
        shared: &Shared,
        end: u32,
        program: &Program,
    ) -> Result<(), RunError> {
        let bytes = access.width.bytes();
        let mut found: Option<&Range<u64>> = None;
        for (_, address) in access.lanes() {
            if address % bytes != 0 {
                return Err(RunError::Unaligned { pc, address, bytes });
            }
            match (access.space, &self.ranges) {
                (Space::Shared, _) if !shared.holds(address, access.width) => {
                    return Err(RunError::Shared { pc, address, end });
                }
                (Space::Constant, _) => {
                    let constants = Constants(program.constants());
                    if !constants.holds(address, access.width) {
                        let end = constants.0.len() as u64;
                        return Err(RunError::Constant { pc, address, end });
                    }
                }
                (Space::Global | Space::Local, Some(ranges)) => {
                    let holds = |range: &&Range<u64>| {
                        range.start <= address && address.saturating_add(bytes) <= range.end
                    };
                    found = found.filter(holds).or_else(|| ranges.iter().find(holds));
                    if found.is_none() {
                        return Err(RunError::Outside { pc, address });
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}
