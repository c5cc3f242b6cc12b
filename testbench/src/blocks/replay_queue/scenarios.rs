//! What the traffic has led to, counted.

use faultline_sim::sm::replay_queue::{Inputs, Outputs, ReplayQueue};

use super::ReplayQueueTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        empty, full, inserted, insert_stalled_by_full_queue, insert_stalled_by_waiting_warp,
        insert_stalled_by_greatest_age, insert_stalled_by_payload_read, inserted_during_scan, restored, restored_into_another_slot, checked, faulted,
        faulted_again_after_replay, committed, committed_unchecked, same_entry_in_two_messages, message_ignored, held,
        not_held, resumed, resume_refused_in_flight, resume_of_a_warp_that_does_not_wait, resume_beaten_by_save,
        replayed, replay_stalled, replay_done, save_begun, save_refused_in_flight, save_of_an_empty_slot, saved,
        save_stalled, save_of_several_warps, save_done, reset_in_use,
    }
}

impl ReplayQueueTraffic {
    /// Counts what a cycle shows.
    pub(super) fn count(&mut self, model: &ReplayQueue, inputs: &Inputs, outputs: &Outputs) {
        let full = usize::from(outputs.occupancy) == self.parameters.entries;
        let stalled = inputs.insert_valid && !outputs.insert_ready;
        let by_warp = self.warp_waits && !inputs.insert_restored;
        let inserted = inputs.insert_valid && outputs.insert_ready;
        let resume_refused = inputs.resume_valid && !outputs.resume_ready && model.is_idle();
        let same = (inputs.checked_valid
            && inputs.faulted_valid
            && inputs.checked_index == inputs.faulted_index)
            || (inputs.committed_valid
                && inputs.faulted_valid
                && inputs.committed_index == inputs.faulted_index);
        let s = &mut self.scenarios;
        count(&mut s.empty, outputs.occupancy == 0);
        count(&mut s.full, full);
        count(&mut s.inserted, inserted);
        count(&mut s.insert_stalled_by_full_queue, stalled && full);
        count(
            &mut s.insert_stalled_by_waiting_warp,
            stalled && !full && by_warp,
        );
        let by_age = self.warp_too_old;
        count(
            &mut s.insert_stalled_by_greatest_age,
            stalled && !full && !by_warp && by_age,
        );
        count(
            &mut s.insert_stalled_by_payload_read,
            stalled && !full && !by_warp && !by_age,
        );
        count(
            &mut s.inserted_during_scan,
            inserted && (outputs.replay_valid || outputs.saved_valid),
        );
        count(&mut s.restored, inserted && inputs.insert_restored);
        count(&mut s.checked, inputs.checked_valid);
        count(&mut s.faulted, inputs.faulted_valid);
        count(
            &mut s.faulted_again_after_replay,
            self.messages.faults_replayed,
        );
        count(&mut s.committed, inputs.committed_valid);
        count(&mut s.committed_unchecked, self.messages.commits_unchecked);
        count(&mut s.same_entry_in_two_messages, same);
        count(&mut s.message_ignored, self.messages.ignored);
        count(&mut s.held, outputs.held);
        count(&mut s.not_held, !outputs.held);
        count(&mut s.resumed, inputs.resume_valid && outputs.resume_ready);
        count(&mut s.resume_refused_in_flight, resume_refused);
        count(
            &mut s.resume_of_a_warp_that_does_not_wait,
            inputs.resume_valid && outputs.resume_ready && !model.waits(inputs.resume_warp),
        );
        count(
            &mut s.resume_beaten_by_save,
            inputs.resume_valid && inputs.save_valid && outputs.save_ready,
        );
        count(&mut s.replayed, outputs.replay_valid && inputs.replay_ready);
        count(
            &mut s.replay_stalled,
            outputs.replay_valid && !inputs.replay_ready,
        );
        count(&mut s.replay_done, outputs.replay_done);
        count(&mut s.save_begun, inputs.save_valid && outputs.save_ready);
        count(
            &mut s.save_refused_in_flight,
            inputs.save_valid && !outputs.save_ready && model.is_idle(),
        );
        count(&mut s.saved, outputs.saved_valid && inputs.saved_ready);
        count(
            &mut s.save_stalled,
            outputs.saved_valid && !inputs.saved_ready,
        );
        count(&mut s.save_done, outputs.save_done);
        count(&mut s.reset_in_use, inputs.reset && outputs.occupancy != 0);
    }
}
