//! The unit among what is around it.

use std::collections::VecDeque;

use crate::ports::Model;
use crate::sm::l1_tlb::TRANSLATION;
use crate::sm::memory_unit::PAGE_LINE_BITS;
use crate::sm::scoreboard::ZERO_REGISTER;
use crate::sm::sm_pipeline::{Class, MEMORY_UNIT, Policy, Scheme};
use crate::sm::sm_unit::{Inputs, Outputs, Parameters, SmUnit};
use crate::sm::{operand_log, replay_queue};

/// A global-memory instruction of a test.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Lane 0 loads this line.
    Load(u64),
    /// Lane 0 stores to it.
    Store(u64),
    /// Another unit executes it.
    Other,
}
pub use Step::{Load, Other, Store};

/// What the unit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Walk(u64),
    /// A warp waits for an absent page.
    Absent(u8, u64),
    Faulted(u8),
    Denied(u8),
    /// An instruction with this program counter goes to the memory unit or to another one, again or not.
    Sent(u32, bool),
    /// A line in physical memory, of a warp, and whether it is marked as the last one.
    Line(u64, u8, bool),
}
pub use Event::{Absent, Denied, Faulted, Line, Sent, Walk};

/// Warps of the tests.
const WARPS: usize = 4;

/// The program counter of a warp's instruction, whose place it has in the low bits.
pub fn pc(warp: usize, place: usize) -> u32 {
    (warp << 8 | place) as u32
}

/// The unit among a source of instructions, a cache and a GMMU that take everything at once, and another unit.
#[derive(Clone)]
pub struct Bench {
    pub unit: SmUnit,
    pub inputs: Inputs,
    programs: [Vec<Step>; WARPS],
    fetched: [usize; WARPS],
    finishes: VecDeque<(u8, u8)>,
    /// What the other unit was given last.
    pub other: Outputs,
    /// The access that was taken last.
    taken: Option<Step>,
    events: Vec<Event>,
}

impl Bench {
    fn new(scheme: Scheme) -> Self {
        let parameters = Parameters {
            scheme,
            policy: Policy::LooseRoundRobin,
            warps: WARPS,
            entries: 8,
            queue: replay_queue::Parameters::with_entries(16),
            log: operand_log::Parameters::with_entries(32),
        };
        let mut bench = Self {
            unit: SmUnit::new(parameters),
            inputs: Inputs {
                special_ready: true,
                other_ready: true,
                line_ready: true,
                walk_ready: true,
                far_limit: 4,
                ..Inputs::default()
            },
            programs: Default::default(),
            fetched: [0; WARPS],
            finishes: VecDeque::new(),
            other: Outputs::default(),
            taken: None,
            events: Vec::new(),
        };
        bench.with(|inputs| (inputs.launch_valid, inputs.launch_entries) = (true, 8));
        bench
    }

    /// A warp begins with these instructions.
    pub fn start(&mut self, warp: u8, program: &[Step]) {
        self.programs[usize::from(warp)] = program.to_vec();
        self.with(|inputs| (inputs.start_valid, inputs.start_warp) = (true, warp));
    }

    fn step(&self, pc: u32) -> Step {
        self.programs[pc as usize >> 8][pc as usize & 0xff]
    }

    /// A cycle with other inputs than the usual ones.
    pub fn with(&mut self, change: impl FnOnce(&mut Inputs)) -> Outputs {
        let usual = self.inputs.clone();
        change(&mut self.inputs);
        let outputs = self.cycle();
        self.inputs = usual;
        outputs
    }

    pub fn cycle(&mut self) -> Outputs {
        let mut inputs = self.inputs.clone();
        for (port, warp) in self.unit.pipeline().fetching(false).into_iter().enumerate() {
            let Some(warp) = warp.map(usize::from) else {
                continue;
            };
            let place = self.fetched[warp];
            let Some(step) = self.programs[warp].get(place) else {
                continue;
            };
            self.fetched[warp] += 1;
            let class = match step {
                Store(_) => Class::Store,
                Load(_) | Other => Class::Load,
            };
            inputs.fetched_valid[port] = 1;
            inputs.fetched_class[port] = class as u64;
            inputs.fetched_destination[port] = 10 + place as u64;
            inputs.fetched_source_a[port] = 1;
            inputs.fetched_source_b[port] = ZERO_REGISTER.into();
            inputs.fetched_source_c[port] = ZERO_REGISTER.into();
            inputs.fetched_pc[port] = pc(warp, place).into();
            inputs.fetched_mask[port] = 1;
        }
        if let Some(front) = self.unit.pipeline().front() {
            inputs.front_other = matches!(self.step(front.pc), Other);
        }
        if let Some(Load(line) | Store(line)) = self.taken {
            inputs.access_line[0] = line;
        }
        if let Some((warp, entry)) = self.finishes.pop_front() {
            inputs.finished_valid[MEMORY_UNIT] = 1;
            inputs.finished_warp[MEMORY_UNIT] = warp.into();
            inputs.finished_entry[MEMORY_UNIT] = entry.into();
        }
        let outputs = self.unit.cycle(&inputs);
        if outputs.memory_valid && outputs.memory_ready && !inputs.front_other {
            self.taken = Some(self.step(outputs.memory_pc));
        }
        if outputs.revert_valid {
            self.fetched[usize::from(outputs.revert_warp)] -= usize::from(outputs.revert_count);
        }
        if outputs.memory_valid && inputs.front_other && inputs.other_ready {
            self.other = outputs.clone();
        }
        if outputs.line_valid && outputs.line_last && inputs.line_ready {
            self.finishes
                .push_back((outputs.line_warp, outputs.line_entry));
        }
        self.note(&inputs, &outputs);
        outputs
    }

    fn note(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let mut note = |happens: bool, event| {
            if happens {
                self.events.push(event);
            }
        };
        note(
            outputs.memory_valid,
            Sent(outputs.memory_pc, outputs.memory_replayed),
        );
        note(
            outputs.walk_valid && inputs.walk_ready,
            Walk(outputs.walk_vpn),
        );
        note(
            outputs.absent_valid,
            Absent(outputs.absent_warp, outputs.absent_vpn),
        );
        let warp = outputs.faulted_warp;
        let faulted = if outputs.faulted_denied {
            Denied(warp)
        } else {
            Faulted(warp)
        };
        note(outputs.faulted_valid, faulted);
        let line = Line(outputs.line_number, outputs.line_warp, outputs.line_last);
        note(outputs.line_valid && inputs.line_ready, line);
    }

    /// What is reported in so many cycles that everything comes to rest.
    pub fn settle(&mut self) -> Vec<Event> {
        for _ in 0..60 {
            self.cycle();
        }
        std::mem::take(&mut self.events)
    }

    /// Cycles until something is so at the end of one. That cycle is not run.
    pub fn run_up_to(&mut self, is: impl Fn(&Self, &Outputs) -> bool) {
        for _ in 0..100 {
            let mut ahead = self.clone();
            let outputs = ahead.cycle();
            if is(&ahead, &outputs) {
                return;
            }
            self.cycle();
        }
        panic!("it never comes");
    }

    pub fn fill(&mut self, kind: u8, vpn: u64, pfn: u32) {
        self.with(|inputs| {
            inputs.fill_valid = true;
            inputs.fill_kind = kind;
            inputs.fill_vpn = vpn;
            inputs.fill_pfn = pfn;
            inputs.fill_writable = true;
        });
    }

    pub fn resolve(&mut self, vpn: u64) {
        self.with(|inputs| (inputs.resolve_valid, inputs.resolve_vpn) = (true, vpn));
    }

    /// The other unit's instruction raises nothing.
    pub fn certain(&self, inputs: &mut Inputs) {
        inputs.certain_valid = true;
        inputs.certain_warp = self.other.memory_warp;
        inputs.certain_entry = self.other.memory_entry;
        inputs.certain_index = self.other.memory_index;
        inputs.certain_slot = self.other.memory_slot;
        inputs.certain_log_address = self.other.memory_log_address;
    }

    /// It raises an exception.
    pub fn raise(&self, inputs: &mut Inputs) {
        inputs.raised_valid = true;
        inputs.raised_warp = self.other.memory_warp;
        inputs.raised_entry = self.other.memory_entry;
        inputs.raised_index = self.other.memory_index;
    }

    /// Accesses that are decided, and have lines that are still to leave.
    pub fn decided(&self) -> usize {
        let accesses = self.unit.memory().accesses();
        accesses.filter(|(_, access)| access.decided).count()
    }
}

/// A line of a page, or of a frame.
pub fn line(page: u64, within: u64) -> u64 {
    page << PAGE_LINE_BITS | within
}

/// A unit that has page 1 in frame 10.
pub fn warm(scheme: Scheme) -> Bench {
    let mut bench = Bench::new(scheme);
    bench.start(0, &[Load(line(1, 0))]);
    assert_eq!(bench.settle(), [Sent(0, false), Walk(1)]);
    bench.fill(TRANSLATION, 1, 10);
    assert_eq!(bench.settle(), [Line(line(10, 0), 0, true)]);
    bench.with(|inputs| inputs.stop_valid = true);
    bench.fetched[0] = 0;
    bench
}
