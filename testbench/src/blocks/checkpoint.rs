//! Traffic for the checkpoint engine: an SM that writes registers, has instructions squashed, and saves and restores thread
//! blocks, with a memory that gives contexts back as they left, cut or changed, or to the wrong block.

use faultline_sim::preempt::checkpoint::{
    Activity, Checkpoint, DOES_NOT_FIT, Inputs, Outputs, Parameters,
};
use faultline_sim::preempt::context_port::{self, Beat, Kind};

use super::{Block, PROVED};
use crate::session::Coverage;
use crate::traffic::{Rng, Traffic};

mod scenarios;
mod surroundings;

use scenarios::Scenarios;
pub use surroundings::{Pace, Squashed, Surroundings};

/// Contexts that memory keeps.
const CONTEXTS: usize = 6;

/// What is requested, and what is known of the context.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// It is restored, and not saved.
    pub restores: bool,
    /// Its block runs when that is done.
    pub runs: bool,
    /// The block.
    pub block: u64,
    /// The number of the context among those of the block.
    pub epoch: u64,
    /// The slot.
    pub slot: u64,
    /// The first warp, and the last.
    pub warps: (u64, u64),
    /// The first group of registers, and the last.
    pub groups: (u64, u64),
    /// The first beat of shared memory, and how many.
    pub shared: (u64, u64),
    /// The first free row, and how many there are.
    pub room_rows: (u64, u64),
    /// The first free beat of shared memory, and how many there are.
    pub room_shared: (u64, u64),
    /// Beats of the context.
    pub beats: u64,
    /// Operands of its instructions.
    pub operands: u64,
    /// The operands are not in the context, because the pipeline has no operand log.
    pub unlogged: bool,
}

impl Request {
    /// Puts it on the ports.
    pub fn drive(&self, inputs: &mut Inputs) {
        inputs.request_valid = true;
        (inputs.request_restores, inputs.request_runs) = (self.restores, self.runs);
        (inputs.request_cta, inputs.request_epoch) = (self.block, self.epoch);
        inputs.request_slot = self.slot;
        (inputs.request_first_warp, inputs.request_last_warp) = self.warps;
        (inputs.request_first_group, inputs.request_last_group) = self.groups;
        (inputs.request_shared_first, inputs.request_shared_beats) = self.shared;
        (inputs.request_room_row, inputs.request_room_rows) = self.room_rows;
        (inputs.request_room_first, inputs.request_room_beats) = self.room_shared;
        (inputs.request_beats, inputs.request_operands) = (self.beats, self.operands);
        inputs.request_unlogged = self.unlogged;
    }

    /// Beats of the context that fit into free rows and free shared memory.
    #[must_use]
    pub fn room(&self, parameters: &Parameters) -> u64 {
        (self.room_rows.1 << parameters.sector_bits) + self.room_shared.1
    }

    /// Whether a beat at this place is the block's, or of the room that it was given.
    #[must_use]
    pub fn owns(&self, parameters: &Parameters, space: u64, place: u64) -> bool {
        let within = |(first, count): (u64, u64), place| (first..first + count).contains(&place);
        match space {
            0 => {
                let row = place >> parameters.sector_bits;
                let group = row >> parameters.group_bits;
                let own = (self.groups.0..=self.groups.1).contains(&group);
                (own && self.restores) || (!self.restores && within(self.room_rows, row))
            }
            1 if self.restores => within(self.shared, place),
            1 => within(self.room_shared, place),
            2 => {
                let warp = place >> parameters.state_bits;
                self.restores && (self.warps.0..=self.warps.1).contains(&warp)
            }
            _ => self.restores,
        }
    }
}

/// What a block held, counted from its own first row, beat and warp.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The sectors of each dirty row that were saved.
    pub rows: Vec<(u64, u64, Beat)>,
    /// Shared memory.
    pub shared: Vec<Beat>,
    /// The SIMT state of its warps; nothing of a base.
    pub states: Vec<Beat>,
    /// Its squashed instructions; none of a base.
    pub queue: Vec<Squashed>,
}

/// A context in memory.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The request for it, with its beats and operands.
    pub request: Request,
    /// All of its beats.
    pub all: Vec<Beat>,
    /// What it is to restore.
    pub held: Held,
}

/// What a block holds of what would be saved now.
#[must_use]
pub fn holds(sm: &Surroundings, parameters: &Parameters, request: &Request) -> Held {
    let first = request.groups.0 << parameters.group_bits;
    let mut held = Held::default();
    for (&row, &lanes) in &sm.dirty {
        let group = row >> parameters.group_bits;
        if (request.groups.0..=request.groups.1).contains(&group) {
            let sectors = parameters.sectors_of(lanes);
            for sector in (0..parameters.sectors()).filter(|sector| sectors >> sector & 1 == 1) {
                let beat = sm.beats[0][(row << parameters.sector_bits | sector) as usize];
                held.rows.push((row - first, sector, beat));
            }
        }
    }
    let (from, count) = (request.shared.0 as usize, request.shared.1 as usize);
    held.shared = sm.beats[1][from..from + count].to_vec();
    if !request.runs {
        let state = |warp: u64| (warp << parameters.state_bits) as usize;
        held.states = sm.beats[2][state(request.warps.0)..state(request.warps.1 + 1)].to_vec();
        let of_slot = sm.queue.iter().filter(|other| other.slot == request.slot);
        let relative = of_slot.map(|squashed| Squashed {
            warp: squashed.warp - request.warps.0,
            slot: 0,
            ..squashed.clone()
        });
        held.queue = relative.collect();
    }
    held
}

/// Whether what was saved is what a block holds now.
#[must_use]
pub fn is_back(sm: &Surroundings, parameters: &Parameters, request: &Request, held: &Held) -> bool {
    let first = request.groups.0 << parameters.group_bits;
    let rows = held.rows.iter().all(|&(row, sector, beat)| {
        sm.beats[0][((first + row) << parameters.sector_bits | sector) as usize] == beat
    });
    let (from, count) = (request.shared.0 as usize, held.shared.len());
    let state = (request.warps.0 << parameters.state_bits) as usize;
    let queue: Vec<_> = sm
        .queue
        .iter()
        .filter(|other| other.slot == request.slot)
        .collect();
    let instructions = queue.len() == held.queue.len()
        && queue.iter().zip(&held.queue).all(|(now, then)| {
            let operands = then.operands.is_empty() || now.operands == then.operands;
            now.warp == then.warp + request.warps.0
                && now.store == then.store
                && now.words == then.words
                && operands
        });
    rows && sm.beats[1][from..from + count] == held.shared
        && sm.beats[2][state..state + held.states.len()] == held.states
        && instructions
}

/// Seeded traffic.
pub struct CheckpointTraffic {
    parameters: Parameters,
    rng: Rng,
    cycle: u64,
    sm: Surroundings,
    memory: Vec<Saved>,
    /// What is requested, and was taken.
    request: Option<Request>,
    taken: bool,
    /// What is saved; or what comes back, if it is whole and fits.
    held: Option<Held>,
    /// A context comes back that cannot fit, or is damaged.
    damaged: bool,
    /// Its packets are each whole, its end is right, but its instructions are without their operands.
    misplaced: bool,
    /// All beats of the context that is saved.
    all: Vec<Beat>,
    before: Activity,
    scenarios: Scenarios,
}

impl CheckpointTraffic {
    /// A first number and a last one, below `end`.
    fn range(&mut self, end: u64) -> (u64, u64) {
        let pair = [self.rng.below(end), self.rng.below(end)];
        (pair[0].min(pair[1]), pair[0].max(pair[1]))
    }

    /// A part of a small region.
    fn part(&mut self, end: u64, most: u64) -> (u64, u64) {
        let first = self.rng.below(end);
        let count = match self.rng.below(4) {
            0 => 0,
            _ => self.rng.below(most.min(end - first) + 1),
        };
        (first, count)
    }

    /// Slot, warps, registers and shared memory of a block; registers and shared memory in the lower halves if the upper
    /// ones may be room for a kept context.
    fn block(&mut self, halves: bool) -> Request {
        let parameters = self.parameters;
        let groups = 1 << (parameters.row_bits - parameters.group_bits);
        let most = self.rng.below(3) * 8 + 2;
        let (first, last) = self.range(groups >> u64::from(halves));
        let (first_warp, last_warp) = self.range(1 << parameters.warp_bits);
        let longest = (1 << parameters.port.length_bits) - 1;
        Request {
            block: self.rng.below(1 << parameters.port.block_bits),
            epoch: self.rng.below(1 << parameters.port.epoch_bits),
            slot: self.rng.below(1 << parameters.slot_bits),
            warps: (first_warp, last_warp.min(first_warp + 3)),
            groups: (first, last.min(first + most)),
            shared: self.part(
                1 << (parameters.shared_bits - usize::from(halves)),
                40.min(longest),
            ),
            ..Request::default()
        }
    }

    /// A base, or what leaves with its block.
    fn save(&mut self) -> Request {
        let parameters = self.parameters;
        let halves = self.rng.chance(128);
        let mut request = self.block(halves);
        request.runs = self.rng.chance(96);
        if halves {
            let rows = 1 << (parameters.row_bits - 1);
            let (first, count) = self.part(rows, 60);
            request.room_rows = (rows + first, count);
            let beats = 1 << (parameters.shared_bits - 1);
            let (first, count) = self.part(beats, 60);
            request.room_shared = (beats + first, count);
        }
        let rows = self.rng.below(5) * 8;
        let within = (request.groups.1 - request.groups.0 + 1) << parameters.group_bits;
        for _ in 0..rows.min(2 * within) {
            let row = (request.groups.0 << parameters.group_bits) + self.rng.below(within);
            let lanes = match self.rng.below(3) {
                0 => 1 << self.rng.below(parameters.lanes as u64),
                1 => self.rng.bits() >> (64 - parameters.lanes) | 1,
                _ => u64::MAX >> (64 - parameters.lanes),
            };
            self.sm.write(row, lanes);
        }
        let most = (1 << parameters.log_bits) / 2;
        let logged = self.rng.chance(170);
        request.unlogged = !logged;
        self.sm.queue.clear();
        for _ in 0..self.rng.below(most.min(7)) {
            let warp = request.warps.0 + self.rng.below(request.warps.1 - request.warps.0 + 1);
            let slot = match self.rng.below(4) {
                0 => self.rng.below(1 << parameters.slot_bits),
                _ => request.slot,
            };
            let store = self.rng.chance(128);
            self.sm.squash(slot, warp, store, logged);
        }
        for place in request.shared.0..request.shared.0 + request.shared.1 {
            let beat = self.sm.beat();
            self.sm.beats[1][place as usize] = beat;
        }
        for warp in request.warps.0..=request.warps.1 {
            for number in 0..1 << parameters.state_bits {
                let beat = self.sm.beat();
                self.sm.beats[2][(warp << parameters.state_bits | number) as usize] = beat;
            }
        }
        self.all.clear();
        self.held = Some(holds(&self.sm, &parameters, &request));
        request
    }

    /// A context comes back, to other places.
    fn restore(&mut self) -> Request {
        let parameters = self.parameters;
        let chosen = self.rng.below(self.memory.len() as u64) as usize;
        let saved = self.memory[chosen].clone();
        let then = &saved.request;
        let halves = then.room(&parameters) > 0;
        let mut request = self.block(halves);
        request.restores = true;
        request.runs = !then.runs && self.rng.chance(128);
        (request.block, request.epoch) = (then.block, then.epoch);
        request.shared.1 = then.shared.1;
        let half = usize::from(halves);
        let end = 1 << (parameters.shared_bits - half);
        // With beats up to the end, the first of none would be behind it.
        request.shared.0 = self.rng.below((end - then.shared.1 + 1).min(end));
        let groups = then.groups.1 - then.groups.0;
        let end = 1 << (parameters.row_bits - parameters.group_bits - half);
        request.groups.0 = self.rng.below(end - groups);
        request.groups.1 = request.groups.0 + groups;
        let warps = then.warps.1 - then.warps.0;
        request.warps.0 = self.rng.below((1 << parameters.warp_bits) - warps);
        request.warps.1 = request.warps.0 + warps;
        (request.room_rows, request.room_shared) = (then.room_rows, then.room_shared);
        (request.beats, request.operands) = (then.beats, then.operands);
        request.unlogged = then.unlogged;
        self.sm.queue.retain(|other| other.slot != request.slot);

        // What lies in the room is still there; the others come from memory.
        let kept = then.room(&parameters).min(then.beats) as usize;
        let mut read = saved.all[kept..].to_vec();
        for (number, beat) in saved.all[..kept].iter().enumerate() {
            let rows = (then.room_rows.1 << parameters.sector_bits) as usize;
            if number < rows {
                let first = (then.room_rows.0 << parameters.sector_bits) as usize;
                self.sm.beats[0][first + number] = *beat;
            } else {
                let first = then.room_shared.0 as usize;
                self.sm.beats[1][first + number - rows] = *beat;
            }
        }
        self.held = Some(saved.held.clone());
        (self.damaged, self.misplaced) = (false, false);
        if self.rng.chance(128) {
            self.damaged = self.damage(&saved, &mut request, &mut read);
        }
        self.sm.read = read.into();
        request
    }

    /// Something is wrong with what comes back, or where it is to be; false if nothing is after all.
    fn damage(&mut self, saved: &Saved, request: &mut Request, read: &mut Vec<Beat>) -> bool {
        let s = &mut self.scenarios;
        let parameters = &self.parameters;
        let words = parameters.port.words as u64;
        let held = &saved.held;
        match self.rng.below(13) {
            0 if !read.is_empty() => {
                let beat = self.rng.below(read.len() as u64) as usize;
                let word = self.rng.below(words) as usize;
                read[beat][word] ^= 1 << self.rng.below(parameters.port.word_bits as u64);
                s.bit_changed += 1;
            }
            1 if read.len() > 1 => {
                let length = 1 + self.rng.below(read.len() as u64 - 1) as usize;
                read.truncate(length);
                s.cut += 1;
            }
            2 if !read.is_empty() => {
                let beat = self.rng.below(read.len() as u64) as usize;
                read.insert(beat, read[beat]);
                s.doubled += 1;
            }
            3 => {
                request.block ^= 1 << self.rng.below(parameters.port.block_bits as u64);
                s.other_block += 1;
            }
            4 => {
                request.epoch ^= 1 << self.rng.below(parameters.port.epoch_bits as u64);
                s.other_epoch += 1;
            }
            5 if request.groups.1 > request.groups.0 => {
                request.groups.1 -= 1;
                let last = request.groups.1 - request.groups.0;
                let stray = |&(row, _, _): &(u64, u64, Beat)| row >> parameters.group_bits > last;
                let strays = held.rows.iter().any(stray);
                s.too_few_registers += u64::from(strays);
                return strays;
            }
            6 if request.shared.1 > 0 => {
                request.shared.1 -= 1;
                s.too_little_shared_memory += 1;
            }
            7 if request.warps.1 > request.warps.0 && !held.states.is_empty() => {
                request.warps.1 -= 1;
                s.too_few_warps += 1;
            }
            8 if request.operands > 0 => {
                request.operands -= 1;
                s.too_few_operands += 1;
            }
            9 if !read.is_empty() => {
                let length = 1 << parameters.operand_bits;
                let mut packets = Vec::new();
                if !request.unlogged {
                    packets = vec![Beat::default(); 1 + length];
                    packets[0] = parameters.header(Kind::Instruction, length as u64, &[1]);
                }
                packets.push(parameters.header(Kind::Instruction, 0, &[0]));
                for header in packets.iter_mut().filter(|beat| **beat != Beat::default()) {
                    *header = parameters.port.with_block(header, request.block);
                }
                let copies = packets.repeat(parameters.queue_entries as usize + 1);
                let end = read.len() - 1;
                read.splice(end..end, copies);
                request.operands = (1 << parameters.log_bits) - 1;
                s.too_many_instructions += 1;
            }
            10.. if read.len() == saved.all.len() => return self.misplace(saved, request, read),
            _ => return false,
        }
        true
    }

    /// An operand is somewhere else than before its instruction, or one is there that has none; count and check are right. False
    /// if there is none that could be.
    fn misplace(&mut self, saved: &Saved, request: &mut Request, read: &mut Vec<Beat>) -> bool {
        let parameters = &self.parameters;
        let port = &parameters.port;
        // The packets behind the begin and before the end.
        let mut packets: Vec<Vec<Beat>> = Vec::new();
        let mut next = 1;
        while next + 1 < saved.all.len() {
            let end = next + 1 + port.length(&saved.all[next]) as usize;
            packets.push(saved.all[next..end].to_vec());
            next = end;
        }
        let of_kind = |packet: &[Beat], operand: bool| {
            port.kind(&packet[0]) == Kind::Instruction as u64 && (packet[0][1] & 1 == 1) == operand
        };
        let places = |operand| {
            let mine = packets.iter().enumerate();
            let mine = mine.filter(move |(_, packet)| of_kind(packet, operand));
            mine.map(|(place, _)| place).collect::<Vec<_>>()
        };
        let (operands, instructions) = (places(true), places(false));
        if instructions.is_empty() {
            return false;
        }
        let any = |places: &[usize], rng: &mut Rng| places[rng.below(places.len() as u64) as usize];
        let instruction = any(&instructions, &mut self.rng);
        let s = &mut self.scenarios;
        if operands.is_empty() {
            let header = parameters.header(Kind::Instruction, 1 << parameters.operand_bits, &[1]);
            let mut packet = vec![Beat::default(); 1 + (1 << parameters.operand_bits)];
            packet[0] = port.with_block(&header, request.block);
            packets.insert(instruction, packet);
            s.operand_without_log += 1;
        } else {
            let operand = any(&operands, &mut self.rng);
            match self.rng.below(5) {
                0 => {
                    packets.remove(operand);
                    s.operand_missing += 1;
                }
                1 => {
                    packets.insert(operand, packets[operand].clone());
                    s.operand_twice += 1;
                }
                2 if packets[instruction][0][1] >> 1 & 1 == 1 => {
                    packets.swap(instruction - 2, instruction - 1);
                    s.data_before_address += 1;
                }
                3 => {
                    let last = packets.remove(instruction);
                    request.operands -= 1 + (last[0][1] >> 1 & 1);
                    s.instruction_missing += 1;
                }
                _ => {
                    let header = &mut packets[instruction][0];
                    header[1] ^= 2;
                    let store = header[1] >> 1 & 1 == 1;
                    request.operands = match store {
                        true => request.operands + 1,
                        false => request.operands - 1,
                    };
                    s.other_operands += 1;
                }
            }
        }
        let mut all = vec![saved.all[0]];
        all.extend(packets.into_iter().flatten());
        all.push(port.end(request.block, &all));
        (request.beats, *read) = (all.len() as u64, all);
        // A count that has too few bits is another one.
        self.misplaced =
            request.beats >> port.count_bits == 0 && request.operands >> parameters.log_bits == 0;
        request.beats &= (1 << port.count_bits) - 1;
        request.operands &= (1 << parameters.log_bits) - 1;
        true
    }

    /// The verdict is reported.
    fn judge(&mut self, outputs: &Outputs) {
        let (Some(mut request), Some(held)) = (self.request.take(), self.held.take()) else {
            return;
        };
        let accepted = outputs.ended_verdict == 0;
        let s = &mut self.scenarios;
        if !request.restores {
            assert!(accepted, "it cannot save");
            let of_slot = |other: &Squashed| other.slot == request.slot;
            assert!(
                request.runs || !self.sm.queue.iter().any(of_slot),
                "it leaves instructions behind"
            );
            request.beats = outputs.ended_beats;
            request.operands = outputs.ended_operands;
            assert_eq!(request.beats as usize, self.all.len());
            s.base += u64::from(request.runs);
            s.left += u64::from(!request.runs);
            s.nothing_dirty += u64::from(held.rows.is_empty());
            s.no_shared_memory += u64::from(held.shared.is_empty());
            s.no_instruction += u64::from(!request.runs && held.queue.is_empty());
            let logged = held.queue.iter().any(|other| !other.operands.is_empty());
            s.instructions_with_operands += u64::from(logged);
            let room = request.room(&self.parameters);
            s.all_in_place += u64::from(room >= request.beats);
            s.some_in_place += u64::from(room > 0 && room < request.beats);
            let kind = |beat: &&Beat| self.parameters.port.kind(beat) == Kind::Registers as u64;
            let mut rows: Vec<u64> = held.rows.iter().map(|&(row, _, _)| row).collect();
            rows.dedup();
            s.several_lists += u64::from(rows.len() > self.parameters.listed);
            s.full_list += u64::from(rows.len() == self.parameters.listed);
            s.a_list += u64::from(self.all.iter().skip(1).take(1).any(|beat| kind(&beat)));
            if self.memory.len() == CONTEXTS {
                let old = self.rng.below(CONTEXTS as u64) as usize;
                self.memory.swap_remove(old);
            }
            self.memory.push(Saved {
                request,
                all: std::mem::take(&mut self.all),
                held,
            });
            return;
        }
        let wide = self.parameters.port.word_bits >= 32;
        if self.damaged {
            assert!(!accepted || !wide, "a damaged context is accepted");
            assert!(
                !self.misplaced || outputs.ended_verdict == DOES_NOT_FIT,
                "an instruction comes without its operands, verdict {}",
                outputs.ended_verdict
            );
            s.refused += u64::from(!accepted);
            s.does_not_fit += u64::from(outputs.ended_verdict == DOES_NOT_FIT);
            let of_slot = |other: &Squashed| other.slot == request.slot;
            assert!(
                accepted || !self.sm.queue.iter().any(of_slot),
                "instructions of a refused context stay"
            );
        } else {
            assert!(accepted, "verdict {}", outputs.ended_verdict);
            let back = is_back(&self.sm, &self.parameters, &request, &held);
            assert!(back, "something else has come back");
            s.came_back += 1;
            s.came_back_and_runs += u64::from(request.runs);
        }
        let slot = request.slot;
        self.sm.queue.retain(|other| other.slot != slot);
    }

    fn forget(&mut self) {
        self.sm.reset();
        self.sm.queue.clear();
        (self.request, self.held, self.taken) = (None, None, false);
        self.all.clear();
    }
}

impl Block for Checkpoint {
    type Traffic = CheckpointTraffic;

    const NAME: &'static str = "checkpoint";

    fn parameters(config: &str) -> Option<Parameters> {
        match config {
            "32" => Some(Parameters::paper()),
            PROVED => Some(Parameters {
                port: context_port::Parameters {
                    words: 5,
                    word_bits: 8,
                    block_bits: 2,
                    length_bits: 3,
                    epoch_bits: 2,
                    count_bits: 6,
                    polynomial: 0x1D,
                },
                row_bits: 2,
                group_bits: 1,
                lanes: 4,
                sector_bits: 1,
                listed: 2,
                slot_bits: 4,
                warp_bits: 1,
                state_bits: 1,
                shared_bits: 2,
                operand_bits: 1,
                log_bits: 2,
                queue_entries: 2,
            }),
            _ => None,
        }
    }
}

impl Traffic for CheckpointTraffic {
    type Model = Checkpoint;

    fn new(parameters: Parameters, seed: u64) -> Self {
        Self {
            parameters,
            rng: Rng::new(seed),
            cycle: 0,
            sm: Surroundings::new(parameters, seed ^ 0x5A5A),
            memory: Vec::new(),
            request: None,
            taken: false,
            held: None,
            damaged: false,
            misplaced: false,
            all: Vec::new(),
            before: Activity::Idle,
            scenarios: Scenarios::default(),
        }
    }

    fn drive(&mut self, model: &Checkpoint, inputs: &mut Inputs) {
        if self.cycle.is_multiple_of(4096) {
            let chance = [256, 256, 230, 128, 40][self.rng.below(5) as usize];
            self.sm.pace = Pace::all(chance);
            if self.rng.chance(128) {
                self.sm.pace.get = 256;
                self.sm.pace.dirty = 256;
            }
        }
        self.cycle += 1;
        self.before = model.activity();
        let short = matches!(
            self.before,
            Activity::Clearing | Activity::Dropping | Activity::Resuming(_)
        );
        let rare = if short { 128 } else { 4096 };
        inputs.reset = self.cycle < 3 || self.rng.below(rare) == 0;
        if self.request.is_none() && self.rng.chance(64) {
            let restores = !self.memory.is_empty() && self.rng.chance(150);
            self.request = Some(match restores {
                true => self.restore(),
                false => self.save(),
            });
            self.taken = false;
        }
        inputs.request_valid = false;
        if let Some(request) = self.request.as_ref().filter(|_| !self.taken) {
            request.drive(inputs);
        }
        self.sm.drive(inputs);
    }

    fn observe(&mut self, model: &Checkpoint, inputs: &Inputs, outputs: &Outputs) {
        self.count(inputs, outputs);
        self.scenarios.get_before_header += u64::from(model.is_ahead());
        if inputs.reset {
            self.forget();
            return;
        }
        self.sm.observe(inputs, outputs);
        if let Some(request) = &self.request {
            for &(space, place) in &self.sm.puts {
                assert!(
                    request.owns(&self.parameters, space, place),
                    "a beat is put at {place} of space {space}, which is not the block's"
                );
            }
        }
        self.sm.puts.clear();
        let leaves = outputs.out_valid && inputs.out_ready;
        let stays = outputs.put_valid && inputs.put_ready;
        if let Some(request) = self.request.as_ref().filter(|request| !request.restores) {
            if leaves {
                self.all.push(outputs.out_beat);
            }
            if stays {
                assert!((self.all.len() as u64) < request.room(&self.parameters));
                self.all.push(outputs.put_beat);
            }
        }
        if inputs.request_valid && outputs.request_ready {
            self.taken = true;
        }
        if outputs.ended_valid && inputs.ended_ready {
            self.judge(outputs);
        }
    }

    fn coverage(&self) -> Coverage {
        self.scenarios.list()
    }
}
