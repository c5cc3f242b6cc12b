//! The reference model of the coalescer: its page (`docs/blocks/coalescer.md`) as plain data.

use std::collections::VecDeque;

use crate::ports;
use crate::ports::Model;

/// Lanes of a warp at the paper's size.
pub const LANES: usize = 32;

/// Low bits of a line number that are inside a page of 4 KB.
const PAGE_LINE_BITS: usize = 5;

/// The sizes of a coalescer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Lanes, a power of two of at most 32.
    pub lanes: usize,
    /// Bits of a line number.
    pub line_bits: usize,
}

impl Parameters {
    /// 32 lanes of 48-bit addresses in lines of 128 B.
    pub const PAPER: Self = Self {
        lanes: LANES,
        line_bits: 41,
    };

    /// Bits of a lane's number.
    #[must_use]
    pub const fn lane_bits(&self) -> usize {
        self.lanes.ilog2() as usize
    }
}

/// A line for each lane.
pub type Lines = [u64; LANES];

ports! {
    /// What goes into a coalescer in a cycle.
    pub struct Inputs(parameters: Parameters) {
        /// Forgets everything.
        reset: bool = 1,
        /// An instruction with its addresses.
        instruction_valid: bool = 1,
        /// Group by page instead of by line.
        instruction_pages: bool = 1,
        /// Its lanes, a bit each.
        instruction_mask: u32 = parameters.lanes,
        /// The line of each lane's address.
        instruction_line: Lines = (parameters.lanes, parameters.line_bits),
        /// The request on offer is taken.
        request_ready: bool = 1,
    }
}

ports! {
    /// What a coalescer shows in a cycle.
    pub struct Outputs(parameters: Parameters) {
        /// The instruction is accepted.
        instruction_ready: bool = 1,
        /// A request is on offer.
        request_valid: bool = 1,
        /// Its line.
        request_line: u64 = parameters.line_bits,
        /// Its lowest lane.
        request_leader: u8 = parameters.lane_bits(),
        /// Its lanes, a bit each.
        request_mask: u32 = parameters.lanes,
        /// It is the last one of its instruction.
        request_last: bool = 1,
    }
}

/// A request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The line, or the first line of the page.
    pub line: u64,
    /// The lowest lane.
    pub leader: u8,
    /// The lanes, a bit each.
    pub mask: u32,
    /// It is the last one of its instruction.
    pub last: bool,
}

/// The requests of an instruction, in order.
#[must_use]
pub fn requests(mask: u32, lines: &Lines, pages: bool) -> VecDeque<Request> {
    let inside = if pages { PAGE_LINE_BITS } else { 0 };
    let mut requests: VecDeque<Request> = VecDeque::new();
    for (lane, line) in lines.iter().enumerate() {
        if mask >> lane & 1 == 0 {
            continue;
        }
        let line = line >> inside << inside;
        match requests.iter_mut().find(|request| request.line == line) {
            Some(request) => request.mask |= 1 << lane,
            None => requests.push_back(Request {
                line,
                leader: lane as u8,
                mask: 1 << lane,
                last: false,
            }),
        }
    }
    if let Some(request) = requests.back_mut() {
        request.last = true;
    }
    requests
}

/// The reference model.
#[derive(Clone, Debug, Default)]
pub struct Coalescer {
    /// The requests of the instruction that is split.
    waiting: VecDeque<Request>,
    offer: Request,
    offered: bool,
}

impl Coalescer {
    /// The request on offer.
    #[must_use]
    pub fn offer(&self) -> Option<&Request> {
        self.offered.then_some(&self.offer)
    }

    /// Requests that are not on offer yet.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

impl Model for Coalescer {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(_: Parameters) -> Self {
        Self::default()
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let free = !self.offered || inputs.request_ready;
        let outputs = Outputs {
            instruction_ready: self.waiting.is_empty() || (free && self.waiting.len() == 1),
            request_valid: self.offered,
            request_line: self.offer.line,
            request_leader: self.offer.leader,
            request_mask: self.offer.mask,
            request_last: self.offer.last,
        };
        if inputs.reset {
            *self = Self::default();
            return outputs;
        }
        if free {
            let next = self.waiting.pop_front();
            self.offered = next.is_some();
            self.offer = next.unwrap_or(self.offer);
        }
        if inputs.instruction_valid && outputs.instruction_ready {
            self.waiting = requests(
                inputs.instruction_mask,
                &inputs.instruction_line,
                inputs.instruction_pages,
            );
        }
        outputs
    }
}
