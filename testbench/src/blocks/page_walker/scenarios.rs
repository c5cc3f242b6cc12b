//! What the traffic has led to, counted.

use faultline_sim::mmu::page_walker::{Inputs, Outputs, PageWalker, Step};

use super::PageWalkerTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        page_of_4_kb, page_of_2_mb, page_of_1_gb, non_canonical, not_present, reserved_bit, protection, not_accessed,
        not_dirty, outside_memory, error_response, answer_for_several, answer_stalled, memory_stalled,
        memory_and_response_at_once, every_walk_busy, no_room, several_request, turn_goes_round, waits_for_a_walk,
        entry_of_the_root, table_in_itself, alike_and_alone, update, update_of_dirty, update_refused, update_skipped,
        invalidated_requesting, invalidated_reading, invalidated_ended, invalidated_marking,
        invalidated_one_space_of_two, invalidation_waits, stale_response, kept_entry, begun_bypassed, found_bypassed,
        refused_bypassed, marked_bypassed, invalidated_bypassed, root_written, root_written_at_work, stray_response,
        out_of_order, idle, reset_in_use,
    }
}

/// Scenarios that cannot occur where accessed and dirty bits are left to software.
pub(super) const OF_UPDATES: [&str; 6] = [
    "update",
    "update_of_dirty",
    "update_refused",
    "update_skipped",
    "invalidated_marking",
    "marked_bypassed",
];

/// Scenarios that cannot occur where the walker sets them.
pub(super) const OF_SOFTWARE: [&str; 2] = ["not_accessed", "not_dirty"];

impl PageWalkerTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &PageWalker, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let busy = model.walks().filter(|walk| walk.step != Step::Free).count();
        let every = busy == self.parameters.walks;
        let requesting: u64 = inputs.request_valid.iter().sum();
        count(&mut s.reset_in_use, inputs.reset && busy > 0);
        count(&mut s.every_walk_busy, every);
        count(&mut s.waits_for_a_walk, every && model.waiting() > 0);
        count(
            &mut s.no_room,
            requesting > 0 && model.waiting() == self.parameters.waiting,
        );
        count(&mut s.several_request, requesting > 1);
        count(&mut s.alike_and_alone, inputs.no_merge && model.has_twins());
        count(&mut s.idle, busy == 0 && requesting == 0);
        count(&mut s.root_written, inputs.root_valid);
        count(&mut s.root_written_at_work, inputs.root_valid && busy > 1);
        if inputs.response_valid {
            let walk = model.walks().nth(usize::from(inputs.response_walk));
            let reading = walk.is_some_and(|walk| walk.step == Step::Reading);
            count(&mut s.stray_response, !reading);
            count(&mut s.error_response, inputs.response_error);
            count(&mut s.update_refused, inputs.response_changed);
            count(&mut s.kept_entry, reading && inputs.response_kept);
            count(
                &mut s.stale_response,
                reading && walk.is_some_and(|walk| walk.stale),
            );
        }
        if inputs.invalidate_valid && !self.invalidating && !model.halting() {
            let meant = |asid| inputs.invalidate_all || asid == inputs.invalidate_asid;
            let (mut met, mut spared) = (false, false);
            for walk in model.walks().filter(|walk| walk.step != Step::Free) {
                if !meant(walk.key.asid) {
                    spared = true;
                    continue;
                }
                met = true;
                count(&mut s.invalidated_requesting, walk.step == Step::Requesting);
                count(&mut s.invalidated_reading, walk.step == Step::Reading);
                count(&mut s.invalidated_ended, walk.step == Step::Ended);
                count(&mut s.invalidated_marking, walk.marking);
                count(&mut s.invalidated_bypassed, walk.bypass);
            }
            count(&mut s.invalidated_one_space_of_two, met && spared);
        }
    }

    /// Counts what came out.
    pub(super) fn count_outputs(&mut self, model: &PageWalker, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let granted = outputs.request_ready.iter().position(|&ready| ready != 0);
        let highest = inputs.request_valid.iter().rposition(|&valid| valid != 0);
        count(
            &mut s.turn_goes_round,
            granted.is_some() && granted < highest,
        );
        if outputs.answer_valid {
            let several = outputs.answer_requesters.iter().sum::<u64>() > 1;
            count(&mut s.answer_for_several, several);
            count(&mut s.answer_stalled, !inputs.answer_ready);
        }
        if outputs.answer_valid && inputs.answer_ready {
            // What leaves is of a walk that bypasses the cache.
            let found = outputs.answer_cause == 0;
            count(&mut s.found_bypassed, outputs.memory_bypass && found);
            count(&mut s.refused_bypassed, outputs.memory_bypass && !found);
            let ended = match (outputs.answer_cause, outputs.answer_level) {
                (0, 1) => &mut s.page_of_4_kb,
                (0, 2) => &mut s.page_of_2_mb,
                (0, _) => &mut s.page_of_1_gb,
                (1, _) => &mut s.non_canonical,
                (2, _) => &mut s.not_present,
                (3, _) => &mut s.reserved_bit,
                (4, _) => &mut s.protection,
                (5, _) => &mut s.not_accessed,
                (6, _) => &mut s.not_dirty,
                _ => &mut s.outside_memory,
            };
            *ended += 1;
        }
        let sent = outputs.memory_valid && inputs.memory_ready;
        count(
            &mut s.memory_stalled,
            outputs.memory_valid && !inputs.memory_ready,
        );
        count(
            &mut s.memory_and_response_at_once,
            sent && inputs.response_valid,
        );
        count(
            &mut s.entry_of_the_root,
            sent && outputs.memory_level == self.parameters.levels,
        );
        count(&mut s.update, sent && outputs.memory_update);
        count(
            &mut s.begun_bypassed,
            sent && outputs.memory_bypass && outputs.memory_level == self.parameters.levels,
        );
        count(
            &mut s.marked_bypassed,
            sent && outputs.memory_bypass && outputs.memory_update,
        );
        count(
            &mut s.update_of_dirty,
            sent && outputs.memory_update && outputs.memory_dirty,
        );
        count(&mut s.update_skipped, model.skipping());
        let before = &mut self.last_word[usize::from(outputs.memory_walk)];
        count(
            &mut s.table_in_itself,
            sent && *before == outputs.memory_word,
        );
        if sent {
            *before = outputs.memory_word;
        }
        let other = |first: &Outputs| first.memory_walk != inputs.response_walk;
        count(
            &mut s.out_of_order,
            inputs.response_valid && self.requested.first().is_some_and(other),
        );
        count(
            &mut s.invalidation_waits,
            inputs.invalidate_valid && !outputs.invalidate_ready && model.halting(),
        );
    }
}
