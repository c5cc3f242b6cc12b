//! What the traffic has led to, counted.

use faultline_sim::mmu::page_walk_cache::{Inputs, Outputs, PageWalkCache, Step};
use faultline_sim::walk::{ACCESSED, EXECUTE_DISABLE, PAGE_SIZE, PRESENT, USER, WRITABLE};

use super::PageWalkCacheTraffic;
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        hit, hit_after_hit, hit_waits, missed, missed_twice, update, level_not_cached, level_unknown,
        looked_waits_for_memory, looked_waits_for_a_response, hit_looked_at_waits, request_stalled, memory_stalled,
        filled, filled_over_another, filled_beside_another_set, found_already, found_with_another_entry,
        found_in_a_full_set, requested_bypassed, requested_bypassed_of_what_is_here, found_already_and_left_out,
        fill_waits_to_read, fill_waits_to_write,
        fill_waits_for_its_set, fill_goes_first_to_read, fill_goes_first_to_write,
        looked_at_waits_for_a_write, left_out, not_kept_error, not_kept_absent, not_kept_clear, not_kept_page,
        not_kept_reserved, not_kept_withheld, never_kept, stray_response, out_of_order, invalidated_in_the_cycle_of_a_response,
        invalidated_looked_at, invalidated_hit, invalidated_offer, invalidated_read, invalidated_fill,
        invalidated_in_the_cycle_of_a_write, request_while_clearing, response_while_clearing,
        invalidation_while_clearing_after_reset, invalidation_after_invalidation, idle, reset_in_use,
    }
}

impl PageWalkCacheTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &PageWalkCache, inputs: &Inputs) {
        let s = &mut self.scenarios;
        let looked = model.looked();
        let searched = looked.is_some_and(|looked| looked.searched);
        let found = looked.is_some_and(|looked| looked.found.is_some());
        let moves = model.moves(inputs);
        let waits = model.offer().is_some() && !inputs.memory_ready;
        let keeps = model.offer().is_some_and(|offer| offer.keeps);
        count(&mut s.reset_in_use, inputs.reset && looked.is_some());
        count(&mut s.looked_waits_for_memory, looked.is_some() && waits);
        count(
            &mut s.looked_waits_for_a_response,
            searched && !moves && !waits,
        );
        count(&mut s.hit_looked_at_waits, found && !moves);

        if let Some(fill) = model.fill() {
            let set = |word| self.parameters.set(word);
            let same = looked.is_some_and(|looked| set(looked.request.word) == set(fill.word));
            let accepts = inputs.request_valid
                && (looked.is_none() || moves)
                && !model.fill_is_first()
                && inputs.is_cached()
                && !inputs.invalidate_valid;
            let free = !accepts && !(searched && (moves || same));
            let writes = fill.step == Step::Writing;
            count(
                &mut s.found_already,
                fill.step == Step::Comparing && model.here(fill.word).is_some(),
            );
            let here = model.here(fill.word);
            let renews = writes && free && !inputs.invalidate_valid && here.is_some();
            count(
                &mut s.found_with_another_entry,
                renews && here != Some(fill.entry),
            );
            count(
                &mut s.found_in_a_full_set,
                renews && model.is_full(fill.word),
            );
            count(
                &mut s.fill_waits_to_read,
                fill.step == Step::Reading && accepts,
            );
            count(&mut s.fill_waits_to_write, writes && accepts);
            let first = model.fill_is_first() && inputs.request_valid;
            count(&mut s.fill_goes_first_to_read, first && !writes);
            count(&mut s.fill_goes_first_to_write, first && writes);
            count(
                &mut s.looked_at_waits_for_a_write,
                model.fill_is_first() && writes && searched && !moves && !waits && !same,
            );
            count(
                &mut s.fill_waits_for_its_set,
                writes && !accepts && searched && !moves && same,
            );
            count(&mut s.filled, writes && free && !inputs.invalidate_valid);
            count(
                &mut s.filled_over_another,
                writes && free && model.is_full(fill.word) && here.is_none(),
            );
            count(&mut s.filled_beside_another_set, writes && free && searched);
            count(
                &mut s.invalidated_in_the_cycle_of_a_write,
                writes && free && inputs.invalidate_valid,
            );
        }

        if inputs.response_valid {
            let entry = inputs.response_data;
            let kept = model.kept(inputs.response_walk).is_some();
            let stray = !self.busy[usize::from(inputs.response_walk)];
            count(&mut s.stray_response, stray);
            count(&mut s.never_kept, !kept && !stray);
            count(&mut s.not_kept_error, kept && inputs.response_error);
            count(&mut s.not_kept_absent, kept && entry & PRESENT == 0);
            count(&mut s.not_kept_clear, kept && entry & ACCESSED == 0);
            count(&mut s.not_kept_page, kept && entry & PAGE_SIZE != 0);
            let table = entry & (PRESENT | ACCESSED | PAGE_SIZE) == PRESENT | ACCESSED;
            let refused = kept && table && !inputs.response_error && !inputs.may_be_kept();
            let every_right = entry & (WRITABLE | USER | EXECUTE_DISABLE) == WRITABLE | USER;
            count(&mut s.not_kept_reserved, refused && every_right);
            count(&mut s.not_kept_withheld, refused && !every_right);
            count(
                &mut s.left_out,
                kept && inputs.may_be_kept() && model.fill().is_some(),
            );
            let word = model.kept(inputs.response_walk);
            let here = word.and_then(|word| model.here(word)).is_some();
            count(
                &mut s.found_already_and_left_out,
                here && inputs.may_be_kept() && model.fill().is_some(),
            );
            count(
                &mut s.invalidated_in_the_cycle_of_a_response,
                kept && inputs.may_be_kept() && inputs.invalidate_valid,
            );
            count(&mut s.response_while_clearing, model.is_clearing());
        }

        let begins = inputs.invalidate_valid && !model.is_invalidating();
        count(&mut s.invalidated_looked_at, begins && searched);
        count(&mut s.invalidated_hit, begins && model.hit().is_some());
        count(&mut s.invalidated_offer, begins && keeps);
        let mut walks = 0..self.parameters.walks;
        let reads = begins && walks.any(|walk| model.kept(walk as u8).is_some());
        count(&mut s.invalidated_read, reads);
        count(&mut s.invalidated_fill, begins && model.fill().is_some());
        count(
            &mut s.invalidation_while_clearing_after_reset,
            begins && model.is_clearing(),
        );
        count(
            &mut s.invalidation_after_invalidation,
            begins && self.before.invalidate_ready,
        );
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(
        &mut self,
        model: &PageWalkCache,
        inputs: &Inputs,
        outputs: &Outputs,
    ) {
        let s = &mut self.scenarios;
        let hit = outputs.answer_valid && !inputs.response_valid;
        count(&mut s.hit, hit);
        count(&mut s.hit_after_hit, hit && self.before.answer_valid);
        count(
            &mut s.hit_waits,
            model.hit().is_some() && inputs.response_valid,
        );
        let accepted = inputs.request_valid && outputs.request_ready;
        count(
            &mut s.request_stalled,
            inputs.request_valid && !outputs.request_ready,
        );
        count(
            &mut s.memory_stalled,
            outputs.memory_valid && !inputs.memory_ready,
        );
        count(&mut s.update, accepted && inputs.request_update);
        count(
            &mut s.level_unknown,
            accepted && !(1..=5).contains(&inputs.request_level),
        );
        count(
            &mut s.level_not_cached,
            accepted && !inputs.request_update && !inputs.is_cached(),
        );
        count(
            &mut s.request_while_clearing,
            accepted && inputs.is_cached() && model.is_clearing(),
        );
        let bypass = accepted && inputs.request_bypass && inputs.is_cached();
        count(&mut s.requested_bypassed, bypass);
        count(
            &mut s.requested_bypassed_of_what_is_here,
            bypass && model.here(inputs.request_word).is_some(),
        );
        let missed = model
            .looked()
            .filter(|looked| accepted && looked.searched && looked.found.is_none());
        count(&mut s.missed, missed.is_some());
        let mut walks = 0..self.parameters.walks;
        let again = missed.is_some_and(|looked| {
            walks.any(|walk| model.kept(walk as u8) == Some(looked.request.word))
        });
        count(&mut s.missed_twice, again);
        let other = |first: &Outputs| first.memory_walk != inputs.response_walk;
        count(
            &mut s.out_of_order,
            inputs.response_valid && self.requested.first().is_some_and(other),
        );
        count(
            &mut s.idle,
            !inputs.request_valid && !outputs.answer_valid && !outputs.memory_valid,
        );
    }
}
