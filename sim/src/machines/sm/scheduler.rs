//! The local scheduler on the SM: what its model receives and says in each cycle.

use std::collections::VecDeque;

use super::below::Below;
use super::machine::Sm;
use super::memory_unit::MemoryUnit;
use super::pages::Fill;
use super::parameters::{Local, Parameters, Transfer};
use crate::ports::Model;
use crate::sm::block_scheduler::{self, BlockScheduler, Inputs, Move, Request};

/// Bits of a fill's kind that the scheduler receives.
const KIND: u64 = 0b11;

/// The local scheduler of thread blocks.
#[derive(Clone, Debug)]
pub(super) struct Scheduler {
    pub local: Local,
    pub model: BlockScheduler,
    /// What it receives in this cycle.
    pub inputs: Inputs,
    /// Faults that were not reported to it: slot and page.
    faults: VecDeque<(usize, u64)>,
    /// Until when a warp of each slot runs the handler of its fault.
    handling: Vec<u64>,
}

impl Scheduler {
    pub fn new(local: Local, parameters: &Parameters, slots: usize) -> Self {
        let sizes = block_scheduler::Parameters::paper(parameters.tlb.misses);
        Self {
            local,
            model: BlockScheduler::new(sizes),
            inputs: Inputs {
                slots: slots as u64,
                extra: local.extra.into(),
                threshold: local.threshold.into(),
                residence: local.residence.into(),
                ..Inputs::default()
            },
            faults: VecDeque::new(),
            handling: vec![0; slots],
        }
    }

    /// Whether contexts move in a cycle.
    pub fn moves_at_once(&self) -> bool {
        self.local.transfer == Transfer::AtOnce
    }

    /// A block in a slot waits for a page from now on; it is reported once.
    fn fault(&mut self, slot: usize, page: u64, now: u64) {
        self.handling[slot] = now + self.local.handler;
        let block = self.model.slots()[slot].block();
        let is_known = block.is_some_and(|block| {
            let mut pages = self.model.pages().iter();
            pages.any(|known| known.vpn == page && known.waiters.contains(&block))
        });
        if !is_known && !self.faults.contains(&(slot, page)) {
            self.faults.push_back((slot, page));
        }
    }

    /// Whether faults of a slot have still to be reported.
    pub fn has_faults(&self, slot: usize) -> bool {
        self.faults.iter().any(|fault| fault.0 == slot)
    }

    /// The block of a slot has ended.
    pub fn ended(&mut self, slot: usize) {
        (self.inputs.ended_valid, self.inputs.ended_slot) = (true, slot as u64);
        self.handling[slot] = 0;
        self.faults.retain(|fault| fault.0 != slot);
    }

    /// A cycle, with what the GMMU has reported in it.
    fn cycle(&mut self, more: bool, fill: Option<Fill>) {
        let inputs = &mut self.inputs;
        inputs.more = more;
        inputs.fill_valid = fill.is_some();
        let fill = fill.unwrap_or_default();
        inputs.fill_kind = u64::from(fill.kind) & KIND;
        (inputs.fill_vpn, inputs.fill_asid) = (fill.vpn, fill.asid.into());
        inputs.fill_place = fill.place.into();
        let fault = self.faults.pop_front();
        inputs.fault_valid = fault.is_some();
        let (slot, page) = fault.unwrap_or_default();
        (inputs.fault_slot, inputs.fault_vpn) = (slot as u64, page);
        self.model.cycle(inputs);
        inputs.ended_valid = false;
        (inputs.leave_ready, inputs.left_valid) = (false, false);
        (inputs.enter_ready, inputs.entered_valid) = (false, false);
        (inputs.want_ready, inputs.given_valid, inputs.given_some) = (false, false, false);
    }
}

impl<B: Below> Sm<'_, B> {
    /// Answers the scheduler's request for a new block, and takes the switch that it offers.
    pub(super) fn obey(&mut self) {
        let Some(scheduler) = &self.switch.scheduler else {
            return;
        };
        let (request, moving) = (scheduler.model.request(), scheduler.model.moving());
        if let Some(request) = request {
            self.give_block(request);
        }
        if let Some(moving) = moving.filter(|_| self.switch.is_idle()) {
            self.move_block(moving);
        }
    }

    /// A request is taken, and answered as soon as the GPU has dispatched a block or has none.
    fn give_block(&mut self, request: Request) {
        let block = match request.taken {
            true => self.below.next_block(self.now),
            false => None,
        };
        let comes = block.is_some();
        let has_none = !comes && !self.below.has_blocks(self.now);
        let is_some = block.is_some_and(|block| self.begin_block(request.slot, block));
        if let Some(scheduler) = &mut self.switch.scheduler {
            let inputs = &mut scheduler.inputs;
            inputs.want_ready = !request.taken;
            inputs.given_valid = request.taken && (comes || has_none);
            inputs.given_some = is_some;
        }
    }

    /// While no context moves: a switch begins, or has ended.
    fn move_block(&mut self, moving: Move) {
        let Move {
            leaves,
            slot,
            context,
            taken,
        } = moving;
        let has_ended = self.slots[slot].is_none();
        // The handler's registers are in no context.
        let handles = |scheduler: &Scheduler| scheduler.handling[slot] > self.now;
        let is_handling = self.switch.scheduler.as_ref().is_some_and(handles);
        let begins = !taken
            && match (leaves, self.leaver(slot)) {
                (false, _) => self.bring_back(slot, Some(context)),
                (true, Some(_)) if is_handling => false,
                (true, Some(block)) => {
                    self.begin_save(slot, block, context);
                    true
                }
                (true, None) => has_ended,
            };
        if let Some(scheduler) = &mut self.switch.scheduler {
            let left = taken && leaves && !scheduler.has_faults(slot);
            let inputs = &mut scheduler.inputs;
            inputs.leave_ready = begins && leaves;
            inputs.enter_ready = begins && !leaves;
            inputs.left_valid = left;
        }
    }

    /// Its local scheduler, if blocks are switched out.
    pub(in super::super) fn scheduler(&self) -> Option<&BlockScheduler> {
        let scheduler = self.switch.scheduler.as_ref();
        scheduler.map(|scheduler| &scheduler.model)
    }

    /// A block comes back: the first of its warps may go on.
    pub(super) fn has_entered(&mut self) {
        if let Some(scheduler) = &mut self.switch.scheduler {
            scheduler.inputs.entered_valid = true;
        }
    }

    /// The scheduler's cycle, with what the SM has reported in it.
    pub(super) fn schedule(&mut self) {
        let Some(scheduler) = &mut self.switch.scheduler else {
            return;
        };
        let per_block = self.work.warps_per_block;
        for (warp, page) in self.core.apart().into_iter().flat_map(MemoryUnit::absent) {
            scheduler.fault(usize::from(warp) / per_block, page, self.now);
        }
        scheduler.cycle(self.below.has_blocks(self.now), self.core.fill());
    }
}
