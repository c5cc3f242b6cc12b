//! Instruction streams: the global-memory instructions of a GPU trace, recorded or synthetic, run through an SM with both blocks.
//!
//! The SM is small but whole: an instruction gets its log entries, enters the queue, writes its operands, and is
//! checked after a while. The first touch of a 64 KB region is a page fault, and so is now and then any other access;
//! the warp is resumed when its page has come, and replays with the operands that the log kept. When a stream has ended
//! it starts again, with the pages gone, so that it lasts as long as one likes.

use std::collections::{HashMap, HashSet, VecDeque};

use faultline_sim::ports::{Model, Ports};
use faultline_sim::sm::{operand_log, replay_queue};
use faultline_sim::trace::GlobalAccess;

use crate::session::{Coverage, Stimulus};
use crate::traffic::Rng;

mod drive;
mod kernel;

pub use kernel::{Kernel, kernel, kernels};

/// Cycles from the last operand to the last TLB check, from there to the commit, and from a fault to the resume: the
/// least, and how many more at most.
const CHECK: (u64, u64) = (10, 60);
const COMMIT: (u64, u64) = (20, 200);
const FAULT: (u64, u64) = (100, 900);

/// Why a trace cannot drive a design.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to replay.
    #[error("the trace has no global-memory instruction; take one that has")]
    Empty,
    /// Its thread blocks do not fit.
    #[error(
        "{blocks} thread blocks are resident at once, and {entries} log entries give none of them two; take a larger log"
    )]
    TooSmall {
        /// Blocks on the SM.
        blocks: usize,
        /// Entries of the log.
        entries: usize,
    },
}

/// The block of the SM that is run in lockstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The replay queue.
    ReplayQueue,
    /// The operand log.
    OperandLog,
}

/// The place of an instruction in its kernel.
type Place = usize;

/// An instruction between its insertion and its commit.
struct Flight {
    place: Place,
    entries: Vec<u8>,
    /// Operands that are yet to be written or read again.
    operands_left: usize,
}

/// What the SM waits for: the cycle at which it is over.
enum Wait {
    Check(u8),
    Commit(u8),
    Page(u8),
}

/// What the stream has led to.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    issued: u64,
    stores: u64,
    faulted: u64,
    resumed: u64,
    replayed: u64,
    operands_written: u64,
    operands_replayed: u64,
    operands_that_differ: u64,
    committed: u64,
    kernels_done: u64,
}

/// The issue stage: one instruction at a time, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Issue {
    /// A kernel starts.
    Launch,
    /// The next instruction requests its log entries.
    Allocate,
    /// It has received them, and which they are.
    Named,
    /// It enters the queue with them.
    Insert(Vec<u8>),
    /// The kernel has issued everything.
    Drain,
}

/// An SM that runs a trace, as a stimulus for one of its blocks.
pub struct Replay {
    target: Target,
    kernels: Vec<Kernel>,
    current: usize,
    next: Place,
    queue: replay_queue::ReplayQueue,
    queue_sizes: replay_queue::Parameters,
    queue_inputs: replay_queue::Inputs,
    log: operand_log::OperandLog,
    log_sizes: operand_log::Parameters,
    log_inputs: operand_log::Inputs,
    rng: Rng,
    seed: u64,
    cycle: u64,
    issue: Issue,
    flights: HashMap<u8, Flight>,
    waits: Vec<(u64, Wait)>,
    pages: HashSet<u64>,
    writes: VecDeque<(u8, u8)>,
    reads: VecDeque<(u8, u8)>,
    /// The read that is answered in this cycle: instruction, and number of its operand.
    reading: Option<(u8, u8)>,
    checked: VecDeque<u8>,
    faulted: VecDeque<u8>,
    committed: VecDeque<u8>,
    releases: VecDeque<(u8, u8)>,
    /// Warps whose page comes, or has come.
    paged: HashSet<u8>,
    resumes: VecDeque<u8>,
    /// The warp that is being resumed, and whether that was accepted.
    resuming: Option<(u8, bool)>,
    counts: Counts,
}

impl Replay {
    /// An SM of these sizes that runs the kernels, one of whose blocks is the target.
    ///
    /// # Errors
    /// If there is nothing to run, or the log is too small for it.
    pub fn new(
        target: Target,
        kernels: Vec<Kernel>,
        queue_sizes: replay_queue::Parameters,
        log_sizes: operand_log::Parameters,
        seed: u64,
    ) -> Result<Self, ReplayError> {
        let blocks = kernels
            .iter()
            .map(|kernel| kernel.resident_blocks)
            .max()
            .ok_or(ReplayError::Empty)?;
        if log_sizes.entries < 2 * blocks {
            return Err(ReplayError::TooSmall {
                blocks,
                entries: log_sizes.entries,
            });
        }
        Ok(Self {
            target,
            kernels,
            current: 0,
            next: 0,
            queue: Model::new(queue_sizes),
            queue_sizes,
            queue_inputs: replay_queue::Inputs::default(),
            log: Model::new(log_sizes),
            log_sizes,
            log_inputs: operand_log::Inputs::default(),
            rng: Rng::new(seed),
            seed,
            cycle: 0,
            issue: Issue::Launch,
            flights: HashMap::new(),
            waits: Vec::new(),
            pages: HashSet::new(),
            writes: VecDeque::new(),
            reads: VecDeque::new(),
            reading: None,
            checked: VecDeque::new(),
            faulted: VecDeque::new(),
            committed: VecDeque::new(),
            releases: VecDeque::new(),
            paged: HashSet::new(),
            resumes: VecDeque::new(),
            resuming: None,
            counts: Counts::default(),
        })
    }

    fn access(&self, place: Place) -> &GlobalAccess {
        &self.kernels[self.current].accesses[place]
    }

    /// An operand of an instruction: its addresses, or the data that it stores.
    fn operand(&self, place: Place, number: u8) -> operand_log::Operand {
        let access = self.access(place);
        if number == 0 {
            access.addresses
        } else {
            access.data()
        }
    }

    fn later(&mut self, (least, more): (u64, u64), wait: Wait) {
        let time = self.cycle + least + self.rng.below(more);
        self.waits.push((time, wait));
    }

    fn step(&mut self) {
        let reset = self.cycle < 2;
        (self.queue_inputs.reset, self.log_inputs.reset) = (reset, reset);
        if !reset {
            self.end_waits();
            self.drive_messages();
            self.drive_queue();
            self.drive_log();
        }
        let queue = self.queue.cycle(&self.queue_inputs);
        let log = self.log.cycle(&self.log_inputs);
        if !reset {
            self.follow_log(&log);
            self.follow_queue(&queue);
        }
        self.cycle += 1;
    }

    /// One operand fewer to wait for; after the last one the access goes to memory.
    fn operand_done(&mut self, index: u8) {
        if let Some(flight) = self.flights.get_mut(&index) {
            flight.operands_left -= 1;
            if flight.operands_left == 0 {
                self.later(CHECK, Wait::Check(index));
            }
        }
    }

    fn follow_log(&mut self, log: &operand_log::Outputs) {
        if let Some((index, number)) = self.reading.take() {
            let kept = self
                .flights
                .get(&index)
                .map(|flight| self.operand(flight.place, number));
            let same = log.replayed_valid && kept == Some(log.read_data);
            self.counts.operands_replayed += 1;
            self.counts.operands_that_differ += u64::from(!same);
            self.operand_done(index);
        }
        if self.log_inputs.replay_valid && log.replay_ready {
            self.reading = self.reads.pop_front();
        }
        if self.log_inputs.write_valid
            && log.write_ready
            && let Some((index, _)) = self.writes.pop_front()
        {
            self.counts.operands_written += 1;
            self.operand_done(index);
        }
        self.issue = match std::mem::replace(&mut self.issue, Issue::Launch) {
            Issue::Launch => Issue::Allocate,
            Issue::Allocate if log.allocate_ready => Issue::Named,
            Issue::Named if self.access(self.next).is_store => {
                Issue::Insert(vec![log.allocated_address, log.allocated_data])
            }
            Issue::Named => Issue::Insert(vec![log.allocated_address]),
            Issue::Drain if self.flights.is_empty() && self.releases.is_empty() => {
                self.next_kernel()
            }
            other => other,
        };
    }

    fn next_kernel(&mut self) -> Issue {
        self.counts.kernels_done += 1;
        self.next = 0;
        self.current = (self.current + 1) % self.kernels.len();
        if self.current == 0 {
            self.pages.clear();
        }
        Issue::Launch
    }

    fn follow_queue(&mut self, queue: &replay_queue::Outputs) {
        if self.queue_inputs.insert_valid && queue.insert_ready {
            if let Issue::Insert(entries) = std::mem::replace(&mut self.issue, Issue::Allocate) {
                let (index, place) = (queue.insert_index, self.next);
                self.counts.issued += 1;
                self.counts.stores += u64::from(entries.len() == 2);
                self.writes
                    .extend((0..entries.len() as u8).map(|number| (index, number)));
                let operands_left = entries.len();
                self.flights.insert(
                    index,
                    Flight {
                        place,
                        entries,
                        operands_left,
                    },
                );
            }
            self.next += 1;
            if self.next == self.kernels[self.current].accesses.len() {
                self.issue = Issue::Drain;
            }
        }
        if self.queue_inputs.resume_valid && queue.resume_ready {
            self.counts.resumed += 1;
            self.resuming = self.resuming.map(|(warp, _)| (warp, true));
            self.paged.remove(&self.queue_inputs.resume_warp);
        }
        if queue.replay_done {
            self.resuming = None;
        }
        if queue.replay_valid && self.queue_inputs.replay_ready {
            let index = queue.entry_index;
            self.counts.replayed += 1;
            if let Some(flight) = self.flights.get_mut(&index) {
                flight.operands_left = flight.entries.len();
                self.reads
                    .extend((0..flight.entries.len() as u8).map(|number| (index, number)));
            }
        }
    }
}

impl Stimulus for Replay {
    fn next(&mut self, frame: &mut [u64]) {
        self.step();
        match self.target {
            Target::ReplayQueue => self.queue_inputs.pack(&self.queue_sizes, frame),
            Target::OperandLog => self.log_inputs.pack(&self.log_sizes, frame),
        }
    }

    fn coverage(&self) -> Coverage {
        let counts = self.counts;
        vec![
            ("issued", counts.issued),
            ("stores", counts.stores),
            ("faulted", counts.faulted),
            ("resumed", counts.resumed),
            ("replayed", counts.replayed),
            ("operands_written", counts.operands_written),
            ("operands_replayed", counts.operands_replayed),
            ("operands_that_differ", counts.operands_that_differ),
            ("committed", counts.committed),
            ("kernels_done", counts.kernels_done),
        ]
    }

    fn source(&self) -> String {
        format!("the trace and seed {}", self.seed)
    }
}
