//! A memory unit among a coalescer, an L1 TLB, a pipeline and a cache.

use std::collections::{HashMap, VecDeque};

use faultline_sim::sm::memory_unit::{Inputs, MemoryUnit, Outputs, PAGE_LINE_BITS};

use crate::bench::Bench;
use crate::blocks;

/// What the L1 TLB answers for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is in this frame.
    Hit(u32),
    /// It is not there.
    Miss,
    /// It is absent.
    Fault,
    /// It may not be accessed.
    Denied,
}

/// What the unit does that others see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A check of a page is taken.
    Check(u64),
    /// The successful check of an instruction of this scoreboard entry is taken.
    Checked(u8),
    /// An instruction of this scoreboard entry faults.
    Faulted(u8),
    /// The same because an access is not allowed.
    Denied(u8),
    /// A warp waits for a page.
    Absent(u8, u64),
    /// A line in physical memory leaves, and whether it is marked as the last one.
    Line(u64, bool),
    /// A warp is resumed.
    Resume(u8),
}

/// The unit, whose surroundings take everything at once unless a test says otherwise.
pub struct Unit {
    bench: Bench<MemoryUnit>,
    /// The inputs of the next cycle, without the requests and the answers.
    pub inputs: Inputs,
    /// The warp of the instructions that enter.
    pub warp: u8,
    /// Answers by page; a page without one is missed.
    pub pages: HashMap<u64, Reply>,
    /// Pages that may not be written.
    pub read_only: Vec<u64>,
    /// Lines that the coalescer still requests, and whether they are the last ones.
    pub requests: VecDeque<(u64, u32, bool)>,
    asked: Option<(u64, bool)>,
    /// What happened since it was taken last.
    pub events: Vec<Event>,
    /// Whether an answer to a line or a page came in the last cycle.
    pub answered: bool,
}

/// A line of a page, or of a frame.
#[must_use]
pub const fn line(page: u64, within: u64) -> u64 {
    page << PAGE_LINE_BITS | within
}

impl Unit {
    /// A unit after its reset.
    ///
    /// # Panics
    /// If a back end cannot be had.
    #[must_use]
    pub fn new() -> Self {
        let mut unit = Self {
            bench: blocks::bench::<MemoryUnit>("16").unwrap(),
            inputs: Inputs {
                split_ready: true,
                checked_ready: true,
                line_ready: true,
                resume_ready: true,
                ..Inputs::default()
            },
            warp: 3,
            pages: HashMap::new(),
            read_only: Vec::new(),
            requests: VecDeque::new(),
            asked: None,
            events: Vec::new(),
            answered: false,
        };
        unit.reset();
        unit
    }

    /// Resets the unit and what surrounds it.
    pub fn reset(&mut self) {
        self.inputs.reset = true;
        self.cycle();
        self.inputs.reset = false;
        self.requests.clear();
        self.events.clear();
        self.asked = None;
    }

    fn reply(&self, vpn: u64, write: bool) -> Reply {
        match self.pages.get(&vpn) {
            Some(Reply::Hit(_)) if write && self.read_only.contains(&vpn) => Reply::Denied,
            Some(reply) => *reply,
            None => Reply::Miss,
        }
    }

    /// Runs a cycle.
    pub fn cycle(&mut self) -> Outputs {
        let mut inputs = self.inputs.clone();
        inputs.check_ready = !inputs.invalidate_valid;
        if let Some((line, mask, last)) = self.requests.front() {
            inputs.request_valid = true;
            inputs.request_line = *line;
            inputs.request_mask = *mask;
            inputs.request_last = *last;
        }
        self.answered = self.asked.is_some();
        if let Some((vpn, write)) = self.asked {
            match self.reply(vpn, write) {
                Reply::Hit(pfn) => {
                    inputs.answer_hit = true;
                    inputs.answer_pfn = pfn;
                }
                Reply::Miss => {}
                Reply::Fault => inputs.answer_fault = true,
                Reply::Denied => inputs.answer_denied = true,
            }
        }
        let outputs = self.bench.run(&inputs);
        if inputs.request_valid && outputs.request_ready {
            self.requests.pop_front();
        }
        let taken = outputs.check_valid && inputs.check_ready;
        self.asked = taken.then_some((outputs.check_vpn, outputs.check_write));
        self.note(&inputs, &outputs);
        outputs
    }

    fn note(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let asked = self.asked;
        self.events.extend(asked.map(|(vpn, _)| Event::Check(vpn)));
        if outputs.absent_valid {
            let (warp, vpn) = (outputs.absent_warp, outputs.absent_vpn);
            self.events.push(Event::Absent(warp, vpn));
        }
        if outputs.faulted_valid {
            let entry = outputs.faulted_entry;
            let denied = outputs.faulted_denied;
            let event = if denied {
                Event::Denied(entry)
            } else {
                Event::Faulted(entry)
            };
            self.events.push(event);
        }
        if outputs.checked_valid && inputs.checked_ready {
            self.events.push(Event::Checked(outputs.checked_entry));
        }
        if outputs.line_valid && inputs.line_ready {
            let event = Event::Line(outputs.line_number, outputs.line_last);
            self.events.push(event);
        }
        if outputs.resume_valid && inputs.resume_ready {
            self.events.push(Event::Resume(outputs.resume_warp));
        }
    }

    /// Runs some cycles.
    pub fn cycles(&mut self, count: usize) -> Vec<Outputs> {
        (0..count).map(|_| self.cycle()).collect()
    }

    /// Offers an instruction with these lines in one cycle, a lane for each.
    pub fn offer(&mut self, entry: u8, store: bool, lines: &[u64]) -> Outputs {
        let rest = self.inputs.clone();
        self.inputs.instruction_valid = true;
        self.inputs.instruction_warp = self.warp;
        self.inputs.instruction_entry = entry;
        self.inputs.instruction_slot = self.warp / 4;
        self.inputs.instruction_store = store;
        let lanes = (1u64 << lines.len()) - 1;
        self.inputs.instruction_mask = lanes as u32;
        let outputs = self.cycle();
        self.inputs = rest;
        outputs
    }

    /// Has an instruction enter; its lines are requested from the cycle after the next one on.
    ///
    /// # Panics
    /// If it is not accepted.
    pub fn enter(&mut self, entry: u8, store: bool, lines: &[u64]) {
        let accepted = self.offer(entry, store, lines).instruction_ready;
        assert!(accepted, "the instruction is accepted");
        self.cycle();
        self.request(lines);
    }

    /// The coalescer requests the lines of an instruction, a lane for each.
    pub fn request(&mut self, lines: &[u64]) {
        let last = lines.len().saturating_sub(1);
        let requests = lines.iter().enumerate();
        self.requests
            .extend(requests.map(|(place, line)| (*line, 1 << place, place == last)));
    }

    /// Wakes those that wait for a page, or for any.
    pub fn wake(&mut self, vpn: u64, all: bool) -> Outputs {
        self.inputs.wake_valid = true;
        self.inputs.wake_vpn = vpn;
        self.inputs.wake_all = all;
        let outputs = self.cycle();
        self.inputs.wake_valid = false;
        outputs
    }

    /// Invalidates every page of a space.
    pub fn invalidate(&mut self, asid: u8) -> Outputs {
        self.inputs.invalidate_valid = true;
        self.inputs.invalidate_scope = 1;
        self.inputs.invalidate_asid = asid;
        let outputs = self.cycle();
        self.inputs.invalidate_valid = false;
        outputs
    }

    /// Runs until the last request is answered.
    ///
    /// # Panics
    /// If it is not.
    pub fn until_answered(&mut self) {
        for _ in 0..100 {
            self.cycle();
            if self.requests.is_empty() && self.answered {
                return;
            }
        }
        panic!("no answer comes");
    }

    /// Runs until nothing was seen for a while, and gives what happened.
    ///
    /// # Panics
    /// If it does not end.
    pub fn settle(&mut self) -> Vec<Event> {
        let mut seen = self.events.len();
        let mut silent = 0;
        for _ in 0..2_000 {
            self.cycle();
            silent = if self.events.len() == seen && self.requests.is_empty() {
                silent + 1
            } else {
                0
            };
            seen = self.events.len();
            if silent == 12 {
                return std::mem::take(&mut self.events);
            }
        }
        panic!("something happens for ever: {:?}", self.events.last());
    }

    /// The same without the checks.
    pub fn settle_unchecked(&mut self) -> Vec<Event> {
        let events = self.settle().into_iter();
        let is_check = |event: &Event| matches!(event, Event::Check(_));
        events.filter(|event| !is_check(event)).collect()
    }
}

impl Default for Unit {
    fn default() -> Self {
        Self::new()
    }
}
