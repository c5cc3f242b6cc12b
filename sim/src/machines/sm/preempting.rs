//! Another kernel is launched on the SM. Blocks that run end, or are saved and leave, as the reference of `preemption_policy`
//! answers; then the SM is the other kernel's until there is no block of that for it. Blocks that have left come back, and the
//! first kernel goes on.

mod measured;

use std::collections::VecDeque;

use super::below::Below;
use super::comparison::Comparison;
use super::kernel::Kernel;
use super::machine::Sm;
use super::memory_unit::MemoryUnit;
use super::outcome::{BEAT, SmError};
use super::parameters::{Parameters, Switching, Transfer};
use super::preemption::{Blocks, Choice, Drain, Preempted, Preemption};
use super::work::Work;
use crate::ports::Model;
use crate::preempt::preemption_policy::{self, Case, Inputs, PreemptionPolicy};
use crate::sm::sm_pipeline::{Outputs, WIDTH};
use measured::Measured;

/// How far the preemption has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The SM knows of no launch.
    Unknown,
    /// The launch was announced.
    Announced,
    /// The SM makes room.
    Leaving,
    /// It is the other kernel's.
    Exchanged,
    /// It is the first kernel's again.
    Back,
}

/// What becomes of the block of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It runs to its end.
    Ends,
    /// A base of it is to be saved.
    Base,
    /// It has a base, and runs on.
    HasBase,
    /// It is to be saved, and leaves. Then its slot stays empty.
    Leaves,
}

/// What is to be reported to the policy of a slot: that a block begins, or that it has ended, or left.
#[derive(Clone, Copy, Debug)]
enum Event {
    Begins(usize),
    Ends(usize, bool),
}

/// A query: its slot with the block there, and the ticks until the launch, or the deadline.
#[derive(Clone, Copy, Debug)]
struct Query {
    slot: usize,
    block: usize,
    ticks: u64,
}

/// The launch of another kernel.
#[derive(Clone, Debug)]
pub(super) struct Preempting<'work> {
    preemption: Preemption,
    /// When the SM receives the announcement, and the launch.
    announced: u64,
    launched: u64,
    /// The policy, and what is the same in all queries.
    policy: PreemptionPolicy,
    terms: Inputs,
    phase: Phase,
    /// The block that is known to be in each slot, and what becomes of it.
    blocks: Vec<Option<usize>>,
    fates: Vec<Fate>,
    /// Slots whose blocks stand still until they are saved, those of them that are new, and warps that are to be stopped for it.
    halted: Vec<bool>,
    halts: Vec<usize>,
    stops: VecDeque<u8>,
    /// Cycles for which a warp that faults runs the GPU's handler, 0 if the CPU handles all faults; and until when a warp of each
    /// slot does so.
    handler: u64,
    handling: Vec<u64>,
    /// What is still to be reported to the policy, one thing a cycle.
    events: VecDeque<Event>,
    /// Slots that are still to be asked about, and the query under way.
    asks: VecDeque<usize>,
    query: Option<Query>,
    /// The kernel that does not have the SM.
    other: Kernel<'work>,
    /// When the SM has last changed hands.
    changed: Option<u64>,
    preempted: Preempted,
    measured: Measured,
}

impl<'work> Preempting<'work> {
    /// The launch of another kernel on an SM that runs its first kernel, and receives the launch at a time.
    fn new<B>(
        sm: &Sm<'work, B>,
        other: Kernel<'work>,
        preemption: Preemption,
        launched: u64,
        handler: u64,
    ) -> Self {
        let sizes = preemption_policy::Parameters::paper();
        let beats = sm.switch.saver.beats(sm.work.warps_per_block);
        let cycles = match preemption.transfer {
            Transfer::AtOnce => 0,
            Transfer::Lines { interval } => beats * interval.max(1),
        };
        let instructions = sm.work.steps() / sm.work.blocks().max(1);
        let mut preempting = Self {
            preemption,
            announced: 0,
            launched,
            policy: PreemptionPolicy::new(sizes),
            terms: Inputs {
                query_valid: true,
                query_switch: (cycles / sizes.cycles_of_tick()).min(sizes.most()),
                query_instructions: (instructions as u64).min(sizes.most()),
                answer_ready: true,
                ..Inputs::default()
            },
            phase: Phase::Unknown,
            blocks: vec![None; sm.slots.len()],
            fates: vec![Fate::Ends; sm.slots.len()],
            halted: vec![false; sm.slots.len()],
            halts: Vec::new(),
            stops: VecDeque::new(),
            handler,
            handling: vec![0; sm.slots.len()],
            events: VecDeque::new(),
            asks: VecDeque::new(),
            query: None,
            other,
            changed: None,
            preempted: Preempted::default(),
            measured: Measured::new(sm.slots.len(), instructions as u64),
        };
        preempting.plan(preemption, launched);
        preempting
    }

    /// The launch comes in a cycle, and the SM makes room for it so.
    fn plan(&mut self, preemption: Preemption, launched: u64) {
        let lead = match preemption.choice {
            Choice::Pep => preemption.lead,
            _ => 0,
        };
        self.preemption = preemption;
        (self.announced, self.launched) = (launched.saturating_sub(lead), launched);
        self.terms.query_chimera = preemption.choice == Choice::Chimera;
    }

    /// Whether the first kernel has the SM, and no other comes.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Back
    }

    /// A number of cycles pass in which nothing happens.
    pub fn rest(&mut self, cycles: u64) {
        if self.phase == Phase::Unknown {
            for _ in 0..cycles {
                self.policy.cycle(&Inputs::default());
            }
        }
    }

    /// Slots whose blocks run.
    fn running(&self) -> impl Iterator<Item = usize> {
        let there = self.blocks.iter().enumerate();
        there.filter_map(|(slot, block)| block.map(|_| slot))
    }

    /// What is to be done in a cycle. It says whether the SM changes hands.
    fn advance<B: Below>(&mut self, sm: &mut Sm<'work, B>) -> bool {
        if self.phase == Phase::Unknown && self.announced <= sm.now {
            self.phase = Phase::Announced;
            if self.preemption.choice == Choice::Pep {
                self.asks = self.running().collect();
            }
        }
        if self.phase == Phase::Announced && self.launched <= sm.now {
            self.launch(sm.now);
        }
        let changes = match self.phase {
            Phase::Unknown | Phase::Back => false,
            Phase::Announced => {
                self.save(sm);
                false
            }
            Phase::Leaving => {
                self.save(sm);
                sm.is_empty()
            }
            Phase::Exchanged => !sm.below.has_blocks(sm.now) && sm.is_empty(),
        };
        if changes {
            self.exchange(sm);
        }
        changes
    }

    /// The other kernel has been launched: blocks with a base leave, and what becomes of others is asked, or known.
    fn launch(&mut self, now: u64) {
        self.phase = Phase::Leaving;
        self.preempted.launched = now;
        self.asks.clear();
        let running: Vec<_> = self.running().collect();
        self.measured.launch(running.iter().copied(), now);
        for (number, slot) in running.into_iter().enumerate() {
            let is_saved = number < self.preemption.saved;
            self.fates[slot] = match (self.preemption.choice, self.fates[slot]) {
                (Choice::Drain, _) => Fate::Ends,
                (Choice::Switch, _) if !is_saved => Fate::Ends,
                (Choice::Switch, _) | (_, Fate::Base | Fate::HasBase | Fate::Leaves) => {
                    Fate::Leaves
                }
                (Choice::Pep | Choice::Chimera, Fate::Ends) => {
                    if self.query.is_none_or(|query| query.slot != slot) {
                        self.asks.push_back(slot);
                    }
                    Fate::Ends
                }
            };
            self.halt(slot);
        }
    }

    /// A block that leaves stands still from the launch on (Li et al., section IV-E).
    /// So all bandwidth is for contexts and for blocks that end.
    fn halt(&mut self, slot: usize) {
        if self.phase == Phase::Leaving && self.fates[slot] == Fate::Leaves && !self.halted[slot] {
            self.halted[slot] = true;
            self.halts.push(slot);
        }
    }

    /// The next warp that is to be stopped because its block stands still.
    pub fn next_stop(&mut self) -> Option<u8> {
        self.stops.pop_front()
    }

    /// Whether the block of a slot stands still.
    pub fn halts(&self, slot: usize) -> bool {
        self.halted.get(slot).is_some_and(|halted| *halted)
    }

    /// Begins with the next context, if the engine has none: those of blocks that leave come first. A block stays while a warp of it
    /// runs a handler, whose registers are in no context.
    fn save<B: Below>(&mut self, sm: &mut Sm<'work, B>) {
        if !sm.switch.is_idle() {
            return;
        }
        for fate in [Fate::Leaves, Fate::Base] {
            let slots = self.fates.iter().enumerate();
            let handles = |slot: usize| self.handling[slot] > sm.now;
            let mut chosen = slots.filter(|(slot, own)| **own == fate && !handles(*slot));
            let found = chosen.find_map(|(slot, _)| Some((slot, sm.leaver(slot)?)));
            if let Some((slot, block)) = found {
                let runs = fate == Fate::Base;
                sm.begin_save_for_launch(slot, block, runs);
                if runs {
                    self.fates[slot] = Fate::HasBase;
                }
                return;
            }
        }
    }

    /// The SM, which is empty, changes hands.
    fn exchange<B: Below>(&mut self, sm: &mut Sm<'work, B>) {
        self.changed = Some(sm.now);
        let kernel = match self.phase {
            Phase::Leaving => {
                self.preempted.free = sm.now;
                self.preempted.saved = sm.switch.left;
                self.preempted.saved_twice = sm.switch.left_twice;
                self.preempted.bases = sm.switch.bases;
                let contexts = sm.switch.contexts();
                self.preempted.bytes = contexts.bytes();
                self.preempted.base_bytes = sm.switch.base_beats * BEAT;
                self.preempted.whole_bytes = sm.switch.whole_beats * BEAT;
                self.preempted.stopped = contexts.cycles;
                self.phase = Phase::Exchanged;
                1
            }
            _ => {
                self.preempted.back = sm.now;
                self.phase = Phase::Back;
                0
            }
        };
        self.other.exchange(sm);
        // A kernel's address space has its number.
        if let Some(memory) = sm.core.apart() {
            memory.turn_to(kernel);
        }
        sm.below.turn_to(kernel);
    }

    /// The block of a slot has ended, or left.
    fn ended(&mut self, slot: usize, leaves: bool, now: u64) {
        self.handling[slot] = 0;
        self.halted[slot] = false;
        self.events.push_back(Event::Ends(slot, leaves));
        if leaves && self.phase == Phase::Leaving {
            self.preempted.left = now;
        }
        if !leaves {
            self.measured.ends(slot, now);
            self.fates[slot] = Fate::Ends;
            self.preempted.drained += u64::from(self.phase == Phase::Leaving);
        }
    }

    /// The policy's cycle, with the slots of the instructions that were issued in it.
    fn follow(&mut self, now: u64, issued: [Option<usize>; WIDTH]) {
        let event = self.events.pop_front();
        if self.query.is_none()
            && let Some(slot) = self.asks.pop_front()
        {
            let ticks = self.ticks(now);
            let query = |block| Query { slot, block, ticks };
            self.query = self.blocks[slot].map(query);
        }
        let mut inputs = match self.query {
            Some(query) => Inputs {
                query_slot: query.slot as u64,
                query_launch: query.ticks,
                ..self.terms.clone()
            },
            None => Inputs::default(),
        };
        match event {
            Some(Event::Begins(slot)) => {
                (inputs.begin_valid, inputs.begin_slot) = (true, slot as u64);
            }
            Some(Event::Ends(slot, leaves)) => {
                (inputs.end_valid, inputs.end_slot) = (true, slot as u64);
                inputs.end_leaves = leaves;
            }
            None => {}
        }
        for (port, slot) in issued.into_iter().enumerate() {
            if let Some(slot) = slot {
                inputs.issued_valid |= 1 << port;
                inputs.issued_slot[port] = slot as u64;
            }
        }
        let outputs = self.policy.cycle(&inputs);
        if outputs.answer_valid
            && let Some(query) = self.query.take()
        {
            let case = Case::ALL[outputs.answer_case as usize % Case::ALL.len()];
            self.answered(query, case);
        }
    }

    /// Ticks until the launch or, for Chimera, of its deadline.
    fn ticks(&self, now: u64) -> u64 {
        let sizes = preemption_policy::Parameters::paper();
        let cycles = match (self.preemption.choice, self.phase) {
            (Choice::Chimera, _) => self.preemption.deadline,
            (_, Phase::Announced) => {
                (self.announced + self.preemption.predicted).saturating_sub(now)
            }
            _ => 0,
        };
        (cycles / sizes.cycles_of_tick()).min(sizes.most())
    }

    /// The policy has answered. A block of which one context is saved before the launch stands still until then.
    fn answered(&mut self, query: Query, case: Case) {
        // Another block may have taken the place of the one that was asked about.
        if self.blocks[query.slot] != Some(query.block) {
            return;
        }
        self.fates[query.slot] = match case {
            Case::TwoCheckpoints if self.phase == Phase::Announced => Fate::Base,
            Case::TwoCheckpoints | Case::OneCheckpoint | Case::Switch => Fate::Leaves,
            Case::Drain | Case::DrainThenOne | Case::DrainThenTwo | Case::Flush => Fate::Ends,
        };
        self.halt(query.slot);
    }
}

impl<'work, B: Below> Sm<'work, B> {
    /// Another kernel is launched, of which the SM knows at a time. Warps that fault run a handler for so many cycles.
    ///
    /// # Errors
    /// If a block of it does not fit.
    pub(in super::super) fn launches(
        mut self,
        work: &'work Work,
        preemption: Preemption,
        at: u64,
        handler: u64,
    ) -> Result<Self, SmError> {
        let parameters = Parameters {
            switching: Switching::Never,
            ..self.parameters
        };
        let other = Kernel::new(&parameters, work)?;
        let preempting = Preempting::new(&self, other, preemption, at, handler);
        self.preempting = Some(Box::new(preempting));
        self.switch.save_so(preemption.saves, &[], 0);
        Ok(self)
    }

    /// The launch comes in another cycle, and the SM makes room for it so.
    pub(in super::super) fn plan(&mut self, preemption: Preemption, at: u64) {
        let slots = self.slots.iter().enumerate();
        let there = slots.filter_map(|(slot, block)| block.as_ref().map(|_| slot));
        let there: Vec<usize> = there.collect();
        let per_block = self.work.warps_per_block;
        self.switch.save_so(preemption.saves, &there, per_block);
        if let Some(preempting) = &mut self.preempting {
            preempting.plan(preemption, at);
        }
    }

    /// How the SM was preempted, once it is free for the other kernel.
    pub(in super::super) fn freed(&self) -> Option<Preempted> {
        let preempting = self.preempting.as_ref()?;
        let is_free = matches!(preempting.phase, Phase::Exchanged | Phase::Back);
        is_free.then_some(preempting.preempted)
    }

    /// What was measured of blocks that have ended before: their times, and those that were estimated at the launch.
    pub(in super::super) fn measured(&self) -> (Blocks, &[Drain]) {
        let measured = self.preempting.as_ref().map(|one| &one.measured);
        measured.map_or_else(Default::default, |measured| {
            (measured.ended, &measured.drains[..])
        })
    }

    /// Bytes of a block's registers, SIMT state and shared memory.
    pub(in super::super) fn context_bytes(&self) -> u64 {
        self.switch.saver.beats(self.work.warps_per_block) * BEAT
    }

    /// The share of the lanes of the registers of resident warps that are dirty.
    pub(in super::super) fn dirty_share(&self) -> f64 {
        let there = self.warps.iter().enumerate();
        let there = there.filter_map(|(warp, resident)| resident.as_ref().map(|_| warp));
        self.switch.saver.dirty_share(&there.collect::<Vec<_>>())
    }

    /// How the preemption went, the other kernel's comparison, and when the last block of each kernel had ended.
    pub(in super::super) fn preempted(&mut self) -> Option<(Preempted, Comparison, [u64; 2])> {
        let preempting = self.preempting.take()?;
        let ends = [self.last_end, preempting.other.last_end];
        let preempted = Preempted {
            ends,
            ..preempting.preempted
        };
        Some((preempted, preempting.other.comparison, ends))
    }

    /// What the launch of another kernel requires. It says whether the SM changes hands in this cycle, in which no block begins.
    pub(super) fn preempt(&mut self) -> bool {
        let Some(mut preempting) = self.preempting.take() else {
            return false;
        };
        let changes = preempting.advance(self);
        for slot in preempting.halts.drain(..) {
            preempting.stops.extend(self.warps_of(slot));
        }
        self.preempting = Some(preempting);
        changes
    }

    /// Whether it changes hands in this cycle.
    pub(super) fn has_changed_hands(&self) -> bool {
        let changed = self.preempting.as_ref().and_then(|one| one.changed);
        changed == Some(self.now)
    }

    /// Whether no block is here, and nothing of any is on its way.
    fn is_empty(&self) -> bool {
        let reports = !self.checks.is_empty() || !self.faults.is_empty();
        let moves = !self.starts.is_empty() || !self.stops.is_empty() || self.offered.is_some();
        let executes = self.handed.is_some() || self.squashed.is_some() || !self.logged.is_empty();
        self.slots.iter().all(Option::is_none)
            && self.switch.is_idle()
            && self.switch.rests()
            && !(reports || moves || executes)
            && self.core.pipeline().rests()
            && self.core.is_idle()
    }

    /// Whether a new block may begin in a slot that is free; one that has left may come back there instead.
    pub(super) fn admits(&mut self, slot: usize) -> bool {
        let Some(preempting) = &self.preempting else {
            return !self.bring_some_back(slot);
        };
        match preempting.phase {
            Phase::Unknown | Phase::Exchanged => true,
            Phase::Announced => preempting.fates[slot] != Fate::Leaves,
            Phase::Leaving => false,
            Phase::Back => {
                if self.switch.is_idle() && self.bring_back(slot, None) {
                    return false;
                }
                let free = self.slots.iter().filter(|slot| slot.is_none()).count();
                free > self.switch.away()
            }
        }
    }

    /// Reports to the policy which blocks have begun and ended in this cycle, and what was issued.
    pub(super) fn watch_blocks(&mut self, outputs: &Outputs) {
        let Self {
            preempting,
            slots,
            warps,
            switch,
            core,
            now,
            ..
        } = self;
        let Some(preempting) = preempting else {
            return;
        };
        let absent = core.apart().into_iter().flat_map(MemoryUnit::absent);
        if matches!(preempting.phase, Phase::Exchanged | Phase::Back) {
            return;
        }
        for (warp, _) in absent {
            if let Some(warp) = &warps[usize::from(warp)] {
                preempting.handling[warp.slot] = *now + preempting.handler;
            }
        }
        for (slot, block) in slots.iter().enumerate() {
            let number = block.as_ref().map(|block| block.number);
            let before = std::mem::replace(&mut preempting.blocks[slot], number);
            if before == number {
                continue;
            }
            if let Some(before) = before {
                preempting.ended(slot, switch.is_away(before), *now);
            }
            if number.is_some() {
                preempting.measured.begins(slot, *now);
                preempting.events.push_back(Event::Begins(slot));
            }
        }
        let issued = std::array::from_fn(|port| {
            let is_first = outputs.read_valid[port] == 1 && outputs.read_replayed[port] == 0;
            let warp = warps.get(outputs.read_warp[port] as usize);
            let warp = warp.and_then(Option::as_ref).filter(|_| is_first);
            warp.map(|warp| warp.slot)
        });
        for slot in issued.into_iter().flatten() {
            preempting.measured.issues(slot);
        }
        preempting.follow(*now, issued);
    }

    /// Until when a launch requires nothing, if nothing else happens; none if it may require something now.
    pub(super) fn awaits_launch(&self) -> Option<u64> {
        let Some(preempting) = &self.preempting else {
            return (!self.switch.is_used()).then_some(u64::MAX);
        };
        let has_block = || self.slots.iter().any(Option::is_some);
        let next = match preempting.phase {
            Phase::Unknown if preempting.events.is_empty() => Some(preempting.announced),
            Phase::Exchanged if has_block() || self.below.has_blocks(self.now) => Some(u64::MAX),
            Phase::Back if self.switch.is_over() => Some(u64::MAX),
            _ => None,
        };
        next.filter(|_| self.switch.rests())
    }
}
