//! One warp: whether it runs, its thread block's slot, its scoreboard and the instructions that wait for their issue.

use faultline_macros::{block, logic};
use rust_hdl::prelude::*;

use super::buffer::Buffer;
use super::instruction::{Instruction, Messages, Registers, Units};
use super::of_slot::OfSlot;
use crate::params::{SLOT_BITS, SLOTS, UNITS, WARP_BITS};
use crate::primitives::register::Register;
use crate::sm::scoreboard::Scoreboard;

/// One warp: its state, slot, scoreboard, and the instructions that wait for their issue. `INSTRUCTIONS` instructions
/// in flight with scoreboard entries of `ENTRY` bits.
#[block(new(holds: bool))]
pub struct Warp<const INSTRUCTIONS: usize, const ENTRY: usize> {
    /// Rising edge.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Number of the warp.
    pub number: Signal<In, Bits<WARP_BITS>>,
    /// The scheme has an operand log.
    pub logs: Signal<In, Bit>,
    /// A global-memory instruction stops the fetch, and is fetched again if it faults.
    pub disables: Signal<In, Bit>,
    /// Messages to all warps.
    pub messages: Signal<In, Messages>,
    /// Units whose instruction commits, one bit each.
    pub finished_valid: [Signal<In, Bit>; UNITS],
    /// Warp of each unit's instruction.
    pub finished_warp: [Signal<In, Bits<WARP_BITS>>; UNITS],
    /// Scoreboard entry of each unit's instruction.
    pub finished_entry: [Signal<In, Bits<ENTRY>>; UNITS],
    /// Scoreboard entry of the instruction that leaves without having been executed.
    pub squash_entry: Signal<In, Bits<ENTRY>>,
    /// Scoreboard entry of the instruction whose last TLB check has succeeded.
    pub checked_entry: Signal<In, Bits<ENTRY>>,
    /// Warp that is to be resumed, if any is.
    pub resume_warp: Signal<In, Bits<WARP_BITS>>,
    /// Slot of the thread block that is to leave, if any is.
    pub save_slot: Signal<In, Bits<SLOT_BITS>>,

    /// The port has chosen the warp for fetch.
    pub fetch_chosen: Signal<In, Bit>,
    /// An instruction comes if the warp requests one.
    pub fetched_valid: Signal<In, Bit>,
    /// Instruction that comes.
    pub fetched: Signal<In, Instruction>,
    /// Registers that the scoreboard enters, of the instruction that comes or of the one that is issued
    /// again.
    pub entry: Signal<In, Registers>,
    /// The instruction that arrives stops the fetch of its warp.
    pub entry_stops: Signal<In, Bit>,
    /// The instruction that arrives holds its sources until it is checked.
    pub entry_holds: Signal<In, Bit>,

    /// The port has chosen the warp for issue.
    pub issue_chosen: Signal<In, Bit>,
    /// The chosen warp of the port issues its first instruction.
    pub go: Signal<In, Bit>,
    /// The chosen warp of the port issues its second instruction with the first.
    pub pair_go: Signal<In, Bit>,
    /// The chosen warp of the port may be kept from its issue: both ports' warps need the only unit of a
    /// kind, or an instruction that is issued again takes the port.
    pub stays: Signal<In, Bit>,
    /// Units and places that a chosen warp can take in this cycle.
    pub free_units: Signal<In, Units>,
    /// Units and places for which a warp can be chosen for the next cycle.
    pub choice: Signal<In, Units>,
    /// Slots that had a free log entry in the cycle before, one bit each.
    pub seen_one: [Signal<In, Bit>; SLOTS],
    /// Slots that had at least two free log entries in the cycle before, one bit each.
    pub seen_two: [Signal<In, Bit>; SLOTS],
    /// Slots in which all warps that wait for log entries get the turn, one bit each.
    pub calls: [Signal<In, Bit>; SLOTS],
    /// Slots in which only warps that have the turn take log entries, one bit each.
    pub kept: [Signal<In, Bit>; SLOTS],
    /// The instructions that the warp has not issued go back to their source in the next cycle.
    pub revert: Signal<In, Bit>,

    /// The warp requests a fetch in the next cycle.
    pub fetch_request: Signal<Out, Bit>,
    /// The warp requests its next instruction.
    pub requesting: Signal<Out, Bit>,
    /// Scoreboard entry of the instruction that arrives.
    pub arrive_entry: Signal<Out, Bits<ENTRY>>,
    /// The warp can probably issue in the next cycle.
    pub issue_request: Signal<Out, Bit>,
    /// The warp is chosen, and can issue its first instruction if the log has room.
    pub ready: Signal<Out, Bit>,
    /// The warp is chosen, and can issue its second instruction with the first if the log has room.
    pub pair: Signal<Out, Bit>,
    /// The warp is chosen, and needs the unit for special functions.
    pub special: Signal<Out, Bit>,
    /// The warp is chosen, and needs the control unit.
    pub control: Signal<Out, Bit>,
    /// The warp is chosen, and needs the memory stage.
    pub memory: Signal<Out, Bit>,
    /// The warp has the turn to take log entries.
    pub turn: Signal<Out, Bit>,
    /// The warp is chosen, and has the turn to take log entries.
    pub chosen_turn: Signal<Out, Bit>,
    /// First buffered instruction of the warp.
    pub first: Signal<Out, Instruction>,
    /// Scoreboard entry of the warp's first buffered instruction.
    pub first_entry: Signal<Out, Bits<ENTRY>>,
    /// Second buffered instruction of the warp.
    pub second: Signal<Out, Instruction>,
    /// Scoreboard entry of the warp's second buffered instruction.
    pub second_entry: Signal<Out, Bits<ENTRY>>,
    /// Slot of the warp's thread block.
    pub slot: Signal<Out, Bits<SLOT_BITS>>,
    /// The warp has stopped, and has instructions to give back to their source.
    pub revert_request: Signal<Out, Bit>,
    /// The first buffered instruction goes back to its source.
    pub revert_first: Signal<Out, Bit>,
    /// The second buffered instruction goes back to its source.
    pub revert_second: Signal<Out, Bit>,
    /// An instruction that faulted goes back to its source.
    pub revert_squashed: Signal<Out, Bit>,
    /// The warp is the one in `resume_warp`, has stopped, and has no instruction that is buffered or in
    /// flight.
    pub drained: Signal<Out, Bit>,
    /// The warp belongs to the thread block in `save_slot`, and has not stopped or not drained.
    pub stays_in_slot: Signal<Out, Bit>,

    running: Register<Bit>,
    own_slot: Register<Bits<SLOT_BITS>>,
    // What faulted is to be fetched again.
    refetch: Register<Bit>,
    reverting: Register<Bit>,
    has_turn: Register<Bit>,

    #[init(Scoreboard::new(holds))]
    board: Scoreboard<INSTRUCTIONS, ENTRY>,
    buffer: Buffer,
    one_entry: OfSlot,
    two_entries: OfSlot,
    called: OfSlot,
    kept_slot: OfSlot,

    faulting: Signal<Local, Bit>,
    stopping: Signal<Local, Bit>,
    starting: Signal<Local, Bit>,
    proceeding: Signal<Local, Bit>,
    arrival: Signal<Local, Bit>,
    claim: Signal<Local, Bit>,
    leaving: Signal<Local, Bit>,
    issue_first: Signal<Local, Bit>,
    idle: Signal<Local, Bit>,
}

impl<const INSTRUCTIONS: usize, const ENTRY: usize> Logic for Warp<INSTRUCTIONS, ENTRY> {
    #[logic]
    fn update(&mut self) {
        self.refetch.reset.next = self.reset.val() || !self.disables.val();
        self.has_turn.reset.next = self.reset.val() || !self.logs.val();

        // It begins, stops and goes on.
        self.faulting.next = self.messages.val().fault_valid
            && (self.messages.val().fault_warp == self.number.val());
        self.stopping.next = self.faulting.val()
            || (self.messages.val().stop_valid
                && (self.messages.val().stop_warp == self.number.val()));
        self.starting.next = self.messages.val().start_valid
            && (self.messages.val().start_warp == self.number.val());
        self.proceeding.next = self.messages.val().proceed_valid
            && (self.messages.val().proceed_warp == self.number.val());
        self.running.d.next =
            (self.running.q.val() || self.starting.val() || self.proceeding.val())
                && !self.stopping.val();
        if self.starting.val() {
            self.own_slot.d.next = self.messages.val().start_slot;
        }
        self.slot.next = self.own_slot.q.val();
        self.idle.next = !self.running.q.val() && !self.refetch.q.val() && !self.board.busy.val();
        self.drained.next = self.idle.val() && (self.resume_warp.val() == self.number.val());
        self.stays_in_slot.next =
            !self.idle.val() && (self.own_slot.q.val() == self.save_slot.val());

        // What has stopped gives back the instructions that it has not issued.
        self.refetch.d.next = (self.refetch.q.val() && !self.reverting.q.val())
            || (self.faulting.val() && self.messages.val().fault_refetches);
        self.revert_request.next = !self.running.q.val()
            && !self.reverting.q.val()
            && (self.board.first_valid.val() || self.refetch.q.val());
        self.reverting.d.next = self.revert.val();
        self.board.flush.next = self.reverting.q.val();
        self.revert_first.next = self.reverting.q.val() && self.board.first_valid.val();
        self.revert_second.next = self.reverting.q.val() && self.board.second_valid.val();
        self.revert_squashed.next = self.reverting.q.val() && self.refetch.q.val();

        // Its instructions finish.
        for u in 0..UNITS {
            self.board.finished_valid[u].next =
                self.finished_valid[u].val() && (self.finished_warp[u].val() == self.number.val());
            self.board.finished_entry[u].next = self.finished_entry[u].val();
        }
        self.board.finished_valid[5].next = self.messages.val().squash_valid
            && (self.messages.val().squash_warp == self.number.val());
        self.board.finished_entry[5].next = self.squash_entry.val();
        self.board.checked_valid.next = self.messages.val().checked_valid
            && (self.messages.val().checked_warp == self.number.val());
        self.board.checked_entry.next = self.checked_entry.val();

        // An instruction arrives, or one that comes back takes its way past the buffer.
        self.fetch_request.next =
            self.running.q.val() && !self.board.second_valid.val() && !self.board.stopping.val();
        self.requesting.next = self.fetch_chosen.val()
            && self.running.q.val()
            && self.board.room.val()
            && !self.board.stopped.val()
            && !self.messages.val().reissue_valid;
        self.arrival.next = self.requesting.val() && self.fetched_valid.val();
        self.claim.next = self.messages.val().reissue_taken
            && (self.messages.val().reissue_warp == self.number.val());
        self.board.arrive_valid.next = self.arrival.val() || self.claim.val();
        self.board.arrive_issued.next = self.messages.val().reissue_valid;
        self.board.arrive_destination.next = self.fetched.val().destination;
        self.board.arrive_source_a.next = self.fetched.val().source_a;
        self.board.arrive_source_b.next = self.fetched.val().source_b;
        self.board.arrive_source_c.next = self.fetched.val().source_c;
        self.board.entry_stops.next = self.entry_stops.val();
        self.board.entry_holds.next = self.entry_holds.val();
        self.board.entry_destination.next = self.entry.val().destination;
        self.board.entry_source_a.next = self.entry.val().source_a;
        self.board.entry_source_b.next = self.entry.val().source_b;
        self.board.entry_source_c.next = self.entry.val().source_c;
        self.arrive_entry.next = self.board.arrive_entry.val();
        self.buffer.arrival.next = self.arrival.val();
        self.buffer.fetched.next = self.fetched.val();
        self.buffer.first_valid.next = self.board.first_valid.val();
        self.buffer.second_valid.next = self.board.second_valid.val();
        self.buffer.leaving.next = self.leaving.val();
        self.buffer.issue_first.next = self.issue_first.val();

        // Whether it can issue.
        for k in 0..SLOTS {
            self.kept_slot.of[k].next = self.kept[k].val();
            self.called.of[k].next = self.calls[k].val();
            self.one_entry.of[k].next = self.seen_one[k].val();
            self.two_entries.of[k].next = self.seen_two[k].val();
        }
        self.kept_slot.slot.next = self.own_slot.q.val();
        self.called.slot.next = self.own_slot.q.val();
        self.one_entry.slot.next = self.own_slot.q.val();
        self.two_entries.slot.next = self.own_slot.q.val();
        self.buffer.free_units.next = self.free_units.val();
        self.buffer.choice.next = self.choice.val();
        self.buffer.logs.next = self.logs.val();
        self.buffer.kept.next = self.kept_slot.holds.val();
        self.buffer.turn.next = self.has_turn.q.val();
        self.buffer.seen_one.next = self.one_entry.holds.val();
        self.buffer.seen_two.next = self.two_entries.holds.val();
        self.ready.next = self.issue_chosen.val()
            && self.running.q.val()
            && self.board.first_ready.val()
            && self.buffer.free.val();
        self.pair.next =
            self.issue_chosen.val() && self.board.second_ready.val() && self.buffer.pair.val();
        self.leaving.next = self.issue_chosen.val() && self.board.first_valid.val();
        self.special.next = self.leaving.val() && self.buffer.special.val();
        self.control.next = self.leaving.val() && self.buffer.control.val();
        self.memory.next = self.leaving.val() && self.buffer.memory.val();
        self.first.next = self.buffer.first.val();
        self.first_entry.next = self.board.first_entry.val();
        self.second.next = self.buffer.second.val();
        self.second_entry.next = self.board.second_entry.val();
        self.issue_first.next = self.issue_chosen.val() && self.go.val();
        self.has_turn.d.next = (self.has_turn.q.val()
            || (self.called.holds.val()
                && self.running.q.val()
                && self.board.first_ready.val()
                && self.buffer.logging.val()))
            && !self.issue_first.val()
            && !self.reverting.q.val();
        self.turn.next = self.has_turn.q.val();
        self.chosen_turn.next = self.issue_chosen.val() && self.has_turn.q.val();
        self.board.issue_first.next = self.issue_first.val();
        self.board.issue_second.next = self.issue_chosen.val() && self.pair_go.val();
        self.board.chosen.next = self.issue_chosen.val();

        // If it was chosen it is taken to issue, unless it is clear already that it may not.
        self.issue_request.next = self.running.q.val()
            && (!self.board.first_valid.val() || self.buffer.may_request.val())
            && ((self.board.likely.val()
                && self.buffer.free_then.val()
                && (!self.leaving.val() || self.buffer.free.val()))
                || (self.leaving.val() && self.stays.val() && self.buffer.free_next.val()));
    }
}
