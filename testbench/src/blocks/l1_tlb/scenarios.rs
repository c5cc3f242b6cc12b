//! What the traffic has led to, counted.

use faultline_sim::sm::l1_tlb::{
    CANCELLED, FAR, Inputs, L1Tlb, NACK, OF_ALL, OF_PAGE, OF_SPACE, Outputs, Step,
};

use super::{L1TlbTraffic, LARGE};
use crate::traffic::{count, scenarios};

scenarios! {
    /// What the traffic has led to.
    struct Scenarios {
        hit, hit_after_hit, hit_under_a_miss, hit_while_all_misses_are_taken, hit_of_a_write, missed, missed_again,
        missed_while_filled, refused, refused_while_an_entry_is_freed, denied_page, denied_write, fault_reported,
        fault_not_reported, same_page_of_another_space, walk_stalled, walk_after_walk, filled, filled_into_a_full_set,
        replaced_while_used, fill_dropped, fill_dropped_in_the_same_cycle, stray_fill, far_fault,
        far_fault_of_a_stale_walk, nack, nack_after_a_nack, nack_beside_a_resolution, nack_of_a_stale_walk,
        held_at_the_limit, requested_again, requested_again_although_the_limit_is_zero,
        requested_again_before_a_page_that_was_missed_later, requested_again_before_a_lower_entry,
        requested_again_beside_a_nack, more_claims_than_the_limit, all_misses_fetch, resolved, resolved_with_some_held,
        stray_resolution, woken, all_woken, invalidated_page, invalidated_space, invalidated_everything,
        invalidated_walk, wrote_a_clean_page, wrote_a_clean_page_while_all_misses_are_taken,
        wrote_a_clean_page_beside_a_fill, cancelled, cancelled_with_some_held, cancelled_by_an_invalidation_too,
        cancelled_beside_a_resolution, check_stalled, three_things_at_once, idle, reset_in_use,
        large_hit, large_hit_beside_its_own, large_hit_of_an_absent_page, large_denied_write, large_filled,
        large_filled_again, large_filled_among_misses_of_it, large_replaced, large_replaced_while_used,
        large_written_clean, large_written_clean_beside_its_fill, large_written_clean_and_found_by_itself,
        large_covers_a_page_that_is_filled, large_page_invalidated_by_another_page, large_page_invalidated_by_space,
        large_walk_blocked_by_another_page, large_fill_blocked_by_another_page,
        large_cancellation_blocked_by_another_page,
    }
}

impl L1TlbTraffic {
    /// Counts what acts in the cycle that comes.
    pub(super) fn count(&mut self, model: &L1Tlb, inputs: &Inputs) {
        let came = model.came();
        let s = &mut self.scenarios;
        let misses = model.misses().count();
        let all = misses == self.parameters.misses;
        let of = |page| model.misses().find(|miss| miss.page == page);
        let here = |page| model.filled().any(|filled| filled.page == page);
        let fetching = model
            .misses()
            .filter(|miss| miss.step == Step::Fetching)
            .count();
        count(&mut s.reset_in_use, inputs.reset && misses > 0);
        count(&mut s.all_misses_fetch, fetching == self.parameters.misses);
        count(
            &mut s.three_things_at_once,
            (came.check_valid || came.invalidate_valid) && came.fill_valid && came.resolve_valid,
        );

        let resolved = came.resolve_valid
            && of(came.resolved()).is_some_and(|miss| miss.step == Step::Fetching);
        count(&mut s.stray_resolution, came.resolve_valid && !resolved);
        count(&mut s.resolved, resolved);
        count(
            &mut s.resolved_with_some_held,
            resolved && model.misses().any(|miss| miss.step == Step::Held),
        );

        let walking = of(came.filled()).and_then(|miss| match miss.step {
            Step::Walking { stale } if came.fill_valid => Some(stale),
            _ => None,
        });
        let covered = model.blocks(came.filled());
        let absent = [FAR, NACK].contains(&came.fill_kind);
        let nack = came.fill_kind == NACK;
        let ended = walking == Some(false) && !absent && !covered;
        let requested = of(came.filled())
            .is_some_and(|miss| matches!(miss.step, Step::Walking { .. } | Step::Fetching));
        count(&mut s.stray_fill, came.fill_valid && !requested);
        if let Some(stale) = walking {
            let replaced = model.replaced_by(came.filled());
            let replaced = replaced.filter(|_| came.fill_kind != LARGE);
            count(&mut s.filled, ended);
            count(&mut s.filled_into_a_full_set, ended && replaced.is_some());
            count(
                &mut s.replaced_while_used,
                ended && came.check_valid && replaced == Some(came.checked()),
            );
            count(&mut s.fill_dropped, stale && !absent);
            count(
                &mut s.fill_dropped_in_the_same_cycle,
                !stale && covered && !absent,
            );
            count(&mut s.far_fault, absent && !nack);
            count(&mut s.far_fault_of_a_stale_walk, absent && !nack && stale);
            count(&mut s.nack_of_a_stale_walk, nack && stale);
            count(&mut s.nack, nack);
            count(
                &mut s.nack_after_a_nack,
                nack && of(came.filled()).is_some_and(|miss| miss.claims),
            );
            count(&mut s.nack_beside_a_resolution, nack && resolved);
        }

        let limit = usize::from(inputs.far_limit);
        let claims = model.misses().filter(|miss| miss.claims).count();
        let held = model.misses().filter(|miss| miss.step == Step::Held);
        let held: Vec<_> = held.map(|miss| miss.page).collect();
        let released = model.released(inputs.far_limit);
        count(&mut s.requested_again, released.is_some());
        count(
            &mut s.requested_again_although_the_limit_is_zero,
            released.is_some() && limit == 0,
        );
        count(
            &mut s.requested_again_before_a_page_that_was_missed_later,
            released.is_some() && held.len() > 1,
        );
        count(
            &mut s.requested_again_beside_a_nack,
            released.is_some() && nack && walking.is_some(),
        );
        count(
            &mut s.held_at_the_limit,
            released.is_none() && !held.is_empty(),
        );
        count(
            &mut s.requested_again_before_a_lower_entry,
            released.is_some() && held.first() != released.as_ref(),
        );
        count(&mut s.more_claims_than_the_limit, claims > limit);

        let cancelled = came.fill_valid
            && came.fill_kind == CANCELLED
            && of(came.filled()).is_some_and(|miss| miss.step == Step::Fetching);
        count(&mut s.cancelled, cancelled && !covered);
        count(
            &mut s.cancelled_by_an_invalidation_too,
            cancelled && covered,
        );
        count(
            &mut s.cancelled_with_some_held,
            cancelled && model.misses().any(|miss| miss.step == Step::Held),
        );
        count(&mut s.cancelled_beside_a_resolution, cancelled && resolved);

        if came.check_valid {
            let page = came.checked();
            let spoils = model.spoils();
            count(&mut s.wrote_a_clean_page, spoils && !all);
            count(
                &mut s.wrote_a_clean_page_while_all_misses_are_taken,
                spoils && all,
            );
            let set = |page| self.parameters.set(page);
            count(
                &mut s.wrote_a_clean_page_beside_a_fill,
                spoils && ended && set(page) == set(came.filled()),
            );
            let by_large = model.found_large().is_some();
            let known = by_large || (here(page) && !spoils) || of(page).is_some();
            let absent = of(page).is_some_and(|miss| miss.absent);
            count(&mut s.hit_under_a_miss, here(page) && misses > 0);
            count(&mut s.hit_while_all_misses_are_taken, here(page) && all);
            count(&mut s.missed, !known && !all);
            count(&mut s.missed_again, of(page).is_some());
            count(&mut s.missed_while_filled, ended && came.filled() == page);
            count(&mut s.refused, !known && all);
            count(
                &mut s.refused_while_an_entry_is_freed,
                !known && all && ended,
            );
            let absent = absent && !by_large;
            count(&mut s.fault_reported, absent && inputs.report_faults);
            count(&mut s.fault_not_reported, absent && !inputs.report_faults);
            count(
                &mut s.same_page_of_another_space,
                !here(page) && model.filled().any(|filled| filled.page.vpn == page.vpn),
            );
        }
        if came.invalidate_valid {
            let covers = |scope| {
                let some = model.filled().any(|filled| came.invalidates(filled.page));
                came.invalidate_scope == scope && some
            };
            count(&mut s.invalidated_page, covers(OF_PAGE));
            count(&mut s.invalidated_space, covers(OF_SPACE));
            count(&mut s.invalidated_everything, covers(OF_ALL));
            let walks = |step| matches!(step, Step::Walking { .. });
            count(
                &mut s.invalidated_walk,
                model
                    .misses()
                    .any(|miss| walks(miss.step) && came.invalidates(miss.page)),
            );
        }
    }

    /// Counts what a cycle shows.
    pub(super) fn count_outputs(&mut self, inputs: &Inputs, outputs: &Outputs) {
        let s = &mut self.scenarios;
        let denied = outputs.answer_denied;
        count(&mut s.hit, outputs.answer_hit);
        count(
            &mut s.hit_after_hit,
            outputs.answer_hit && self.before.answer_hit,
        );
        count(&mut s.hit_of_a_write, outputs.answer_hit && self.came_write);
        count(&mut s.large_denied_write, denied && self.by_large);
        count(&mut s.denied_page, denied && !self.came_write);
        count(&mut s.denied_write, denied && self.came_write);
        count(
            &mut s.walk_stalled,
            outputs.walk_valid && !inputs.walk_ready,
        );
        count(
            &mut s.walk_after_walk,
            outputs.walk_valid && inputs.walk_ready && self.before.walk_valid,
        );
        count(&mut s.woken, outputs.wake_valid);
        count(&mut s.all_woken, outputs.wake_all);
        count(
            &mut s.check_stalled,
            inputs.check_valid && !outputs.check_ready,
        );
        count(
            &mut s.idle,
            !inputs.check_valid && !outputs.answer_valid && !outputs.walk_valid,
        );
        self.came_write = inputs.check_write;
    }
}
