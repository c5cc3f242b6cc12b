//! The reference model of the SM pipeline: its page (`docs/blocks/sm_pipeline.md`) as plain data.

use crate::bits::{bit, lowest, members, put};
use crate::ports::Model;
use crate::sm::operand_log;
use crate::sm::replay_queue;
use crate::sm::scoreboard::{Arrival, Scoreboard, ZERO_REGISTER};

mod interface;
mod memory;
mod sets;
mod state;

pub use interface::{
    CONTROL_UNIT, Class, Inputs, MEMORY_UNIT, Outputs, Pair, Parameters, Policy, SPECIAL_UNIT,
    Scheme, UNITS, WIDTH,
};
use memory::{Cycle, MemoryStage, PLACES};
use sets::Sets;

/// An instruction as the pipeline knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Its warp.
    pub warp: u8,
    /// Its scoreboard entry.
    pub entry: u8,
    /// Its class.
    pub class: Class,
    /// The register that it writes.
    pub destination: u8,
    /// The registers that it reads.
    pub sources: [u8; 3],
    /// Its program counter.
    pub pc: u32,
    /// Its lanes.
    pub mask: u32,
    /// Its opcode.
    pub opcode: u8,
}

/// What goes from issue to operand read.
#[derive(Clone, Copy, Debug, Default)]
struct Read {
    instruction: Instruction,
    slot: u8,
    /// It comes from the queue: its entry there, and its entries in the log.
    replayed: Option<(u8, u8, u8)>,
    /// It comes from a saved context, and goes no further than the queue.
    restored: bool,
}

#[derive(Clone, Debug)]
struct Warp {
    slot: u8,
    scoreboard: Scoreboard,
    /// Instructions that were fetched and not issued, the older one first.
    buffer: [Instruction; 2],
}

/// In the queue, the highest bit of an opcode distinguishes a store from a load.
const STORE: u8 = 1 << 7;

/// The reference model.
#[derive(Clone, Debug)]
pub struct SmPipeline {
    parameters: Parameters,
    warps: Vec<Warp>,
    sets: Sets,
    /// The warps whose fetch comes, and those that were chosen last.
    fetching: [Option<u8>; WIDTH],
    fetched_last: [Option<u8>; WIDTH],
    /// The warps that may issue now, and each port's warps in their order.
    chosen: [Option<u8>; WIDTH],
    issue_order: [Order; WIDTH],
    /// The port that goes first when both want a unit of which there is one, or a place of the queue.
    favoured: [usize; UNITS + 1],
    /// The port that kept its choice in the cycle before.
    keeps: Option<usize>,
    reads: [Option<Read>; WIDTH],
    turns: Turns,
    /// The memory stage had places for two more instructions in the cycle before.
    had_two: bool,
    /// The unit for special functions was ready.
    had_special: bool,
    memory: MemoryStage,
    /// A warp and its scoreboard entry: an instruction that left the memory stage without having been executed.
    squashing: Option<(u8, u8)>,
    /// The warp whose instructions go back to the source.
    reverting: Option<u8>,
    /// The warp that is being replayed, and whether it may run afterwards.
    replaying: Option<(u8, bool)>,
    /// Without a queue there is nothing to save, and a save ends in the next cycle.
    saved: bool,
}

impl Model for SmPipeline {
    type Parameters = Parameters;
    type Inputs = Inputs;
    type Outputs = Outputs;

    fn new(parameters: Parameters) -> Self {
        let warp = Warp {
            slot: 0,
            scoreboard: Scoreboard::new(parameters.scoreboard()),
            buffer: [Instruction::default(); 2],
        };
        Self {
            parameters,
            warps: vec![warp; parameters.warps],
            sets: Sets::default(),
            fetching: [None; WIDTH],
            fetched_last: [None; WIDTH],
            chosen: [None; WIDTH],
            issue_order: std::array::from_fn(|_| Order::new(parameters.warps)),
            favoured: [0; UNITS + 1],
            keeps: None,
            reads: [None; WIDTH],
            turns: Turns::default(),
            had_two: false,
            had_special: false,
            memory: MemoryStage::new(&parameters),
            squashing: None,
            reverting: None,
            replaying: None,
            saved: false,
        }
    }

    fn cycle(&mut self, inputs: &Inputs) -> Outputs {
        let queues = self.parameters.scheme.queues();
        let slot_drained = self.slot_is_drained(inputs.save_slot);
        let waits = self.squashing.is_some() && self.faults(inputs);
        let saves = inputs.save_valid && slot_drained;
        let cycle = self.memory.cycle(inputs, saves, waits);
        let replay = self.memory.offers_replay();
        let again_now = replay || (queues && inputs.restore_valid);
        let promised = self.memory.length() + self.memory_reads();
        let credit = promised < PLACES;
        // A memory instruction is chosen only while two places are free: what issues before it takes at most one.
        let has_two = promised + 1 < PLACES;
        let choice = FreeUnits {
            special: inputs.special_ready,
            memory: has_two && !again_now,
            place: self.memory.has_places(2),
            log: &cycle.log_outputs,
        };
        let units = FreeUnits {
            special: inputs.special_ready || self.had_special,
            memory: (has_two || self.had_two) && !again_now,
            place: self.memory.has_places(2)
                || (self.memory.had_two_places() && self.memory.has_places(1)),
            ..choice
        };
        let issue = self.issue(&units, again_now);
        let fetching = self.fetching(inputs.restore_valid);
        let entries =
            fetching.map(|warp| warp.map_or(0, |warp| self.scoreboard(warp).arrive_entry()));
        let revert = self.revert();
        let next_revert = self.next_revert();
        let mut outputs = Outputs::default();
        self.show(inputs, &cycle, fetching, &mut outputs);
        outputs.save_ready = slot_drained && (!queues || cycle.queue_outputs.save_ready);
        outputs.save_done |= self.saved;
        outputs.restore_ready = queues && !replay && credit && self.restores(inputs, &cycle);

        let resumes = inputs.resume_valid && outputs.resume_ready;
        let replay_done = queues && cycle.queue_outputs.replay_done;
        let again = if replay {
            credit.then(|| self.replayed(&cycle))
        } else {
            let restores = inputs.restore_valid && outputs.restore_ready;
            restores.then(|| self.restored(inputs))
        };
        let turns = self.next_turns(&issue, revert);
        // Warps are chosen for the next cycle by what the scoreboards hold then.
        self.finish(inputs);
        let next_fetch = self.next_fetch(again_now);
        let next_issue = self.next_issue(inputs, [&units, &choice], fetching, &issue, again_now);
        let restored = again.filter(|read| read.restored);
        let coming = usize::from(self.taking().is_some())
            + usize::from(self.issues_global(&issue) || restored.is_some());
        let stops = self.stops(inputs);
        let arrives = self.memory_arrival(stops);
        let squashed = self.memory.leaves_squashed(&cycle);
        if !waits {
            self.squashing = squashed.map(|left| (left.instruction.warp, left.instruction.entry));
        }
        self.memory.requests.0.resume_valid = resumes;
        self.memory.requests.0.replay_ready = credit;
        self.memory.advance(inputs, &cycle, coming, arrives, stops);
        if inputs.reset {
            self.reset();
            return outputs;
        }
        self.turns = turns;
        self.issue_to_read(&issue, again);
        self.arrive(inputs, fetching, entries);
        self.control(inputs, stops, revert, resumes, replay_done);
        self.saved = !queues && inputs.save_valid && outputs.save_ready;
        self.reverting = next_revert;
        for port in 0..WIDTH {
            let issued = issue.ports[port].filter(|(_, second)| !second);
            self.issue_order[port].serve(issued.map(|(warp, _)| warp), next_issue[port]);
            self.fetched_last[port] = next_fetch[port].or(self.fetched_last[port]);
        }
        self.keeps = issue.keeps;
        self.had_two = has_two;
        self.had_special = inputs.special_ready;
        self.chosen = next_issue;
        self.fetching = next_fetch;
        outputs
    }
}

/// What is issued in a cycle: for each port the warp, and whether its second instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Issue {
    ports: [Option<(u8, bool)>; WIDTH],
    /// What both warps that were chosen have in mind, and of which there is one ([`SmPipeline::clash`]).
    clash: Option<usize>,
    /// Both could go, but for log entries: the port that leaves the unit to the other, and keeps its choice for a cycle.
    keeps: Option<usize>,
    /// Both could go.
    conflict: bool,
    /// The warps that were chosen and lack nothing but their log entries.
    refused: [Option<u8>; WIDTH],
}

/// What instructions need besides their operands.
#[derive(Clone, Copy)]
struct FreeUnits<'cycle> {
    special: bool,
    memory: bool,
    /// The queue takes an instruction more.
    place: bool,
    log: &'cycle operand_log::Outputs,
}

/// The warps that take log entries while these are short.
#[derive(Clone, Copy, Debug, Default)]
struct Turns {
    /// Warps that have the turn to take them, a bit each; they are all in slots of `kept`.
    warps: u64,
    /// Slots in which all warps that wait for log entries get the turn, a bit each.
    called: u64,
    /// Slots in which only warps that have the turn take log entries, a bit each.
    kept: u64,
}

/// The order in which the warps were served.
#[derive(Clone, Debug)]
struct Order {
    /// For each warp, how many were served before it was; at first its own number, so that the lowest comes first.
    served: Vec<u64>,
    /// How many were served, and before that the number of warps.
    count: u64,
    /// The one that was chosen last, and whether that was in the cycle before.
    last: Option<u8>,
    recent: bool,
}

impl Order {
    fn new(warps: usize) -> Self {
        let count = warps as u64;
        Self {
            served: (0..count).collect(),
            count,
            last: None,
            recent: false,
        }
    }

    /// The warp that is chosen: of those that want it, a bit each, the one that was served longest ago, and the one that was chosen in
    /// the cycle before only if no other wants it; or greedily the one that was chosen last, and else the lowest.
    fn choose(&self, policy: Policy, wants: u64) -> Option<u8> {
        let last = self.last.map_or(0, |last| 1 << last);
        let first = |set: u64| members(set).min_by_key(|&warp| self.served.get(usize::from(warp)));
        match policy {
            Policy::LooseRoundRobin => {
                let recent = if self.recent { last } else { 0 };
                first(wants & !recent).or(lowest(wants & recent))
            }
            Policy::GreedyThenOldest => lowest(wants & last).or(lowest(wants)),
        }
    }

    /// A warp was served; another one is chosen for the next cycle.
    fn serve(&mut self, served: Option<u8>, chosen: Option<u8>) {
        if let Some(place) = served.and_then(|warp| self.served.get_mut(usize::from(warp))) {
            *place = self.count;
            self.count += 1;
        }
        self.last = chosen.or(self.last);
        self.recent = chosen.is_some();
    }
}

impl SmPipeline {
    /// The warps that are fetched for in the coming cycle, port by port, if they can take an instruction then;
    /// `restore` says whether an instruction is restored in it.
    #[must_use]
    pub fn fetching(&self, restore: bool) -> [Option<u8>; WIDTH] {
        let restores = restore && self.parameters.scheme.queues();
        let again = self.memory.offers_replay() || restores;
        self.fetching.map(|warp| {
            warp.filter(|&warp| {
                let scoreboard = self.scoreboard(warp);
                self.runs(warp) && scoreboard.room() && !scoreboard.stopped() && !again
            })
        })
    }

    /// The operand that the memory stage writes to the log in the coming cycle: warp, scoreboard entry, and whether
    /// it is a store's data.
    #[must_use]
    pub fn wanted_operand(&self) -> Option<(u8, u8, bool)> {
        self.memory.wanted_operand()
    }

    /// The operand that the log shows for a replay in the coming cycle.
    #[must_use]
    pub fn logged(&self) -> Option<&operand_log::Operand> {
        self.memory.logged()
    }

    /// The instruction at the front of the memory stage in the coming cycle.
    #[must_use]
    pub fn front(&self) -> Option<&Instruction> {
        self.memory.front().map(|front| &front.instruction)
    }

    /// What went into its replay queue and its operand log in the last cycle. Without the one or the other it is what
    /// would have.
    #[must_use]
    pub fn parts(&self) -> (&replay_queue::Inputs, &operand_log::Inputs) {
        let (queue, log) = &self.memory.requests;
        (queue, log)
    }

    /// Whether a warp runs: it has begun, and neither ended nor faulted.
    #[must_use]
    pub fn runs(&self, warp: u8) -> bool {
        bit(self.sets.running, warp)
    }

    /// Whether a warp has stopped, and nothing of it is buffered or in flight.
    #[must_use]
    pub fn is_drained(&self, warp: u8) -> bool {
        !bit(self.sets.undrained(), warp)
    }

    /// Whether a warp that runs has as many instructions in flight as it may.
    #[must_use]
    pub fn fills_a_scoreboard(&self) -> bool {
        let full = |warp| self.scoreboard(warp).used().count_ones() as usize;
        members(self.sets.running).any(|warp| full(warp) == self.parameters.entries)
    }

    /// Whether the thread block of a warp that runs has no log entry left.
    #[must_use]
    pub fn fills_a_part_of_the_log(&self) -> bool {
        let has_entries = |warp| self.memory.has_seen_entries(self.slot(warp), Class::Load);
        !members(self.sets.running).all(has_entries)
    }

    /// Whether the accesses of some thread block take their log entries in turn.
    #[must_use]
    pub const fn takes_turns(&self) -> bool {
        self.turns.kept != 0
    }

    /// Instructions of a warp that the replay queue holds.
    #[must_use]
    pub fn queued(&self, warp: u8) -> usize {
        self.memory.queued(warp)
    }

    /// Whether a warp's squashed instructions are being presented.
    #[must_use]
    pub fn is_replaying(&self, warp: u8) -> bool {
        self.replaying.is_some_and(|(replayed, _)| replayed == warp)
    }

    /// Whether nothing is on its way here. Then, once that has been so for a few cycles, only the fetch goes round until
    /// something comes, if nothing is fetched.
    pub(crate) fn rests(&self) -> bool {
        let none = |warps: [Option<u8>; WIDTH]| warps == [None; WIDTH];
        none(self.chosen)
            && self.reads.iter().all(Option::is_none)
            && self.memory.rests()
            && self.squashing.is_none()
            && self.reverting.is_none()
            && self.next_revert().is_none()
            && self.replaying.is_none()
            && self.turns.called == 0
    }

    /// A number of cycles pass in which nothing comes, while it [rests](Self::rests).
    pub(crate) fn rest(&mut self, cycles: u64) {
        for port in 0..WIDTH {
            let wants: Vec<u8> = members(self.sets.wants_fetch() & Self::mine(port)).collect();
            let last = self.fetched_last[port].unwrap_or(port as u8);
            let next = wants.iter().position(|&warp| warp > last).unwrap_or(0);
            let Some(rounds) = cycles.checked_sub(1).filter(|_| !wants.is_empty()) else {
                continue;
            };
            let place = (next as u64 + rounds) % wants.len() as u64;
            self.fetching[port] = wants.get(place as usize).copied();
            self.fetched_last[port] = self.fetching[port];
        }
    }

    /// The warps that run and whose next instruction is buffered and waits for no operand, a bit each.
    pub(crate) const fn ready(&self) -> u64 {
        self.sets.running & self.sets.free
    }

    /// Whether the next instruction of a warp is buffered and waits for no operand.
    pub(crate) fn is_free(&self, warp: u8) -> bool {
        bit(self.sets.free, warp)
    }

    /// The class of a warp's buffered instruction.
    pub(crate) fn next_class(&self, warp: u8) -> Class {
        self.first(warp).class
    }

    /// Whether a warp's buffered instruction finds the replay queue or its part of the operand log full.
    pub(crate) fn lacks_entries(&self, warp: u8) -> bool {
        let class = self.first(warp).class;
        class.is_global() && !(self.memory.has_places(2) && self.may_request(warp, class))
    }

    /// Whether the memory stage takes no other instruction.
    pub(crate) fn has_full_memory_stage(&self) -> bool {
        self.memory.length() + self.memory_reads() + 1 >= PLACES
    }

    /// Whether the fetch of a warp stops.
    pub(crate) fn stops_fetch(&self, warp: u8) -> bool {
        bit(self.sets.stopped, warp)
    }

    /// Whether the scoreboard of a warp has an entry for another instruction.
    pub(crate) fn has_room(&self, warp: u8) -> bool {
        self.scoreboard(warp).room()
    }

    /// The warps that take an instruction if one is fetched for them.
    pub(crate) fn fetchable(&self) -> impl Iterator<Item = u8> {
        members(self.sets.wants_fetch()).filter(|&warp| self.scoreboard(warp).room())
    }

    /// Whether every warp of a thread block has stopped and drained.
    fn slot_is_drained(&self, slot: u8) -> bool {
        members(self.sets.undrained()).all(|warp| self.slot(warp) != slot)
    }

    /// The warps that are fetched for in the next cycle: in turn, but a warp chosen for a cycle in which nothing is fetched
    /// stays chosen.
    fn next_fetch(&self, again: bool) -> [Option<u8>; WIDTH] {
        std::array::from_fn(|port| {
            let wants = self.sets.wants_fetch() & Self::mine(port);
            let last = self.fetched_last[port].unwrap_or(port as u8);
            let turn = lowest(wants & (!1 << last)).or(lowest(wants));
            self.fetching[port].filter(|_| again).or(turn)
        })
    }

    /// The warps of a port.
    const fn mine(port: usize) -> u64 {
        (u64::MAX / 3) << port
    }

    /// Everything but what memories hold.
    fn reset(&mut self) {
        let fresh = Self::new(self.parameters);
        let memory = std::mem::replace(&mut self.memory, fresh.memory);
        *self = Self {
            memory,
            ..Self::new(self.parameters)
        };
    }

    /// Memory instructions that read their operands.
    fn memory_reads(&self) -> usize {
        let reads = self.reads.iter().flatten();
        reads
            .filter(|read| read.instruction.class.is_memory())
            .count()
    }

    /// The instruction in operand read that takes log entries in this cycle, and goes to the queue.
    fn taking(&self) -> Option<(u8, Class)> {
        let mut reads = self.reads.iter().flatten();
        let inserts = |read: &&Read| read.instruction.class.is_global() && read.replayed.is_none();
        let read = reads.find(inserts)?;
        Some((read.slot, read.instruction.class))
    }

    /// Whether there is room for the instruction that is to be restored.
    fn restores(&self, inputs: &Inputs, cycle: &Cycle) -> bool {
        let class = restored_class(inputs);
        let log = &cycle.log_outputs;
        self.memory.has_places(1)
            && self
                .memory
                .has_entries(log, inputs.restore_slot, class, self.taking())
    }

    /// Whether a warp may take log entries: it has the turn, or its slot knows no turns.
    fn may_take(&self, warp: u8) -> bool {
        bit(self.turns.warps, warp) || !bit(self.turns.kept, self.slot(warp))
    }

    /// Once an instruction was refused its log entries, all of its slot that wait for theirs a cycle later have the turn,
    /// until they issue or are given back.
    fn next_turns(&self, issue: &Issue, revert: Option<(u8, u8)>) -> Turns {
        let Turns {
            warps,
            called,
            kept,
        } = self.turns;
        let slots = |warps: u64| members(warps).fold(0u64, |set, warp| set | 1 << self.slot(warp));
        let set = |set: u64, warp: u8| set | 1 << warp;
        let waits =
            |&warp: &u8| bit(called, self.slot(warp)) && self.scoreboard(warp).first_ready();
        let global = self.sets.running & self.sets.global;
        let waiting = match called {
            0 => 0,
            _ => members(global).filter(waits).fold(0, set),
        };
        let refused = issue.refused.into_iter().flatten().fold(0, set);
        let begins = slots(refused) & !kept;
        let firsts = issue.ports.into_iter().flatten();
        let issued = firsts.filter_map(|(warp, second)| (!second).then_some(warp));
        let gone = issued.chain(revert.map(|(warp, _)| warp)).fold(0, set);
        Turns {
            warps: (warps | waiting) & !gone,
            called: begins,
            kept: begins | called | slots(warps),
        }
    }

    /// Whether an instruction of a warp finds its unit free.
    fn unit_is_free(units: &FreeUnits<'_>, class: Class) -> bool {
        match class {
            Class::Math | Class::Control => true,
            Class::Special => units.special,
            _ => units.memory && (!class.is_global() || units.place),
        }
    }

    /// What is issued of the warps that were chosen; `again` says that an instruction comes back from the queue or
    /// from a saved context, by port 0.
    fn issue(&self, units: &FreeUnits<'_>, again: bool) -> Issue {
        let log = |class: Class, number: u8| {
            let entries = |slot| {
                self.memory
                    .has_entries(units.log, slot, class, self.taking())
            };
            (!class.is_global() || self.may_take(number)) && entries(self.slot(number))
        };
        let first = |number: u8| self.first(number).class;
        let waits = |port: usize| {
            self.chosen[port].filter(|&number| {
                self.runs(number)
                    && self.scoreboard(number).first_ready()
                    && Self::unit_is_free(units, first(number))
                    && !(port == 0 && again)
            })
        };
        let waiting: [Option<u8>; WIDTH] = std::array::from_fn(waits);
        let ready = waiting.map(|warp| warp.filter(|&number| log(first(number), number)));
        let mut issue = Issue {
            refused: waiting.map(|warp| warp.filter(|&number| !log(first(number), number))),
            ports: ready.map(|warp| warp.map(|warp| (warp, false))),
            clash: self.clash(),
            keeps: None,
            conflict: false,
        };
        let last = issue.clash.map(|unit| 1 - self.favoured[unit]);
        if waiting.iter().all(Option::is_some) {
            issue.keeps = last.filter(|&last| self.keeps != Some(last));
        }
        match (ready, last) {
            ([Some(_), Some(_)], Some(last)) => {
                issue.ports[last] = None;
                issue.conflict = true;
            }
            ([Some(warp), None] | [None, Some(warp)], _) => {
                let idle = if ready[0].is_none() { 0 } else { 1 };
                let state = &self.warps[usize::from(warp)];
                let [first, second] = state.buffer.map(|instruction| instruction.class);
                let apart =
                    first.single_unit().is_none() || first.single_unit() != second.single_unit();
                if state.scoreboard.second_ready()
                    && Self::unit_is_free(units, second)
                    && log(second, warp)
                    && apart
                    && !(idle == 0 && again)
                {
                    issue.ports[idle] = Some((warp, true));
                }
            }
            _ => {}
        }
        issue
    }

    /// The unit that the warps that were chosen both need, and of which there is one. Places in the queue, which both need
    /// if both are global accesses, count as another one: a shared access needs none, and must not use up a turn to them.
    fn clash(&self) -> Option<usize> {
        let first = |port: usize| {
            let warp = &self.warps[usize::from(self.chosen[port]?)];
            (warp.scoreboard.buffered() > 0).then_some(warp.buffer[0].class)
        };
        let (first, second) = (first(0)?, first(1)?);
        let both_global = first.is_global() && second.is_global();
        let unit = first
            .single_unit()
            .filter(|_| first.single_unit() == second.single_unit())?;
        Some(if both_global { UNITS } else { unit })
    }

    /// The warps that may issue in the next cycle. A warp that was chosen for this one is taken to issue, unless it is
    /// clear already that it may not.
    fn next_issue(
        &self,
        inputs: &Inputs,
        units: [&FreeUnits<'_>; 2],
        fetching: [Option<u8>; WIDTH],
        issue: &Issue,
        again: bool,
    ) -> [Option<u8>; WIDTH] {
        let [_, choice] = units;
        let mut wants = self.sets.wants_issue(choice);
        if self.takes_turns() {
            let global = members(wants & self.sets.global);
            let refused = global.filter(|&warp| !self.may_request(warp, self.first(warp).class));
            wants &= !refused.fold(0u64, |set, warp| set | 1 << warp);
        }
        std::array::from_fn(|port| {
            let mut wants = wants & Self::mine(port);
            let chosen = self.chosen[port];
            let comes = bit(inputs.fetched_valid[port], 0);
            let arrives = fetching[port].filter(|_| comes);
            let fetched = arrives.map(|_| self.fetched(inputs, port));
            for warp in [chosen, arrives].into_iter().flatten() {
                let fetched = fetched.as_ref().filter(|_| arrives == Some(warp));
                let blocked = issue.clash.is_some() || (port == 0 && again);
                let is_chosen = chosen == Some(warp);
                let is_wanting = self.wants_issue(warp, units, fetched, is_chosen, blocked);
                put(&mut wants, warp, is_wanting);
            }
            match issue.keeps {
                Some(keeps) if keeps == port => chosen,
                _ => self.issue_order[port].choose(self.parameters.policy, wants),
            }
        })
    }

    /// Whether a global access of a warp may request log entries.
    fn may_request(&self, warp: u8, class: Class) -> bool {
        match bit(self.turns.warps, warp) {
            true => self.memory.has_seen_entries(self.slot(warp), class),
            false => self.may_take(warp),
        }
    }

    /// Whether a warp that was chosen for this cycle, or whose next instruction arrives in it, may issue in the next one.
    /// Something else may keep what was chosen from its issue: then it is `blocked`.
    fn wants_issue(
        &self,
        warp: u8,
        [units, choice]: [&FreeUnits<'_>; 2],
        fetched: Option<&(Instruction, Arrival)>,
        is_chosen: bool,
        blocked: bool,
    ) -> bool {
        let scoreboard = self.scoreboard(warp);
        let buffered = scoreboard.buffered();
        let [first, second] = self.warps[usize::from(warp)]
            .buffer
            .map(|buffered| buffered.class);
        let arriving = fetched.map_or(Class::Math, |(instruction, _)| instruction.class);
        // The instruction that it may issue then, if it issues one now.
        let then = match (is_chosen, buffered) {
            (false, 1..) => first,
            (true, 2..) => second,
            _ => arriving,
        };
        let registers = fetched.and_then(|(_, arrival)| arrival.fetched.as_ref());
        let comes_then =
            || scoreboard.likely(is_chosen, registers) && Self::unit_is_free(choice, then);
        self.runs(warp)
            && match buffered {
                0 => comes_then(),
                _ if first.is_global() && !self.may_request(warp, first) => false,
                _ if is_chosen => {
                    (blocked && Self::unit_is_free(choice, first))
                        || (Self::unit_is_free(units, first) && comes_then())
                }
                _ => comes_then(),
            }
    }

    fn instruction(&self, (warp, second): (u8, bool)) -> Read {
        let state = &self.warps[usize::from(warp)];
        let place = usize::from(second);
        Read {
            instruction: Instruction {
                entry: state.scoreboard.entry(place),
                ..state.buffer[place]
            },
            slot: state.slot,
            replayed: None,
            restored: false,
        }
    }

    /// The instruction that the queue offers, as it is issued again.
    fn replayed(&self, cycle: &Cycle) -> Read {
        let offer = &cycle.queue_outputs;
        let warp = offer.entry_warp;
        let class = if offer.entry_opcode & STORE == 0 {
            Class::Load
        } else {
            Class::Store
        };
        Read {
            instruction: Instruction {
                warp,
                entry: self.scoreboard(warp).arrive_entry(),
                class,
                destination: offer.entry_destination,
                sources: [
                    offer.entry_address_register,
                    offer.entry_data_register,
                    ZERO_REGISTER,
                ],
                pc: offer.entry_pc,
                mask: offer.entry_mask,
                opcode: offer.entry_opcode & !STORE,
            },
            slot: offer.entry_slot,
            replayed: Some((
                offer.entry_index,
                offer.entry_log_address,
                offer.entry_log_data,
            )),
            restored: false,
        }
    }

    /// The instruction that comes from a saved context.
    fn restored(&self, inputs: &Inputs) -> Read {
        let warp = inputs.restore_warp;
        Read {
            instruction: Instruction {
                warp,
                entry: self.scoreboard(warp).arrive_entry(),
                class: restored_class(inputs),
                destination: inputs.restore_destination,
                sources: [
                    inputs.restore_source_a,
                    inputs.restore_source_b,
                    ZERO_REGISTER,
                ],
                pc: inputs.restore_pc,
                mask: inputs.restore_mask,
                opcode: inputs.restore_opcode,
            },
            slot: inputs.restore_slot,
            replayed: None,
            restored: true,
        }
    }
}

fn restored_class(inputs: &Inputs) -> Class {
    if inputs.restore_store {
        Class::Store
    } else {
        Class::Load
    }
}
