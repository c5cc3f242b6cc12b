//! One context of one block, through the checkpoint engine and the dirty bits.

use std::collections::VecDeque;

use thiserror::Error;

use super::stream::Dirty;
use crate::machines::saving::{give_dirty, saving_walk};
use crate::ports::Model;
use crate::preempt::checkpoint::{self, Activity, Checkpoint, Space};
use crate::preempt::dirty_bits::{self, DirtyBits};

/// Beats that have been read and not been taken, at most.
const READ: usize = 2;
/// Cycles after which a context is never saved.
const PATIENCE: u64 = 10_000_000;

/// What is to be saved.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Rows of the block, whole groups.
    pub rows: u64,
    /// The rows that are dirty, with their lanes.
    pub dirty: Dirty,
    /// Beats of its shared memory.
    pub shared: u64,
    /// Its warps.
    pub warps: u64,
    /// The block runs on.
    pub runs: bool,
    /// There is a bit for each lane, and not for each row alone.
    pub by_lane: bool,
    /// Cycles until what the block has issued has committed.
    pub drain: u64,
    /// Beats that memory takes in a cycle, in the mean.
    pub share: f64,
    /// Free rows, and free beats of shared memory.
    pub room: (u64, u64),
}

/// What was saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Cycles from the query to the end, in which the block does not run.
    pub cycles: u64,
    /// Beats of registers.
    pub registers: u64,
    /// Beats of shared memory.
    pub shared: u64,
    /// Beats of the SIMT state of the block's warps.
    pub state: u64,
    /// All beats of the context, headers included.
    pub beats: u64,
    /// Those that stayed on the SM.
    pub kept: u64,
}

impl Saved {
    /// Beats of registers and shared memory, which are what the paper calls the context.
    #[must_use]
    pub const fn context(&self) -> u64 {
        self.registers + self.shared
    }
}

/// Saves a context.
///
/// # Errors
/// If the engine does not come to its end.
pub fn save(request: &Request) -> Result<Saved, Stuck> {
    let mut saving = Saving::new(request);
    while saving.now < PATIENCE {
        if saving.cycle() {
            return Ok(saving.saved);
        }
    }
    Err(Stuck)
}

/// A context is never saved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "the checkpoint engine has not saved a context in {PATIENCE} cycles; give memory a larger share"
)]
pub struct Stuck;

/// The engine at work.
struct Saving<'request> {
    request: &'request Request,
    parameters: checkpoint::Parameters,
    engine: Checkpoint,
    dirty: DirtyBits,
    /// Beats that memory can take.
    credit: f64,
    /// Beats that were read, and when they are there.
    read: VecDeque<u64>,
    requested: bool,
    /// When the pipeline has begun to drain.
    drains: Option<u64>,
    now: u64,
    saved: Saved,
}

impl<'request> Saving<'request> {
    fn new(request: &'request Request) -> Self {
        let mut parameters = checkpoint::Parameters::paper();
        let mut bits = dirty_bits::Parameters::paper(request.by_lane);
        while 1 << parameters.row_bits < request.rows + request.room.0 {
            (parameters.row_bits, bits.row_bits) = (parameters.row_bits + 1, bits.row_bits + 1);
        }
        while 1 << parameters.shared_bits < request.shared + request.room.1 {
            parameters.shared_bits += 1;
        }
        Self {
            request,
            parameters,
            engine: Checkpoint::new(parameters),
            dirty: written(bits, &request.dirty),
            credit: 1.0,
            read: VecDeque::new(),
            requested: false,
            drains: None,
            now: 0,
            saved: Saved::default(),
        }
    }

    /// The inputs of the engine in this cycle, but for the dirty bits.
    fn inputs(&self) -> checkpoint::Inputs {
        let request = self.request;
        let activity = self.engine.activity();
        let drained = self
            .drains
            .is_some_and(|begin| self.now - begin >= request.drain);
        checkpoint::Inputs {
            request_valid: !self.requested,
            request_runs: request.runs,
            request_last_warp: request.warps - 1,
            request_last_group: (request.rows >> self.parameters.group_bits) - 1,
            request_shared_beats: request.shared,
            request_room_row: request.rows & ((1 << self.parameters.row_bits) - 1),
            request_room_rows: request.room.0,
            request_room_first: request.shared & ((1 << self.parameters.shared_bits) - 1),
            request_room_beats: request.room.1,
            stop_ready: true,
            resume_ready: true,
            save_ready: activity != Activity::Draining || drained,
            save_done: activity == Activity::Taking,
            get_ready: self.read.len() < READ,
            got_valid: self.read.front().is_some_and(|&there| there <= self.now),
            put_ready: true,
            out_ready: self.credit >= 1.0,
            ended_ready: true,
            ..checkpoint::Inputs::default()
        }
    }

    /// One cycle; true if it was the last one.
    fn cycle(&mut self) -> bool {
        if self.engine.activity() == Activity::Draining {
            self.drains = self.drains.or(Some(self.now));
        }
        let mut inputs = self.inputs();
        let shown = self.engine.outputs(&inputs);
        let found = self.dirty.cycle(&saving_walk(&shown));
        give_dirty(&found, &mut inputs);
        let outputs = self.engine.cycle(&inputs);
        self.count(&inputs, &outputs);
        self.now += 1;
        self.saved.cycles = self.now;
        outputs.ended_valid
    }

    fn count(&mut self, inputs: &checkpoint::Inputs, outputs: &checkpoint::Outputs) {
        self.requested |= inputs.request_valid && outputs.request_ready;
        if inputs.got_valid && outputs.got_ready {
            self.read.pop_front();
        }
        if outputs.get_valid && inputs.get_ready {
            self.read.push_back(self.now + 1);
            let spaces = [Space::Registers, Space::SharedMemory, Space::SimtState];
            let counts = [
                &mut self.saved.registers,
                &mut self.saved.shared,
                &mut self.saved.state,
            ];
            for (space, count) in spaces.into_iter().zip(counts) {
                *count += u64::from(outputs.get_space == space as u64);
            }
        }
        // Memory makes up for the part of a beat that a cycle leaves, and for no cycle in which nothing came.
        self.credit = (self.credit + self.request.share).min(1.0 + self.request.share);
        if outputs.out_valid && inputs.out_ready {
            self.credit -= 1.0;
        }
        self.saved.kept += u64::from(outputs.put_valid && inputs.put_ready);
        if outputs.ended_valid {
            self.saved.beats = outputs.ended_beats;
        }
    }
}

/// The dirty bits after these rows were written.
fn written(parameters: dirty_bits::Parameters, dirty: &Dirty) -> DirtyBits {
    let mut bits = DirtyBits::new(parameters);
    let mut waiting: VecDeque<_> = dirty.iter().map(|(&row, &lanes)| (row, lanes)).collect();
    while !waiting.is_empty() {
        let mut inputs = dirty_bits::Inputs::default();
        for (port, &(row, lanes)) in waiting.iter().take(2).enumerate() {
            inputs.write_valid |= 1 << port;
            (inputs.write_row[port], inputs.write_lanes[port]) = (row, lanes);
        }
        let outputs = bits.cycle(&inputs);
        for port in [1, 0] {
            if inputs.write_valid & outputs.write_ready >> port & 1 == 1 {
                waiting.remove(port);
            }
        }
    }
    // What was accepted last acts in the next cycle.
    for _ in 0..2 {
        bits.cycle(&dirty_bits::Inputs::default());
    }
    bits
}
