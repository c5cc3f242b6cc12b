//! An SM unit among a source of instructions, execution units, another unit, a cache and a GMMU.

use std::collections::{HashMap, VecDeque};

use faultline_sim::ports::Model;
use faultline_sim::sm::l1_tlb::{FAR, TRANSLATION};
use faultline_sim::sm::scoreboard::ZERO_REGISTER;
use faultline_sim::sm::sm_pipeline::{
    CONTROL_UNIT, Class, MEMORY_UNIT, SPECIAL_UNIT, UNITS, WIDTH,
};
use faultline_sim::sm::sm_unit::{Inputs, Outputs, SmUnit};

use crate::bench::Bench;
use crate::blocks;

/// Cycles from a walk that is taken to its answer.
pub const WALK: u64 = 8;
/// Cycles from the last line of an instruction to its end.
const LINE: u64 = 3;
/// Program counters of a warp.
const PCS: u32 = 1000;

/// An instruction of a program.
#[derive(Clone, Debug, Default)]
pub struct Instruction {
    class: Class,
    destination: Option<u8>,
    sources: [Option<u8>; 2],
    lines: Vec<u64>,
    is_other: bool,
}

impl Instruction {
    /// A load of these lines, a lane for each, to a register.
    #[must_use]
    pub fn load(destination: u8, lines: &[u64]) -> Self {
        Self {
            class: Class::Load,
            destination: Some(destination),
            lines: lines.to_vec(),
            ..Self::default()
        }
    }

    /// A store to these lines, a lane for each.
    #[must_use]
    pub fn store(lines: &[u64]) -> Self {
        Self {
            class: Class::Store,
            lines: lines.to_vec(),
            ..Self::default()
        }
    }

    /// An instruction that reads one register and writes another one.
    #[must_use]
    pub const fn math(destination: u8, source: u8) -> Self {
        Self {
            class: Class::Math,
            destination: Some(destination),
            sources: [Some(source), None],
            lines: Vec::new(),
            is_other: false,
        }
    }

    /// An instruction of another unit, which may raise an exception.
    #[must_use]
    pub fn other(destination: u8) -> Self {
        Self {
            is_other: true,
            ..Self::load(destination, &[0])
        }
    }
}

/// What the unit does that others see, with the warp and the number of the instruction in its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It reads its operands.
    Issued(u8, usize),
    /// Memory unit or another unit takes it.
    Taken(u8, usize),
    /// The same, of one that is issued again.
    Again(u8, usize),
    /// It faults or raises an exception.
    Faulted(u8, usize),
    /// A line of it leaves, in this place of memory.
    Line(u8, usize, u64),
    /// It ends.
    Ended(u8, usize),
}

/// An SM unit, whose surroundings take everything at once unless a test says otherwise.
pub struct Sm {
    bench: Bench<SmUnit>,
    model: SmUnit,
    /// What a test sets for the next cycle: stops, resumes, `hold`, `leave`, invalidations, readiness.
    pub inputs: Inputs,
    programs: Vec<Vec<Instruction>>,
    positions: Vec<usize>,
    executing: [VecDeque<(u8, u8, usize)>; UNITS],
    /// When instructions in memory end.
    ends: VecDeque<(u64, u8, u8, usize)>,
    /// Lines of the access that was taken last.
    taken: Vec<u64>,
    /// Instructions in the memory unit and in the other one, by warp and scoreboard entry.
    accesses: HashMap<(u8, u8), usize>,
    /// What the other unit has, with the pipeline's tags.
    pub others: VecDeque<Outputs>,
    /// The other unit raises an exception for what it has not raised one for.
    pub raises: bool,
    /// Frames by page; a page without one is absent.
    pub pages: HashMap<u64, u32>,
    walks: VecDeque<(u64, u64)>,
    far: Vec<u64>,
    resolves: VecDeque<u64>,
    /// Cycles since the reset.
    pub now: u64,
    /// What has happened, and when.
    pub events: Vec<(u64, Event)>,
}

impl Sm {
    /// A unit after reset and launch, with two thread blocks' parts of the log and a program for each warp.
    ///
    /// # Panics
    /// If a back end cannot be had.
    #[must_use]
    pub fn new(config: &str, programs: &[Vec<Instruction>]) -> Self {
        let bench = blocks::bench::<SmUnit>(config).unwrap();
        let model = SmUnit::new(*bench.parameters());
        let mut sm = Self {
            bench,
            model,
            inputs: Inputs {
                walk_ready: true,
                line_ready: true,
                special_ready: true,
                other_ready: true,
                far_limit: 8,
                asid: 1,
                ..Inputs::default()
            },
            programs: programs.to_vec(),
            positions: vec![0; programs.len()],
            executing: Default::default(),
            ends: VecDeque::new(),
            taken: Vec::new(),
            accesses: HashMap::new(),
            others: VecDeque::new(),
            raises: false,
            pages: HashMap::new(),
            walks: VecDeque::new(),
            far: Vec::new(),
            resolves: VecDeque::new(),
            now: 0,
            events: Vec::new(),
        };
        sm.with(|inputs| inputs.reset = true);
        sm.with(|inputs| {
            inputs.launch_valid = true;
            inputs.launch_entries = 16;
        });
        for warp in 0..programs.len() as u8 {
            sm.with(|inputs| {
                inputs.start_valid = true;
                inputs.start_warp = warp;
            });
        }
        sm.now = 0;
        sm.events.clear();
        sm
    }

    /// Runs a cycle in which these inputs are set.
    pub fn with(&mut self, set: impl FnOnce(&mut Inputs)) -> Outputs {
        let rest = self.inputs.clone();
        set(&mut self.inputs);
        let outputs = self.cycle();
        self.inputs = rest;
        outputs
    }

    fn instruction(&self, pc: u32) -> Option<&Instruction> {
        let program = self.programs.get((pc / PCS) as usize)?;
        program.get((pc % PCS) as usize)
    }

    fn drive(&self) -> Inputs {
        let mut inputs = self.inputs.clone();
        let fetching = self.model.pipeline().fetching(false);
        for (port, warp) in fetching.into_iter().enumerate() {
            let Some(warp) = warp.map(usize::from) else {
                continue;
            };
            let program = self.programs.get(warp);
            let Some(next) = program.and_then(|program| program.get(self.positions[warp])) else {
                continue;
            };
            let register = |register: Option<u8>| register.unwrap_or(ZERO_REGISTER).into();
            inputs.fetched_valid[port] = 1;
            inputs.fetched_class[port] = next.class as u64;
            inputs.fetched_destination[port] = register(next.destination);
            inputs.fetched_source_a[port] = register(next.sources[0]);
            inputs.fetched_source_b[port] = register(next.sources[1]);
            inputs.fetched_source_c[port] = register(None);
            inputs.fetched_pc[port] = u64::from(warp as u32 * PCS) + self.positions[warp] as u64;
            inputs.fetched_mask[port] = match next.class {
                Class::Math => u64::from(u32::MAX),
                _ => (1 << next.lines.len()) - 1,
            };
        }
        let front = self.model.pipeline().front();
        if let Some(front) = front.and_then(|front| self.instruction(front.pc)) {
            inputs.front_other = front.is_other;
        }
        let lines = inputs.access_line.iter_mut().zip(&self.taken);
        lines.for_each(|(line, of)| *line = *of);
        for (unit, executing) in self.executing.iter().enumerate().take(MEMORY_UNIT) {
            if let Some((warp, entry, _)) = executing.front() {
                inputs.finished_valid[unit] = 1;
                inputs.finished_warp[unit] = (*warp).into();
                inputs.finished_entry[unit] = (*entry).into();
            }
        }
        if let Some((_, warp, entry, _)) = self.ends.front().filter(|end| end.0 <= self.now) {
            inputs.finished_valid[MEMORY_UNIT] = 1;
            inputs.finished_warp[MEMORY_UNIT] = (*warp).into();
            inputs.finished_entry[MEMORY_UNIT] = (*entry).into();
        }
        if let Some(other) = self.others.front() {
            inputs.raised_valid = self.raises && !other.memory_replayed;
            inputs.certain_valid = !inputs.raised_valid;
            inputs.certain_warp = other.memory_warp;
            inputs.certain_entry = other.memory_entry;
            inputs.certain_index = other.memory_index;
            inputs.certain_slot = other.memory_slot;
            inputs.certain_log_address = other.memory_log_address;
            inputs.certain_log_data = other.memory_log_data;
            inputs.raised_warp = other.memory_warp;
            inputs.raised_entry = other.memory_entry;
            inputs.raised_index = other.memory_index;
        }
        if let Some((_, vpn)) = self.walks.front().filter(|walk| walk.0 <= self.now) {
            let frame = self.pages.get(vpn);
            inputs.fill_valid = true;
            inputs.fill_vpn = *vpn;
            inputs.fill_asid = inputs.asid;
            inputs.fill_kind = if frame.is_some() { TRANSLATION } else { FAR };
            inputs.fill_pfn = frame.copied().unwrap_or_default();
            inputs.fill_writable = true;
        }
        if let Some(vpn) = self.resolves.front() {
            inputs.resolve_valid = true;
            inputs.resolve_vpn = *vpn;
            inputs.resolve_asid = inputs.asid;
        }
        inputs
    }

    fn note(&mut self, event: impl FnOnce(u8, usize) -> Event, warp: u8, number: usize) {
        self.events.push((self.now, event(warp, number)));
    }

    /// Runs a cycle.
    ///
    /// # Panics
    /// If an instruction ends that the unit was not given.
    pub fn cycle(&mut self) -> Outputs {
        let inputs = self.drive();
        let outputs = self.bench.run(&inputs);
        self.model.cycle(&inputs);
        let number = |pc: u64| (pc % u64::from(PCS)) as usize;
        for port in 0..WIDTH {
            let warp = outputs.fetch_warp[port] as usize;
            if outputs.fetch_valid[port] == 1 && inputs.fetched_valid[port] == 1 {
                self.positions[warp] += 1;
            }
        }
        if outputs.revert_valid {
            self.positions[usize::from(outputs.revert_warp)] -= usize::from(outputs.revert_count);
        }
        for unit in 0..MEMORY_UNIT {
            if inputs.finished_valid[unit] == 1
                && let Some((warp, _, number)) = self.executing[unit].pop_front()
            {
                self.note(Event::Ended, warp, number);
            }
        }
        if inputs.finished_valid[MEMORY_UNIT] == 1
            && let Some((_, warp, _, number)) = self.ends.pop_front()
        {
            self.note(Event::Ended, warp, number);
        }
        for port in 0..WIDTH {
            if outputs.read_valid[port] == 0 {
                continue;
            }
            let (warp, entry) = (
                outputs.read_warp[port] as u8,
                outputs.read_entry[port] as u8,
            );
            let number = number(outputs.read_pc[port]);
            self.note(Event::Issued, warp, number);
            let unit = match Class::of(outputs.read_class[port]) {
                Class::Special => SPECIAL_UNIT,
                Class::Control => CONTROL_UNIT,
                class if class.is_memory() => continue,
                _ => port,
            };
            self.executing[unit].push_back((warp, entry, number));
        }
        if outputs.line_valid && inputs.line_ready {
            let (warp, entry) = (outputs.line_warp, outputs.line_entry);
            let number = self.accesses[&(warp, entry)];
            let place = outputs.line_number;
            self.note(
                |warp, number| Event::Line(warp, number, place),
                warp,
                number,
            );
            if outputs.line_last {
                self.ends.push_back((self.now + LINE, warp, entry, number));
            }
        }
        if outputs.faulted_valid {
            let (warp, entry) = (outputs.faulted_warp, outputs.faulted_entry);
            let number = self.accesses[&(warp, entry)];
            self.note(Event::Faulted, warp, number);
        }
        if (inputs.raised_valid && outputs.raised_ready)
            || (inputs.certain_valid && outputs.certain_ready)
        {
            let other = self.others.pop_front();
            if let Some(other) = other.filter(|_| inputs.certain_valid) {
                let (warp, entry) = (other.memory_warp, other.memory_entry);
                let number = self.accesses[&(warp, entry)];
                self.ends.push_back((self.now + LINE, warp, entry, number));
            }
        }
        if outputs.memory_valid && outputs.memory_ready {
            let (warp, number) = (outputs.memory_warp, number(outputs.memory_pc.into()));
            self.accesses.insert((warp, outputs.memory_entry), number);
            let event = if outputs.memory_replayed {
                Event::Again
            } else {
                Event::Taken
            };
            self.note(event, warp, number);
            if inputs.front_other {
                self.others.push_back(outputs.clone());
            } else {
                let access = self.instruction(outputs.memory_pc);
                self.taken = access.map_or_else(Vec::new, |access| access.lines.clone());
            }
        }
        self.gmmu(&inputs, &outputs);
        self.now += 1;
        outputs
    }

    fn gmmu(&mut self, inputs: &Inputs, outputs: &Outputs) {
        if inputs.fill_valid {
            self.walks.pop_front();
            if inputs.fill_kind == FAR {
                self.far.push(inputs.fill_vpn);
            }
        }
        if inputs.resolve_valid {
            self.resolves.pop_front();
        }
        if outputs.walk_valid && inputs.walk_ready {
            self.walks.push_back((self.now + WALK, outputs.walk_vpn));
        }
    }

    /// A page comes to a frame, and the far faults of it are resolved.
    pub fn bring(&mut self, vpn: u64, pfn: u32) {
        self.pages.insert(vpn, pfn);
        let far = std::mem::take(&mut self.far);
        let (resolved, rest) = far.into_iter().partition(|of| *of == vpn);
        self.far = rest;
        self.resolves.extend::<Vec<u64>>(resolved);
    }

    /// Runs some cycles.
    pub fn cycles(&mut self, count: usize) -> Vec<Outputs> {
        (0..count).map(|_| self.cycle()).collect()
    }

    /// Runs until nothing has happened for a while, and gives what has.
    ///
    /// # Panics
    /// If it does not end.
    pub fn settle(&mut self) -> Vec<Event> {
        let mut silent = 0;
        for _ in 0..4_000 {
            let seen = self.events.len();
            self.cycle();
            silent = if self.events.len() == seen {
                silent + 1
            } else {
                0
            };
            if silent == 60 {
                return self.events.drain(..).map(|(_, event)| event).collect();
            }
        }
        panic!("something happens for ever: {:?}", self.events.last());
    }

    /// When an event was first seen.
    ///
    /// # Panics
    /// If it was not.
    #[must_use]
    pub fn when(&self, event: Event) -> u64 {
        let found = self.events.iter().find(|(_, seen)| *seen == event);
        found
            .unwrap_or_else(|| panic!("no {event:?}: {:?}", self.events))
            .0
    }
}
