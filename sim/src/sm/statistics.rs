//! What happens on the pipeline's ports, counted.

use crate::sm_pipeline::{Class, Inputs, Outputs, Scheme, UNITS, WIDTH};

/// Why nothing is issued in a cycle: the first of these that holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stall {
    /// No warp is there.
    Empty,
    /// All warps have faulted, or are being replayed.
    Faulted,
    /// The memory stage has an instruction that does not go on.
    Memory,
    /// No warp has an instruction: branches, barriers, and what else disables the fetch.
    Fetch,
    /// Instructions wait for results, for sources to be released, for units or for log entries.
    Dependence,
}

impl Stall {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Empty,
        Self::Faulted,
        Self::Memory,
        Self::Fetch,
        Self::Dependence,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::Faulted => "faulted",
            Self::Memory => "memory",
            Self::Fetch => "fetch",
            Self::Dependence => "dependence",
        }
    }
}

/// A warp as far as the ports tell.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    running: bool,
    /// Instructions that were fetched and not read.
    buffered: u64,
    /// When the instruction of each scoreboard entry was issued.
    issued: [u64; 16],
}

/// Counts over a run.
#[derive(Clone, Debug)]
pub struct Statistics {
    scheme: Scheme,
    warps: Vec<Seen>,
    resident: usize,
    running: usize,
    buffering: usize,
    /// Cycles.
    pub cycles: u64,
    /// Instructions that committed.
    pub instructions: u64,
    /// Instructions that faulted.
    pub faults: u64,
    /// Instructions that were issued again.
    pub replays: u64,
    /// Cycles in which nothing was issued, by cause in the order of [`Stall::ALL`].
    pub stalls: [u64; 5],
    /// Global-memory instructions whose last TLB check succeeded.
    pub checks: u64,
    /// Cycles from their issues to these checks.
    pub check_cycles: u64,
    /// Cycles by the number of instructions in the replay queue.
    pub queue: Vec<u64>,
    /// Cycles by the number of entries of the operand log that are in use.
    pub log: Vec<u64>,
    log_used: usize,
}

impl Statistics {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(scheme: Scheme) -> Self {
        Self {
            scheme,
            warps: vec![Seen::default(); 64],
            resident: 0,
            running: 0,
            buffering: 0,
            cycles: 0,
            instructions: 0,
            faults: 0,
            replays: 0,
            stalls: [0; 5],
            checks: 0,
            check_cycles: 0,
            queue: vec![0; 129],
            log: vec![0; 129],
            log_used: 0,
        }
    }

    /// Instructions in a cycle.
    #[must_use]
    pub fn instructions_per_cycle(&self) -> f64 {
        self.instructions as f64 / self.cycles.max(1) as f64
    }

    /// The mean of a histogram's places.
    #[must_use]
    pub fn mean(histogram: &[u64]) -> f64 {
        let (sum, all) = histogram
            .iter()
            .zip(0u64..)
            .fold((0, 0), |(sum, all), (&times, place)| {
                (sum + times * place, all + times)
            });
        sum as f64 / all.max(1) as f64
    }

    /// The least place of a histogram up to which 95 % of it are.
    #[must_use]
    pub fn percentile_95(histogram: &[u64]) -> usize {
        let all: u64 = histogram.iter().sum();
        let mut sum = 0;
        let reached = histogram.iter().position(|&times| {
            sum += times;
            100 * sum >= 95 * all
        });
        reached.unwrap_or(0)
    }

    /// Counts a cycle.
    pub fn observe(&mut self, inputs: &Inputs, outputs: &Outputs) {
        self.cycles += 1;
        self.instructions += inputs.finished_valid[..UNITS].iter().sum::<u64>();
        self.faults += u64::from(inputs.faulted_valid);
        let reads = outputs.read_valid.iter().sum::<u64>();
        if reads == 0 {
            self.stalls[self.cause(inputs, outputs) as usize] += 1;
        }
        if self.scheme.queues() {
            self.queue[usize::from(outputs.occupancy)] += 1;
        }
        if self.scheme == Scheme::OperandLog {
            self.log[self.log_used.min(128)] += 1;
        }
        self.follow(inputs, outputs);
    }

    fn cause(&self, inputs: &Inputs, outputs: &Outputs) -> Stall {
        let goes = outputs.memory_valid && inputs.memory_ready;
        if self.resident == 0 {
            Stall::Empty
        } else if self.running == 0 {
            Stall::Faulted
        } else if outputs.memory_front && !goes {
            Stall::Memory
        } else if self.buffering == 0 {
            Stall::Fetch
        } else {
            Stall::Dependence
        }
    }

    /// Follows the warps and the log over the ports.
    fn follow(&mut self, inputs: &Inputs, outputs: &Outputs) {
        for port in 0..WIDTH {
            if outputs.fetch_valid[port] & inputs.fetched_valid[port] == 1 {
                self.buffer(outputs.fetch_warp[port], 1);
            }
            if outputs.read_valid[port] == 0 {
                continue;
            }
            let (warp, entry) = (outputs.read_warp[port], outputs.read_entry[port]);
            self.warps[warp as usize].issued[entry as usize] = self.cycles - 1;
            if outputs.read_replayed[port] == 1 {
                self.replays += 1;
                continue;
            }
            self.buffer(outputs.read_warp[port], -1);
            self.log_used += match Class::of(outputs.read_class[port]) {
                Class::Load => 1,
                Class::Store => 2,
                _ => 0,
            };
        }
        if inputs.checked_valid && outputs.checked_ready {
            let issued = &self.warps[usize::from(inputs.checked_warp)].issued;
            self.checks += 1;
            self.check_cycles += self.cycles - issued[usize::from(inputs.checked_entry)];
            self.log_used = self
                .log_used
                .saturating_sub(1 + usize::from(inputs.checked_store));
        }
        if outputs.revert_valid {
            let warp = outputs.revert_warp.into();
            self.buffer(warp, -(self.warps[warp as usize].buffered.cast_signed()));
        }
        if inputs.start_valid {
            self.resident += 1;
            self.run(inputs.start_warp, true);
        }
        if inputs.faulted_valid && self.scheme.squashes() {
            self.run(inputs.faulted_warp, false);
        }
        if inputs.resume_valid && outputs.resume_ready {
            self.run(inputs.resume_warp, true);
        }
        if inputs.stop_valid {
            self.resident -= 1;
            self.run(inputs.stop_warp, false);
        }
    }

    fn run(&mut self, warp: u8, running: bool) {
        let seen = &mut self.warps[usize::from(warp)].running;
        self.running -= usize::from(*seen);
        self.running += usize::from(running);
        *seen = running;
    }

    fn buffer(&mut self, warp: u64, change: i64) {
        let seen = &mut self.warps[warp as usize].buffered;
        let before = *seen > 0;
        *seen = seen.saturating_add_signed(change);
        self.buffering += usize::from(*seen > 0);
        self.buffering -= usize::from(before);
    }
}
