//! A block scheduler that tests drive by hand, in all back ends at once.

use faultline_sim::sm::block_scheduler::{BlockScheduler, Fill, Inputs, Outputs};
use faultline_testbench::bench::Bench;
use faultline_testbench::blocks;

/// Cycles within which an offer comes, if it does.
const SOON: usize = 8;

/// The scheduler, with the engine and the GPU around it.
pub struct Scheduler {
    bench: Bench<BlockScheduler>,
    /// The inputs of the next cycle. What happens, and what is taken, happens once.
    pub inputs: Inputs,
    pub cycle: u64,
}

impl Scheduler {
    /// One without blocks, for 16 slots and 4 extra blocks, a threshold of 3, and no residence. The GPU has no blocks.
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

    /// One with so many slots, all of which have blocks that have been there long enough.
    pub fn full(config: &str, slots: u64) -> Self {
        let mut scheduler = Self::new(config);
        scheduler.inputs.slots = slots;
        for slot in 0..slots {
            assert_eq!(scheduler.give(), slot);
        }
        scheduler.cycles(4);
        scheduler
    }

    pub fn cycle(&mut self) -> Outputs {
        let outputs = self
            .bench
            .cycle(&self.inputs)
            .unwrap_or_else(|error| panic!("{error}"));
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

    pub fn cycles(&mut self, cycles: u64) {
        for _ in 0..cycles {
            self.cycle();
        }
    }

    /// In the next cycle the GMMU tells something of a page.
    pub fn tell(&mut self, fill: Fill, page: u64, place: u64) {
        self.inputs.fill_valid = true;
        self.inputs.fill_kind = fill as u64;
        self.inputs.fill_vpn = page;
        self.inputs.fill_place = place;
    }

    /// In the next cycle a block meets a page.
    pub fn meet(&mut self, slot: u64, page: u64) {
        self.inputs.fault_valid = true;
        (self.inputs.fault_slot, self.inputs.fault_vpn) = (slot, page);
    }

    pub fn held(&mut self, page: u64, place: u64) {
        self.tell(Fill::Far, page, place);
        self.cycle();
    }

    pub fn comes(&mut self, page: u64) {
        self.tell(Fill::Translation, page, 0);
        self.cycle();
    }

    pub fn fault(&mut self, slot: u64, page: u64) {
        self.meet(slot, page);
        self.cycle();
    }

    /// In the next cycle a block ends.
    pub fn end(&mut self, slot: u64) {
        (self.inputs.ended_valid, self.inputs.ended_slot) = (true, slot);
    }

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

    /// Nothing is offered for so many cycles.
    pub fn quiet(&mut self, cycles: u64) {
        for _ in 0..cycles {
            let outputs = self.cycle();
            let offers = outputs.leave_valid || outputs.enter_valid || outputs.want_valid;
            assert!(!offers, "{outputs:?}");
        }
    }

    /// A new block is wanted for some slot, and the GPU is asked.
    pub fn wanted(&mut self) -> u64 {
        let slot = self.offered("want", |outputs| outputs.want_valid).want_slot;
        self.inputs.want_ready = true;
        self.cycle();
        slot
    }

    /// The GPU, which has just one, gives a new block.
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

    /// A block is to leave, from some slot into some context; the engine begins.
    pub fn leaves(&mut self) -> (u64, u64) {
        let outputs = self.offered("leave", |outputs| outputs.leave_valid);
        self.inputs.leave_ready = true;
        self.cycle();
        (outputs.leave_slot, outputs.leave_context)
    }

    /// A block leaves.
    pub fn left(&mut self) -> (u64, u64) {
        let leaves = self.leaves();
        self.inputs.left_valid = true;
        self.cycle();
        leaves
    }

    /// A block is to come back, into some slot from some context; the engine begins.
    pub fn enters(&mut self) -> (u64, u64) {
        let outputs = self.offered("enter", |outputs| outputs.enter_valid);
        self.inputs.enter_ready = true;
        self.cycle();
        (outputs.enter_slot, outputs.enter_context)
    }

    /// A block comes back.
    pub fn entered(&mut self) -> (u64, u64) {
        let enters = self.enters();
        self.inputs.entered_valid = true;
        self.cycle();
        enters
    }

    /// A block meets a page of its own that is far behind, leaves, and a new one takes its slot.
    pub fn replaced(&mut self, slot: u64, page: u64) -> u64 {
        self.held(page, 9);
        self.fault(slot, page);
        self.inputs.more = true;
        let (left, context) = self.left();
        assert_eq!((left, self.give()), (slot, slot));
        context
    }

    /// A block that waits leaves, and a new one takes its slot.
    pub fn replaced_one(&mut self) -> u64 {
        self.inputs.more = true;
        let (slot, _) = self.left();
        assert_eq!(self.give(), slot);
        slot
    }
}
