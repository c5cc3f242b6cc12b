//! The reference model of the SM pipeline: its page (`docs/blocks/sm_pipeline.md`) as plain data.

use crate::ports::Model;
use crate::sm::operand_log;
use crate::sm::replay_queue;
use crate::sm::scoreboard::{BUFFERED, Scoreboard, ZERO_REGISTER};

mod interface;
mod memory;
mod state;

pub use interface::{
    CONTROL_UNIT, Class, Inputs, MEMORY_UNIT, Outputs, Pair, Parameters, Policy, SPECIAL_UNIT,
    Scheme, UNITS, WIDTH,
};
use memory::{Cycle, MemoryStage, PLACES};
use state::Events;

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
    running: bool,
    slot: u8,
    scoreboard: Scoreboard,
    /// Instructions that were fetched and not issued, the older one first.
    buffer: [Instruction; 2],
    /// A squashed instruction is to be fetched again.
    refetch: bool,
}

/// In the queue, the highest bit of an opcode distinguishes a store from a load.
const STORE: u8 = 1 << 7;

/// A bit of a set.
fn bit(set: u64, number: u8) -> bool {
    set >> number & 1 == 1
}

/// The reference model.
#[derive(Clone, Debug)]
pub struct SmPipeline {
    parameters: Parameters,
    warps: Vec<Warp>,
    /// The warps whose fetch comes, and those that were chosen last.
    fetching: [Option<u8>; WIDTH],
    fetched_last: [Option<u8>; WIDTH],
    /// The warps that may issue now, and each port's warps in their order.
    chosen: [Option<u8>; WIDTH],
    issue_order: [Order; WIDTH],
    /// Of each unit of which there is one, and of the queue's places, the port that goes first when both want it.
    favoured: [usize; UNITS + 1],
    /// The port that kept its choice in the cycle before.
    keeps: Option<usize>,
    reads: [Option<Read>; WIDTH],
    /// Warps that have the turn to take log entries, slots in which those get it that wait for theirs, and slots in which
    /// only those go that have it, a bit each.
    turns: u64,
    called: u16,
    kept: u16,
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
            running: false,
            slot: 0,
            scoreboard: Scoreboard::new(parameters.scoreboard()),
            buffer: [Instruction::default(); 2],
            refetch: false,
        };
        Self {
            parameters,
            warps: vec![warp; parameters.warps],
            fetching: [None; WIDTH],
            fetched_last: [None; WIDTH],
            chosen: [None; WIDTH],
            issue_order: std::array::from_fn(|port| Order::new(parameters.warps, port)),
            favoured: [0; UNITS + 1],
            keeps: None,
            reads: [None; WIDTH],
            turns: 0,
            called: 0,
            kept: 0,
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
        let mut cycle = self.memory.cycle(inputs, saves, waits);
        let replay = self.memory.offers_replay();
        let again_now = replay || (queues && inputs.restore_valid);
        let promised = self.memory.length() + self.memory_reads();
        let credit = promised < PLACES;
        // Who is chosen finds room: there are two places, of which another one may take one before.
        let has_two = promised + 1 < PLACES;
        let choice = FreeUnits {
            special: inputs.special_ready,
            memory: has_two && !again_now,
            place: self.memory.has_places(2),
            log: cycle.log_outputs.clone(),
        };
        let units = FreeUnits {
            special: inputs.special_ready || self.had_special,
            memory: (has_two || self.had_two) && !again_now,
            place: self.memory.has_places(2)
                || (self.memory.had_two_places() && self.memory.has_places(1)),
            ..choice.clone()
        };
        let issue = self.issue(&units, again_now);
        let fetching = self.fetching(inputs.restore_valid);
        let entries =
            fetching.map(|warp| warp.map_or(0, |warp| self.scoreboard(warp).arrive_entry()));
        let revert = self.revert();
        let next_revert = self.next_revert();
        let mut outputs = Outputs::default();
        self.show(inputs, &cycle, &mut outputs);
        outputs.save_ready = slot_drained && (!queues || cycle.queue_outputs.save_ready);
        outputs.save_done |= self.saved;
        outputs.restore_ready = queues && !replay && credit && self.restores(inputs, &cycle);

        let resumes = inputs.resume_valid && outputs.resume_ready;
        cycle.queue.resume_valid = resumes;
        cycle.queue.replay_ready = credit;
        let replay_done = queues && cycle.queue_outputs.replay_done;
        let again = if replay {
            credit.then(|| self.replayed(&cycle))
        } else {
            let restores = inputs.restore_valid && outputs.restore_ready;
            restores.then(|| self.restored(inputs))
        };
        let events = self.events(inputs);
        let next_fetch = self.next_fetch(&events, again_now);
        let next_issue = self.next_issue(
            inputs,
            [&units, &choice],
            &events,
            fetching,
            &issue,
            again_now,
        );
        let restored = again.filter(|read| read.restored);
        let coming = usize::from(self.taking().is_some())
            + usize::from(self.issues_global(&issue) || restored.is_some());
        let arrives = self.memory_arrival(events.stops);
        let squashed = self.memory.leaves_squashed(&cycle);
        if !waits {
            self.squashing = squashed.map(|left| (left.instruction.warp, left.instruction.entry));
        }
        self.memory
            .advance(inputs, cycle, coming, arrives, events.stops);
        if inputs.reset {
            self.reset();
            return outputs;
        }
        self.take_turns(&issue, revert);
        self.finish(&events);
        self.issue_to_read(&issue, again);
        self.arrive(inputs, fetching, entries);
        self.control(inputs, &events, revert, resumes, replay_done);
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
#[derive(Clone)]
struct FreeUnits {
    special: bool,
    memory: bool,
    /// The queue takes an instruction more.
    place: bool,
    log: operand_log::Outputs,
}

/// The warps of a port, each port having every second one, in the order in which they were served.
#[derive(Clone, Debug)]
struct Order {
    /// The one that was served last is last.
    warps: Vec<u8>,
    /// The one that was chosen last, and whether that was in the cycle before.
    last: Option<u8>,
    recent: bool,
}

impl Order {
    fn new(warps: usize, port: usize) -> Self {
        Self {
            warps: (port..warps)
                .step_by(WIDTH)
                .map(|warp| warp as u8)
                .collect(),
            last: None,
            recent: false,
        }
    }

    /// The warp that is chosen: of those that want it, the one that was served longest ago, and the one that was chosen in
    /// the cycle before only if no other wants it; or greedily the one that was chosen last, and else the lowest.
    fn choose(&self, policy: Policy, wants: impl Fn(usize) -> bool) -> Option<u8> {
        let requests = |warp: &u8| wants(usize::from(*warp));
        match policy {
            Policy::LooseRoundRobin => {
                let recent = self.last.filter(|_| self.recent);
                let others = self.warps.iter().copied();
                let mut others = others.filter(|&warp| Some(warp) != recent);
                others.find(requests).or(recent.filter(requests))
            }
            Policy::GreedyThenOldest => {
                let lowest = || self.warps.iter().copied().filter(requests).min();
                self.last.filter(requests).or_else(lowest)
            }
        }
    }

    /// A warp was served; another one is chosen for the next cycle.
    fn serve(&mut self, served: Option<u8>, chosen: Option<u8>) {
        if let Some(served) = served {
            self.warps.retain(|&warp| warp != served);
            self.warps.push(served);
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
                let Warp {
                    running,
                    scoreboard,
                    ..
                } = &self.warps[usize::from(warp)];
                *running && scoreboard.room() && !scoreboard.stopped() && !again
            })
        })
    }

    /// The operand that the memory stage writes to the log in the coming cycle: warp, scoreboard entry, and whether
    /// it is a store's data.
    #[must_use]
    pub fn wanted_operand(&self) -> Option<(u8, u8, bool)> {
        self.memory.wanted_operand()
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
        self.warps[usize::from(warp)].running
    }

    /// Whether a warp has stopped, and nothing of it is buffered or in flight.
    #[must_use]
    pub fn is_drained(&self, warp: u8) -> bool {
        let warp = &self.warps[usize::from(warp)];
        !warp.running && !warp.refetch && !warp.scoreboard.busy()
    }

    /// Whether a warp that runs has as many instructions in flight as it may.
    #[must_use]
    pub fn fills_a_scoreboard(&self) -> bool {
        let mut running = self.warps.iter().filter(|warp| warp.running);
        running.any(|warp| warp.scoreboard.used().count_ones() as usize == self.parameters.entries)
    }

    /// Whether the thread block of a warp that runs has no log entry left.
    #[must_use]
    pub fn fills_a_part_of_the_log(&self) -> bool {
        let mut running = self.warps.iter().filter(|warp| warp.running);
        running.any(|warp| !self.memory.has_seen_entries(warp.slot, Class::Load))
    }

    /// Whether the accesses of some thread block take their log entries in turn.
    #[must_use]
    pub const fn takes_turns(&self) -> bool {
        self.kept != 0
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

    /// Whether every warp of a thread block has stopped and drained.
    fn slot_is_drained(&self, slot: u8) -> bool {
        let mut warps = 0..self.parameters.warps as u8;
        warps.all(|warp| self.warps[usize::from(warp)].slot != slot || self.is_drained(warp))
    }

    /// The warps that are fetched for in the next cycle: in turn, but who was chosen for a cycle in which nothing is fetched
    /// stays chosen.
    fn next_fetch(&self, events: &Events, again: bool) -> [Option<u8>; WIDTH] {
        let wants = |number: usize| {
            let warp = &self.warps[number];
            warp.running
                && warp.scoreboard.buffered() < BUFFERED
                && !warp.scoreboard.stopping(Self::gone(events, number))
        };
        std::array::from_fn(|port| {
            let mine = || (port..self.warps.len()).step_by(WIDTH);
            let last = self.fetched_last[port].map_or(port, usize::from);
            let mut above = mine().filter(|&warp| warp > last);
            let next = above.find(|&warp| wants(warp));
            let turn = next.or_else(|| mine().find(|&warp| wants(warp)));
            self.fetching[port]
                .filter(|_| again)
                .or(turn.map(|warp| warp as u8))
        })
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

    /// Whether a warp has the turn to take log entries.
    fn has_turn(&self, warp: u8) -> bool {
        bit(self.turns, warp)
    }

    /// Whether only those go in a slot that have it.
    fn is_kept(&self, slot: u8) -> bool {
        bit(self.kept.into(), slot)
    }

    /// Once an instruction was refused its log entries, all of its slot that wait for theirs a cycle later have the turn,
    /// until they issue or are given back.
    fn take_turns(&mut self, issue: &Issue, revert: Option<(u8, u8)>) {
        let is_refused = issue.refused.iter().any(Option::is_some);
        if self.kept == 0 && !is_refused {
            return;
        }
        let (mut slots, mut called) = (0, 0);
        if self.kept != 0 {
            for (number, warp) in self.warps.iter().enumerate() {
                slots |= u16::from(bit(self.turns, number as u8)) << warp.slot;
                let waits = bit(self.called.into(), warp.slot)
                    && warp.running
                    && warp.scoreboard.first_ready()
                    && warp.buffer[0].class.is_global();
                called |= u64::from(waits) << number;
            }
        }
        let refused = issue.refused.into_iter().flatten();
        let begins = refused.fold(0, |set, warp| set | 1 << self.warps[usize::from(warp)].slot);
        let begins = begins & !self.kept;
        let firsts = issue.ports.into_iter().flatten();
        let issued = firsts.filter_map(|(warp, second)| (!second).then_some(warp));
        let gone = issued.chain(revert.map(|(warp, _)| warp));
        let gone: u64 = gone.fold(0, |set, warp| set | 1 << warp);
        self.turns = (self.turns | called) & !gone;
        self.kept = begins | self.called | slots;
        self.called = begins;
    }

    /// Whether an instruction of a warp finds its unit free.
    fn unit_is_free(units: &FreeUnits, class: Class) -> bool {
        match class {
            Class::Math | Class::Control => true,
            Class::Special => units.special,
            _ => units.memory && (!class.is_global() || units.place),
        }
    }

    /// What is issued of the warps that were chosen; `again` says that an instruction comes back from the queue or
    /// from a saved context, by port 0.
    fn issue(&self, units: &FreeUnits, again: bool) -> Issue {
        let log = |class: Class, number: u8| {
            let slot = self.warps[usize::from(number)].slot;
            let may = !class.is_global() || self.has_turn(number) || !self.is_kept(slot);
            may && self
                .memory
                .has_entries(&units.log, slot, class, self.taking())
        };
        let first = |number: u8| self.warps[usize::from(number)].buffer[0].class;
        let waits = |port: usize| {
            self.chosen[port].filter(|&number| {
                let warp = &self.warps[usize::from(number)];
                warp.running
                    && warp.scoreboard.first_ready()
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
        [units, choice]: [&FreeUnits; 2],
        events: &Events,
        fetching: [Option<u8>; WIDTH],
        issue: &Issue,
        again: bool,
    ) -> [Option<u8>; WIDTH] {
        let wants = |number: usize| {
            let warp = &self.warps[number];
            let (finished, checked) = Self::released(events, number);
            let port = number % WIDTH;
            let is_chosen = self.chosen[port] == Some(number as u8);
            let is_there = warp.scoreboard.buffered() > 0;
            let arrives =
                fetching[port] == Some(number as u8) && bit(inputs.fetched_valid[port], 0);
            let arrival = || self.fetched(inputs, port);
            let likely = || {
                let arrival = arrives.then(|| arrival().1);
                let board = &warp.scoreboard;
                let fetched = arrival
                    .as_ref()
                    .and_then(|arrival| arrival.fetched.as_ref());
                board.likely(is_chosen, finished, checked, fetched)
            };
            let class = warp.buffer[0].class;
            // The instruction that it may issue then, if it issues one now.
            let then = match (is_chosen && is_there, warp.scoreboard.buffered()) {
                (false, 1..) => class,
                (true, 2..) => warp.buffer[1].class,
                _ => arrival().0.class,
            };
            let is_free = |units, class| Self::unit_is_free(units, class);
            let may_request = || {
                !class.is_global()
                    || match self.has_turn(number as u8) {
                        true => self.memory.has_seen_entries(warp.slot, class),
                        false => !self.is_kept(warp.slot),
                    }
            };
            let comes_then = || likely() && is_free(choice, then);
            warp.running
                && match is_there {
                    true if !may_request() => false,
                    true if is_chosen => {
                        ((issue.clash.is_some() || (port == 0 && again)) && is_free(choice, class))
                            || (is_free(units, class) && comes_then())
                    }
                    _ => comes_then(),
                }
        };
        std::array::from_fn(|port| match issue.keeps {
            Some(keeps) if keeps == port => self.chosen[port],
            _ => self.issue_order[port].choose(self.parameters.policy, wants),
        })
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
