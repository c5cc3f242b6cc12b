//! What the blocks of a kernel write on the SM, and when: the streams that are preempted.

use std::collections::HashMap;

use super::stream::{Executed, Stream};
use crate::machines::sm::{Parameters, Sm, SmError, ThreadBlock, ThreadBlocks, WarpWork, Work};
use crate::simt::kernels::Kernel;
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::{Inputs, Outputs, Scheme};

/// Rows of a group of the register file, and bytes of a beat.
const GROUP: u64 = 8;
const BEAT: u64 = 32;
/// Bytes of the operand log of the SM that runs the kernels.
const LOG_BYTES: usize = 16 << 10;

/// The registers of a thread that count as its context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// Those that a thread is given, from which the occupancy of the SM follows.
    Given,
    /// Those alone that its program names.
    Named,
}

/// What a block of a kernel has on the SM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The rows of each register of a warp: the first, and how many.
    registers: Vec<(u64, u64)>,
    /// Rows of a warp.
    pub rows: u64,
    /// Bytes of shared memory of a block.
    pub shared_memory: u64,
}

impl Shape {
    /// The shape of a kernel or a trace that is given this many registers of 32 bits and bytes of shared memory. A kernel's
    /// registers have 64 bits, of which numbers use 32: one with an address of global memory takes two rows, another one row.
    #[must_use]
    pub fn new(work: &Work, given: u64, shared_memory: u64, allocation: Allocation) -> Self {
        let program = work
            .computation
            .as_ref()
            .map(|computation| &computation.program);
        let narrow = program.map_or(0, |program| usize::from(program.narrow()));
        let is_address = |register: usize| {
            let accesses = work.instructions.iter().filter(|one| one.is_access());
            work.computation.is_some()
                && accesses
                    .into_iter()
                    .any(|one| usize::from(one.sources[0]) == register)
        };
        let named = work.instructions.iter().flat_map(|one| {
            let sources = one.sources.into_iter();
            sources
                .chain([one.destination])
                .filter(|&register| register != ZERO_REGISTER)
        });
        let named = named
            .map(|register| usize::from(register) + 1)
            .max()
            .unwrap_or(0);
        let mut rows = 0;
        let mut next = |register| {
            let is_wide = match narrow {
                0 => is_address(register),
                _ => register >= narrow,
            };
            let taken = if is_wide { 2 } else { 1 };
            rows += taken;
            (rows - taken, taken)
        };
        let registers = (0..named).map(&mut next).collect();
        let allocated = match allocation {
            Allocation::Given => rows.max(given),
            Allocation::Named => rows,
        };
        Self {
            registers,
            rows: allocated.max(1).next_multiple_of(GROUP),
            shared_memory,
        }
    }

    /// The shape of a kernel.
    #[must_use]
    pub fn of_kernel(kernel: &Kernel, work: &Work, allocation: Allocation) -> Self {
        let shared_memory = kernel.launch.shared_memory.into();
        Self::new(work, kernel.registers.into(), shared_memory, allocation)
    }

    /// Beats of shared memory of a block.
    #[must_use]
    pub const fn shared_beats(&self) -> u64 {
        self.shared_memory.div_ceil(BEAT)
    }
}

/// A kernel that has run on the SM.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its name.
    pub name: String,
    /// Blocks that were on the SM at once.
    pub blocks_per_sm: u64,
    /// What a block is given.
    pub shape: Shape,
    /// Its blocks, in the order in which they have ended.
    pub streams: Vec<Stream>,
}

impl Recording {
    /// Runs a kernel on the paper's SM without faults, and keeps what its blocks do.
    ///
    /// # Errors
    /// If a block does not fit on the SM.
    pub fn new(work: &Work, shape: Shape, seed: u64) -> Result<Self, SmError> {
        let parameters = Parameters {
            seed,
            ..Parameters::paper(Scheme::OperandLog, LOG_BYTES)
        };
        let warps = parameters.pipeline.warps;
        let sm = Sm::new(&parameters, work)?;
        let mut recorder = Recorder::new(work, &shape, warps);
        sm.run(|inputs, outputs| recorder.observe(inputs, outputs))?;
        let streams = recorder.ended;
        let fitting = warps / work.warps_per_block.max(1);
        let blocks = fitting.min(work.blocks_per_sm).min(16);
        Ok(Self {
            name: work.name.clone(),
            blocks_per_sm: blocks as u64,
            shape,
            streams,
        })
    }

    /// The block that stands for the others: half of them have taken less time.
    #[must_use]
    pub fn median(&self) -> Option<&Stream> {
        let mut streams: Vec<_> = self.streams.iter().collect();
        streams.sort_by_key(|stream| stream.cycles);
        streams.get(streams.len() / 2).copied()
    }
}

/// A block that has not ended.
#[derive(Clone, Debug)]
struct Open {
    begin: u64,
    executed: Vec<Executed>,
    ends: Vec<Option<u64>>,
    /// Warps that have work and have not ended.
    live: usize,
}

/// Sees what goes over the pipeline's ports.
struct Recorder<'work> {
    shape: &'work Shape,
    warps_per_block: usize,
    now: u64,
    /// The blocks that have not begun.
    coming: ThreadBlocks<'work>,
    open: Vec<Option<Open>>,
    /// Instructions under way, by warp and entry: their place in their block.
    flights: HashMap<(u64, u64), usize>,
    ended: Vec<Stream>,
}

impl<'work> Recorder<'work> {
    fn new(work: &'work Work, shape: &'work Shape, warps: usize) -> Self {
        Self {
            shape,
            warps_per_block: work.warps_per_block.max(1),
            now: 0,
            coming: work.thread_blocks(),
            open: vec![None; warps],
            flights: HashMap::new(),
            ended: Vec::new(),
        }
    }

    fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if inputs.start_valid {
            self.start(usize::from(inputs.start_warp));
        }
        for (unit, &valid) in inputs.finished_valid.iter().enumerate() {
            if valid == 1 {
                self.finish(inputs.finished_warp[unit], inputs.finished_entry[unit]);
            }
        }
        for port in 0..outputs.read_valid.len() {
            if outputs.read_valid[port] == 1 {
                self.issue(outputs, port);
            }
        }
        if inputs.stop_valid {
            self.end(usize::from(inputs.stop_warp));
        }
        self.now += 1;
    }

    /// A warp starts; the first one of a block begins it.
    fn start(&mut self, warp: usize) {
        let slot = warp / self.warps_per_block;
        let live = |block: &ThreadBlock| {
            let has_work = |warp: &&WarpWork| !warp.steps.is_empty();
            block.warps.iter().filter(has_work).count()
        };
        if self.open[slot].is_none()
            && let Some(block) = self.coming.by_ref().find(|block| live(block) > 0)
        {
            self.open[slot] = Some(Open {
                begin: self.now,
                executed: Vec::new(),
                ends: vec![None; block.warps.len()],
                live: live(&block),
            });
        }
    }

    fn issue(&mut self, outputs: &Outputs, port: usize) {
        let (warp, entry) = (outputs.read_warp[port], outputs.read_entry[port]);
        let number = warp % self.warps_per_block as u64;
        let Some(open) = &mut self.open[warp as usize / self.warps_per_block] else {
            return;
        };
        let destination = outputs.read_destination[port] as usize;
        let rows = self.shape.registers.get(destination);
        let rows = rows.map(|(first, count)| (number * self.shape.rows + first, *count));
        self.flights.insert((warp, entry), open.executed.len());
        open.executed.push(Executed {
            issued: self.now - open.begin,
            committed: self.now - open.begin,
            warp: number,
            rows,
            lanes: outputs.read_mask[port],
        });
    }

    fn finish(&mut self, warp: u64, entry: u64) {
        if let Some(place) = self.flights.remove(&(warp, entry))
            && let Some(open) = &mut self.open[warp as usize / self.warps_per_block]
        {
            open.executed[place].committed = self.now - open.begin;
        }
    }

    fn end(&mut self, warp: usize) {
        let place = &mut self.open[warp / self.warps_per_block];
        let Some(open) = place else {
            return;
        };
        let time = self.now - open.begin;
        open.ends[warp % self.warps_per_block] = Some(time);
        open.live -= 1;
        if open.live == 0
            && let Some(open) = place.take()
        {
            let rows = self.shape.rows * self.warps_per_block as u64;
            let ends = open.ends.into_iter().map(Option::unwrap_or_default);
            self.ended.push(Stream {
                cycles: time,
                rows,
                executed: open.executed,
                ends: ends.collect(),
            });
        }
    }
}
