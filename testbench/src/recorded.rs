//! What an SM that runs kernels gives one of its blocks, recorded, as a stimulus for that block alone.
//!
//! Unlike a [`replay`](crate::replay), which issues one global-memory instruction after the other, this has the whole SM of
//! the reference around the block: other instructions, caches and TLBs, and so the rate at which operands are really
//! written.

use faultline_sim::machines::sm::{Parameters, Sm, SmError, Work};
use faultline_sim::ports::Ports;
use faultline_sim::sm::sm_pipeline::Scheme;
use faultline_sim::sm::{operand_log, replay_queue};

use crate::session::{Coverage, Stimulus};

/// Cycles of reset before each kernel.
const RESET: usize = 2;

/// The inputs of a block, cycle by cycle; after the last one it starts again.
pub struct Recorded {
    frames: Vec<u64>,
    words: usize,
    place: usize,
    kernels: usize,
    seed: u64,
}

/// The block whose inputs are recorded, with its size.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// The replay queue.
    ReplayQueue(replay_queue::Parameters),
    /// The operand log.
    OperandLog(operand_log::Parameters),
}

impl Part {
    /// The paper's SM with the block in it.
    fn sm(&self, seed: u64) -> Parameters {
        let scheme = match self {
            Self::ReplayQueue(_) => Scheme::ReplayQueue,
            Self::OperandLog(_) => Scheme::OperandLog,
        };
        let mut parameters = Parameters::paper(scheme, 16 << 10);
        match self {
            Self::ReplayQueue(queue) => parameters.pipeline.queue = *queue,
            Self::OperandLog(log) => parameters.pipeline.log = *log,
        }
        parameters.seed = seed;
        // What a trace does not have stays unknown; a kernel's operands are those that it computes.
        parameters.values = true;
        parameters
    }

    fn words(&self) -> usize {
        let ports = match self {
            Self::ReplayQueue(queue) => replay_queue::Inputs::ports(queue),
            Self::OperandLog(log) => operand_log::Inputs::ports(log),
        };
        ports.iter().map(faultline_sim::ports::Port::words).sum()
    }

    fn pack(&self, (queue, log): (&replay_queue::Inputs, &operand_log::Inputs), frame: &mut [u64]) {
        match self {
            Self::ReplayQueue(sizes) => queue.pack(sizes, frame),
            Self::OperandLog(sizes) => log.pack(sizes, frame),
        }
    }
}

impl Recorded {
    /// Runs kernels one after the other, each on a fresh SM, for so many cycles in all and for as many of them each. A kernel
    /// that ends before starts again.
    ///
    /// # Errors
    /// If a kernel does not fit the SM, or does not end.
    pub fn new(part: &Part, works: &[Work], cycles: usize, seed: u64) -> Result<Self, SmError> {
        let words = part.words();
        let each = cycles.div_ceil(works.len().max(1)).max(1);
        let mut frames = Vec::with_capacity((cycles + RESET * works.len()) * words);
        for work in works {
            let end = frames.len() + each * words;
            while frames.len() < end {
                record(part, work, seed, &mut frames, end)?;
            }
        }
        Ok(Self {
            frames,
            words,
            place: 0,
            kernels: works.len(),
            seed,
        })
    }
}

/// Records a kernel from its start to its end, or to a number of words.
fn record(
    part: &Part,
    work: &Work,
    seed: u64,
    frames: &mut Vec<u64>,
    end: usize,
) -> Result<(), SmError> {
    let reset = replay_queue::Inputs {
        reset: true,
        ..Default::default()
    };
    let log_reset = operand_log::Inputs {
        reset: true,
        ..Default::default()
    };
    let push = |inputs_of: (&replay_queue::Inputs, &operand_log::Inputs), frames: &mut Vec<u64>| {
        let start = frames.len();
        frames.resize(start + part.words(), 0);
        part.pack(inputs_of, &mut frames[start..]);
    };
    for _ in 0..RESET {
        push((&reset, &log_reset), frames);
    }
    let mut sm = Sm::new(&part.sm(seed), work)?;
    while !sm.is_finished() && frames.len() < end {
        sm.cycle()?;
        push(sm.pipeline().parts(), frames);
    }
    Ok(())
}

impl Stimulus for Recorded {
    fn next(&mut self, frame: &mut [u64]) {
        let place = self.place..self.place + self.words;
        self.place = match place.end {
            end if end >= self.frames.len() => 0,
            end => end,
        };
        frame.copy_from_slice(&self.frames[place]);
    }

    fn coverage(&self) -> Coverage {
        Vec::new()
    }

    fn source(&self) -> String {
        format!("{} kernels on the SM and seed {}", self.kernels, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faultline_sim::ports::Model;
    use faultline_sim::simt::kernels::KERNELS;

    /// The log alone does what it does inside the pipeline: it accepts every write, and gives nothing out twice.
    #[test]
    fn a_log_alone_takes_the_inputs_that_the_sm_gives_it() {
        let sizes = operand_log::Parameters::with_entries(64);
        let part = Part::OperandLog(sizes);
        let works: Vec<Work> = KERNELS[..2]
            .iter()
            .map(|(_, make)| Work::of_kernel(&make(1).unwrap()).unwrap())
            .collect();
        let cycles = 4000;
        let mut recorded = Recorded::new(&part, &works, cycles, 1).unwrap();
        let mut log = operand_log::OperandLog::new(sizes);
        let mut frame = vec![0; part.words()];
        let mut inputs = operand_log::Inputs::default();
        let (mut writes, mut resets) = (0, 0);
        for _ in 0..cycles {
            recorded.next(&mut frame);
            inputs.unpack(&sizes, &frame);
            let outputs = log.cycle(&inputs);
            resets += usize::from(inputs.reset);
            writes += usize::from(inputs.write_valid && outputs.write_ready);
        }
        assert!(resets >= 2 * works.len(), "{resets} resets");
        assert!((1..cycles / 2).contains(&writes), "{writes} writes");
    }
}
