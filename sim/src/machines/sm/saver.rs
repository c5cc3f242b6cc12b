//! The checkpoint engine of the SM, with what is around it: the dirty bits, a memory that keeps contexts, and the way to the
//! registers, shared memory and the state of the warps, beat by beat.

use std::collections::{BTreeMap, VecDeque};

use super::layout::Layout;
use super::lines::Lines;
use super::parameters::{Local, Parameters, Switching, Transfer};
use super::resident::Resident;
use super::work::Work;
use crate::machines::saving::{give_dirty, saving_walk};
use crate::ports::Model;
use crate::preempt::checkpoint::{self, Activity, Checkpoint, Space};
use crate::preempt::context_port::{self, Beat};
use crate::preempt::dirty_bits::{self, DirtyBits};
use crate::simt::{Shared, Warp, Width};
use crate::sm::operand_log::Operand;
use crate::sm::sm_pipeline::Scheme;

/// Beats that have been read and not been taken, at most.
const READ: usize = 2;
/// Sectors of a row, and lanes of each.
const SECTORS: u64 = 4;
const LANES: usize = 8;
/// Bits of a word of a beat.
const WORD: u32 = 32;

/// What is reported to the dirty bits.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// Lanes of a row are written.
    Write(u64, u64),
    /// A warp has ended.
    Clear(usize),
}

/// Beats of a row of registers.
const BEATS_OF_ROW: u64 = 4;

/// Free rows and free beats of shared memory in which a context stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Room {
    /// The first row after those that blocks use, and how many.
    pub row: u64,
    pub rows: u64,
    /// The same of beats.
    pub beat: u64,
    pub beats: u64,
}

/// A context in memory.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    pub epoch: u64,
    /// All of its beats, and the operands of its instructions.
    pub beats: u64,
    pub operands: u64,
    /// What its first ones are in on the SM.
    pub room: Room,
    /// The others.
    outside: Vec<Beat>,
}

impl Saved {
    /// Beats that are in memory.
    pub const fn outside(&self) -> usize {
        self.outside.len()
    }
}

/// The parts of the SM that beats come from and go to.
pub(super) struct State<'state> {
    pub warps: &'state mut [Option<Warp>],
    pub shared: &'state mut [Shared],
    pub residents: &'state [Option<Resident>],
    /// Where warps that have come back go on: the number of the next instruction, and whether it waits at a barrier.
    pub restored: &'state mut BTreeMap<usize, (u64, bool)>,
}

/// The request for a context.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub restores: bool,
    pub runs: bool,
    pub block: usize,
    pub slot: usize,
    /// The first of its warps, and how many.
    pub warps: (usize, usize),
    pub epoch: u64,
    pub room: Room,
    pub beats: u64,
    pub operands: u64,
}

/// The engine and what is around it.
#[derive(Clone, Debug)]
pub(super) struct Saver {
    pub layout: Layout,
    parameters: checkpoint::Parameters,
    dirty_parameters: dirty_bits::Parameters,
    engine: Checkpoint,
    dirty: DirtyBits,
    random: fastrand::Rng,
    /// The pipeline has no operand log.
    unlogged: bool,
    /// How often what is around the engine is ready.
    rate: f64,
    /// Cycles of a beat at the SM's share of the bandwidth of DRAM.
    interval: u64,
    /// What is under way between the engine and memory; none if a context takes no time there.
    pub lines: Option<Lines>,
    /// Writes of what is dirty already are left out.
    leaves_out: bool,
    events: VecDeque<Event>,
    /// Cycles since the last write was accepted.
    quiet: u64,
    request: Option<Request>,
    /// Beats that were requested, and when they are there.
    read: VecDeque<(u64, Beat)>,
    /// Beats of a context in free rows and free shared memory.
    kept: BTreeMap<(u64, u64), Beat>,
    /// The operand that has left the log.
    spilled: Operand,
    /// Address and data of what comes back next.
    operands: [Operand; 2],
    /// Beats in memory that leave, and those that come.
    leaving: Vec<Beat>,
    coming: VecDeque<Beat>,
    offers: bool,
    /// Rows that were restored, and their lanes.
    restored: Vec<(u64, u64)>,
    now: u64,
    /// Beats of memory's that have moved.
    pub moved: u64,
    pub inputs: checkpoint::Inputs,
    pub outputs: checkpoint::Outputs,
    pub dirty_ports: (dirty_bits::Inputs, dirty_bits::Outputs),
}

impl Saver {
    /// Rows of the warps' registers, and how many a context may name: the number of a row and its sectors have half of a word.
    pub fn rows(work: &Work, slots: usize) -> (u64, u64) {
        let engine = checkpoint::Parameters::paper();
        let bits = engine.port.word_bits / 2 - engine.sectors() as usize;
        let layout = Layout::new(work, slots, engine.group_bits);
        (layout.used_rows, 1 << bits)
    }

    pub fn new(parameters: &Parameters, work: &Work, slots: usize) -> Self {
        let mut engine = checkpoint::Parameters::paper();
        let mut dirty = dirty_bits::Parameters::paper(parameters.seed.is_multiple_of(2));
        let layout = Layout::new(work, slots, engine.group_bits);
        // A register file of the paper has 2,048 rows; with registers of 64 bits some kernels need more.
        while 1 << engine.row_bits < layout.used_rows {
            (engine.row_bits, dirty.row_bits) = (engine.row_bits + 1, dirty.row_bits + 1);
        }
        while 1 << engine.shared_bits < layout.used_shared {
            engine.shared_bits += 1;
        }
        let mut random = fastrand::Rng::with_seed(parameters.seed ^ 0x5a5a);
        let rate = [1.0, 0.9, 0.4][random.usize(0..3)];
        let transfer = match parameters.switching {
            Switching::Local(Local { transfer, .. }) | Switching::Launched(transfer) => {
                Some(transfer)
            }
            Switching::Never | Switching::Chance(_) => None,
        };
        let interval = match transfer {
            Some(Transfer::Lines { interval }) => Some(interval),
            Some(Transfer::AtOnce) | None => None,
        };
        Self {
            layout,
            parameters: engine,
            dirty_parameters: dirty,
            engine: Checkpoint::new(engine),
            dirty: DirtyBits::new(dirty),
            random,
            unlogged: parameters.pipeline.scheme != Scheme::OperandLog,
            rate: if transfer.is_some() { 1.0 } else { rate },
            interval: interval.unwrap_or(0),
            lines: interval.map(|_| Lines::default()),
            leaves_out: transfer.is_some(),
            events: VecDeque::new(),
            quiet: 0,
            request: None,
            read: VecDeque::new(),
            kept: BTreeMap::new(),
            spilled: Operand::default(),
            operands: [Operand::default(); 2],
            leaving: Vec::new(),
            coming: VecDeque::new(),
            offers: false,
            restored: Vec::new(),
            now: 0,
            moved: 0,
            inputs: checkpoint::Inputs::default(),
            outputs: checkpoint::Outputs::default(),
            dirty_ports: Default::default(),
        }
    }

    /// Cycles for which the contexts of all thread blocks that fit on the SM move one way, one after the other.
    pub fn cycles_of_all(&self) -> u64 {
        let beats = BEATS_OF_ROW * self.layout.used_rows + self.layout.used_shared;
        beats * self.interval.max(1)
    }

    /// The sizes of the engine.
    pub const fn parameters(&self) -> checkpoint::Parameters {
        self.parameters
    }

    /// The sizes of the dirty bits.
    pub const fn dirty_parameters(&self) -> dirty_bits::Parameters {
        self.dirty_parameters
    }

    /// A register of a warp is written.
    pub fn write(&mut self, warp: usize, register: u8, mask: u32) {
        let (first, count) = self.layout.rows_of(register);
        let first = warp as u64 * self.layout.rows + first;
        for row in first..first + count {
            if !(self.leaves_out && self.stays_dirty(row, mask.into())) {
                self.events.push_back(Event::Write(row, mask.into()));
            }
        }
    }

    /// Whether lanes are dirty, and no end of a warp is on its way that clears them.
    fn stays_dirty(&self, row: u64, lanes: u64) -> bool {
        let is_clear = |event: &Event| matches!(event, Event::Clear(_));
        lanes & !self.dirty.lanes(row) == 0
            && self.dirty.clearing().is_none()
            && !self.events.iter().any(is_clear)
    }

    /// A warp has ended.
    pub fn end(&mut self, warp: usize) {
        self.events.push_back(Event::Clear(warp));
    }

    /// Beats of the whole context of a block with so many warps: registers, SIMT state and shared memory.
    pub const fn beats(&self, warps: usize) -> u64 {
        let state = 1 << self.parameters.state_bits;
        warps as u64 * (self.layout.rows * SECTORS + state) + self.layout.shared
    }

    /// Whether a row of these warps is dirty.
    pub fn is_dirty(&self, (first, count): (usize, usize)) -> bool {
        let rows = first as u64 * self.layout.rows..(first + count) as u64 * self.layout.rows;
        self.dirty.rows().any(|row| rows.contains(&row))
    }

    /// What was restored has no other copy any more.
    pub fn dirty_again(&mut self) {
        let rows = self.restored.drain(..);
        self.events
            .extend(rows.map(|(row, lanes)| Event::Write(row, lanes)));
    }

    /// What was restored was refused.
    pub fn forget_restored(&mut self) {
        self.restored.clear();
    }

    /// Whether every write has come to the dirty bits.
    pub fn is_quiet(&self) -> bool {
        self.events.is_empty() && self.quiet > 1
    }

    /// Free rows, and free beats of shared memory.
    pub const fn free(&self) -> (u64, u64) {
        (
            (1 << self.parameters.row_bits) - self.layout.used_rows,
            (1 << self.parameters.shared_bits) - self.layout.used_shared,
        )
    }

    /// The part of the free rows and beats that is a slot's.
    pub fn room_of(&self, slot: usize, slots: usize) -> Room {
        let (rows, beats) = self.free();
        let (slot, slots) = (slot as u64, slots as u64);
        let (rows, beats) = (rows / slots, beats / slots);
        Room {
            row: slot * rows,
            rows,
            beat: slot * beats,
            beats,
        }
    }

    /// All registers of warps become dirty, before anything else happens.
    pub fn dirty_all(&mut self, (first, count): (usize, usize)) {
        let (first, count) = (first as u64, count as u64);
        let rows = first * self.layout.rows..(first + count) * self.layout.rows;
        let all = rows.map(|row| Event::Write(row, u64::from(u32::MAX)));
        self.events.extend(all);
        while !self.events.is_empty() {
            self.follow(&checkpoint::Outputs::default());
        }
    }

    /// The share of lanes of the registers of these warps that are dirty.
    pub fn dirty_share(&self, warps: &[usize]) -> f64 {
        let rows = warps.iter().flat_map(|&warp| {
            let first = warp as u64 * self.layout.rows;
            first..first + self.layout.rows
        });
        let (lanes, rows) = rows.fold((0, 0), |(lanes, rows), row| {
            (lanes + self.dirty.lanes(row).count_ones(), rows + 1)
        });
        f64::from(lanes) / f64::from(32 * rows.max(1))
    }

    /// A context is requested; of one that is restored, so many beats of memory's are there.
    pub fn begin_context(&mut self, request: Request, saved: Option<(&Saved, usize)>) {
        self.request = Some(request);
        self.leaving.clear();
        if let Some((saved, cut)) = saved {
            self.coming = saved.outside.iter().copied().take(cut).collect();
        }
        if let Some(lines) = &mut self.lines {
            lines.begin(self.coming.len());
        }
    }

    /// What has left.
    pub fn saved(&mut self, request: &Request) -> Saved {
        Saved {
            epoch: request.epoch,
            beats: self.outputs.ended_beats,
            operands: self.outputs.ended_operands,
            room: request.room,
            outside: std::mem::take(&mut self.leaving),
        }
    }

    /// The operands of what comes back.
    pub const fn operands(&self) -> &[Operand; 2] {
        &self.operands
    }

    /// What the engine receives and shows in this cycle, as far as it does not follow from the pipeline.
    pub fn begin_cycle(&mut self, stop_ready: bool) {
        self.now += 1;
        let random = &mut self.random;
        let mut ready = || random.f64() < self.rate;
        self.offers |= ready();
        let lines = self.lines.as_ref();
        let front = self.read.front().filter(|(time, _)| *time <= self.now);
        let mut inputs = checkpoint::Inputs {
            stop_ready,
            resume_ready: true,
            get_ready: self.read.len() < READ && ready(),
            got_valid: front.is_some(),
            got_beat: front.map_or_else(Beat::default, |(_, beat)| *beat),
            put_ready: ready(),
            out_ready: ready() && lines.is_none_or(Lines::takes),
            in_valid: self.offers && !self.coming.is_empty() && lines.is_none_or(Lines::has_next),
            in_last: self.coming.len() == 1,
            in_beat: self.coming.front().copied().unwrap_or_default(),
            ended_ready: ready() && lines.is_none_or(Lines::are_there),
            ..checkpoint::Inputs::default()
        };
        if let Some(request) = &self.request {
            self.fill(request, &mut inputs);
        }
        let shown = self.engine.outputs(&inputs);
        let dirty = self.follow(&shown);
        give_dirty(&dirty, &mut inputs);
        (self.inputs, self.outputs) = (inputs, shown);
    }

    fn fill(&self, request: &Request, inputs: &mut checkpoint::Inputs) {
        let (first, count) = request.warps;
        let last = first + count - 1;
        inputs.request_valid = true;
        inputs.request_restores = request.restores;
        inputs.request_runs = request.runs;
        inputs.request_cta = request.block as u64 & 0xffff;
        inputs.request_epoch = request.epoch;
        inputs.request_slot = request.slot as u64;
        (inputs.request_first_warp, inputs.request_last_warp) = (first as u64, last as u64);
        inputs.request_first_group = self.layout.groups(first).0;
        inputs.request_last_group = self.layout.groups(last).1;
        inputs.request_shared_first = request.slot as u64 * self.layout.shared;
        inputs.request_shared_beats = self.layout.shared;
        let Room {
            row,
            rows,
            beat,
            beats,
        } = request.room;
        let low = |place: u64, bits: usize| place & ((1 << bits) - 1);
        inputs.request_room_row = low(self.layout.used_rows + row, self.parameters.row_bits);
        inputs.request_room_first =
            low(self.layout.used_shared + beat, self.parameters.shared_bits);
        (inputs.request_room_rows, inputs.request_room_beats) = (rows, beats);
        (inputs.request_beats, inputs.request_operands) = (request.beats, request.operands);
        inputs.request_unlogged = self.unlogged;
    }

    /// The dirty bits go on by a cycle.
    fn follow(&mut self, shown: &checkpoint::Outputs) -> dirty_bits::Outputs {
        let mut inputs = saving_walk(shown);
        for port in 0..2 {
            if let Some(Event::Write(row, lanes)) = self.events.get(port) {
                inputs.write_valid |= 1 << port;
                (inputs.write_row[port], inputs.write_lanes[port]) = (*row, *lanes);
            } else {
                break;
            }
        }
        if let Some(Event::Clear(warp)) = self.events.front() {
            (inputs.clear_first, inputs.clear_last) = self.layout.groups(*warp);
            inputs.clear_valid = true;
        }
        let outputs = self.dirty.cycle(&inputs);
        self.quiet += 1;
        if inputs.clear_valid {
            self.events.pop_front();
        }
        // The second write may be taken before the first.
        for port in [1, 0] {
            if inputs.write_valid & outputs.write_ready >> port & 1 == 1 {
                self.events.remove(port);
                self.quiet = 0;
            }
        }
        self.dirty_ports = (inputs, outputs.clone());
        outputs
    }

    /// The engine goes on by a cycle; what the pipeline shows is among its inputs.
    pub fn end_cycle(&mut self, logged: &Operand, state: &mut State<'_>) {
        let inputs = self.inputs.clone();
        let outputs = self.engine.cycle(&inputs);
        if inputs.spilled_valid {
            self.spilled = *logged;
        }
        if inputs.request_valid && outputs.request_ready {
            self.request = None;
        }
        if inputs.got_valid && outputs.got_ready {
            self.read.pop_front();
        }
        if outputs.get_valid && inputs.get_ready {
            let beat = self.get(outputs.get_space, outputs.get_place, state);
            let delay = if self.rate < 1.0 {
                self.random.u64(1..4)
            } else {
                1
            };
            self.read.push_back((self.now + delay, beat));
        }
        if outputs.put_valid && inputs.put_ready {
            self.put(
                outputs.put_space,
                outputs.put_place,
                &outputs.put_beat,
                state,
            );
        }
        if outputs.out_valid && inputs.out_ready {
            self.leaving.push(outputs.out_beat);
            self.moved += 1;
            if let Some(lines) = &mut self.lines {
                lines.leave();
            }
        }
        if inputs.in_valid && outputs.in_ready {
            self.coming.pop_front();
            self.offers = false;
            self.moved += 1;
            if let Some(lines) = &mut self.lines {
                lines.take();
            }
        }
        if let Some(lines) = self.lines.as_mut().filter(|_| outputs.ended_valid) {
            lines.close();
        }
        self.outputs = outputs;
    }

    /// Whether nothing is under way between what is around the engine, and it has no request.
    pub fn rests(&self) -> bool {
        let is_idle = self.engine.activity() == Activity::Idle && self.request.is_none();
        is_idle && self.is_quiet()
    }

    /// Whether the engine goes on without the pipeline, as far as it has begun the cycle.
    pub fn moves_alone(&self) -> bool {
        use Activity::{
            Closing, Opening, Restoring, SavingOperand, SavingRegisters, SavingShared,
            SavingStates, Waiting,
        };
        match self.engine.activity() {
            Opening | SavingRegisters | SavingShared | SavingStates | SavingOperand | Closing
            | Waiting => true,
            Restoring => !self.outputs.restore_valid,
            _ => false,
        }
    }

    /// The verdict, if it is reported in this cycle.
    pub fn verdict(&self) -> Option<u64> {
        let reported = self.outputs.ended_valid && self.inputs.ended_ready;
        reported.then_some(self.outputs.ended_verdict)
    }

    /// The warp, register, half of its bits and first lane of a place in the register file.
    const fn register(&self, place: u64) -> (usize, u8, u32, usize) {
        let (row, sector) = (place / SECTORS, place % SECTORS);
        let (warp, row) = (row / self.layout.rows, row % self.layout.rows);
        let (register, half) = self.layout.register_of(row);
        (
            warp as usize,
            register,
            half * WORD,
            sector as usize * LANES,
        )
    }

    fn get(&self, space: u64, place: u64, state: &State<'_>) -> Beat {
        if let Some(kept) = self.kept_place(space, place) {
            return self.kept.get(&kept).copied().unwrap_or_default();
        }
        if space == Space::Registers as u64 {
            let (warp, register, half, lane) = self.register(place);
            let warp = state.warps.get(warp).and_then(Option::as_ref);
            return warp.map_or([0; 8], |warp| {
                let values = warp.registers.read(register);
                std::array::from_fn(|word| values[lane + word] >> half & u64::from(u32::MAX))
            });
        }
        if space == Space::SharedMemory as u64 {
            let Some(shared) = state.shared.get((place / self.layout.shared) as usize) else {
                return [0; 8];
            };
            let byte = place % self.layout.shared * 32;
            return std::array::from_fn(|word| shared.read(byte + 4 * word as u64, Width::Four));
        }
        if space == Space::SimtState as u64 {
            let resident = &state.residents[place as usize >> self.parameters.state_bits];
            return resident.as_ref().map_or([0; 8], |resident| {
                self.control_beat(place, (resident.position as u64, resident.waits))
            });
        }
        operand_beat(&self.spilled, place)
    }

    fn put(&mut self, space: u64, place: u64, beat: &Beat, state: &mut State<'_>) {
        if let Some(kept) = self.kept_place(space, place) {
            self.kept.insert(kept, *beat);
        } else if space == Space::Registers as u64 {
            let (row, lanes) = (place / SECTORS, 0xff << (place % SECTORS * 8));
            match self.restored.last_mut() {
                Some(last) if last.0 == row => last.1 |= lanes,
                _ => self.restored.push((row, lanes)),
            }
            let (warp, register, half, lane) = self.register(place);
            if let Some(warp) = state.warps.get_mut(warp).and_then(Option::as_mut) {
                let mut values = *warp.registers.read(register);
                for (value, word) in values[lane..].iter_mut().zip(beat) {
                    *value = *value & !(u64::from(u32::MAX) << half) | word << half;
                }
                warp.registers.write(register, 0xff << lane, &values);
            }
        } else if space == Space::SharedMemory as u64 {
            let Some(shared) = state.shared.get_mut((place / self.layout.shared) as usize) else {
                return;
            };
            let byte = place % self.layout.shared * 32;
            for (word, value) in beat.iter().enumerate() {
                shared.write(byte + 4 * word as u64, Width::Four, *value);
            }
        } else if space == Space::SimtState as u64 {
            let warp = place as usize >> self.parameters.state_bits;
            if beat[0] != 0 {
                let control = (beat[1], beat[2] == 1);
                // Every beat says the same, at another place.
                if self.control_beat(place, control) == *beat {
                    let first = place & ((1 << self.parameters.state_bits) - 1) == 0;
                    if first || state.restored.get(&warp) == Some(&control) {
                        state.restored.insert(warp, control);
                        return;
                    }
                }
                state.restored.remove(&warp);
            }
        } else {
            put_operand(&mut self.operands, place, beat);
        }
    }

    /// A beat of a warp's SIMT state: that there is one, what goes on, and which of the beats this is.
    const fn control_beat(&self, place: u64, (position, waits): (u64, bool)) -> Beat {
        let number = place & ((1 << self.parameters.state_bits) - 1);
        [1, position, waits as u64, number, 0, 0, 0, 0]
    }

    /// The place, if it is free.
    fn kept_place(&self, space: u64, place: u64) -> Option<(u64, u64)> {
        let used = match space {
            0 => self.layout.used_rows * SECTORS,
            1 => self.layout.used_shared,
            _ => return None,
        };
        (place >= used).then_some((space, place))
    }

    /// The first beat of memory's of what is restored is damaged in a bit.
    pub fn damage(&mut self) {
        let count = self.coming.len();
        if count > 0 {
            let word = self.random.usize(0..8);
            let beat = self.random.usize(0..count);
            self.coming[beat][word] ^= 1 << self.random.u32(0..WORD);
        }
    }
}

/// The verdict of a context that is whole.
pub(super) const ACCEPTED: u64 = context_port::Verdict::Accepted as u64;

/// A beat of an operand: four lanes of 64 bits.
fn operand_beat(operand: &Operand, place: u64) -> Beat {
    let lane = 4 * (place as usize % 8);
    std::array::from_fn(|word| {
        operand[lane + word / 2] >> (WORD * (word as u32 % 2)) & u64::from(u32::MAX)
    })
}

fn put_operand(operands: &mut [Operand; 2], place: u64, beat: &Beat) {
    let operand = &mut operands[place as usize / 8 % 2];
    let lane = 4 * (place as usize % 8);
    for pair in 0..4 {
        operand[lane + pair] = beat[2 * pair] | beat[2 * pair + 1] << WORD;
    }
}
