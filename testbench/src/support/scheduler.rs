//! A block scheduler that tests drive by hand, in all back ends at once.

use faultline_sim::sm::block_scheduler::{BlockScheduler, Fill, Inputs, Outputs};

use crate::bench::Bench;
use crate::blocks;

/// An offer comes within this number of cycles, if it does.
const SOON: usize = 8;

/// This is a block scheduler in all back ends, with the engine and the GPU around it.
pub struct Scheduler {
    bench: Bench<BlockScheduler>,
    /// These are the inputs of the next cycle. What happens, and what is taken, happens once.
    pub inputs: Inputs,
    /// This is the number of cycles so far.
    pub cycle: u64,
}

impl Scheduler {
    /// Builds a scheduler of a configuration without blocks, for 16 slots and 4 extra blocks, with a threshold of 3 and
    /// no residence. The GPU has no blocks.
    ///
    /// # Panics
    /// If there is no such configuration, or the back ends differ.
    #[must_use]
    pub fn new(config: &str) -> Self {
        let mut scheduler = Self {
            bench: blocks::bench::<BlockScheduler>(config).unwrap(),
            inputs: Inputs::default(),
            cycle: 0,
        };
        scheduler.inputs.reset = true;
        scheduler.cycle();
        scheduler.inputs.reset = false;
        scheduler.inputs.slots = 16;
        scheduler.inputs.extra = 4;
        scheduler.inputs.threshold = 3;
        scheduler
    }

    /// Builds one with this number of slots, all of which have blocks that have been there long enough.
    ///
    /// # Panics
    /// If the slots are not filled in their order.
    #[must_use]
    pub fn full(config: &str, slots: u64) -> Self {
        let mut scheduler = Self::new(config);
        scheduler.inputs.slots = slots;
        for slot in 0..slots {
            assert_eq!(scheduler.give(), slot);
        }
        scheduler.cycles(4);
        scheduler
    }

    /// Runs a cycle with `inputs`, and gives the outputs that all back ends agree on.
    ///
    /// # Panics
    /// If the back ends differ.
    pub fn cycle(&mut self) -> Outputs {
        let outputs = self.bench.run(&self.inputs);
        let happens = [
            &mut self.inputs.fill_valid,
            &mut self.inputs.fault_valid,
            &mut self.inputs.ended_valid,
            &mut self.inputs.leave_ready,
            &mut self.inputs.left_valid,
            &mut self.inputs.enter_ready,
            &mut self.inputs.entered_valid,
            &mut self.inputs.entered_refused,
            &mut self.inputs.want_ready,
            &mut self.inputs.given_valid,
            &mut self.inputs.given_some,
        ];
        happens.into_iter().for_each(|input| *input = false);
        self.cycle += 1;
        outputs
    }

    /// Runs this number of cycles.
    pub fn cycles(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// Lets the GMMU report on a page in the next cycle.
    pub fn report(&mut self, fill: Fill, page: u64, place: u64) {
        self.inputs.fill_valid = true;
        self.inputs.fill_kind = fill as u64;
        self.inputs.fill_vpn = page;
        self.inputs.fill_place = place;
    }

    /// Lets the block of a slot meet a page in the next cycle.
    pub fn meet(&mut self, slot: u64, page: u64) {
        self.inputs.fault_valid = true;
        (self.inputs.fault_slot, self.inputs.fault_vpn) = (slot, page);
    }

    /// Runs a cycle in which the GMMU reports that a page is far, at a place of its queue.
    pub fn held(&mut self, page: u64, place: u64) {
        self.report(Fill::Far, page, place);
        self.cycle();
    }

    /// Runs a cycle in which the GMMU reports that a page is there.
    pub fn comes(&mut self, page: u64) {
        self.report(Fill::Translation, page, 0);
        self.cycle();
    }

    /// Runs a cycle in which the block of a slot meets a page.
    pub fn fault(&mut self, slot: u64, page: u64) {
        self.meet(slot, page);
        self.cycle();
    }

    /// Lets the block of a slot end in the next cycle.
    pub fn end(&mut self, slot: u64) {
        (self.inputs.ended_valid, self.inputs.ended_slot) = (true, slot);
    }

    /// Runs a cycle in which the block of a slot ends.
    pub fn ended(&mut self, slot: u64) {
        self.end(slot);
        self.cycle();
    }

    /// Waits for an offer.
    fn offered(&mut self, what: &str, valid: impl Fn(&Outputs) -> bool) -> Outputs {
        for _ in 0..SOON {
            let outputs = self.cycle();
            if valid(&outputs) {
                return outputs;
            }
        }
        panic!("no offer to {what}");
    }

    /// Runs this number of cycles, in which nothing is to be offered.
    ///
    /// # Panics
    /// If something is.
    pub fn quiet(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let outputs = self.cycle();
            let offers = outputs.leave_valid || outputs.enter_valid || outputs.want_valid;
            assert!(!offers, "{outputs:?}");
        }
    }

    /// Waits until a new block is wanted for some slot, which it gives; the GPU receives the request.
    pub fn wanted(&mut self) -> u64 {
        let slot = self.offered("want", |outputs| outputs.want_valid).want_slot;
        self.inputs.want_ready = true;
        self.cycle();
        slot
    }

    /// Lets the GPU, which has just one, give a new block, and gives the slot that it goes to.
    pub fn give(&mut self) -> u64 {
        self.inputs.more = true;
        let slot = self.offered("want", |outputs| outputs.want_valid).want_slot;
        self.inputs.more = false;
        self.inputs.want_ready = true;
        self.cycle();
        (self.inputs.given_valid, self.inputs.given_some) = (true, true);
        self.cycle();
        slot
    }

    /// Waits until a block is to leave, and gives its slot and the context that it goes into; the engine begins.
    pub fn leaves(&mut self) -> (u64, u64) {
        let outputs = self.offered("leave", |outputs| outputs.leave_valid);
        self.inputs.leave_ready = true;
        self.cycle();
        (outputs.leave_slot, outputs.leave_context)
    }

    /// Lets a block leave, and gives its slot and its context.
    pub fn left(&mut self) -> (u64, u64) {
        let leaves = self.leaves();
        self.inputs.left_valid = true;
        self.cycle();
        leaves
    }

    /// Waits until a block is to come back, and gives its slot and the context that it comes from; the engine begins.
    pub fn enters(&mut self) -> (u64, u64) {
        let outputs = self.offered("enter", |outputs| outputs.enter_valid);
        self.inputs.enter_ready = true;
        self.cycle();
        (outputs.enter_slot, outputs.enter_context)
    }

    /// Lets a block come back, and gives its slot and its context.
    pub fn entered(&mut self) -> (u64, u64) {
        let enters = self.enters();
        self.inputs.entered_valid = true;
        self.cycle();
        enters
    }

    /// Lets the block of a slot meet a page of its own that is far behind, and leave, and a new one take its slot;
    /// gives its context.
    ///
    /// # Panics
    /// If another block leaves, or the new one takes another slot.
    pub fn replaced(&mut self, slot: u64, page: u64) -> u64 {
        self.held(page, 9);
        self.fault(slot, page);
        self.inputs.more = true;
        let (left, context) = self.left();
        assert_eq!((left, self.give()), (slot, slot));
        context
    }

    /// Lets a block that waits leave, and a new one take its slot, which it gives.
    ///
    /// # Panics
    /// If the new one takes another slot.
    pub fn replaced_one(&mut self) -> u64 {
        self.inputs.more = true;
        let (slot, _) = self.left();
        assert_eq!(self.give(), slot);
        slot
    }
}
