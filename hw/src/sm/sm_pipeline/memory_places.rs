//! The memory stage's short queue: instructions between operand read and the memory unit, the front in place 0.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::instruction::Request;
use super::memory_place::MemoryPlace;
use crate::params::{LOG_ENTRY_BITS, MEMORY_PLACES, WARP_BITS};
use crate::primitives::register::Register;

/// The short queue of the memory stage, between operand read and the memory unit; the front is place 0. Scoreboard
/// entries with numbers of `ENTRY` bits, entries of the replay queue with indices of `QUEUE_INDEX` bits.
#[block]
pub struct MemoryPlaces<const ENTRY: usize, const QUEUE_INDEX: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// The scheme has a replay queue.
    pub queues: Signal<In, Bit>,
    /// The scheme has an operand log.
    pub logs: Signal<In, Bit>,
    /// A memory instruction is issued.
    pub issuing: Signal<In, Bit>,
    /// A memory instruction arrives from operand read.
    pub push_valid: Signal<In, Bit>,
    /// Instruction that arrives.
    pub push: Signal<In, Request>,
    /// Scoreboard entry of the instruction that arrives.
    pub push_entry: Signal<In, Bits<ENTRY>>,
    /// Replay-queue entry of the instruction that arrives, if it is replayed.
    pub push_index: Signal<In, Bits<QUEUE_INDEX>>,
    /// The instruction that arrives is replayed.
    pub push_replayed: Signal<In, Bit>,
    /// The instruction that arrives only goes to the replay queue.
    pub push_squashed: Signal<In, Bit>,
    /// Log entry of the address of the instruction that arrives, if it is replayed.
    pub push_log_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the instruction that arrives, if it is replayed.
    pub push_log_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The instruction that arrives takes log entries, and receives them in the next cycle.
    pub taking: Signal<In, Bit>,
    /// Log entry for the address of the instruction that took entries in the cycle before.
    pub taken_address: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// Log entry for the store data of the instruction that took entries in the cycle before.
    pub taken_data: Signal<In, Bits<LOG_ENTRY_BITS>>,
    /// The front leaves.
    pub pop: Signal<In, Bit>,
    /// An instruction faults.
    pub fault_valid: Signal<In, Bit>,
    /// Warp of the instruction that faults.
    pub fault_warp: Signal<In, Bits<WARP_BITS>>,
    /// A warp stops.
    pub stop_valid: Signal<In, Bit>,
    /// Warp that stops.
    pub stop_warp: Signal<In, Bits<WARP_BITS>>,
    /// The short queue has a place for one more instruction, besides the one in operand read.
    pub credit: Signal<Out, Bit>,
    /// The short queue has places for two more instructions, besides the one in operand read.
    pub credit_two: Signal<Out, Bit>,
    /// `credit_two` is high, or was in the cycle before, so that a chosen warp may issue a memory
    /// instruction.
    pub credit_chosen: Signal<Out, Bit>,
    /// An instruction is at the front.
    pub valid: Signal<Out, Bit>,
    /// Instruction at the front.
    pub request: Signal<Out, Request>,
    /// Scoreboard entry of the front.
    pub entry: Signal<Out, Bits<ENTRY>>,
    /// Replay-queue entry of the front, if it is replayed.
    pub index: Signal<Out, Bits<QUEUE_INDEX>>,
    /// The front is replayed.
    pub replayed: Signal<Out, Bit>,
    /// The front only goes to the replay queue.
    pub squashed: Signal<Out, Bit>,
    /// Log entry of the address of the front.
    pub log_address: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Log entry of the store data of the front.
    pub log_data: Signal<Out, Bits<LOG_ENTRY_BITS>>,
    /// Places whose instructions are on their way into the replay queue, one bit each.
    pub inserting: [Signal<Out, Bit>; MEMORY_PLACES],

    count: Register<Bits<3>>,
    no_credit: Register<Bit>,
    no_credit_two: Register<Bit>,
    had_credit_two: Register<Bit>,
    // The last one arrived in the cycle before, and took log entries.
    fresh: Register<Bit>,

    // The instruction in a place only goes to the queue.
    only_queue: [Register<Bit>; MEMORY_PLACES],

    place: [MemoryPlace<ENTRY, QUEUE_INDEX>; MEMORY_PLACES],
    // Behind the last one there is nothing, so that an empty queue shows zeros.
    #[init(Constant::new(Request::default()))]
    nothing: Constant<Request>,
    squashed_now: [Signal<Local, Bit>; MEMORY_PLACES],
    left: Signal<Local, Bits<3>>,
    last: Signal<Local, Bits<3>>,
}

impl<const ENTRY: usize, const QUEUE_INDEX: usize> Logic for MemoryPlaces<ENTRY, QUEUE_INDEX> {
    #[logic]
    fn update(&mut self) {
        self.fresh.reset.next = self.reset.val() || !self.logs.val();

        // The instructions move up; one that arrives goes behind the last.
        self.left.next = self.count.q.val();
        if self.pop.val() {
            self.left.next = self.count.q.val() - 1;
        }
        self.count.d.next = self.left.val() + self.push_valid.val();
        self.no_credit.d.next =
            (self.count.d.val() == 4) || ((self.count.d.val() == 3) && self.issuing.val());
        self.no_credit_two.d.next =
            (self.count.d.val() > 2) || ((self.count.d.val() == 2) && self.issuing.val());
        self.credit.next = !self.no_credit.q.val();
        self.credit_two.next = !self.no_credit_two.q.val();
        self.had_credit_two.d.next = self.credit_two.val();
        self.credit_chosen.next = self.credit_two.val() || self.had_credit_two.q.val();

        // What arrived in the cycle before is the last one, and learns its log entries now.
        self.last.next = self.count.q.val() - 1;
        self.fresh.d.next = self.taking.val();
        for i in 0..MEMORY_PLACES {
            self.place[i].pop.next = self.pop.val();
            self.place[i].push.next =
                self.push_valid.val() && (self.left.val() == i.to_bits::<3>());
            self.place[i].pushed.next = self.push.val();
            self.place[i].pushed_entry.next = self.push_entry.val();
            self.place[i].pushed_index.next = self.push_index.val();
            self.place[i].pushed_replayed.next = self.push_replayed.val();
            self.place[i].pushed_log_address.next = self.push_log_address.val();
            self.place[i].pushed_log_data.next = self.push_log_data.val();
            self.place[i].learns.next = self.fresh.q.val() && (self.last.val() == i.to_bits::<3>());
            self.place[i].learnt_address.next = self.taken_address.val();
            self.place[i].learnt_data.next = self.taken_data.val();
            self.place[i].fault_valid.next = self.fault_valid.val();
            self.place[i].fault_warp.next = self.fault_warp.val();
            self.place[i].stop_valid.next = self.stop_valid.val();
            self.place[i].stop_warp.next = self.stop_warp.val();
            self.inserting[i].next = self.place[i].inserting.val();
        }
        for i in 1..MEMORY_PLACES {
            self.place[i - 1].behind.next = self.place[i].request.val();
            self.place[i - 1].behind_entry.next = self.place[i].entry.val();
            self.place[i - 1].behind_index.next = self.place[i].index.val();
            self.place[i - 1].behind_replayed.next = self.place[i].replayed.val();
            self.place[i - 1].behind_log_address.next = self.place[i].log_address.val();
            self.place[i - 1].behind_log_data.next = self.place[i].log_data.val();
        }
        self.place[3].behind.next = self.nothing.val();
        self.place[3].behind_entry.next = 0.into();
        self.place[3].behind_index.next = 0.into();
        self.place[3].behind_replayed.next = false;
        self.place[3].behind_log_address.next = 0.into();
        self.place[3].behind_log_data.next = 0.into();

        // An instruction whose warp stops goes to the queue alone, unless that holds it already.
        for i in 0..MEMORY_PLACES {
            self.squashed_now[i].next =
                self.only_queue[i].q.val() || (self.queues.val() && self.place[i].stops.val());
            self.only_queue[i].d.next = self.squashed_now[i].val();
        }
        for i in 1..MEMORY_PLACES {
            if self.pop.val() {
                self.only_queue[i - 1].d.next = self.squashed_now[i].val();
            }
        }
        if self.pop.val() {
            self.only_queue[3].d.next = false;
        }
        for i in 0..MEMORY_PLACES {
            if self.place[i].push.val() {
                self.only_queue[i].d.next = self.push_squashed.val();
            }
        }

        self.valid.next = self.count.q.val().any();
        self.request.next = self.place[0].request.val();
        self.entry.next = self.place[0].entry.val();
        self.index.next = self.place[0].index.val();
        self.replayed.next = self.place[0].replayed.val();
        self.squashed.next = self.only_queue[0].q.val();
        self.log_address.next = self.place[0].log_address.val();
        self.log_data.next = self.place[0].log_data.val();
    }
}
