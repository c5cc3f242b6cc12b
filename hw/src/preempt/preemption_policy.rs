#![doc = include_str!("../../../docs/blocks/preemption_policy.md")]

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use crate::primitives::one_hot_mux::OneHotMux;
use crate::primitives::or_tree::OrTree;
use crate::primitives::popcount::Popcount;
use crate::primitives::register::Register;

mod choice;
mod ratio;
mod slot;

use choice::Choice;
use ratio::Ratio;
use slot::Slot;

/// Step of a decision.
#[derive(Clone, Copy, Debug, PartialEq, LogicState)]
enum Step {
    /// No query is being decided.
    Idle,
    /// The arithmetic is given the time for saving.
    BeginSwitch,
    /// The arithmetic computes the time for saving.
    Switch,
    /// The arithmetic is given the remaining time, from the instructions.
    BeginRemaining,
    /// The arithmetic computes the remaining time.
    Remaining,
    /// Sums and differences are formed.
    Weigh,
    /// The case is chosen.
    Choose,
    /// The answer is valid.
    Answer,
}

/// Preemption policy: estimates the times of drain, save and flush of a thread block, and chooses among them. `SLOTS`
/// slots with numbers of `SLOT` bits, counted in `SLOT_COUNT` bits. Times and numbers of instructions of `TIME` bits,
/// sums of `SUM` bits; an average has `AVERAGE` bits, of which three are a fraction. The number of a bit has `BIT`
/// bits. A tick has 2^`TICK` cycles.
#[block(top)]
#[check(clog2(SLOTS) == SLOT && SLOT_COUNT <= TIME && TIME + 3 == AVERAGE, "{SLOT}, {SLOT_COUNT} and {AVERAGE} bits do not fit {SLOTS} slots and times of {TIME} bits")]
pub struct PreemptionPolicy<
    const SLOTS: usize,
    const SLOT: usize,
    const SLOT_COUNT: usize,
    const TIME: usize,
    const SUM: usize,
    const AVERAGE: usize,
    const BIT: usize,
    const TICK: usize,
> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous reset, active high: clears every slot and the average.
    pub reset: Signal<In, Bit>,
    /// Another kernel runs on the SM from now on, and the average is cleared.
    pub launch_valid: Signal<In, Bit>,
    /// A block begins, or comes back.
    pub begin_valid: Signal<In, Bit>,
    /// Slot of the block that begins.
    pub begin_slot: Signal<In, Bits<SLOT>>,
    /// Ticks for which the block had run when it left; 0 for a new block.
    pub begin_run: Signal<In, Bits<TIME>>,
    /// Instructions that the block had issued when it left; 0 for a new block.
    pub begin_executed: Signal<In, Bits<TIME>>,
    /// A block has ended, or leaves.
    pub end_valid: Signal<In, Bit>,
    /// The block was saved and leaves: it no longer counts as a block of the SM, and its time does not enter the
    /// average.
    pub end_leaves: Signal<In, Bit>,
    /// Slot of the block that ended or leaves; also selects `end_run` and `end_executed`.
    pub end_slot: Signal<In, Bits<SLOT>>,
    /// A block issues an instruction, one bit for each port.
    pub issued_valid: [Signal<In, Bit>; 2],
    /// Slot of the block that issues, for each port.
    pub issued_slot: [Signal<In, Bits<SLOT>>; 2],
    /// Query for a decision on a block.
    pub query_valid: Signal<In, Bit>,
    /// Slot of the block.
    pub query_slot: Signal<In, Bits<SLOT>>,
    /// The decision is Chimera's; PEP's otherwise.
    pub query_chimera: Signal<In, Bit>,
    /// The block may be dropped and begin from the start.
    pub query_idempotent: Signal<In, Bit>,
    /// Ticks until the preemption, as predicted: 20 or 30 us; for Chimera, the deadline.
    pub query_launch: Signal<In, Bits<TIME>>,
    /// Ticks that saving one block takes: its context by the SM's share of the memory's bandwidth.
    pub query_switch: Signal<In, Bits<TIME>>,
    /// Instructions of a block.
    pub query_instructions: Signal<In, Bits<TIME>>,
    /// Ticks for which a next block would run before it is saved: 1,000 instructions in the paper.
    pub query_warm_up: Signal<In, Bits<TIME>>,
    /// The answer is taken.
    pub answer_ready: Signal<In, Bit>,

    /// Ticks for which the block in `end_slot` has run, in every cycle.
    pub end_run: Signal<Out, Bits<TIME>>,
    /// Instructions that the block in `end_slot` has issued, in every cycle.
    pub end_executed: Signal<Out, Bits<TIME>>,
    /// The query is taken.
    pub query_ready: Signal<Out, Bit>,
    /// The decision is on offer.
    pub answer_valid: Signal<Out, Bit>,
    /// Case of the decision, as in the tables below.
    pub answer_case: Signal<Out, Bits<3>>,
    /// Estimated ticks until the block ends.
    pub answer_remaining: Signal<Out, Bits<TIME>>,
    /// Estimated ticks for saving.
    pub answer_switch: Signal<Out, Bits<TIME>>,

    // Time, and the blocks.
    prescale: Register<Bits<TICK>>,
    slot: [Slot<TIME, SUM>; SLOTS],
    blocks: Popcount<SLOTS, SLOT_COUNT>,

    // A block that has ended goes into the average in the next cycle.
    ended: Register<Bit>,
    sample: Register<Bits<TIME>>,
    known: Register<Bit>,
    average: Register<Bits<AVERAGE>>,
    ended_run: OneHotMux<SLOTS, Bits<TIME>>,
    ended_executed: OneHotMux<SLOTS, Bits<TIME>>,
    ended_holds: OrTree<SLOTS>,

    // What was known when the query arrived, and what is made of it.
    step: Register<Step>,
    run: Register<Bits<TIME>>,
    executed: Register<Bits<TIME>>,
    profiled: Register<Bit>,
    profile: Register<Bits<TIME>>,
    at_once: Register<Bits<SLOT_COUNT>>,
    left: Register<Bits<TIME>>,
    remaining: Register<Bits<TIME>>,
    switching: Register<Bits<TIME>>,
    whole: Register<Bits<TIME>>,
    rest: Register<Bits<TIME>>,
    lead: Register<Bits<TIME>>,
    chosen: Register<Bits<3>>,
    queried_run: OneHotMux<SLOTS, Bits<TIME>>,
    queried_executed: OneHotMux<SLOTS, Bits<TIME>>,
    ratio: Ratio<TIME, SUM, BIT>,
    choice: Choice<TIME, SUM>,

    tick: Signal<Local, Bit>,
    first: Signal<Local, Bit>,
    average_now: Signal<Local, Bits<TIME>>,
    total: Signal<Local, Bits<SUM>>,
    later: Signal<Local, Bits<SUM>>,
    #[init(Constant::new(3.into()))]
    fraction: Constant<Bits<AVERAGE>>,
    #[init(Constant::new((TIME as LiteralType).into()))]
    above: Constant<Bits<SUM>>,
    #[init(Constant::new(1.into()))]
    one: Constant<Bits<TIME>>,
    #[init(Constant::new(1.into()))]
    one_block: Constant<Bits<SLOT_COUNT>>,
    #[init(Constant::new(0.into()))]
    no_case: Constant<Bits<3>>,
    #[init(Constant::new(0.into()))]
    nothing: Constant<Bits<TIME>>,
    #[init(Constant::new(!Bits::default()))]
    most: Constant<Bits<TIME>>,
}

impl<
    const SLOTS: usize,
    const SLOT: usize,
    const SLOT_COUNT: usize,
    const TIME: usize,
    const SUM: usize,
    const AVERAGE: usize,
    const BIT: usize,
    const TICK: usize,
> Logic for PreemptionPolicy<SLOTS, SLOT, SLOT_COUNT, TIME, SUM, AVERAGE, BIT, TICK>
{
    #[logic]
    fn update(&mut self) {
        // Slots.
        self.prescale.d.next = self.prescale.q.val() + 1;
        self.tick.next = self.prescale.q.val().all();
        for i in 0..SLOTS {
            self.slot[i].tick.next = self.tick.val();
            self.slot[i].begin.next =
                self.begin_valid.val() && (self.begin_slot.val() == i.to_bits::<SLOT>());
            self.slot[i].begin_run.next = self.begin_run.val();
            self.slot[i].begin_executed.next = self.begin_executed.val();
            self.slot[i].end.next =
                self.end_valid.val() && (self.end_slot.val() == i.to_bits::<SLOT>());
            self.slot[i].issued[0].next =
                self.issued_valid[0].val() && (self.issued_slot[0].val() == i.to_bits::<SLOT>());
            self.slot[i].issued[1].next =
                self.issued_valid[1].val() && (self.issued_slot[1].val() == i.to_bits::<SLOT>());
            self.blocks.of[i].next = self.slot[i].holds.val();
            self.ended_run.choose[i].next = self.end_slot.val() == i.to_bits::<SLOT>();
            self.ended_run.of[i].next = self.slot[i].run.val();
            self.ended_executed.choose[i].next = self.end_slot.val() == i.to_bits::<SLOT>();
            self.ended_executed.of[i].next = self.slot[i].executed.val();
            self.ended_holds.of[i].next =
                self.slot[i].holds.val() && (self.end_slot.val() == i.to_bits::<SLOT>());
            self.queried_run.choose[i].next = self.query_slot.val() == i.to_bits::<SLOT>();
            self.queried_run.of[i].next = self.slot[i].run.val();
            self.queried_executed.choose[i].next = self.query_slot.val() == i.to_bits::<SLOT>();
            self.queried_executed.of[i].next = self.slot[i].executed.val();
        }

        self.end_run.next = self.ended_run.chosen.val();
        self.end_executed.next = self.ended_executed.chosen.val();

        // The average: the first block's time, and from then on an eighth of the way to each other one's.
        self.ended.d.next = self.end_valid.val()
            && !self.end_leaves.val()
            && self.ended_holds.any.val()
            && !self.launch_valid.val();
        self.sample.d.next = self.ended_run.chosen.val();
        self.average_now.next =
            bit_cast::<TIME, AVERAGE>(self.average.q.val() >> self.fraction.val());
        if self.ended.q.val() {
            self.known.d.next = true;
            self.average.d.next =
                bit_cast::<AVERAGE, TIME>(self.sample.q.val()) << self.fraction.val();
            if self.known.q.val() {
                self.average.d.next = self.average.q.val()
                    - bit_cast::<AVERAGE, TIME>(self.average_now.val())
                    + bit_cast::<AVERAGE, TIME>(self.sample.q.val());
            }
        }
        if self.launch_valid.val() {
            self.known.d.next = false;
        }

        // A query.
        self.first.next = (self.step.q.val() == Step::Idle) && self.query_valid.val();
        if self.first.val() {
            self.run.d.next = self.queried_run.chosen.val();
            self.executed.d.next = self.queried_executed.chosen.val();
            self.profiled.d.next = self.known.q.val() && !self.query_chimera.val();
            self.profile.d.next = self.average_now.val();
            self.at_once.d.next = self.blocks.count.val();
            if self.query_chimera.val() {
                self.at_once.d.next = self.one_block.val();
            }
        }

        // The arithmetic: blocks x time of one, then instructions that are left x cycles for each so far.
        self.ratio.start.next =
            (self.step.q.val() == Step::BeginSwitch) || (self.step.q.val() == Step::BeginRemaining);
        self.ratio.a.next = bit_cast::<TIME, SLOT_COUNT>(self.at_once.q.val());
        self.ratio.b.next = self.query_switch.val();
        self.ratio.c.next = self.one.val();
        if (self.step.q.val() == Step::BeginRemaining) || (self.step.q.val() == Step::Remaining) {
            self.ratio.a.next = self.left.q.val();
            self.ratio.b.next = self.run.q.val();
            self.ratio.c.next = self.nothing.val();
            if self.run.q.val().any() && !self.executed.q.val().all() {
                self.ratio.c.next = self.executed.q.val();
            }
        }
        self.left.d.next = self.nothing.val();
        if self.executed.q.val() < self.query_instructions.val() {
            self.left.d.next = self.query_instructions.val() - self.executed.q.val();
        }
        if self.step.q.val() == Step::Switch {
            self.switching.d.next = self.ratio.quotient.val();
        }
        if self.step.q.val() == Step::Remaining {
            self.remaining.d.next = self.ratio.quotient.val();
            if self.profiled.q.val() {
                self.remaining.d.next = self.nothing.val();
                if self.run.q.val() < self.profile.q.val() {
                    self.remaining.d.next = self.profile.q.val() - self.run.q.val();
                }
            }
        }

        // What the choice looks at.
        self.total.next =
            bit_cast::<SUM, TIME>(self.run.q.val()) + bit_cast::<SUM, TIME>(self.remaining.q.val());
        self.whole.d.next = bit_cast::<TIME, SUM>(self.total.val());
        if (self.total.val() >> self.above.val()).any() {
            self.whole.d.next = self.most.val();
        }
        if self.profiled.q.val() {
            self.whole.d.next = self.profile.q.val();
        }
        self.later.next = bit_cast::<SUM, TIME>(self.query_warm_up.val())
            + bit_cast::<SUM, TIME>(self.switching.q.val());
        self.lead.d.next = bit_cast::<TIME, SUM>(self.later.val());
        if (self.later.val() >> self.above.val()).any() {
            self.lead.d.next = self.most.val();
        }
        self.rest.d.next = self.query_launch.val() - self.remaining.q.val();
        self.choice.chimera.next = self.query_chimera.val();
        self.choice.idempotent.next = self.query_idempotent.val();
        self.choice.launch.next = self.query_launch.val();
        self.choice.warm_up.next = self.query_warm_up.val();
        self.choice.run.next = self.run.q.val();
        self.choice.remaining.next = self.remaining.q.val();
        self.choice.whole.next = self.whole.q.val();
        self.choice.switching.next = self.switching.q.val();
        self.choice.rest.next = self.rest.q.val();
        self.choice.lead.next = self.lead.q.val();
        if self.step.q.val() == Step::Choose {
            self.chosen.d.next = self.choice.chosen.val();
        }

        // From step to step.
        match self.step.q.val() {
            Step::Idle => {
                if self.query_valid.val() {
                    self.step.d.next = Step::BeginSwitch;
                }
            }
            Step::BeginSwitch => {
                self.step.d.next = Step::Switch;
            }
            Step::Switch => {
                if !self.ratio.busy.val() {
                    self.step.d.next = Step::BeginRemaining;
                }
            }
            Step::BeginRemaining => {
                self.step.d.next = Step::Remaining;
            }
            Step::Remaining => {
                if !self.ratio.busy.val() {
                    self.step.d.next = Step::Weigh;
                }
            }
            Step::Weigh => {
                self.step.d.next = Step::Choose;
            }
            Step::Choose => {
                self.step.d.next = Step::Answer;
            }
            Step::Answer => {
                if self.answer_ready.val() {
                    self.step.d.next = Step::Idle;
                }
            }
        }
        self.answer_valid.next = self.step.q.val() == Step::Answer;
        self.query_ready.next = (self.step.q.val() == Step::Answer) && self.answer_ready.val();
        self.answer_case.next = self.no_case.val();
        self.answer_remaining.next = self.nothing.val();
        self.answer_switch.next = self.nothing.val();
        if self.step.q.val() == Step::Answer {
            self.answer_case.next = self.chosen.q.val();
            self.answer_remaining.next = self.remaining.q.val();
            self.answer_switch.next = self.switching.q.val();
        }
    }
}
