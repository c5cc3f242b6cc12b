//! What the traffic has led to, counted.

use faultline_sim::sm::operand_log::{Inputs, Outputs, PATIENCE};

use super::{Accepted, OperandLogTraffic, Refusal};
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        launch, launch_of_nothing, launch_larger_than_the_log, launch_of_one_block, launch_during_allocation,
        launch_stops_a_request, load_allocated, store_allocated, allocated_back_to_back, one_entry_left,
        load_refused, store_refused_for_want_of_a_second_entry, allocated_beside_a_release, written,
        written_when_allocated, written_again, write_stalled_by_an_overdue_read, written_without_a_bubble, released,
        replay_read, save_read, both_readers_request, turn_of_replay, turn_of_save, overdue_read_served,
        denied_of_another_slot, denied_unwritten, denied_free, write_of_a_free_entry, release_of_a_free_entry,
        release_when_allocated, released_for_another_slot, allocated_from_a_partition_without_a_free_entry,
        four_released_for_a_slot_that_owns_nothing, reset_in_use,
    }
}

impl OperandLogTraffic {
    /// Counts what a cycle shows.
    pub(super) fn count(&mut self, inputs: &Inputs, outputs: &Outputs, accepted: &Accepted) {
        let before = &self.before;
        let bit = |entry: u8| 1u128 << entry;
        let entries = self.parameters.entries;
        let requested = inputs.replay_valid || inputs.save_valid;
        let read = accepted.replay || accepted.save;
        let refused = |why| {
            (accepted.replay && before.refusals[0] == Some(why))
                || (accepted.save && before.refusals[1] == Some(why))
        };
        let allocates = inputs.allocate_valid && !inputs.launch_valid;
        let both = inputs.replay_valid && inputs.save_valid;
        let s = &mut self.scenarios;
        count(&mut s.launch, inputs.launch_valid);
        count(
            &mut s.launch_of_nothing,
            inputs.launch_valid && inputs.launch_entries == 0,
        );
        let size = usize::from(inputs.launch_entries);
        count(
            &mut s.launch_larger_than_the_log,
            inputs.launch_valid && size > entries,
        );
        count(
            &mut s.launch_of_one_block,
            inputs.launch_valid && size <= entries && 2 * size > entries,
        );
        count(
            &mut s.launch_during_allocation,
            inputs.launch_valid && outputs.allocated_valid,
        );
        count(
            &mut s.launch_stops_a_request,
            inputs.launch_valid && requested,
        );
        count(
            &mut s.load_allocated,
            accepted.allocate && !inputs.allocate_store,
        );
        count(
            &mut s.store_allocated,
            accepted.allocate && inputs.allocate_store,
        );
        count(
            &mut s.allocated_back_to_back,
            accepted.allocate && before.accepted.allocate,
        );
        let one_left =
            outputs.allocated_valid && outputs.allocated_address == outputs.allocated_data;
        count(&mut s.one_entry_left, one_left);
        let has_one = outputs.free_one >> inputs.allocate_slot & 1 == 1;
        count(
            &mut s.load_refused,
            allocates && !accepted.allocate && !inputs.allocate_store,
        );
        count(
            &mut s.store_refused_for_want_of_a_second_entry,
            allocates && !accepted.allocate && has_one,
        );
        count(
            &mut s.allocated_beside_a_release,
            accepted.allocate
                && inputs.release_valid
                && inputs.release_slot == inputs.allocate_slot,
        );
        count(&mut s.written, accepted.write);
        count(
            &mut s.written_when_allocated,
            accepted.write && before.being_taken & bit(inputs.write_entry) != 0,
        );
        count(
            &mut s.written_again,
            accepted.write && before.written & bit(inputs.write_entry) != 0,
        );
        count(
            &mut s.write_stalled_by_an_overdue_read,
            inputs.write_valid && !outputs.write_ready && read,
        );
        count(
            &mut s.written_without_a_bubble,
            accepted.write && before.accepted.write,
        );
        count(&mut s.released, inputs.release_valid);
        count(&mut s.replay_read, accepted.replay);
        count(&mut s.save_read, accepted.save);
        count(&mut s.both_readers_request, both);
        count(&mut s.turn_of_replay, both && accepted.replay);
        count(&mut s.turn_of_save, both && accepted.save);
        count(
            &mut s.overdue_read_served,
            read && self.unserved >= PATIENCE,
        );
        count(&mut s.denied_of_another_slot, refused(Refusal::Foreign));
        count(&mut s.denied_unwritten, refused(Refusal::Unwritten));
        count(&mut s.denied_free, refused(Refusal::Free));
        count(
            &mut s.four_released_for_a_slot_that_owns_nothing,
            self.collected == 4 && before.strays,
        );
        let (in_use, given) = (before.in_use, before.being_taken);
        count(
            &mut s.write_of_a_free_entry,
            accepted.write && (in_use | given) & bit(inputs.write_entry) == 0,
        );
        count(
            &mut s.release_of_a_free_entry,
            inputs.release_valid && in_use & bit(inputs.release_entry) == 0,
        );
        count(
            &mut s.release_when_allocated,
            inputs.release_valid && given & bit(inputs.release_entry) != 0,
        );
        count(&mut s.released_for_another_slot, before.strays);
        count(
            &mut s.allocated_from_a_partition_without_a_free_entry,
            outputs.allocated_valid && given == 0,
        );
        count(&mut s.reset_in_use, inputs.reset && in_use != 0);
    }
}
